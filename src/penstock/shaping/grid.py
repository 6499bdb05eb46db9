"""A table of trials over two axes: a summary of its best cells, and every feasible cell on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar, get_args

from penstock.core.budget.measure import default_meter
from penstock.errors import InvalidSetting
from penstock.shaping.cells import Cells, cells_of
from penstock.shaping.feasibility import verdicts_of
from penstock.shaping.fitting import Form, Item, first_fit, forms
from penstock.shaping.heatmap import Axis, Heading, heat_map
from penstock.shaping.json_form import plain
from penstock.shaping.labels import Labels, labels_of
from penstock.shaping.problems import clipped, listed
from penstock.shaping.ranking import Better, survey
from penstock.shaping.records import VALUE, is_number, lookup
from penstock.shaping.survey import GridSurvey

Cell = TypeVar("Cell")


@dataclass(frozen=True, eq=False)
class Grid(Generic[Cell]):
    """Cells over two axes, ranked by one measure.

    Building a grid checks and ranks the cells, and draws their map, in one pass. It copies none.
    """

    # Rows of cells (dataclasses, named tuples, pydantic, attrs or msgspec objects, dicts, numbers,
    # or None for an infeasible cell), a two-dimensional numpy array, or a mapping of field names to
    # such arrays.
    cells: Iterable[Iterable[Cell | None]] | Mapping[str, Any] = field(repr=False)
    _: KW_ONLY
    # The field to rank by; a dotted path reaches inside. None: the only field, or plain numbers.
    rank_by: str | None = None
    better: Better = "lower"
    # The labels of the axes, which otherwise count from 0.
    rows: Sequence[Any] | Any | None = field(default=None, repr=False)
    columns: Sequence[Any] | Any | None = field(default=None, repr=False)
    # The names of the axes, under which each cell shows its labels. A field of that name wins.
    row_name: str = "row"
    column_name: str = "column"
    # Which cells are feasible: a boolean field, a function of the cell, or a mask. None: all.
    feasible: str | Callable[[Any], Any] | Any | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._check_names()
        _ = self._survey, self._labels  # refuse bad cells and labels now

    def summary(self) -> dict[str, Any]:
        """Return the best cells, a map and the counts, in at most `SUMMARY_TOKENS`."""
        return first_fit(self._summaries(), default_meter())

    def full(self) -> dict[str, Any]:
        """Return all feasible cells, row by row, the best cell, and the map."""
        found = self._survey
        return {
            "output": "full",
            "grid": list(self._feasible_cells()),
            "best": self._shown(*found.top[0]) if found.top else None,
            "ascii_summary": self._map,
            "total": found.total,
        }

    def _summaries(self) -> Iterator[dict[str, Any]]:
        """Yield summaries, the richest first. Cells are dropped before they are cut."""
        items = self._top
        if not items:
            yield self._payload(None, [], 0)
        for form, _ in forms():
            for count in range(len(items), -1, -1):
                yield from self._with(items, count, form)

    def _with(self, items: list[Item], count: int, form: Form) -> Iterator[dict[str, Any]]:
        if items:
            shown = [form(item) for item in items[: max(count, 1)]]
            whole = sum(
                one is item.shown for one, item in zip(shown, items[: len(shown)], strict=True)
            )
            yield self._payload(shown[0], shown[:count], whole)

    def _payload(self, best: Any, top: list[Any], returned: int) -> dict[str, Any]:
        found = self._survey
        return {
            "output": "summary",
            "best": best,
            "top_cells": top,
            "ascii_summary": self._map,
            "total": found.total,
            "feasible": found.feasible,
            "returned": returned,
            "omitted": found.feasible - returned,
        }

    @cached_property
    def _top(self) -> list[Item]:
        first = self.row_name, self.column_name
        return [
            Item([row, column], self._shown(row, column), self._measure(row, column), first)
            for row, column in self._survey.top
        ]

    def _measure(self, row: int, column: int) -> Any:
        return plain(lookup(self._cells.at(row, column), self._rank_by))

    def _shown(self, row: int, column: int) -> dict[str, Any]:
        rows, columns = self._labels
        return self._labelled(rows.at(row), columns.at(column), self._cells.at(row, column))

    def _labelled(self, row: Any, column: Any, cell: Any) -> dict[str, Any]:
        fields = {VALUE: plain(cell)} if is_number(cell) else plain(cell)
        return {self.row_name: row, self.column_name: column, **fields}

    def _feasible_cells(self) -> Iterator[dict[str, Any]]:
        cells, is_gap = self._cells, self._survey.is_gap
        rows, columns = (
            labels.all(count)
            for labels, count in zip(self._labels, (cells.rows, cells.columns), strict=True)
        )
        places = ((row, column) for row in range(cells.rows) for column in range(cells.columns))
        for row, column in places:
            if not is_gap(row, column):
                yield self._labelled(rows[row], columns[column], cells.at(row, column))

    @cached_property
    def _map(self) -> str:
        cells, (rows, columns) = self._cells, self._labels
        if not self._survey.feasible:
            axes = Axis(self.row_name, 0, 0, 1), Axis(self.column_name, 0, 0, 1)
        else:
            axes = (
                _axis(self.row_name, rows, cells.rows),
                _axis(self.column_name, columns, cells.columns),
            )
        return heat_map(self._survey, Heading(self._rank_by, self.better, *axes), default_meter())

    @cached_property
    def _cells(self) -> Cells:
        return cells_of(self.cells)

    @cached_property
    def _labels(self) -> tuple[Labels, Labels]:
        cells = self._cells
        is_empty = not cells.rows * cells.columns
        return (
            labels_of(self.rows, cells.rows, "rows", is_empty=is_empty),
            labels_of(self.columns, cells.columns, "columns", is_empty=is_empty),
        )

    @cached_property
    def _survey(self) -> GridSurvey:
        cells = self._cells
        return survey(cells, self._rank_by, self.better, verdicts_of(self.feasible, cells))

    @cached_property
    def _rank_by(self) -> str:
        names = self._cells.names()
        if self.rank_by is not None:
            return self.rank_by
        if len(names) > 1:
            why = f"the cells have several fields: {listed(names)}"
            raise InvalidSetting("rank_by", None, why, next_step="Name the one that ranks them.")
        return names[0] if names else VALUE

    def _check_names(self) -> None:
        if self.better not in get_args(Better):
            how = 'Write "lower" or "higher".'
            raise InvalidSetting("better", self.better, "is not known", next_step=how)
        for setting in ("rank_by", "row_name", "column_name"):
            name = getattr(self, setting)
            if (not isinstance(name, str) or not name) and (setting, name) != ("rank_by", None):
                raise InvalidSetting(setting, clipped(repr(name), 40), "must be a name")
        if self.row_name == self.column_name:
            why = "is the name of the columns too"
            raise InvalidSetting("row_name", clipped(self.row_name, 40), why)


def _axis(name: str, labels: Labels, count: int) -> Axis:
    return Axis(name, labels.at(0), labels.at(count - 1), count)
