"""The cells of a table that is drawn in text, and the JSON of a row.

A layout says how a row is cut: at bars, at places, or at blanks. It is all that decoding needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import line_blocks
from penstock.core.results.formats.drawn.display_columns import offsets, parts_at
from penstock.core.results.formats.drawn.file_listings import listing_cells
from penstock.core.results.formats.tables.numbers import NumberColumns
from penstock.core.results.formats.tables.records import MISSING, QUOTE

Cells = list[bytes]
BLANKS: Final = b" \t\r"
MOST_COLUMNS: Final = 1_000
_AT_ONCE: Final = 200  # rows whose cells are checked together
_BAR: Final = "|"
_DRAWN: Final = "│┃┆┇┊┋╎╏║"
DRAWN_BARS: Final = tuple(bar.encode() for bar in _DRAWN)
_DRAWN_BAR: Final = re.compile(b"|".join(DRAWN_BARS))
_DRAWN_MARK: Final = "↵".encode()
_OPEN_BAR: Final = re.compile(rb"(?<!\\)\|")  # in Markdown, a backslash keeps a bar in its cell
_GAP: Final = re.compile(rb" ++")
_ESCAPE: Final = re.compile(rb"\\([!-/:-@\[-`{-~])")
# A line that only rules a table. No cell has such a line, because cells have blanks around them.
RULE: Final = re.compile(rb"(?=.*?(?:[-=]|\xe2[\x94\x95]))(?:[-=+|:]|\xe2[\x94\x95][\x80-\xbf])++")


class TextTableLayout(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rules that cut a row of a table into cells, and the types of the cells."""

    cut: Literal["bars", "drawn bars", "places", "words", "listing"]
    columns: tuple[str, ...]
    are_numbers: tuple[bool, ...] = ()  # for each column
    has_edges: bool = False  # bars are also before the first cell and after the last
    is_markdown: bool = False
    has_escapes: bool = False  # punctuation of Markdown is escaped, not only bars
    # Where the columns start, or where the bars are. For `marked` rows, the end of the line comes last.
    places: tuple[int, ...] = ()
    by_width: bool = False  # the places are columns of a terminal, not characters
    rows: Literal["lines", "ruled", "marked"] = "lines"  # what a row of several lines is
    before: int = 0  # the bytes of text before the table
    after: int = 0


