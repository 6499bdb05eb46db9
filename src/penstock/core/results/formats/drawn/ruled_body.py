"""The lines of a table with bars, below its names: their cells, and the rules between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from penstock.core.json import rawjson
from penstock.core.results.formats.drawn.found_table import all_lines
from penstock.core.results.formats.drawn.table_cells import (
    BLANKS,
    DRAWN_BARS,
    Cells,
    TextTableLayout,
    is_rule_in,
    row_reader,
)

_SAMPLE: Final = 100  # lines
_FLAT: Final = frozenset("-=─━═╌┄┈╴╶╸╺:")
_DOUBLE: Final = frozenset("=═")


class TableRule:
    """A rule: where its joints are, and in which style it is drawn."""

    def __init__(self, line: bytes) -> None:
        text = rawjson.text(line.rstrip(BLANKS))
        drawn = text.lstrip(" ")
        indent = len(text) - len(drawn)
        self.style = frozenset(drawn)
        self.joints = tuple(at for at, one in enumerate(text) if at >= indent and one not in _FLAT)
        self.has_edges = bool(drawn) and drawn[0] not in _FLAT and drawn[-1] not in _FLAT
        self.is_double = not self.style.isdisjoint(_DOUBLE)
        self.end = len(text)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.joints) + (-1 if self.has_edges else 1)


class RuledBody:
    """The lines of a table as far as they go. All is known when the cells have been read."""

    def __init__(self, text: bytes, start: int, layout: TextTableLayout) -> None:
        self._text, self._start, self._layout = text, start, layout
        # In Markdown, the rule does not come again.
        rule = text[:start].removesuffix(b"\n").rpartition(b"\n")[2].strip(BLANKS)
        self._again = rule if layout.is_markdown else b""
        self._reader = row_reader(layout)
        self._group: _Group | None = None
        self.last = self.end = start - 1  # where the last line with cells ends, and the last of all
        self.broken: int | None = None  # where a line starts that is meant as a row, and is none
        self.count = 0  # lines with cells
        self.hollow = 0  # lines whose first cell is empty
        self.marked = 0  # lines that say that the row goes on
        self.long_groups = 0  # lines between two rules, if there are several
        self.keyed_groups = 0  # such groups in which each further line lacks a cell of the first
        self.inner: list[TableRule] = []  # one rule of each style that is between rows
        self.sample: list[Cells] = []
        self.always_filled = {*range(len(layout.columns))}  # columns

    def cells(self) -> Iterator[Cells]:
        """Yield the cells of each line, and note how the lines are grouped."""
        rule: bytes | None = None
        for start, line in all_lines(self._text, self._start):
            if is_rule_in(line, self._layout):
                if rule is not None:
                    break  # another box starts
                rule, self.end = line, start + len(line)
                self._end_group()
                continue
            cells = self._reader.line_cells(line) if line.strip(BLANKS) else None
            if cells is None or line.strip(BLANKS) == self._again:
                self.broken = start if self._is_meant_as_row(line) else None
                break
            if rule is not None and self.count:
                self._note_rule(TableRule(rule))
            rule, self.last = None, start + len(line)
            self.end = self.last
            self.marked += self._layout.rows == "marked" and self._reader.is_marked(line)
            yield self._noted([cell.strip(BLANKS) for cell in cells])
        self._end_group()

    def _noted(self, cells: Cells) -> Cells:
        self.count += 1
        self.hollow += not cells[0]
        if len(self.sample) < _SAMPLE:
            self.sample.append(cells)
        if not all(cells):
            self.always_filled -= {column for column, cell in enumerate(cells) if not cell}
        if self._group is None:
            self._group = _Group(cells)
        else:
            self._group.note(cells)
        return cells

    def _note_rule(self, rule: TableRule) -> None:
        if all(rule.style != other.style for other in self.inner):
            self.inner.append(rule)

    def _end_group(self) -> None:
        if self._group is not None and self._group.is_long:
            self.long_groups += 1
            self.keyed_groups += self._group.is_keyed
        self._group = None

    def _is_meant_as_row(self, line: bytes) -> bool:
        bars = (b"|",) if self._layout.cut == "bars" else DRAWN_BARS
        told = line.strip(BLANKS)
        if self._layout.has_edges:
            return told.startswith(bars)
        return any(bar in told for bar in bars)


class _Group:
    """Lines between two rules."""

    def __init__(self, first: Cells) -> None:
        self._first = first
        self.is_long = False
        self.is_keyed = True

    def note(self, cells: Cells) -> None:
        self.is_long = True
        if not self.is_keyed or all(cells):
            self.is_keyed = False
            return
        pairs = zip(self._first, cells, strict=True)
        self.is_keyed = any(above and not cell for above, cell in pairs)
