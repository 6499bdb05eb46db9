"""Conversion of dates between text, `datetime` and Julian dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

J2000: Final = datetime(2000, 1, 1, 12, tzinfo=UTC)
J2000_JD: Final = 2_451_545
DAY: Final = timedelta(days=1)
MILLISECOND: Final = timedelta(milliseconds=1)


def parse_date(text: str, what: str) -> datetime:
    """Read an ISO 8601 date, or date and time. One without an offset keeps its clock time."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except (ValueError, AttributeError) as error:
        raise ValueError(
            f"{what} is {text!r}, which is not an ISO 8601 date such as 2026-11-14 or "
            "2026-11-14T06:30:00."
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def julian_date(moment: datetime) -> float:
    """Return the days of 86,400 seconds, in the moment's own time scale."""
    return J2000_JD + (moment - J2000) / DAY


def to_milliseconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=0) + MILLISECOND * round(moment.microsecond / 1_000)


def written(moment: datetime) -> str:
    """Write a moment in UTC, rounded to the millisecond; `isoformat` would cut."""
    return to_milliseconds(moment).isoformat(timespec="milliseconds").replace("+00:00", "Z")
