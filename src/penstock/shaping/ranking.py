"""One pass over the cells of a grid: the best few, how many are feasible, and a small map.

The map keeps the best of each bin, so it never loses the best cell. Only rows with a cell better
than the best few so far are read a second time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import gt, itemgetter, lt
from typing import Any, Literal, TypeAlias

from penstock.shaping.array_ranking import array_survey
from penstock.shaping.cells import Cells
from penstock.shaping.feasibility import Verdicts
from penstock.shaping.measures import measured
from penstock.shaping.pooling import MOST_COLUMNS, MOST_ROWS, bins, pooled, step_of
from penstock.shaping.problems import no_such_field, not_a_number
from penstock.shaping.records import MISSING, lookup
from penstock.shaping.survey import MOST_TOP, GridSurvey

Better: TypeAlias = Literal["lower", "higher"]
_Found: TypeAlias = tuple[Any, int, int]

# Short rows are read together, because one call per row would cost more than the row.
_BLOCK = 1_000


def survey(cells: Cells, rank_by: str, better: Better, verdicts: Verdicts | None) -> GridSurvey:
    matrix = cells.matrix(rank_by)
    if matrix is not None:
        found = array_survey(matrix, rank_by, better, verdicts)
        if found is not None:
            return found
    walk = _Walk(cells, rank_by, better, verdicts)
    for start, stop in bins(cells.rows, walk.row_step):
        walk.band(start, stop)
    if walk.feasible == 0:
        _check_named(cells, rank_by)
    return walk.survey()


def _check_named(cells: Cells, rank_by: str) -> None:
    """Raise if no cell has the field. If no cell is feasible, that is a valid result."""
    places = ((row, column) for row in range(cells.rows) for column in range(cells.columns))
    found = (cells.at(row, column) for row, column in places)
    have = [lookup(cell, rank_by) is not MISSING for cell in found if cell is not None]
    if have and not any(have):
        raise no_such_field("rank_by", rank_by, cells.names())


@dataclass(slots=True)
class _Walk:
    cells: Cells
    rank_by: str
    better: Better
    verdicts: Verdicts | None
    feasible: int = 0
    leaders: list[_Found] = field(default_factory=list)
    bands: list[list[Any]] = field(default_factory=list)
    # The measures of blocks with infeasible cells, by the first row of the block.
    gapped: dict[int, Sequence[Any]] = field(default_factory=dict)

    @property
    def row_step(self) -> int:
        return step_of(self.cells.rows, MOST_ROWS)

    @property
    def column_step(self) -> int:
        return step_of(self.cells.columns, MOST_COLUMNS)

    @property
    def worst(self) -> float:
        return math.inf if self.better == "lower" else -math.inf

    @property
    def pick(self) -> Callable[..., Any]:
        return min if self.better == "lower" else max

    @property
    def height(self) -> int:
        """The number of rows that are read together."""
        return 1 if self.column_step > 1 else max(1, _BLOCK // max(1, self.cells.columns))

    def band(self, start: int, stop: int) -> None:
        """Read all rows that the map shows as one."""
        blocks = ((at, min(at + self.height, stop)) for at in range(start, stop, self.height))
        pooled = [self._block(*block) for block in blocks]
        pick = self.pick
        self.bands.append([pick(column) for column in zip(*pooled, strict=True)])

    def _block(self, start: int, stop: int) -> Sequence[Any]:
        values = self._values(start, stop)
        pooled = self._pooled(values, stop - start)
        self._lead(values, start, pooled)
        return pooled

    def _values(self, start: int, stop: int) -> Sequence[Any]:
        block = self.cells.block(self.rank_by, start, stop, self.worst)
        found = measured(block, self.worst, partial(self._bad, start))
        values, gaps = found.values, found.gaps
        if self.verdicts is not None:
            said = self.verdicts(start, stop)
            values = [v if ok else self.worst for v, ok in zip(values, said, strict=True)]
            gaps = values.count(self.worst)
        if gaps:
            self.gapped[start] = values
        self.feasible += len(values) - gaps
        return values

    def _bad(self, start: int, at: int, kind: str) -> Exception:
        row, column = divmod(at, self.cells.columns)
        place = f"in row {start + row}, column {column}"
        return not_a_number("rank_by", self.rank_by, kind, place)

    def _pooled(self, values: Sequence[Any], rows: int) -> Sequence[Any]:
        pick, columns = self.pick, self.cells.columns
        if self.column_step > 1:
            return pooled(values, self.column_step, pick)
        if rows == 1:
            return values
        return [pick(values[column::columns]) for column in range(columns)]

    def _lead(self, values: Sequence[Any], start: int, pooled: Sequence[Any]) -> None:
        """Add the cells that are better than the last leader. Of equal cells, the first in
        row-major order leads."""
        full = len(self.leaders) == MOST_TOP
        bar = self.leaders[-1][0] if full else self.worst
        is_better = lt if self.better == "lower" else gt
        if not pooled or not is_better(self.pick(pooled), bar):
            return
        columns = self.cells.columns
        for at, value in enumerate(values):
            if is_better(value, bar):
                row, column = divmod(at, columns)
                self.leaders.append((value, start + row, column))
        # Sorting is stable, even in reverse.
        self.leaders.sort(key=itemgetter(0), reverse=self.better == "higher")
        del self.leaders[MOST_TOP:]

    def _is_gap(self, row: int, column: int) -> bool:
        start = row - row % self.row_step
        start += (row - start) // self.height * self.height
        values = self.gapped.get(start)
        if values is None:
            return False
        return bool(values[(row - start) * self.cells.columns + column] == self.worst)

    def survey(self) -> GridSurvey:
        worst = self.worst
        return GridSurvey(
            top=[(row, column) for _, row, column in self.leaders],
            bands=[[None if v == worst else v for v in band] for band in self.bands],
            total=self.cells.rows * self.cells.columns,
            feasible=self.feasible,
            is_gap=self._is_gap,
            row_step=self.row_step,
            column_step=self.column_step,
        )
