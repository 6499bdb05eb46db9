"""A histogram: how many rows have numbers in each of about thirty bins."""

# The names in these statements are our own, and the connection can only read.
# ruff: noqa: S608 (see above)

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from typing import Any, Final

from penstock.worker.sandbox.charts.chart_rows import ChartRows, Points, is_cut_short, is_number

BINS: Final = 30
_FINEST: Final = 2.0**-40
_TINIEST: Final = 1e-300
_TALL: Final = 0.2  # of the tallest bin
_DENSE: Final = 0.5  # of the neighbour

Bin = tuple[int, int, float, float]  # its place, its rows, its least and its greatest number


def histogram(rows: ChartRows) -> dict[str, Any]:
    numbers = is_number("x")
    # Whole numbers may be floats, as in a data frame that has nulls: users see 3, not 3.0.
    [(low, high, whole)] = rows.select(
        f"SELECT min(x), max(x), min(x = CAST(x AS INTEGER)) FROM {rows.source} WHERE {numbers}"
    )
    has_few = whole and high - low < 2 * BINS
    least = 1 if has_few else high / BINS - low / BINS
    step = _step(least, max(-low, high), whole=bool(whole))
    edges = _edges(low, high, step)
    # A division would be rounded: 0.6 / 0.2 is less than 3.
    inner = edges[1:-1]
    rows.db.create_function("penstock_bin", 1, lambda x: bisect_right(inner, x), deterministic=True)
    bins: list[Bin] = rows.select(
        "SELECT penstock_bin(x) AS bin, count(*), min(x), max(x) "
        f"FROM {rows.source} WHERE {numbers} GROUP BY bin ORDER BY bin"
    )
    points = [{"x": edges[bin_], "x2": edges[bin_ + 1], "count": count} for bin_, count, *_ in bins]
    partial = _partial(bins, points, 1 if whole else 0)
    return rows.chart("histogram", points, {"whole": bool(whole), "partial": partial})


def _edges(low: float, high: float, step: float) -> list[float]:
    """Return where bins begin and end: one more than needed at both ends, because a quotient may be
    rounded over an edge."""
    numbers = range(math.floor(low / step) - 1, math.floor(high / step) + 3)
    return list(dict.fromkeys(_edge(number, step) for number in numbers))


def _partial(bins: list[Bin], points: Points, unit: int) -> dict[str, float]:
    """Return where the numbers begin and end, for an end whose bin they fill in part.

    `unit`: how much room a number takes. Of the bin from 95 to 100, 99 is the last whole number.
    """
    spans = [point["x2"] - point["x"] for point in points]
    if not all(math.isfinite(span) and span > 0 for span in spans):
        return {}
    before = [
        (least - point["x"]) / span
        for (_, _, least, _), point, span in zip(bins, points, spans, strict=True)
    ]
    after = [
        (point["x2"] - unit - most) / span
        for (_, _, _, most), point, span in zip(bins, points, spans, strict=True)
    ]
    counts = [count for _, count, *_ in bins]
    told = {}
    if is_cut_short(before[0], before[1:]) and _misleads(before[0], counts):
        told["first"] = bins[0][2]
    if is_cut_short(after[-1], after[:-1]) and _misleads(after[-1], counts[::-1]):
        told["last"] = bins[-1][3]
    return told


def _misleads(lacks: float, counts: list[int]) -> bool:
    """Return whether the first of the bins looks like a drop, and is none: it would resemble its
    neighbour, which is tall, if it were as full in all of its span. The ends of a bell curve are
    low, and no bin there misleads."""
    is_tall = counts[1] >= _TALL * max(counts)
    return is_tall and lacks < 1 and counts[0] / (1 - lacks) >= _DENSE * counts[1]


def _step(least: float, largest: float, *, whole: bool) -> float:
    """Return a round number, not below `least`: 1, 2 or 5 times a power of ten. It is large enough
    for a float to tell `largest` from its neighbours."""
    least = max(least or 1.0, largest * _FINEST, _TINIEST)
    magnitude = 10.0 ** math.floor(math.log10(least))
    step = next(times * magnitude for times in (1, 2, 5, 10, 20) if times * magnitude >= least)
    return max(step, 1.0) if whole else step


def _edge(number: int, step: float) -> float:
    """Return where a bin begins, without the rounding error of the multiplication."""
    most = sys.float_info.max
    edge = round(number * step, max(0, -math.floor(math.log10(step))))
    return max(-most, min(edge, most))
