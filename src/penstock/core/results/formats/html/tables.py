"""Tables of HTML as rows of objects. The cells are placed in a grid first, as browsers place them.

A cell that spans rows has its value in each of them. A cell that spans columns has its value in the
first of them, and the others are null: so a line such as "Total" across a table leaves its columns of
numbers alone. Names of columns go to all columns that they span. The addresses of links are left out,
so that a cell is the text that it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple

import msgspec

from penstock.core.budget.fitting import clip
from penstock.core.json import rawjson
from penstock.core.results.formats.tables.delimited import column_names
from penstock.core.results.formats.tables.headers import has_header
from penstock.core.results.formats.tables.numbers import NumberColumns
from penstock.core.results.formats.tables.records import MISSING

_MOST_COLUMNS: Final = 2_000
_MOST_NAME_ROWS: Final = 4
_LONGEST_NAME: Final = 100
_SAMPLE: Final = 100  # rows
_MOST_GROWTH: Final = 4  # cells of the grid for each cell of the table
_LEAST_GROWTH: Final = 10_000  # cells that any table may grow by
_SHORT_NAME: Final = 40

GridRow = list[str | None]  # a text, or None where a cell spans from the left
_Above = dict[int, tuple[str | None, int]]  # by column: a text that spans it, and for how many rows


class Spans(NamedTuple):
    """The columns and rows that a cell takes."""

    columns: int
    rows: int


class TableRow(msgspec.Struct):
    """A row of a table, in its group: `thead`, `tbody` or `tfoot`. Most rows span nothing, and large
    tables have many rows, so the texts are all that a cell needs."""

    group: str
    group_number: int
    texts: list[str] = msgspec.field(default_factory=list)
    names: int = 0  # the number of cells that are names
    spans: dict[int, Spans] = msgspec.field(default_factory=dict)  # by the number of the cell
    linked: dict[int, str] = msgspec.field(
        default_factory=dict
    )  # texts with the addresses of links


class DataTable(msgspec.Struct, frozen=True):
    """A table as rows of objects."""

    columns: Sequence[str]
    body: Sequence[GridRow]
    are_numbers: Sequence[bool]  # for each column
    foot: Sequence[str] = ()  # its last rows, as lines: totals would be counted twice
    marks: frozenset[bytes] = frozenset()  # texts that stand for missing numbers
    repeated: int = 0  # rows that only repeat the names of the columns

    def rows(self) -> list[dict[str, Any]]:
        columns = zip(zip(*self.body, strict=True), self.are_numbers, strict=True)
        values = [[*map(_number if is_number else _text, column)] for column, is_number in columns]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*values, strict=True)]


def data_of(rows: Sequence[TableRow], *, is_plain: bool) -> DataTable | None:
    """Return the data of a table, or None if it only places texts beside each other. `is_plain`: the
    cells hold nothing but text."""
    filled = [row for row in rows if row.texts]
    foot = [row for row in filled if row.group == "tfoot"]
    others = [row for row in filled if row.group != "tfoot"]
    names = _rows_of_names(others)
    are_named = bool(names) or any(row.names for row in others)
    grid = _grid(others) if len(others) > len(names) and (are_named or is_plain) else None
    if grid is None or len(grid) == 1 or (len(grid[0]) == 1 and not are_named):
        return None
    body = grid[len(names) :]
    header = _joined_names(grid[: len(names)])
    if not is_plain and len({*header}) == min(1, len(header)):
        return None  # one name above all, or none: a heading of what is placed below
    if not names and has_header([[cell or "" for cell in row] for row in body[:_SAMPLE]], b","):
        header, body = [cell or "" for cell in body[0]], body[1:]
    kept = [row for row in body if row != header] if header else body
    columns = _column_names(header, len(grid[0]), kept)
    numbers = _numbers_in(kept, len(columns))
    return DataTable(
        columns,
        kept,
        numbers.are_numbers(),
        [*map(line_of, foot)],
        frozenset(numbers.marks),
        len(body) - len(kept),
    )


def line_of(row: TableRow) -> str:
    """Return a row as text."""
    shown = (row.linked.get(number, text) for number, text in enumerate(row.texts))
    texts = [*filter(None, shown)]
    return ("\n" if any("\n" in text for text in texts) else " | ").join(texts)


# -- names -------------------------------------------------------------------------------------


def _rows_of_names(rows: Sequence[TableRow]) -> Sequence[TableRow]:
    """Return the first rows, if they name the columns."""
    in_head = [*takewhile(lambda row: row.group == "thead", rows)]
    named = in_head or [*takewhile(lambda row: row.names == len(row.texts), rows)]
    return named if 0 < len(named) <= _MOST_NAME_ROWS and len(named) < len(rows) else ()


def _joined_names(rows: Sequence[GridRow]) -> list[str]:
    """Return a name for each column, from the names above each other."""
    filled = [[*_filled(row)] for row in rows]
    columns = zip(*filled, strict=True)
    return [" ".join(dict.fromkeys(filter(None, column))) for column in columns]


def _filled(row: GridRow) -> Iterator[str]:
    """Yield the names of a row, each for all columns that it spans."""
    last = ""
    for cell in row:
        last = last if cell is None else cell
        yield last


def _column_names(header: Sequence[str], width: int, rows: Sequence[GridRow]) -> tuple[str, ...]:
    """Return the names of the columns. Names that would take much more room than the cells are left
    out, because each row has them."""
    names = column_names([clip(" ".join(name.split()), _LONGEST_NAME) for name in header], width)
    if max(map(len, names)) <= _SHORT_NAME:
        return names
    room = sum(len(cell or "") + _SHORT_NAME for row in rows for cell in row)
    return names if sum(map(len, names)) * len(rows) <= room else column_names((), width)


# -- the grid ----------------------------------------------------------------------------------


def _grid(rows: Sequence[TableRow]) -> list[GridRow] | None:
    """Return the cells in rows of the same length, or None if that takes too much room."""
    most = _MOST_GROWTH * sum(len(row.texts) for row in rows) + _LEAST_GROWTH
    room = most
    placed: list[GridRow] = []
    width = 0
    for row, last in _placed(rows):
        room -= len(row)
        width = max(width, last)
        if room < 0 or width > _MOST_COLUMNS:
            return None
        placed.append(row)
    if width * len(placed) > most:
        return None
    return [row if len(row) == width else row[:width] + [""] * (width - len(row)) for row in placed]


def _placed(rows: Sequence[TableRow]) -> Iterator[tuple[GridRow, int]]:
    """Yield each row with the cells that span it from above, and the number of columns up to the last
    one in which a cell starts."""
    above: _Above = {}
    group = -1
    for row in rows:
        if row.group_number != group:
            above, group = {}, row.group_number
        if above or row.spans:
            yield _placed_row(row, above)
        else:
            yield [*row.texts], len(row.texts)


def _placed_row(row: TableRow, above: _Above) -> tuple[GridRow, int]:
    placed: GridRow = []
    last = 0
    below: _Above = {}
    for number, text in enumerate(row.texts):
        while len(placed) in above:
            placed.append(_taken(above, len(placed)))
        last = len(placed) + 1
        columns, rows = row.spans.get(number, (1, 1))
        for column in range(min(columns, _MOST_COLUMNS + 1 - len(placed))):
            shown = None if column else text
            if rows > 1:
                below[len(placed)] = shown, rows - 1
            above.pop(len(placed), None)  # the cell covers what comes from above
            placed.append(shown)
    for column in sorted(above):
        placed += [""] * (column - len(placed))
        placed.append(_taken(above, column))
    above |= below
    return placed, last


def _taken(above: _Above, column: int) -> str | None:
    """Return the text that spans a column from above, and count the row."""
    text, rows = above.pop(column)
    if rows > 1:
        above[column] = text, rows - 1
    return text


# -- values ------------------------------------------------------------------------------------


def _numbers_in(body: Sequence[GridRow], width: int) -> NumberColumns:
    """Return which columns hold numbers, and nothing else."""
    numbers = NumberColumns(width, may_have_commas=True)
    for start in range(0, len(body), _SAMPLE):
        if not numbers.open:
            break
        numbers.note([_checked(cell) for row in body[start : start + _SAMPLE] for cell in row])
    return numbers


def _checked(cell: str | None) -> bytes:
    """Return a cell for the check. Quotes are a part of the text here, and not around it."""
    if not cell:
        return b""
    return b"x" if '"' in cell else rawjson.utf8(cell)


def _text(cell: str | None) -> str | None:
    return cell or None


def _number(cell: str | None) -> msgspec.Raw | None:
    number = (cell or "").encode()
    return None if number in MISSING else msgspec.Raw(number)
