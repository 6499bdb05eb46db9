"""The order of rows by a column's values, of any types.

Numbers come first, then points in time, spans of time, times of day, and texts, each sorted among
themselves. Rows with any other value come last, in their original order: a missing value, NaN and
infinities (which the reader gets as null), lists and objects. Rows with equal values keep their
order.
"""

from __future__ import annotations

import datetime as dt
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from enum import Enum
from itertools import compress, repeat
from types import NoneType
from typing import Any

from penstock.core.json.unboxing import unboxed

_TEXTS = frozenset({str, NoneType})
_NUMBERS = frozenset({int, float, bool, NoneType})
_SAMPLE = 1_000

# The group that a value belongs to, and its sort key there.
_Place = tuple[int, Any]


def ranked(values: Sequence[Any], *, largest: bool, likely: int) -> Iterator[int]:
    """Yield the indices of all values, the best first. The caller likely needs `likely` of them."""
    alike = _places_of_alike(values)
    if alike is not None:
        yield from _sorted(alike, values, largest, likely)
        yield from sorted(set(range(len(values))).difference(alike))
        return
    kinds: dict[int, list[int]] = {}
    keys: dict[int, Any] = {}
    for index, value in enumerate(values):
        kind, keys[index] = _place(value)
        kinds.setdefault(kind, []).append(index)
    last = kinds.pop(_NOWHERE[0], [])
    for kind in sorted(kinds):
        yield from _sorted(kinds[kind], keys, largest, likely)
    yield from last


def _places_of_alike(values: Sequence[Any]) -> Sequence[int] | None:
    """Return the indices of the values if they are only texts or only numbers, besides gaps."""
    kinds = set(map(type, values))
    if kinds == {str}:
        return range(len(values))
    if kinds <= _TEXTS:
        return [index for index, value in enumerate(values) if value is not None]
    with suppress(OverflowError):  # an int that no float can hold
        if kinds <= _NUMBERS:
            return _places_of_finite(values, has_gaps=NoneType in kinds)
    return None


def _places_of_finite(values: Sequence[Any], *, has_gaps: bool) -> Sequence[int]:
    """Return the indices of finite numbers. In most columns the sum shows that all are finite."""
    if not has_gaps and math.isfinite(sum(values)):
        return range(len(values))
    finite = math.isfinite
    return [index for index, value in enumerate(values) if value is not None and finite(value)]


def _sorted(
    indices: Sequence[int], keys: Sequence[Any] | Mapping[int, Any], largest: bool, likely: int
) -> Iterator[int]:
    """Sort the better part first, and the rest only if the caller needs it. A sample gives the
    bound between the parts; the order is right for any bound."""
    key = keys.__getitem__
    step = len(indices) // _SAMPLE
    if not step:
        yield from sorted(indices, key=key, reverse=largest)
        return
    sample = sorted(map(key, indices[::step]), reverse=largest)
    bound = sample[min(likely // step + likely // (4 * step) + 1, len(sample) - 1)]
    for belongs in (operator.ge, operator.lt) if largest else (operator.le, operator.gt):
        part = compress(indices, map(belongs, map(key, indices), repeat(bound)))
        yield from sorted(part, key=key, reverse=largest)


_NOWHERE: _Place = (9, None)


def _place(value: Any) -> _Place:
    value = value.value if isinstance(value, Enum) else value
    if isinstance(value, int | float | Decimal):
        return (0, value) if _is_finite(value) else _NOWHERE
    if isinstance(value, str):
        return 4, str.__str__(value)
    if isinstance(value, dt.date):  # also pandas' types, even NaT
        return _NOWHERE if unboxed(value) is None else _instant(value)
    if isinstance(value, dt.timedelta):
        return 2, value
    if isinstance(value, dt.time):
        return 3, value.isoformat()
    plain = unboxed(value)
    return _NOWHERE if plain is value or plain is None else _place(plain)


def _is_finite(number: float | Decimal) -> bool:
    """Return whether a number is finite. Do not convert an int: a large one fits no float."""
    if isinstance(number, Decimal):
        return number.is_finite()
    return isinstance(number, int) or math.isfinite(number)


def _instant(value: dt.date) -> _Place:
    """Return a comparable time: a day begins at midnight, and a time without a zone is in UTC."""
    if not isinstance(value, dt.datetime):
        value = dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)
    elif value.utcoffset() is None:
        value = value.replace(tzinfo=dt.UTC)
    return 1, value
