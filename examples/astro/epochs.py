"""Dates as people and models write them, and as Julian dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

J2000: Final = datetime(2000, 1, 1, 12, tzinfo=UTC)
J2000_JD: Final = 2_451_545
DAY: Final = timedelta(days=1)
MILLISECOND: Final = timedelta(milliseconds=1)


def parse_date(text: str, what: str) -> datetime:
    """An ISO 8601 date or date and time; without an offset it is taken as it stands."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except (ValueError, AttributeError) as error:
        raise ValueError(
            f"{what} is {text!r}, which is not an ISO 8601 date such as 2026-11-14 or "
            "2026-11-14T06:30:00."
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def julian_date(moment: datetime) -> float:
    """Days of 86,400 seconds, in the scale that the moment is meant in."""
    return J2000_JD + (moment - J2000) / DAY


def to_milliseconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=0) + MILLISECOND * round(moment.microsecond / 1_000)


def written(moment: datetime) -> str:
    """In UTC, to the nearest millisecond, where `isoformat` would cut."""
    return to_milliseconds(moment).isoformat(timespec="milliseconds").replace("+00:00", "Z")
