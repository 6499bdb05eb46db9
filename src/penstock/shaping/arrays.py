"""Lazy access to numpy: importing this package never loads it."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from typing import Any


@cache
def numpy() -> Any:
    return importlib.import_module("numpy")


def is_loaded() -> bool:
    """Return whether numpy is loaded. If it is not, no value can be numpy's."""
    return sys.modules.get("numpy") is not None


def is_array(value: object) -> bool:
    return is_loaded() and isinstance(value, numpy().ndarray)


def is_number_type(kind: type) -> bool:
    """Return whether a type is one of numpy's real numbers; most are not Python numbers."""
    if not is_loaded():
        return False
    np = numpy()
    return issubclass(kind, np.integer | np.floating)


def is_bool(value: object) -> bool:
    return isinstance(value, bool) or (is_loaded() and isinstance(value, numpy().bool_))


def as_floats(array: Any) -> Any | None:
    """Return the numbers of an array as float64, masked ones as NaN, or None if it holds integers
    beyond 2**53, which would not be exact. (A longer float is shown as float64 too.)"""
    np = numpy()
    known = array.compressed() if np.ma.isMaskedArray(array) else array
    if known.dtype.kind in "iu" and known.size:
        most = 2**53
        if int(known.max()) > most or int(known.min()) < -most:
            return None
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64, order="C")
    return floats.filled(np.nan) if np.ma.isMaskedArray(floats) else floats
