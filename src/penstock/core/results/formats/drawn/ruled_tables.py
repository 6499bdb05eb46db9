"""Tables with bars between their cells and a rule below their names: pipe tables of Markdown, the
boxes of databases, and the grids of libraries, in ASCII or in drawn characters.

A box without its last rule is cut off. If there are rules between all rows, a row may have several
lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final, Literal

from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss
from penstock.core.results.formats.drawn.found_table import (
    FoundTable,
    line_at,
    too_wide,
    with_numbers,
)
from penstock.core.results.formats.drawn.ruled_body import RuledBody, TableRule
from penstock.core.results.formats.drawn.ruled_rows import (
    COUNTED,
    RuledNames,
    break_in,
    has_other_text,
    is_whole,
    with_rows,
)
from penstock.core.results.formats.drawn.table_cells import (
    BLANKS,
    DRAWN_BARS,
    MOST_COLUMNS,
    RULE,
    Cells,
    TextTableLayout,
    numbers_in,
    row_reader,
    unescaped,
)
from penstock.core.results.formats.tables.delimited import column_names
from penstock.core.results.formats.tables.headers import has_header, has_numbers

_MOST_NAME_LINES: Final = 10
_FEWEST_UNNAMED: Final = 2  # rows of a table without names
_MARKDOWN_RULE: Final = re.compile(
    rb"(?=[^|]*+\|)\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+"
)
_TOPS: Final = frozenset("+┌┍┎┏╒╓╔╭")
_NO_TOP: Final = "the first rule of its box is missing"
_UNSURE: Final = "its first row may be the names of the columns, or a row"


def ruled_table(text: bytes, start: int) -> FoundTable | NearMiss | None:
    """Return the table with bars that starts in this line."""
    first, after = line_at(text, start)
    told = first.strip(BLANKS)
    if RULE.fullmatch(told) and told[:1] != b"|" and TableRule(first).has_edges:
        is_open = _is_row(line_at(text, after).text) and rawjson.text(told)[0] not in _TOPS
        return (
            _without_top(text, start) if is_open else _boxed(text, start, TableRule(first), after)
        )
    line, below = line_at(text, after)
    if not told or not RULE.fullmatch(line.replace(b" ", b"").strip(BLANKS)):
        return None
    names = RuledNames(start, [first], TableRule(line), below)
    if _MARKDOWN_RULE.fullmatch(line.strip(BLANKS)):
        return _below_names(text, names, _layout_of_pipes(line.rstrip(BLANKS)))
    if not RULE.fullmatch(line.strip(BLANKS)):
        return None
    if not names.rule.joints:
        return _one_column(text, names)
    if names.rule.has_edges and not line.strip(BLANKS).startswith(b"|"):
        return _without_top(text, start) if _is_row(first) else None
    return _below_names(text, names, _layout_of_rule(names.rule, first))


# -- names above a rule ------------------------------------------------------------------------


def _layout_of_pipes(rule: bytes) -> TextTableLayout:
    """Return the layout of a pipe table. The cells of its rule count its columns. If all rows are
    aligned, a row may have bars in its cells."""
    has_edges = rule.lstrip(BLANKS).startswith(b"|") and rule.endswith(b"|")
    bars = tuple(at for at, one in enumerate(rule) if one == ord("|"))
    columns = column_names((), len(bars) + (-1 if has_edges else 1))
    places = bars if has_edges else (*bars, len(rule))
    return TextTableLayout("bars", columns, has_edges=has_edges, is_markdown=True, places=places)


def _layout_of_rule(rule: TableRule, header: bytes) -> TextTableLayout:
    """Return the layout of a table whose rule has joints."""
    is_drawn = any(bar in header for bar in DRAWN_BARS)
    cut: Literal["bars", "drawn bars"] = "drawn bars" if is_drawn else "bars"
    places = rule.joints if rule.has_edges else (*rule.joints, rule.end)
    columns = column_names((), rule.width)
    layout = TextTableLayout(cut, columns, has_edges=rule.has_edges, places=places)
    if rule.width > MOST_COLUMNS or not (is_drawn or "+" in rule.style):
        return layout
    cells = row_reader(layout).line_cells(header) or [b"", b""]
    are_padded = all(cell[-1:] == b" " for cell in (cells if rule.has_edges else cells[:-1]))
    return replace(layout, rows="marked") if are_padded else layout


def _below_names(
    text: bytes, names: RuledNames, layout: TextTableLayout
) -> FoundTable | NearMiss | None:
    """Return the table with these names, and with the rows below their rule."""
    if len(layout.columns) > MOST_COLUMNS:
        return NearMiss(too_wide(len(layout.columns)))
    cells = _cells_of(names.lines, layout)
    if cells is None:
        return None
    named = _named(layout, cells)
    body = RuledBody(text, names.below, named)
    numbers = numbers_in(len(cells), body.cells())
    if not is_whole(text, body, is_box=names.is_box):
        return break_in(text, body)
    if names.is_box and any(rule.style == names.rule.style for rule in body.inner):
        records = [[*map(rawjson.text, record)] for record in (cells, *body.sample)]
        if not has_header(records, b"|"):
            after = line_at(text, names.start).after
            is_unnamed = has_numbers(records)
            return _unnamed(text, names.start, after, layout) if is_unnamed else NearMiss(_UNSURE)
    return with_rows(text, names, named, body, numbers)


def _cells_of(lines: Sequence[bytes], layout: TextTableLayout) -> Cells | None:
    """Return the cells of names, which may have several lines each. Polars writes types below them."""
    reader = row_reader(layout)
    parts = [cells for cells in map(reader.line_cells, lines) if cells is not None]
    if len(parts) < len(lines):
        return None
    told = [[cell.strip(BLANKS) for cell in cells] for cells in parts]
    names = [*takewhile(lambda cells: not {*cells} <= {b"---", b""}, told)] or told
    return [b" ".join(column).strip() for column in zip(*names, strict=True)]


def _named(layout: TextTableLayout, cells: Cells) -> TextTableLayout:
    """Return a layout with names. If these have escapes of Markdown, the rows have some too."""
    if layout.is_markdown:
        has_escapes = any(b"\\" in cell.replace(b"\\|", b"") for cell in cells)
        cells = [unescaped(cell) if has_escapes else cell.replace(b"\\|", b"|") for cell in cells]
        layout = replace(layout, has_escapes=has_escapes)
    return replace(layout, columns=column_names([*map(rawjson.text, cells)], len(cells)))


def _one_column(text: bytes, names: RuledNames) -> FoundTable | None:
    """Return a table of psql with one column, if the number of its rows is told below them."""
    (header,) = names.lines
    if not header.startswith(b" ") or len(rawjson.text(header.rstrip(b"\r"))) != names.rule.end:
        return None
    counted = COUNTED.search(text, names.below)
    end = counted.start() - 1 if counted is not None else 0
    count = text.count(b"\n", names.below, end) + 1
    if counted is None or end <= names.below or count != int(counted[1]):
        return None
    columns = column_names([rawjson.text(header.strip(BLANKS))], 1)
    layout = TextTableLayout("places", columns, places=(0,))
    table = FoundTable(names.start, names.below, end, end, count, layout)
    reader = row_reader(layout)
    return with_numbers(table, numbers_in(1, (reader.cells(row) or [] for row in table.rows(text))))


# -- boxes -------------------------------------------------------------------------------------


def _boxed(text: bytes, start: int, top: TableRule, after: int) -> FoundTable | NearMiss | None:
    """Return a table in a box, with names or without."""
    lines: list[bytes] = []
    line, below = line_at(text, after)
    while _is_row(line) and len(lines) <= _MOST_NAME_LINES:
        lines.append(line)
        line, below = line_at(text, below)
    if not lines:
        return None
    rule = TableRule(line) if RULE.fullmatch(line.strip(BLANKS)) else top
    layout = _layout_of_rule(max(top, rule, key=lambda one: len(one.joints)), lines[0])
    if rule is top or not _is_row(line_at(text, below).text):
        return _unnamed(text, start, after, layout)
    return _below_names(text, RuledNames(start, lines, rule, below, is_box=True), layout)


def _without_top(text: bytes, start: int) -> NearMiss | None:
    """Return a near miss for the rest of a box, unless it is a small part of another text."""
    return None if has_other_text(text, start) else NearMiss(_NO_TOP)


def _unnamed(
    text: bytes, start: int, first: int, layout: TextTableLayout
) -> FoundTable | NearMiss | None:
    """Return a table in a box that has no names."""
    if len(layout.columns) > MOST_COLUMNS:
        return NearMiss(too_wide(len(layout.columns)))
    body = RuledBody(text, first, layout)
    numbers = numbers_in(len(layout.columns), body.cells())
    names = RuledNames(start, (), TableRule(line_at(text, start).text), first, is_box=True)
    if not is_whole(text, body, is_box=True):
        return break_in(text, body)
    if body.count < _FEWEST_UNNAMED:
        return None
    return with_rows(text, names, layout, body, numbers)


def _is_row(line: bytes) -> bool:
    """Return whether a line starts with a bar, and is no rule."""
    told = line.strip(BLANKS)
    is_open = told.startswith((b"|", *DRAWN_BARS))
    return is_open and RULE.fullmatch(told) is None
