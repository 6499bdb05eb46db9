"""What one pass over a grid finds out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

MOST_TOP: Final = 5


@dataclass(frozen=True, slots=True)
class GridSurvey:
    """`top`: where the best cells are, best first. `bands`: the best measure of each bin, None where
    no cell is feasible. `is_gap` says whether the cell in a row and a column is not feasible. The
    steps say how many rows and columns share a bin."""

    top: list[tuple[int, int]]
    bands: list[list[Any]]
    total: int
    feasible: int
    is_gap: Callable[[int, int], bool]
    row_step: int
    column_step: int
