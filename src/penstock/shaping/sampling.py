"""The choice of the entries that a summary shows, always with the first and the last."""

from __future__ import annotations

import datetime as dt
import importlib
import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

from penstock.errors import MissingExtra
from penstock.shaping import arrays
from penstock.shaping.entries import Entries
from penstock.shaping.measures import finite

Sampling: TypeAlias = Literal["even", "lttb", "minmax"]
# Return the indices of at most this many entries, in order.
Choose: TypeAlias = Callable[[int], list[int]]

# With fewer entries there is no choice between the first and the last.
_FEWEST = 4


def require_library(sampling: Sampling) -> None:
    if sampling != "even" and not all(map(_is_installed, ("tsdownsample", "numpy"))):
        raise MissingExtra("shaping", f'sampling="{sampling}"')


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # sys.modules holds a stand-in without a spec.
        return False


def chooser(entries: Entries, sampling: Sampling, value: str | None, axis: str | None) -> Choose:
    if sampling == "even" or value is None:
        return lambda most: evenly(entries.count, most)
    heights = _heights(entries, value)
    along = None if axis is None else _along(entries, axis)
    return lambda most: _by_form(sampling, along, heights, most)


def evenly(count: int, most: int) -> list[int]:
    if count <= most:
        return list(range(count))
    if most == 1:
        return [0]
    return [(2 * at * (count - 1) + most - 1) // (2 * (most - 1)) for at in range(most)]


def _by_form(sampling: Sampling, along: Any | None, heights: Any, most: int) -> list[int]:
    """Return the entries that show the shape best, among those with a height."""
    np = arrays.numpy()
    count = len(heights)
    known = np.flatnonzero(np.isfinite(heights))
    if count <= most or most < _FEWEST or len(known) <= most - 2:
        return evenly(count, most) if most < count else list(range(count))
    inner = most - 2  # The first and the last are added in any case.
    if sampling == "lttb" and known[0] == 0 and known[-1] == count - 1:
        inner = most  # lttb always keeps both ends.
    picked = _downsampled(sampling, None if along is None else along[known], heights[known], inner)
    return sorted({0, count - 1, *known[picked].tolist()})


def _downsampled(sampling: Sampling, along: Any | None, heights: Any, most: int) -> Any:
    library = importlib.import_module("tsdownsample")
    columns = (heights,) if along is None else (along, heights)
    if sampling == "lttb":
        return library.LTTBDownsampler().downsample(*columns, n_out=max(3, most))
    return library.MinMaxDownsampler().downsample(*columns, n_out=most // 2 * 2)


def _heights(entries: Entries, value: str) -> Any:
    """Return the value of each entry as a float, NaN for gaps."""
    array = entries.array(value)
    if array is not None and array.dtype.kind in "iuf":
        floats = arrays.as_floats(array)
        if floats is not None:
            return floats
    found = entries.block(value, 0, entries.count)
    return arrays.numpy().array([_float(value) for value in found], dtype=float)


def _float(value: Any) -> float:
    number = finite(value)
    try:
        return math.nan if number is None else float(number)
    except OverflowError:
        return math.nan


def _along(entries: Entries, axis: str) -> Any | None:
    """Return the axis as numbers that never fall, or None to use the index instead."""
    np = arrays.numpy()
    array = entries.array(axis)
    if array is not None and array.dtype.kind == "M":
        along = array.astype(np.int64)
    elif array is not None and array.dtype.kind in "iuf":
        along = array.astype(np.float64)
    else:
        along = np.array([_instant(at) for at in entries.block(axis, 0, entries.count)], float)
    is_rising = np.isfinite(along).all() and (along[1:] >= along[:-1]).all()
    return along if is_rising else None


def _instant(value: Any) -> float:
    if isinstance(value, dt.datetime):
        return value.timestamp()
    if isinstance(value, dt.date):
        return float(value.toordinal())
    return _float(value)
