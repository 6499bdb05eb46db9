"""The containers of Markdown that are open: quotes and list items, one in the other."""

from __future__ import annotations

from typing import Final

from penstock.core.results.formats.markdown.lines import CODE_INDENT, ITEM, MarkdownLine

_QUOTE: Final = 0  # on the stack; a list item is there with its indentation, which is never 0
_DEEPEST: Final = 50  # beyond this, marks are text


class Containers:
    """A stack of containers. Its steps are bounded by the length of a line, and not by its depth."""

    def __init__(self) -> None:
        self._stack: list[int] = []
        self._items = 0  # the containers before the first quote
        self._has_empty_item = False  # the last line has started an item, and has nothing in it

    @property
    def depth(self) -> int:
        return len(self._stack)

    @property
    def is_full(self) -> bool:
        return len(self._stack) >= _DEEPEST

    def matched(self, line: MarkdownLine) -> int:
        """Return how many containers a line belongs to, and read their marks."""
        if line.is_blank:
            return self._items
        for number, columns in enumerate(self._stack):
            if columns == _QUOTE:
                if not line.starts_with(b">") or line.indent >= CODE_INDENT:
                    return number
                if not line.skip_quote():
                    return self._matched_items(number + 1)
            elif line.indent >= columns:
                line.column += columns
            else:
                return number
        return len(self._stack)

    def _matched_items(self, number: int) -> int:
        """Return the number of the next quote: the rest of a line is blank, and belongs to all items."""
        while number < len(self._stack) and self._stack[number] != _QUOTE:
            number += 1
        return number

    def enter_quote(self, line: MarkdownLine) -> None:
        """Read the mark of a quote."""
        line.skip_quote()
        self._stack.append(_QUOTE)
        self._has_empty_item = False

    def enter_item(self, line: MarkdownLine, marker: int) -> None:
        """Read the marker of a list item."""
        self.enter_plain_item(line.skip_item(marker))
        self._has_empty_item = line.is_blank

    def enter_plain_item(self, columns: int) -> None:
        if self._items == len(self._stack):
            self._items += 1
        self._stack.append(columns)
        self._has_empty_item = False

    def leave(self, depth: int) -> None:
        """Close all containers but the first ones."""
        if depth < len(self._stack):
            del self._stack[depth:]
            self._items = min(self._items, depth)
            self._has_empty_item = False

    def leave_for_blank(self) -> None:
        """Close what a blank line ends: quotes, and an item that has nothing in it."""
        self.leave(len(self._stack) - self._has_empty_item)
        self.leave(self._items)

    def note_text(self) -> None:
        """Note that the last item is not empty."""
        self._has_empty_item = False

    def stripped(self, data: bytes) -> bytes:
        """Return a line that was read before, without the marks of these containers."""
        line = MarkdownLine(data)
        for columns in self._stack:
            if columns == _QUOTE:
                if line.starts_with(b">"):
                    line.skip_quote()
            elif line.indent >= columns:
                line.column += columns
            elif item := ITEM.match(data, line.first):
                line.skip_item(len(item[0]))
        return data[line.first :]
