"""The findings of one pass over a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

MOST_TOP: Final = 5


@dataclass(frozen=True, slots=True)
class GridSurvey:
    top: list[tuple[int, int]]  # the positions of the best cells, best first
    bands: list[list[Any]]  # the best measure of each bin, None without a feasible cell
    total: int
    feasible: int
    is_gap: Callable[[int, int], bool]  # whether the cell in a row and a column is infeasible
    row_step: int  # how many rows share a bin
    column_step: int  # how many columns share a bin
