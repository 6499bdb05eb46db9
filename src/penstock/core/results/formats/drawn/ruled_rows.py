"""The rows of a table with bars: lines, or groups of lines that rules or marks keep together. A table
that breaks has none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss
from penstock.core.results.formats.drawn.found_table import (
    FoundTable,
    all_lines,
    line_number,
    with_numbers,
)
from penstock.core.results.formats.drawn.ruled_body import RuledBody, TableRule
from penstock.core.results.formats.drawn.table_cells import (
    BLANKS,
    DRAWN_BARS,
    Cells,
    TextTableLayout,
    numbers_in,
    row_reader,
)
from penstock.core.results.formats.tables.numbers import NumberColumns

_SAMPLE: Final = 200  # lines
_MOST_AROUND: Final = 10  # lines without bars
COUNTED: Final = re.compile(rb"^\(([0-9]{1,18}) rows?\)[ \t\r]*+$", re.MULTILINE)
_BOTTOMS: Final = frozenset("+|└┕┖┗╘╙╚╰")
_UNSURE_LINES: Final = "a line between its rules may be a row, or go on with the row above"


class RuledNames(NamedTuple):
    """The lines above the rows: the names of columns, and the rule below them."""

    start: int  # of the table
    lines: Sequence[bytes]
    rule: TableRule
    below: int  # where the first row starts
    is_box: bool = False  # another rule is above them


def is_whole(text: bytes, body: RuledBody, *, is_box: bool) -> bool:
    """Return whether a table has rows, and does not break after them."""
    return body.count > 0 and body.broken is None and (not is_box or _is_closed(text, body))


def break_in(text: bytes, body: RuledBody) -> NearMiss | None:
    """Return where a table breaks, unless it is a small part of another text."""
    if not body.count or has_other_text(text, body.end):
        return None
    if body.broken is not None:
        line = line_number(text, body.broken)
        return NearMiss(f"line {line} does not have the cells that the lines above it have")
    return NearMiss(f"its box is not closed after line {line_number(text, body.last)}")


def _is_closed(text: bytes, body: RuledBody) -> bool:
    """Return whether a rule that can be the last one is below the rows."""
    rule = text[text.rfind(b"\n", 0, body.end) + 1 : body.end].strip(BLANKS)
    return body.end > body.last and rawjson.text(rule)[0] in _BOTTOMS


def has_other_text(text: bytes, position: int) -> bool:
    """Return whether many lines below a table have no bars, so that it is part of another text."""
    others = (
        1
        for _, line in islice(all_lines(text, position + 1), _SAMPLE)
        if line.strip(BLANKS) and not any(bar in line for bar in (b"|", *DRAWN_BARS))
    )
    return sum(others) > _MOST_AROUND


def with_rows(
    text: bytes, names: RuledNames, layout: TextTableLayout, body: RuledBody, numbers: NumberColumns
) -> FoundTable | NearMiss:
    """Return a table whose lines are put together to rows."""
    are_marked = layout.rows == "marked" and body.marked > 0
    layout = replace(layout, rows="marked" if are_marked else "lines")
    table = FoundTable(names.start, names.below, body.last, body.end, body.count, layout)
    may_have_groups = names.is_box or layout.cut == "drawn bars"  # a rule of Org mode ends no row
    if body.inner and body.long_groups and may_have_groups:
        is_clear = names.rule.is_double and not any(rule.is_double for rule in body.inner)
        are_lines = any(
            column in body.always_filled and is_number
            for column, is_number in enumerate(numbers.are_numbers())
        )
        if is_clear or body.keyed_groups == body.long_groups:
            return _in_groups(text, replace(table, layout=replace(layout, rows="ruled")))
        if body.keyed_groups or not are_lines:
            return NearMiss(_UNSURE_LINES)
    if are_marked:
        return _in_groups(text, table)
    return _counted(text, with_numbers(table, numbers, 0 if layout.is_markdown else body.hollow))


def _in_groups(text: bytes, table: FoundTable) -> FoundTable | NearMiss:
    """Return a table with rows of several lines."""
    reader, count = row_reader(table.layout), 0

    def rows() -> Iterator[Cells]:
        nonlocal count
        for row in table.rows(text):
            count += 1
            yield reader.cells(row) or []

    numbers = numbers_in(len(table.layout.columns), rows())
    return _counted(text, with_numbers(replace(table, count=count), numbers))


def _counted(text: bytes, table: FoundTable) -> FoundTable | NearMiss:
    """Return a table, unless a line below it counts other rows, as in `(3 rows)`."""
    told = COUNTED.match(text, table.end + 1)
    if told is None or int(told[1]) == table.count:
        return table
    return NearMiss(f"it has {table.count} rows, and the line below them tells {int(told[1])}")
