"""Data inside a text: after a sentence, in a code fence, between tags. Several values are rows.

Text is never lost between rows. Several values are rows only if they are alike, and if there is
nothing but white space, fences, tags, separators and one and the same label between them. Otherwise one value is the
data, if it is most of the text, and the rest is the text before and after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped

# A value starts a line, or follows a tag, a fence, or a word with a colon. Inside a value, keys end with
# a quote, and not with a word. The pattern begins with single bytes, so that the search is fast.
_START: Final = re.compile(rb"(?:\n|>[ \t]*+|`[ \t]*+|:(?<=\w:)[ \t]*+)([\[{])")
_SEPARATORS: Final = (
    rb"(?:[\s,;]++|-{3,}+|={3,}+|\*{3,}+|`{3,}+[\w-]*+|</?[A-Za-z][^<>\n]{0,200}+>)*+"
)
_BETWEEN: Final = re.compile(_SEPARATORS + rb"(?:(?P<label>[^\n]{1,60}:)" + _SEPARATORS + rb")?")
# The text around a value shows that it is a part of a larger value, whose start or end is missing.
_OPEN_BEFORE: Final = re.compile(rb"""(?:[\]}"'0-9]\s*+,|[\[{])\s*+\Z""")
_OPEN_AFTER: Final = re.compile(rb"[\s,]*+[\]}]")
# This many bytes before a value show whether the value is part of a larger one.
_LONGEST_BEFORE: Final = 100
_LEAST_SHARE: Final = 0.8  # of the text that is data
# Brackets that hold no value may hold others that do, and each is scanned. All scans together go
# through at most this many times the text.
_MOST_SCANS: Final = 4
_MOST_BRACES: Final = 20  # in the line before the first value


class Notation(Protocol):
    """A way to write lists and dicts, of which a text may hold some."""

    def value_end(self, text: bytes, start: int) -> int | None:
        """Return where the bracket closes that opens there; None if it does not."""

    def compacted(self, value: bytes) -> bytes:
        """Return a value in compact JSON. Raise `NotJson`, or `TooDeep` if its rows nest too deep."""

    def cut(self, value: bytes) -> TextCut:
        """Cut a valid value."""

    def is_plain(self, text: bytes, start: int) -> bool:
        """Return whether this notation is meant there, valid or not."""

    def notices(self, value: bytes) -> tuple[str, ...]:
        """Return what compact JSON does not show of the value."""

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]: ...

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame: ...


class _Value(NamedTuple):
    """The place of a list or dict that is not empty, and its keys."""

    start: int
    stop: int
    keys: frozenset[str] | None  # None for a list

    @property
    def size(self) -> int:
        return self.stop - self.start


class _EmbeddedReading(msgspec.Struct, frozen=True):
    before: int = 0  # the bytes of text before the value
    after: int = 0
    is_several: bool = False
    inner: str = ""  # the reading of the value, if it is one


