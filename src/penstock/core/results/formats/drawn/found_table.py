"""A table that was found in a text: its place, its rows and how to cut them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from penstock.core.results.formats.drawn.table_cells import (
    MOST_COLUMNS,
    TextTableLayout,
    lines_between,
    row_lines,
)
from penstock.core.results.formats.tables.numbers import NumberColumns, notice_of_marks

LONGEST_LINE: Final = 1_000_000  # bytes of a header or a rule


class FoundTable(msgspec.Struct, frozen=True):
    """The place of a table in a text. Lines end before their newlines."""

    start: int  # of its first line: the names, or a rule
    first: int  # where the first row starts
    last: int  # where the last row ends
    end: int  # of its last line
    count: int  # rows
    layout: TextTableLayout
    notices: tuple[str, ...] = ()
    # Its columns may have only one blank between them. Then wide characters can move a cell from one
    # column to the next, so that both ways to count columns must give the same cells.
    is_close: bool = False

    def rows(self, text: bytes) -> Iterator[bytes]:
        return row_lines(text, self.first, self.last, self.layout)


class Line(NamedTuple):
    """A line without its newline, and where the next one starts."""

    text: bytes
    after: int


def line_at(text: bytes, start: int) -> Line:
    """Return the line that starts there. It is empty if it is too long for a header."""
    end = text.find(b"\n", start)
    end = len(text) if end < 0 else end
    return Line(text[start:end] if end - start <= LONGEST_LINE else b"", end + 1)


def line_number(text: bytes, position: int) -> int:
    return text.count(b"\n", 0, position) + 1


def line_before(text: bytes, start: int) -> bytes:
    """Return the line before the one that starts there, without blanks at its end."""
    end = start - 1
    return text[text.rfind(b"\n", 0, max(end, 0)) + 1 : max(end, 0)].rstrip()


def too_wide(width: int) -> str:
    return f"it has {width:,} columns, and at most {MOST_COLUMNS:,} are read"


def with_numbers(table: FoundTable, numbers: NumberColumns, hollow: int = 0) -> FoundTable:
    """Return a table with the types of its columns. `hollow`: the rows whose first cell is empty."""
    layout = replace(table.layout, are_numbers=numbers.are_numbers())
    return replace(
        table, layout=layout, notices=(*notice_of_marks(numbers.marks), *_notice_of_hollow(hollow))
    )


def _notice_of_hollow(hollow: int) -> tuple[str, ...]:
    """Return a notice if rows may belong to the row above them."""
    if not hollow:
        return ()
    return (f"The first cell is empty in {hollow} rows, which may go on with the row above.",)


def all_lines(text: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield lines and where they start."""
    for line in lines_between(text, start, len(text)):
        yield start, line
        start += len(line) + 1
