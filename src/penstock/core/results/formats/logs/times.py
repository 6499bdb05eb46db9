"""The times at the start of log entries: their patterns, and their ISO form.

A stamp that names its year, month and day beyond doubt becomes ISO 8601, so that texts sort by time.
Any other stamp stays as it is: without a year, or with a day and a month that may be the other way round.
"""

from __future__ import annotations

import re
from typing import Final

_MONTHS: Final = (
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
)  # fmt: skip
MONTH: Final = rb"(?:" + b"|".join(_MONTHS) + rb")"
_WEEKDAY: Final = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_YEAR: Final = rb"(?:19|20)[0-9]{2}"
_MONTH_NUMBER: Final = rb"(?:0[1-9]|1[0-2])"
_DAY: Final = rb"(?:0[1-9]|[12][0-9]|3[01])"
_ANY_DAY: Final = rb"(?:[ 0]?[1-9]|[12][0-9]|3[01])"
CLOCK: Final = rb"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)"
FRACTION: Final = rb"(?:[.,][0-9]{1,9}+)?+"
_ZONE: Final = rb"(?:Z\b|[ ]?(?:UTC|GMT)\b|[ ]?[+-](?:0[0-9]|1[0-4]):?+[0-5][0-9](?![0-9:]))?+"
_HALF_DAY: Final = rb"(?:1[0-2]|0?[1-9]):[0-5][0-9]:[0-5][0-9] [AP]M"

ISO: Final = (
    _YEAR + rb"-" + _MONTH_NUMBER + rb"-" + _DAY + rb"[T ]" + CLOCK + FRACTION + _ZONE
)  # 2026-11-16 10:00:00,123
_SLASHES: Final = (
    _YEAR + rb"[/.]" + _MONTH_NUMBER + rb"[/.]" + _DAY + rb" " + CLOCK + FRACTION + _ZONE
)  # 2026/11/16 10:00:00
DAY_FIRST: Final = (
    _DAY + rb"[ /-]" + MONTH + rb"[ /-]" + _YEAR + rb"[ :]" + CLOCK + FRACTION + _ZONE
)  # 16/Nov/2026:10:00:00 +0000
C_TIME: Final = (
    _WEEKDAY + rb" " + MONTH + rb" " + _ANY_DAY + rb" " + CLOCK + FRACTION + rb" " + _YEAR
)  # Mon Nov 16 10:00:00 2026
HALF_DAYS: Final = MONTH + rb" " + _ANY_DAY + rb", " + _YEAR + rb",? " + _HALF_DAY
# A stamp with its year.
FULL: Final = rb"(?>" + b"|".join((ISO, _SLASHES, DAY_FIRST, C_TIME)) + rb")"
WITHOUT_YEAR: Final = MONTH + rb" " + _ANY_DAY + rb" " + CLOCK + FRACTION
_NUMBERS: Final = (
    rb"[0-3]?[0-9]/[0-3]?[0-9]/(?:" + _YEAR + rb"|[0-9]{2}),? (?:" + _HALF_DAY + rb"|" + CLOCK
    + FRACTION + rb")"
)  # fmt: skip
# A stamp that is certain only beside a level.
ANY: Final = rb"(?>" + b"|".join((FULL, WITHOUT_YEAR, _NUMBERS, CLOCK + FRACTION)) + rb")"

_PARTS: Final = re.compile(
    rb"(?:(?P<y>" + _YEAR + rb")[-/.]?(?P<m>[0-9]{2})[-/.]?(?P<d>[0-9]{2})"
    rb"|(?P<d2>[0-9]{2})[ /-](?P<m2>" + MONTH + rb")[ /-](?P<y2>" + _YEAR + rb"))[T :]"
    rb"(?P<clock>" + CLOCK + rb")(?:[.,](?P<fraction>[0-9]++))?+[ ]?(?P<zone>Z|UTC|GMT|[+-][0-9:]++)?+"
)  # fmt: skip
_C_PARTS: Final = re.compile(
    _WEEKDAY + rb" (?P<m>" + MONTH + rb") (?P<d>" + _ANY_DAY + rb") (?P<clock>" + CLOCK
    + rb")(?:[.,](?P<fraction>[0-9]++))?+ (?P<y>" + _YEAR + rb")"
)  # fmt: skip
_HALF_PARTS: Final = re.compile(
    rb"(?P<m>" + MONTH + rb") (?P<d>" + _ANY_DAY + rb"), (?P<y>" + _YEAR + rb"),? "
    rb"(?P<hour>[0-9]{1,2})(?P<rest>:[0-9]{2}:[0-9]{2}) (?P<half>[AP])M"
)
_NUMBER_OF: Final = {name: b"%02d" % number for number, name in enumerate(_MONTHS, 1)}


def iso(stamp: bytes) -> bytes:
    """Return a stamp in ISO 8601, or as it is if its date is not beyond doubt."""
    if stamp[4:5] == b"-" and stamp[11:].translate(None, b":.,").removesuffix(b"Z").isdigit():
        return stamp[:10] + b"T" + stamp[11:].replace(b",", b".")  # most stamps, without a pattern
    found = _PARTS.fullmatch(stamp)
    if found is not None:
        year, month, day, year_2, month_2, day_2, clock, fraction, zone = found.group(
            "y", "m", "d", "y2", "m2", "d2", "clock", "fraction", "zone"
        )
        if year is None:
            year, month, day = year_2, _NUMBER_OF[month_2], day_2
        return _written(year, month, day, clock, fraction) + _zone(zone)
    found = _C_PARTS.fullmatch(stamp)
    if found is not None:
        year, month, day, clock, fraction = found.group("y", "m", "d", "clock", "fraction")
        return _written(year, _NUMBER_OF[month], day, clock, fraction)
    found = _HALF_PARTS.fullmatch(stamp)
    if found is None:
        return stamp
    year, month, day, hour, rest, half = found.group("y", "m", "d", "hour", "rest", "half")
    clock = b"%02d" % (int(hour) % 12 + (12 if half == b"P" else 0)) + rest
    return _written(year, _NUMBER_OF[month], day, clock, None)


def _written(year: bytes, month: bytes, day: bytes, clock: bytes, fraction: bytes | None) -> bytes:
    date = b"%b-%b-%02d" % (year, month, int(day))
    return date + b"T" + clock + (b"." + fraction if fraction else b"")


def _zone(zone: bytes | None) -> bytes:
    if zone is None:
        return b""
    if zone in (b"Z", b"UTC", b"GMT"):
        return b"Z"
    return zone if b":" in zone else zone[:3] + b":" + zone[3:]
