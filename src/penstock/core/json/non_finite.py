"""NaN and infinities, which JSON lacks: they become null, and are counted."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from enum import Enum
from types import NoneType
from typing import Any, Final

from penstock.core.json.openers import opener_of

_NOT_NUMBERS: Final = frozenset({str, int, bool, NoneType})
# What the encoder writes for a Decimal that is no number. A fixed first character and then a set make
# `re` jump from one such character to the next, which takes a quarter of the time of a plain search.
_NAMES: Final = (re.compile(rb"N[a]N"), re.compile(rb"I[n]finity"))


def count_non_finite(value: Any, encoded: bytes) -> int:
    """Count the NaN and infinities that became null. Without a null, nothing is searched."""
    if b"null" not in encoded:
        return 0
    floats, decimals = _numbers(value)
    return _non_finite(floats) + sum(not number.is_finite() for number in decimals)


def has_non_finite_decimal(value: Any, encoded: bytes | None = None) -> bool:
    """Return whether a value holds a Decimal that is no number. If the encoder's JSON does not name
    one, nothing is searched."""
    if encoded is not None and not any(name.search(encoded) for name in _NAMES):
        return False
    return not all(number.is_finite() for number in _numbers(value)[1])


def _numbers(value: Any) -> tuple[list[float], list[Decimal]]:
    """Return every float and every Decimal in a value. Exact checks for the most common types come
    first: many rows contain a null, so this is called often."""
    floats: list[float] = []
    decimals: list[Decimal] = []
    pending = [value]
    for item in pending:  # the loop appends to this list
        kind = type(item)
        if kind is float:
            floats.append(item)
        elif kind is dict:
            pending += item.values()
        elif kind is list:
            pending += item
        elif kind is Decimal:
            decimals.append(item)
        elif kind not in _NOT_NUMBERS:
            pending += _inside(item)
    return floats, decimals


def _non_finite(floats: Sequence[float]) -> int:
    """Count the NaN and infinite numbers. A finite sum proves at once that there are none."""
    if math.isfinite(sum(floats)):
        return 0
    return sum(1 for number in floats if not math.isfinite(number))


def _inside(item: Any) -> Collection[Any]:
    """Return the values one level inside a value, or none if it is a plain one."""
    if isinstance(item, dict):
        return item.values()
    if isinstance(item, list | tuple | set | frozenset):
        return item
    if isinstance(item, Enum):
        return (item.value,)
    opener = opener_of(type(item))
    return () if opener is None else (opener(item),)
