"""The measures of cells as numbers that can be compared.

A cell without a measure (None, NaN, an infinity) is not feasible. It gets the worst value there is,
which no feasible cell has, so that ranking needs only one `min` over a list of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from types import NoneType
from typing import Any, TypeAlias

from penstock.core.json.unboxing import unboxed
from penstock.shaping.records import MISSING, PLAIN_NUMBERS, is_number

Number: TypeAlias = int | float | Decimal


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of some cells."""

    values: Sequence[Any]  # `worst` for a cell without a measure
    gaps: int  # how many cells have no measure


def measured(values: Sequence[Any], worst: float, bad: Callable[[int, str], Exception]) -> Measures:
    """Return the measures. `bad` makes the error for an index and the name of a wrong type."""
    kinds: AbstractSet[type] = set(map(type, values))
    if NoneType in kinds and kinds <= _OPTIONAL_NUMBERS:
        values = [worst if value is None else value for value in values]
        kinds = PLAIN_NUMBERS
    # The sum shows whether there is a NaN, the worst value (a gap), or the other infinity.
    total = _sum(values) if kinds <= PLAIN_NUMBERS else math.nan
    if math.isfinite(total):
        return Measures(values, gaps=0)
    if total == worst:
        return Measures(values, gaps=values.count(worst))
    ranked = [_ranked(value, worst) for value in values]
    if None in ranked:
        at = ranked.index(None)
        raise bad(at, type(values[at]).__name__)
    return Measures(ranked, gaps=ranked.count(worst))


_OPTIONAL_NUMBERS = PLAIN_NUMBERS | {NoneType}


def _ranked(value: Any, worst: float) -> Any:
    """Return a comparable number, `worst` for a missing one, or None if the value is no number."""
    value = unboxed(value)
    if value is MISSING or value is None:
        return worst
    number = finite(value)
    return worst if number is None and is_number(value) else number


def all_finite(values: Sequence[Any]) -> bool:
    """Return whether all values are plain numbers, and none is NaN or infinite."""
    return set(map(type, values)) <= PLAIN_NUMBERS and math.isfinite(_sum(values))


def _sum(values: Iterable[Any]) -> float:
    """Return the sum, a cheap test: a value that is not finite makes the sum not finite."""
    try:
        return float(sum(values))
    except OverflowError:
        return math.nan


def finite(value: Any) -> Number | None:
    """Return a number that can be compared with all others, or None if the value is not one."""
    if not is_number(value):
        return None
    value = unboxed(value)
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return int(value)
