"""The survey of a grid whose measures are a numpy array: the same, some fifteen times as fast."""

from __future__ import annotations

from typing import Any

from penstock.shaping import arrays
from penstock.shaping.feasibility import Verdicts
from penstock.shaping.pooling import MOST_COLUMNS, MOST_ROWS, edges, step_of
from penstock.shaping.problems import not_a_number
from penstock.shaping.survey import MOST_TOP, GridSurvey


def array_survey(
    matrix: Any, rank_by: str, better: str, verdicts: Verdicts | None
) -> GridSurvey | None:
    """Return the survey, or None if floats are not exact enough: Python then compares the values."""
    if matrix.dtype.kind not in "iuf":
        raise not_a_number("rank_by", rank_by, str(matrix.dtype), "in this array")
    costs = arrays.as_floats(matrix)
    if costs is None:
        return None
    if better == "higher":
        arrays.numpy().negative(costs, out=costs)
    gaps = _set_apart(costs, verdicts)
    pooled, row_best, steps = _pooled(costs)
    return GridSurvey(
        top=_top(costs, row_best),
        bands=_bands(pooled, better),
        total=costs.size,
        feasible=costs.size - int(gaps.sum()),
        is_gap=lambda row, column: bool(gaps[row, column]),
        row_step=steps[0],
        column_step=steps[1],
    )


def _set_apart(costs: Any, verdicts: Verdicts | None) -> Any:
    """Give every infeasible cell the worst cost, in place, and return which cells these are."""
    np = arrays.numpy()
    gaps = ~np.isfinite(costs)
    if verdicts is not None:
        said = np.array(verdicts(0, costs.shape[0]), dtype=bool).reshape(costs.shape)
        gaps |= ~said
    if gaps.any():
        costs[gaps] = np.inf
    return gaps


def _pooled(costs: Any) -> tuple[Any, Any, tuple[int, int]]:
    np = arrays.numpy()
    rows, columns = costs.shape
    steps = step_of(rows, MOST_ROWS), step_of(columns, MOST_COLUMNS)
    if not costs.size:
        return costs, np.empty(0), steps
    wide = np.minimum.reduceat(costs, edges(columns, steps[1]), axis=1)
    return np.minimum.reduceat(wide, edges(rows, steps[0]), axis=0), wide.min(axis=1), steps


def _top(costs: Any, row_best: Any) -> list[tuple[int, int]]:
    """Return the best cells. Only the `MOST_TOP` rows with the best bests can hold them."""
    np = arrays.numpy()
    rows = np.sort(_smallest(row_best, MOST_TOP))
    nearby = costs[rows]
    places = (divmod(int(at), costs.shape[1]) for at in _smallest(nearby.ravel(), MOST_TOP))
    return [(int(rows[row]), column) for row, column in places if nearby[row, column] != np.inf]


def _smallest(values: Any, count: int) -> Any:
    """Return the indices of the smallest values in order. Of equals, the first comes first."""
    np = arrays.numpy()
    near = np.arange(len(values))
    if len(values) > count:
        near = np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])
    return near[np.argsort(values[near], kind="stable")][:count]


def _bands(pooled: Any, better: str) -> list[list[float | None]]:
    inf = float("inf")
    sign = -1 if better == "higher" else 1
    return [[None if cost == inf else sign * cost for cost in band] for band in pooled.tolist()]
