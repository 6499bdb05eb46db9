r"""How Vega writes the way to a value in a row: `a.b`, `a[0].b`, `a['b']`, `a\.b`, `[a.b]`.

The first step is the column. A dot or a bracket that belongs to its name is escaped with a
backslash, or the name is put in brackets. This keeps to `splitAccessPath` of vega-util 2.
"""

from __future__ import annotations


class NotAPath(ValueError):
    """The text is no path: a bracket or a quote is not closed."""


def split_path(text: str) -> tuple[str, ...]:
    """The steps of a path, with escapes and quotes taken off."""
    if not any(mark in text for mark in "\\.[]"):
        return (text,) if text else ()
    return _Splitter(text).steps()


class _Splitter:
    """A step is built from `pending` (what came before an escape) and the text since `start`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[str] = []
        self._pending = ""
        self._start = 0
        self._quote = ""
        self._bracket = 0
        """Where the text in brackets begins; 0 outside of them, -1 after a quoted name in them."""

    def steps(self) -> tuple[str, ...]:
        at = 0
        while at < len(self._text):
            at = self._take(at) + 1
        if self._bracket or self._quote:
            raise NotAPath(self._text)
        if at > self._start:
            self._push(at)
        return tuple(self._found)

    def _push(self, end: int) -> None:
        self._found.append(self._pending + self._text[self._start : end])
        self._pending = ""
        self._start = end + 1

    def _take(self, at: int) -> int:
        """Reads the character at this place, and returns the last place that was read."""
        char = self._text[at]
        if char == "\\":
            self._pending += self._text[self._start : at]
            self._start = at + 1
            return at + 1
        if self._quote:
            if char == self._quote:
                self._push(at)
                self._quote, self._bracket = "", -1
        elif self._start == self._bracket and char in "\"'":
            self._start = at + 1
            self._quote = char
        else:
            self._take_mark(char, at)
        return at

    def _take_mark(self, char: str, at: int) -> None:
        if char == "." and not self._bracket:
            self._end_step(at)
            self._start = at + 1
        elif char == "[":
            self._end_step(at)
            self._bracket = self._start = at + 1
        elif char == "]":
            if not self._bracket:
                raise NotAPath(self._text)
            if self._bracket > 0:
                self._push(at)
            self._bracket = 0
            self._start = at + 1

    def _end_step(self, at: int) -> None:
        if at > self._start:
            self._push(at)
