"""The SQL function `date_trunc`.

SQLite's own date functions read zones and fractions of seconds, and compute in UTC. This function
does the same, and writes dates and times as SQLite does, so that its results compare with theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from penstock.worker.sandbox.column import RefusedQuestion

_EXCERPT_CHARS = 60
# A year, a month and a day, then perhaps a time, and perhaps a zone.
_DATE = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?([.,]\d+)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)


def date_trunc(unit: object, date: object) -> str | None:
    """Return the start of the unit in which the date is; NULL if the text is not an ISO date."""
    start = _STARTS.get(str(unit).lower())
    if start is None:
        raise RefusedQuestion(
            f"date_trunc: {str(unit)[:_EXCERPT_CHARS]!r} is not a unit.",
            f"Write date_trunc('month', column). Units: {', '.join(_STARTS)}.",
        )
    if isinstance(date, int | float):
        raise RefusedQuestion(
            f"date_trunc: {date!r} is a number, and not an ISO date.",
            "For seconds since 1970 write date_trunc('day', datetime(column, 'unixepoch')).",
        )
    moment = _moment(date)
    return None if moment is None else start(moment)


def _moment(date: object) -> datetime | None:
    match = _DATE.fullmatch(date.strip()) if isinstance(date, str) else None
    if match is None:
        return None
    day, minute, second, fraction, zone = match.groups()
    if fraction and not second:
        return None
    try:
        moment = datetime.fromisoformat(f"{day}T{minute or '00:00'}{second or ''}{_offset(zone)}")
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _offset(zone: str | None) -> str:
    return "+00:00" if zone is None or zone.upper() in ("Z", "UTC") else zone


def _day(moment: datetime) -> str:
    return moment.date().isoformat()


def _quarter(moment: datetime) -> str:
    return _day(moment.replace(month=moment.month - (moment.month - 1) % 3, day=1))


def _time(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(" ")


_STARTS: dict[str, Callable[[datetime], str]] = {
    "year": lambda moment: _day(moment.replace(month=1, day=1)),
    "quarter": _quarter,
    "month": lambda moment: _day(moment.replace(day=1)),
    "week": lambda moment: _day(moment - timedelta(days=moment.weekday())),
    "day": _day,
    "hour": lambda moment: _time(moment.replace(minute=0, second=0)),
    "minute": lambda moment: _time(moment.replace(second=0)),
    "second": _time,
}
