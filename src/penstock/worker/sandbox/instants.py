"""Times as users type them and as cells hold them, in microseconds since 1970.

A typed day is the whole day, and a typed minute the whole minute: a span. A typed time without a
zone means what the cells show, whatever their zone; with a zone, it means that moment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import NamedTuple

from penstock.core.model.epochs import PER_SECOND, EpochUnit, is_epoch_text
from penstock.core.model.questions import CellKind
from penstock.core.model.times import time_in
from penstock.worker.sandbox.column import RefusedQuestion

_TYPED = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(Z|[+-]\d\d:\d\d)?)?)?)?",
    re.ASCII,
)
_CLOCK_END = len("2023-03-01T14:30")
_SEVERAL = 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = 1_000_000
_MINUTE, _DAY = 60 * _SECOND, 86_400 * _SECOND
_AFTER_DAY = ("", "T", " ")
_LAST_MONTH = 12
_DIGITS = 6
_EXCERPT_CHARS = 60


class TypedTime(NamedTuple):
    """A time as a user typed it: from `start` to just before `end`."""

    start: int
    end: int
    is_shown: bool  # It means the time as cells show it, without their zones.


def span(typed: object) -> TypedTime:
    """Return the span that a canonical time means: `2023`, `2023-03`, `2023-03-01`,
    `2023-03-01T10:00`, with seconds, with a fraction, with a zone."""
    match = _TYPED.fullmatch(typed) if isinstance(typed, str) else None
    if match is None:
        raise _no_time(typed)
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        start = _micros(
            f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:{second or '00'}",
            fraction,
            zone,
        )
        if day is None:
            return TypedTime(start, _end_of_month(int(year), month), is_shown=True)
    except (ValueError, OverflowError):
        raise _no_time(typed) from None
    length = _DAY if hour is None else _MINUTE if second is None else _SECOND
    if fraction:
        length = int(10 ** (_DIGITS - len(fraction)))
    return TypedTime(start, start + length, is_shown=zone is None)


def _end_of_month(year: int, month: str | None) -> int:
    """Return the end of a month, or of the year if there is no month."""
    if month is None or int(month) == _LAST_MONTH:
        return _micros(f"{year + 1:04d}-01-01T00:00", None, None)
    return _micros(f"{year:04d}-{int(month) + 1:02d}-01T00:00", None, None)


def moment(cell: object, kind: CellKind, *, is_shown: bool) -> int | None:
    """Return the time in a cell, or None if it holds none. `is_shown`: ignore its zone."""
    if kind in PER_SECOND:
        return _micros_since_1970(cell, kind)
    return _micros_in(cell, is_shown=is_shown) if isinstance(cell, str) else None


def _micros_since_1970(cell: object, unit: EpochUnit) -> int | None:
    """Return the time that a number is, from its digits: users type the digits that are printed, and
    a product of floats may be rounded over an edge."""
    per_unit = _SECOND // PER_SECOND[unit]
    if isinstance(cell, int):
        return cell * per_unit
    text = repr(cell) if isinstance(cell, float) else cell
    if not isinstance(text, str):
        return None
    if not is_epoch_text(text):
        return round(cell * per_unit) if isinstance(cell, float) and isfinite(cell) else None
    whole, _, fraction = text.partition(".")
    digits = len(str(per_unit)) - 1
    return int(whole) * per_unit + int(fraction[:digits].ljust(digits, "0"))


def _micros_in(cell: str, *, is_shown: bool) -> int | None:
    """Return the time that a text is. Python's own parser is fast, and takes most spellings."""
    if cell[4:5] == cell[7:8] == "-" and cell[10:11] in _AFTER_DAY:
        try:
            when = datetime.fromisoformat(cell)
        except ValueError:
            pass
        else:
            return _since(when.replace(tzinfo=UTC) if is_shown or not when.tzinfo else when)
    found = time_in(cell)
    if found is None:
        return None
    text = f"{found.day}T{found.clock or '00:00'}"
    try:
        return _micros(text, found.fraction, None if is_shown else found.zone)
    except (ValueError, OverflowError):
        return None


def moments_in_zones(cells: Sequence[object]) -> list[int | None] | None:
    """Return the times in the cells of a column, or None if most texts are no times, or all have the
    same zone: then their texts sort in the same order."""
    offsets = {_offset_of(cell) for cell in cells if isinstance(cell, str)}
    if len(offsets) < _SEVERAL:
        return None
    moments = [moment(cell, "time", is_shown=False) for cell in cells]
    times = sum(when is not None for when in moments)
    texts = sum(isinstance(cell, str) and not cell.isspace() and cell != "" for cell in cells)
    return moments if 2 * times >= texts else None


def _offset_of(text: str) -> str:
    """Return the zone at the end of a time that is not UTC; something else of another text."""
    end = text[_CLOCK_END:]
    return end[max(end.rfind("+"), end.rfind("-")) :] if "+" in end or "-" in end else ""


def _micros(text: str, fraction: str | None, zone: str | None) -> int:
    offset = "+00:00" if zone is None or zone.upper() in ("Z", "UTC") else zone
    whole = _since(datetime.fromisoformat(text + offset))
    return whole + int((fraction or "0")[:_DIGITS].ljust(_DIGITS, "0"))


def _since(when: datetime) -> int:
    since = when - _EPOCH
    return since.days * _DAY + since.seconds * _SECOND + since.microseconds


def _no_time(typed: object) -> RefusedQuestion:
    return RefusedQuestion(
        f"{str(typed)[:_EXCERPT_CHARS]!r} is not a day or a time.",
        "Write it as 2023-03-01, or as 2023-03-01 14:30.",
    )