class Embedded:
    """Text that holds data in a notation, at least for the most part."""

    has_free_cells = False
    is_one_value = True
    has_sections = False

    def __init__(self, notation: Notation) -> None:
        self._notation = notation

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        if b"[" not in text and b"{" not in text:
            return None
        try:
            values = [*self._values(text)]
        except _CutOffError as error:
            return self._near_miss(text, error.start)
        least = _LEAST_SHARE * len(text)
        if not values or sum(value.size for value in values) < least:
            return None
        if _is_part(text, values[0].start, values[-1].stop):
            return None
        largest = max(values, key=lambda value: value.size)
        is_most = largest.size >= least
        if is_most and (largest.keys is None or len(values) == 1):
            return self._cut_one(text, largest)
        several = self._cut_several(text, self._with_first(text, values))
        return (
            self._cut_one(text, largest) if is_most and isinstance(several, NearMiss) else several
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        told = _read(reading)
        if not told.is_several:
            return self._notation.decode(rows, told.inner.encode())
        ends = [self._notation.value_end(row, 0) for row in rows]
        return [self._notation.compacted(row[:end]) for row, end in zip(rows, ends, strict=True)]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        told = _read(reading)
        before, after = prefix[: told.before], suffix[len(suffix) - told.after :]
        if told.is_several:
            return ValueFrame(text_before=before, text_after=after)
        inner, end = prefix[told.before :], suffix[: len(suffix) - told.after]
        found = self._notation.frame(inner, end, told.inner.encode())
        return found._replace(text_before=before, text_after=after)

    def _values(self, text: bytes) -> Iterator[_Value]:
        """Yield the lists and dicts of a text, as long as these can still be most of it. Raise
        `_CutOffError` for one that is not closed: the values after it would be parts of it."""
        to_scan, to_skip = _MOST_SCANS * len(text), (1 - _LEAST_SHARE) * len(text)
        position, start = 0, 0 if text[:1] in (b"[", b"{") else _next_start(text, 0)
        while start is not None and to_scan > 0 and to_skip >= start - position:
            stop = self._notation.value_end(text, start)
            if stop is None:
                raise _CutOffError(start)
            value = self._value_at(text, start, stop)
            to_skip -= start - position
            position = start
            if value is None:
                to_scan -= stop - start
                start = _next_start(text, start + 1)
            else:
                yield value
                position = stop
                start = _next_start(text, stop)

    def _with_first(self, text: bytes, values: list[_Value]) -> list[_Value]:
        """Return the values with the one before them, if that follows other words in its line. It would
        be a row that is missing."""
        start = text.rfind(b"\n", 0, values[0].start - 1) + 1
        for _ in range(_MOST_BRACES):
            start = text.find(b"{", start, values[0].start)
            stop = None if start < 0 else self._notation.value_end(text, start)
            if stop is None:
                break
            first = self._value_at(text, start, stop) if stop <= values[0].start else None
            if first is not None and first.keys is not None:
                is_next = _BETWEEN.fullmatch(text, stop, values[0].start)
                return [first, *values] if is_next else values
            start += 1
        return values

    def _value_at(self, text: bytes, start: int, stop: int) -> _Value | None:
        try:
            compact = self._notation.compacted(text[start:stop])
        except rawjson.NotJson:
            return None
        if len(compact) == len("[]"):
            return None
        is_list = compact.startswith(b"[")
        return _Value(start, stop, None if is_list else frozenset(rawjson.names(compact)))

    def _near_miss(self, text: bytes, start: int) -> NearMiss | None:
        """Return where a value starts that is cut off, if it is most of the text up to its fence."""
        fence = text.find(b"\n```", start)
        size = (len(text) if fence < 0 else fence) - start
        if size < _LEAST_SHARE * len(text) or not self._notation.is_plain(text, start):
            return None
        line = text.count(b"\n", 0, start) + 1
        return NearMiss(f"the value that starts in line {line} is cut off")

    def _cut_one(self, text: bytes, value: _Value) -> TextCut:
        inner = self._notation.cut(text[value.start : value.stop])
        reading = _EmbeddedReading(
            value.start, len(text) - value.stop, inner=inner.reading.decode()
        )
        return replace(
            inner,
            prefix=text[: value.start] + inner.prefix,
            suffix=inner.suffix + text[value.stop :],
            reading=msgspec.json.encode(reading),
        )

    def _cut_several(self, text: bytes, values: Sequence[_Value]) -> TextCut | NearMiss:
        """Cut before each value. A row holds a value, and the separators up to the next."""
        if not _are_alike(values):
            return NearMiss(f"its {len(values)} values are not alike")
        labels: set[bytes | None] = set()
        for value, after in pairwise(values):
            between = _BETWEEN.fullmatch(text, value.stop, after.start)
            labels.add(between["label"] if between is not None else None)
            if between is None or len(labels) > 1:
                return _text_between(text, value.stop, after.start)
        first, last = values[0].start, values[-1].stop
        stops = [*(value.start for value in values[1:]), last]
        rows = (text[value.start : stop] for value, stop in zip(values, stops, strict=True))
        reading = msgspec.json.encode(_EmbeddedReading(first, len(text) - last, is_several=True))
        data = b",".join(text[value.start : value.stop] for value in values)
        return TextCut(
            "rows",
            grouped(rows),
            text[:first],
            text[last:],
            reading=reading,
            notices=self._notation.notices(data),
        )


class _CutOffError(Exception):
    """A value in a text is not closed."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def _next_start(text: bytes, position: int) -> int | None:
    found = _START.search(text, position)
    return None if found is None else found.start(1)


def _is_part(text: bytes, start: int, stop: int) -> bool:
    """Return whether the text around values shows that they are parts of a larger one."""
    near = max(0, start - _LONGEST_BEFORE)
    return bool(_OPEN_BEFORE.search(text, near, start) or _OPEN_AFTER.match(text, stop))


def _are_alike(values: Sequence[_Value]) -> bool:
    """Return whether these are all lists, or dicts that share a key."""
    keys = [value.keys for value in values if value.keys is not None]
    if not keys:
        return True
    return len(keys) == len(values) and bool(keys[0].intersection(*keys[1:]))


def _text_between(text: bytes, start: int, stop: int) -> NearMiss:
    """Return the line of the text between two values that is more than a label."""
    white = len(text[start:stop]) - len(text[start:stop].lstrip())
    line = text.count(b"\n", 0, start + white) + 1
    return NearMiss(f"there is other text between its values, first in line {line}")


def _read(reading: bytes) -> _EmbeddedReading:
    return msgspec.json.decode(reading, type=_EmbeddedReading)
