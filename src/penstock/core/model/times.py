"""Times that are texts, in the spellings of programs. Pages, filters and charts all ask here, so that
a column is a time in all of them or in none.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_TIME: Final = re.compile(
    r"(\d{4}[-/]\d\d[-/]\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII | re.IGNORECASE,
)


class WrittenTime(NamedTuple):
    """The parts of a time as a program wrote it."""

    day: str  # 2023-03-01
    clock: str | None  # 10:00 or 10:00:00
    fraction: str | None  # the digits after the seconds
    zone: str | None


def is_time(text: str) -> bool:
    """Return whether a text is a time. This is quicker than to take it apart."""
    return _TIME.fullmatch(text) is not None or _TIME.fullmatch(text.strip()) is not None


def time_in(text: str) -> WrittenTime | None:
    """Return the time that a text is, or None. The day need not exist: 2023-02-31 is taken too."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    day, clock, fraction, zone = match.groups()
    return WrittenTime(day.replace("/", "-"), clock, fraction, zone)
