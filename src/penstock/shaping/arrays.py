"""numpy, for those who use it: loaded when it is needed, never by an import of this package."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from typing import Any

# Kinds of dtype (see numpy.dtype.kind) that `tolist` turns into plain Python values, exactly.
_TEXTS = frozenset("SUO")
_NUMBERS = frozenset("biuf")
_DATES = frozenset("mM")


@cache
def numpy() -> Any:
    return importlib.import_module("numpy")


def is_loaded() -> bool:
    """Whoever has not loaded numpy has none of its values."""
    return sys.modules.get("numpy") is not None


def is_array(value: object) -> bool:
    return is_loaded() and isinstance(value, numpy().ndarray)


def is_scalar(value: object) -> bool:
    return is_loaded() and isinstance(value, numpy().generic)


def is_number_type(kind: type) -> bool:
    """Whether a type is one of numpy's real numbers, of which most are no Python numbers."""
    if not is_loaded():
        return False
    np = numpy()
    return issubclass(kind, np.integer | np.floating)


def is_bool(value: object) -> bool:
    return isinstance(value, bool) or (is_loaded() and isinstance(value, numpy().bool_))


def values_of(array: Any) -> list[Any]:
    """An array as nested lists of Python values, dates as ISO 8601."""
    if numpy().ma.isMaskedArray(array):
        return _unmasked(array)
    kind = array.dtype.kind
    is_short = array.dtype.itemsize <= _LONGEST_FLOAT
    if kind in _TEXTS or (kind in _NUMBERS and is_short):
        return list(array.tolist())
    return [values_of(item) if is_array(item) else unboxed(item) for item in array]


_LONGEST_FLOAT = 8  # bytes; `tolist` leaves a longer one as it is


def _unmasked(array: Any) -> list[Any]:
    return [
        _unmasked(item)
        if is_array(item) and item.ndim
        else None
        if item is numpy().ma.masked
        else unboxed(item)
        for item in array
    ]


def unboxed(value: Any) -> Any:
    """A numpy scalar as a Python value that has a JSON form."""
    dtype = value.dtype
    if dtype.kind in _DATES:
        return None if numpy().isnat(value) else _date(value)
    if dtype.names is not None:
        return {name: opened(value[name]) for name in dtype.names}
    if dtype.kind == "f" and dtype.itemsize > _LONGEST_FLOAT:
        return float(value)
    return value.item()


def _date(value: Any) -> Any:
    """A point in time in its own precision; a span as timedelta, where that is fine enough."""
    if value.dtype.kind == "M":
        return str(value)
    span = value.item()
    return str(value) if isinstance(span, int) else span


def opened(value: Any) -> Any:
    """The same value, with whatever numpy holds inside it as Python values."""
    if is_array(value):
        return values_of(value) if value.ndim else opened(value[()])
    if is_scalar(value):
        return unboxed(value)
    if isinstance(value, dict):
        return {opened(key): opened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [opened(item) for item in value]
    return value


def as_floats(array: Any) -> Any | None:
    """The numbers of an array as float64, masked ones as NaN; None where that would not be exact,
    which is for integers beyond 2**53 only. (A longer float is shown as float64 too.)"""
    np = numpy()
    known = array.compressed() if np.ma.isMaskedArray(array) else array
    if known.dtype.kind in "iu" and known.size:
        most = 2**53
        if int(known.max()) > most or int(known.min()) < -most:
            return None
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64, order="C")
    return floats.filled(np.nan) if np.ma.isMaskedArray(floats) else floats
