"""The measures of cells as numbers that can be compared, with what cannot be ranked out of the way.

A cell without a measure (None, NaN, an infinity) is not feasible. It takes the worst value there
is, which no feasible cell has, so that one `min` over a list of numbers is all that ranking needs.
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
    """Of some cells: `worst` wherever there is none, which is so often."""

    values: Sequence[Any]
    gaps: int


def measured(values: Sequence[Any], worst: float, bad: Callable[[int, str], Exception]) -> Measures:
    """`bad` says what is wrong with the value at an index, which is of that type."""
    kinds: AbstractSet[type] = set(map(type, values))
    if NoneType in kinds and kinds <= _OPTIONAL_NUMBERS:
        values = [worst if value is None else value for value in values]
        kinds = PLAIN_NUMBERS
    # A NaN, or an infinity that is not the worst value, would show in the sum; the worst is a gap.
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
    """A number that can be compared; `worst` for none; None for what is no number at all."""
    value = unboxed(value)
    if value is MISSING or value is None:
        return worst
    number = finite(value)
    return worst if number is None and is_number(value) else number


def all_finite(values: Sequence[Any]) -> bool:
    """Whether all are plain numbers, and none is NaN or infinite."""
    return set(map(type, values)) <= PLAIN_NUMBERS and math.isfinite(_sum(values))


def _sum(values: Iterable[Any]) -> float:
    """One that is not finite makes the sum like itself, and a sum costs next to nothing."""
    try:
        return float(sum(values))
    except OverflowError:
        return math.nan


def finite(value: Any) -> Number | None:
    """A number of any kind that can be compared with all others; None for whatever is none."""
    if not is_number(value):
        return None
    value = unboxed(value)
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return int(value)