class RowReader:
    """A reader of rows in one layout."""

    def __init__(self, layout: TextTableLayout) -> None:
        self._layout = layout
        self._keys = [rawjson.string(name) + b":" for name in layout.columns]
        self._width = len(layout.columns)
        self._mark = b"+" if layout.cut == "bars" else _DRAWN_MARK
        self.line_cells: Callable[[bytes], Cells | None] = {
            "bars": self._at_bars,
            "drawn bars": self._at_bars,
            "places": self._at_places,
            "words": self._at_words,
            "listing": listing_cells,
        }[layout.cut]

    def encoded(self, row: bytes) -> bytes:
        """Return a row as a JSON object."""
        cells = self.cells(row) or [b""] * self._width
        members = zip(self._keys, cells, self._layout.are_numbers, strict=True)
        return b"{" + b",".join(key + _value(cell, is_n) for key, cell, is_n in members) + b"}"

    def cells(self, row: bytes) -> Cells | None:
        """Return the cells of a row, without the blanks around them; None if it does not fit."""
        if b"\n" not in row:
            cells = self.line_cells(row)
            if cells is None or not (self._layout.is_markdown and b"\\" in row):
                return cells and [cell.strip(BLANKS) for cell in cells]
            return [self._told(cell) for cell in cells]
        lines = [line for line in row.split(b"\n") if not RULE.fullmatch(line.strip(BLANKS))]
        parts = [self._unmarked(line) for line in lines[:-1]]
        parts.append(self.line_cells(lines[-1]) or [b""] * self._width)
        columns = zip(*parts, strict=True)
        return [b"\n".join(map(self._told, column)).strip(b"\n") for column in columns]

    def is_marked(self, line: bytes) -> bool:
        """Return whether a mark at the end of a cell says that the row goes on, as psql writes it."""
        if self._mark not in line:
            return False
        cells = self.line_cells(line) or []
        return any(cell.endswith(self._mark) for cell in cells[:-1]) or self._is_last_marked(line)

    def _is_last_marked(self, line: bytes) -> bool:
        line = line.rstrip(BLANKS)
        if self._layout.has_edges:
            cells = self.line_cells(line)
            return cells is not None and cells[-1].endswith(self._mark)
        *_, last = parts_at(line, (0, self._layout.places[-1] - 1), by_width=True)
        return last == self._mark

    def _unmarked(self, line: bytes) -> Cells:
        cells = self.line_cells(line) or [b""] * self._width
        if self._layout.rows != "marked":
            return cells
        others = [cell.removesuffix(self._mark) for cell in cells[:-1]]
        last = cells[-1].rstrip(BLANKS)
        return [*others, last.removesuffix(self._mark) if self._is_last_marked(line) else last]

    def _told(self, cell: bytes) -> bytes:
        cell = cell.strip(BLANKS)
        if not self._layout.is_markdown or b"\\" not in cell:
            return cell
        return unescaped(cell) if self._layout.has_escapes else cell.replace(b"\\|", b"|")

    def _at_bars(self, line: bytes) -> Cells | None:
        is_drawn = self._layout.cut == "drawn bars"
        has_edges = self._layout.has_edges
        told = line.strip(BLANKS) if has_edges else line
        if is_drawn:
            cells: Cells = _DRAWN_BAR.split(told)
        elif self._layout.is_markdown and b"\\|" in told:
            cells = _OPEN_BAR.split(told)
        else:
            cells = told.split(b"|")
        if len(cells) != self._width + 2 * has_edges:
            return self._at_bars_in_places(line)
        if not has_edges:
            return cells
        return None if cells[0] or cells[-1] else cells[1:-1]

    def _at_bars_in_places(self, line: bytes) -> Cells | None:
        """Return the cells of a line that has further bars in them: the others are where they are in
        every line. None if the places do not tell."""
        if not self._layout.places or b"\t" in line:
            return None
        text, bars = rawjson.text(line), _BAR if self._layout.cut == "bars" else _DRAWN
        places = self._layout.places if self._layout.has_edges else self._layout.places[:-1]
        ways = {tuple(offsets(text, places)), places}
        fitting = [
            way for way in ways if all(text[at : at + 1] in bars and text[at:] for at in way)
        ]
        if len(fitting) != 1:
            return None
        starts = [0, *(at + 1 for at in fitting[0])]
        ends = [*fitting[0], len(text)]
        cells = [rawjson.utf8(text[at:end]) for at, end in zip(starts, ends, strict=True)]
        if not self._layout.has_edges:
            return cells
        return None if cells[0].strip(BLANKS) or cells[-1].strip(BLANKS) else cells[1:-1]

    def _at_places(self, line: bytes) -> Cells | None:
        return parts_at(line, self._layout.places, by_width=self._layout.by_width)

    def _at_words(self, line: bytes) -> Cells | None:
        cells = _GAP.split(line.strip(BLANKS), self._width - 1)
        return cells if len(cells) == self._width else None


@lru_cache(64)
def row_reader(layout: TextTableLayout) -> RowReader:
    return RowReader(layout)


def numbers_in(width: int, rows: Iterable[Sequence[bytes]]) -> NumberColumns:
    """Return the columns of numbers. Quotes are part of a cell, so that one in quotes is a text."""
    numbers = NumberColumns(width, may_have_commas=True)
    rows = iter(rows)
    while some := [cell for row in islice(rows, _AT_ONCE) for cell in row]:
        if numbers.open:
            has_quotes = QUOTE in b"".join(some)
            numbers.note([cell.replace(QUOTE, b"'") for cell in some] if has_quotes else some)
    return numbers


def unescaped(cell: bytes) -> bytes:
    return _ESCAPE.sub(rb"\1", cell)


def row_lines(text: bytes, start: int, end: int, layout: TextTableLayout) -> Iterator[bytes]:
    """Yield the rows between two places: lines, each with the rules and the lines that belong to it."""
    if layout.cut not in ("bars", "drawn bars"):
        yield from lines_between(text, start, end)
        return
    reader = row_reader(layout)
    row: list[bytes] = []
    is_open = False  # the next line belongs to this row
    for line in lines_between(text, start, end):
        is_rule = is_rule_in(line, layout)
        if row and not (is_rule or is_open):
            yield b"\n".join(row)
            row = []
        row.append(line)
        is_open = (
            not is_rule if layout.rows == "ruled"
            else layout.rows == "marked" and reader.is_marked(line)
        )  # fmt: skip
    if row:
        yield b"\n".join(row)


def is_rule_in(line: bytes, layout: TextTableLayout) -> bool:
    """Return whether a line of a table rules it. In Markdown, dashes are cells like others."""
    told = line.strip(BLANKS)
    return not layout.is_markdown and b" " not in told and RULE.fullmatch(told) is not None


def lines_between(text: bytes, start: int, end: int) -> Iterator[bytes]:
    """Yield lines without their newlines."""
    if start <= end:
        for first, last in line_blocks(text, start, end):
            yield from text[first:last].split(b"\n")


def _value(cell: bytes, is_number: bool) -> bytes:
    if not cell or (is_number and cell in MISSING):
        return b"null"
    return cell if is_number else rawjson.string(rawjson.text(cell))
