"""The lowest and the highest value of a series in each of a few stretches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from penstock.shaping import arrays
from penstock.shaping.entries import Entries
from penstock.shaping.measures import all_finite, finite
from penstock.shaping.pooling import MOST_COLUMNS, bins, edges, step_of
from penstock.shaping.problems import kind_name, not_a_number
from penstock.shaping.records import MISSING, is_number

# The lowest and the highest number of a stretch, or None if it has no number.
Stretch: TypeAlias = tuple[Any, Any] | None


def envelope(entries: Entries, value: str, *, is_asked_for: bool) -> list[Stretch]:
    """Return the stretches. A value that the author named must be a number in every entry; a value
    that was found in the first entry need not be."""
    step = step_of(entries.count, MOST_COLUMNS)
    array = entries.array(value)
    if array is not None and array.dtype.kind in "iuf" and entries.count:
        floats = arrays.as_floats(array)
        if floats is not None:
            return _of_array(floats, edges(entries.count, step))
    return [
        _stretch(entries.block(value, start, stop), start, value, is_asked_for)
        for start, stop in bins(entries.count, step)
    ]


def _of_array(floats: Any, starts: list[int]) -> list[Stretch]:
    np = arrays.numpy()
    lows, highs = np.fmin.reduceat(floats, starts), np.fmax.reduceat(floats, starts)
    if np.isinf(lows).any() or np.isinf(highs).any():  # fmin and fmax ignore only NaN.
        return _of_array(np.where(np.isfinite(floats), floats, np.nan), starts)
    pairs = zip(lows.tolist(), highs.tolist(), strict=True)
    return [None if math.isnan(low) else (low, high) for low, high in pairs]


def _stretch(values: Sequence[Any], start: int, name: str, is_asked_for: bool) -> Stretch:
    if all_finite(values):
        return min(values), max(values)
    if is_asked_for:
        _check_numbers(values, start, name)
    numbers = [number for number in map(finite, values) if number is not None]
    return (min(numbers), max(numbers)) if numbers else None


def _check_numbers(values: Sequence[Any], start: int, name: str) -> None:
    for at, value in enumerate(values):
        if value is not None and value is not MISSING and not is_number(value):
            raise not_a_number("value", name, kind_name(value), f"in entry {start + at}")
