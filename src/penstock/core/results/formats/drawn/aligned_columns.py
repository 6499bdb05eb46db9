"""Tables of aligned columns: the output of commands such as `ps`, `df` and `kubectl get`.

A table ends at the first empty line. Its names are in capitals, or have dashes below them, or look
like the names of a CSV.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss
from penstock.core.results.formats.drawn.aligned_lines import (
    DASHES,
    AlignedHead,
    Shadows,
    end_of_block,
    end_of_rows,
    has_only_blanks,
    head_at,
)
from penstock.core.results.formats.drawn.aligned_names import are_names, may_be_row
from penstock.core.results.formats.drawn.column_places import (
    ColumnPlaces,
    LeftColumns,
    WordColumns,
    gap_columns,
    left_columns,
    ruled_columns,
    word_columns,
)
from penstock.core.results.formats.drawn.display_columns import has_uneven_widths, parts_at, shadow
from penstock.core.results.formats.drawn.found_table import (
    FoundTable,
    line_at,
    line_before,
    line_number,
    too_wide,
    with_numbers,
)
from penstock.core.results.formats.drawn.table_cells import (
    BLANKS,
    MOST_COLUMNS,
    Cells,
    TextTableLayout,
    lines_between,
    numbers_in,
    row_reader,
)
from penstock.core.results.formats.tables.delimited import column_names

_SAMPLE: Final = 50  # lines
_LONGEST_SAMPLE: Final = 1_000_000
_SURE: Final = 20  # good lines, after which a bad one is told
_EMPTY_LINES: Final = re.compile(rb"\n(?:[ \t\r]*+\n)++")
_WORD: Final = re.compile(rb"[^ ]++")
_WAYS: Final = (False, True)  # by characters, and by their width
_TWO_WAYS: Final = "it has wide characters, and its columns can be read in two ways"

_Way = Callable[[bytes, Iterable[bytes]], ColumnPlaces | None]


def aligned_table(text: bytes, start: int) -> FoundTable | NearMiss | None:
    """Return the table of aligned columns that starts in this line."""
    head = head_at(text, start)
    ways = _ways(text, head) if head is not None else ()
    if head is None or not ways:
        return None
    end = end_of_block(text, head.first)
    last = end_of_rows(text, head, end)
    if last <= head.first or not has_only_blanks(text[start:end]):
        return None
    if not head.names and last == end:
        return None  # a rule at the end is all that tells it from names
    is_uneven = has_uneven_widths(text[start:end])
    if not is_uneven:
        ways = (False,)
    found = [_found(text, head, last, end, by_width=way) for way in ways]
    tables = [table for table in found if isinstance(table, FoundTable)]
    if len(tables) > 1 and not _are_same(text, tables):
        return NearMiss(_TWO_WAYS)
    if len(tables) == 1 and tables[0].is_close and is_uneven:
        return NearMiss(_TWO_WAYS)
    if tables:
        return _typed(text, tables[0])
    return next((near for near in found if near is not None), None)


def _ways(text: bytes, head: AlignedHead) -> Sequence[bool]:
    """Return the ways to count columns, by width or not, in which the first lines are a table."""
    end = head.first - 1
    for line in islice(lines_between(text, head.first, len(text)), _SAMPLE):
        if line.strip(BLANKS) in (b"", head.rule):
            break
        end += len(line) + 1
    sample = text[head.start : max(end, head.start)]
    if end < head.first or len(sample) > _LONGEST_SAMPLE or not has_only_blanks(sample):
        return ()
    if has_uneven_widths(sample):
        return [way for way in _WAYS if _found(text, head, end, end, by_width=way) is not None]
    return () if _found(text, head, end, end, by_width=False) is None else _WAYS


def _found(
    text: bytes, head: AlignedHead, last: int, end: int, *, by_width: bool
) -> FoundTable | NearMiss | None:
    """Return the table if every line keeps to its columns, and a near miss if the first lines do."""
    lines = Shadows(text, head.first, last, by_width=by_width)
    header = shadow(head.names.rstrip(BLANKS), by_width=by_width)
    near: NearMiss | None = None
    ways: Sequence[_Way] = (left_columns, gap_columns, word_columns)
    if head.dashes:
        ways = (partial(ruled_columns, shadow(head.dashes.rstrip(BLANKS), by_width=by_width)),)
    for way in ways:
        columns = way(header, lines)
        if columns is None:
            near = near or _break(text, head, last, way, by_width=by_width)
            continue
        if len(columns.places) > MOST_COLUMNS:
            return NearMiss(too_wide(len(columns.places)))
        table = _table(text, head, (last, end), columns, by_width=by_width)
        if table is not None:
            return _alone(text, table, columns)
    return near


def _alone(text: bytes, table: FoundTable, columns: ColumnPlaces) -> FoundTable | NearMiss | None:
    """Return a table, unless a line beside it may be a row too, so that its place is not certain."""
    for before in _lines_above(text, table.start):
        if may_be_row(before) or _is_like_rows(before, columns):
            return None
    empty = _EMPTY_LINES.match(text, table.end)
    start = empty.end() if empty is not None else len(text)
    after = line_at(text, start).text.rstrip(BLANKS)
    if after.isupper() or not _is_like_rows(after, columns):
        return table
    place = f"line {line_number(text, start)}, after an empty line,"
    return NearMiss(f"{place} keeps to its columns too") if table.count >= _SURE else None


def _lines_above(text: bytes, position: int) -> Iterator[bytes]:
    """Yield the lines above a place, up to an empty one. One of them may be the header."""
    while position > 0:
        line = line_before(text, position)
        if not line.strip(BLANKS):
            return
        yield line
        position = text.rfind(b"\n", 0, position - 1) + 1


def _is_like_rows(line: bytes, columns: ColumnPlaces) -> bool:
    """Return whether a line has cells below several names, or not below the first."""
    for way in _WAYS:
        parts = parts_at(line, columns.places, by_width=way)
        has_cells = line.startswith(b" ") or sum(1 for part in parts if part.strip()) > 1
        if has_cells and columns.fits(shadow(line, by_width=way)):
            return True
    return False


def _table(
    text: bytes, head: AlignedHead, ends: tuple[int, int], columns: ColumnPlaces, *, by_width: bool
) -> FoundTable | None:
    """Return the table with these columns, if its names are names."""
    is_words = isinstance(columns, WordColumns)
    names = (
        _WORD.findall(head.names.strip(BLANKS))
        if is_words
        else parts_at(head.names.rstrip(BLANKS), columns.places, by_width=by_width)
    )
    told = [name.strip(BLANKS) for name in names]
    layout = TextTableLayout(
        "words" if is_words else "places",
        column_names([*map(rawjson.text, told)], len(told)),
        places=columns.places,
        by_width=by_width,
    )
    last, end = ends
    count = text.count(b"\n", head.first, last) + 1
    is_close = not (head.dashes or isinstance(columns, LeftColumns))
    table = FoundTable(head.start, head.first, last, end, count, layout, is_close=is_close)
    return table if _has_names(text, head, table, told) else None


def _has_names(text: bytes, head: AlignedHead, table: FoundTable, names: Cells) -> bool:
    """Return whether the first line of a table names its columns."""
    if head.dashes:
        return not any(map(_is_ruled, table.rows(text)))
    rows = [*islice(_rows(text, table), _SAMPLE)]
    return are_names(head.names, names, rows, is_ruled=bool(head.rule))


def _is_ruled(row: bytes) -> bool:
    return DASHES.fullmatch(row.strip(BLANKS)) is not None


def _rows(text: bytes, table: FoundTable) -> Iterator[Cells]:
    reader = row_reader(table.layout)
    return (reader.cells(row) or [] for row in table.rows(text))


def _are_same(text: bytes, tables: Sequence[FoundTable]) -> bool:
    one, other = tables
    return all(a == b for a, b in zip(_rows(text, one), _rows(text, other), strict=True))


def _typed(text: bytes, table: FoundTable) -> FoundTable:
    hollow = 0

    def rows() -> Iterator[Cells]:
        nonlocal hollow
        for cells in _rows(text, table):
            hollow += not cells[0]
            yield cells

    numbers = numbers_in(len(table.layout.columns), rows())
    return with_numbers(table, numbers, hollow if table.layout.columns[0] != "c1" else 0)


def _break(
    text: bytes, head: AlignedHead, last: int, way: _Way, *, by_width: bool
) -> NearMiss | None:
    """Return the first line that does not keep to the columns of many lines before it."""
    sure = head.first - 1
    for line in islice(lines_between(text, head.first, last), _SURE):
        sure += len(line) + 1
    header = shadow(head.names.rstrip(BLANKS), by_width=by_width)
    columns = way(header, Shadows(text, head.first, sure, by_width=by_width))
    if columns is None or _table(text, head, (sure, sure), columns, by_width=by_width) is None:
        return None
    place = line_number(text, head.first)
    for number, line in enumerate(Shadows(text, head.first, last, by_width=by_width), place):
        if not columns.fits(line):
            return NearMiss(f"line {number} does not keep to the columns of the lines above it")
    return None
