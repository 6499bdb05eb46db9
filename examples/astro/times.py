"""Conversion of a moment to another time scale or notation, by astropy.time."""

from __future__ import annotations

import math
import threading
import warnings
from dataclasses import dataclass
from typing import Final, Literal, get_args

import offline  # noqa: F401 - for its effect, before astropy converts a time
from astropy.time import Time
from astropy.utils.iers import earth_orientation_table
from erfa import ErfaError, ErfaWarning

Scale = Literal["utc", "tai", "tt", "tdb", "ut1"]
Format = Literal["iso", "jd", "mjd", "unix", "gps"]

# Seconds since an epoch imply their scale: Unix counts UTC without its leap seconds, GPS counts
# atomic seconds from 1980-01-06.
OWN_SCALE: Final[dict[str, Scale]] = {"unix": "utc", "gps": "tai"}

# `warnings.catch_warnings` changes a state that all threads share.
_warnings_are_ours = threading.Lock()


@dataclass(frozen=True)  # no slots: the SDK takes them for defaults in a tool's output schema
class Moment:
    value: str | float
    format: Format
    scale: Scale
    note: str
    """A reservation; mostly empty."""


def time_convert(
    value: str | float,
    from_format: Format = "iso",
    to_format: Format = "iso",
    from_scale: Scale | None = None,
    to_scale: Scale | None = None,
) -> Moment:
    """Convert a moment. Scales are UTC by default; `unix` and `gps` have their own."""
    scale, target = _scale(from_format, from_scale, "from"), _scale(to_format, to_scale, "to")
    with _warnings_are_ours, warnings.catch_warnings(record=True) as caught:
        # ERFA warns of UTC before 1960 and of years whose leap seconds are not decided yet. Both
        # are answers with a reservation, which goes into the note.
        warnings.simplefilter("always", ErfaWarning)
        moment = _read(value, from_format, scale)
        converted = _written(_in_scale(moment, target), to_format)
    # TDB uses UTC only for its microseconds, where a leap second does not matter.
    doubtful = any(issubclass(each.category, ErfaWarning) for each in caught)
    note = _RESERVATION if doubtful and "utc" in (scale, target) else ""
    return Moment(converted, to_format, target, note)


_RESERVATION: Final = (
    "UTC is uncertain here: it did not exist before 1960, and leap seconds are announced only "
    "half a year ahead."
)


def _scale(form: str, scale: str | None, side: str) -> Scale:
    if form not in get_args(Format):
        raise ValueError(f"{side}_format is {form!r}. Known: {', '.join(get_args(Format))}.")
    if scale is not None and scale not in get_args(Scale):
        raise ValueError(f"{side}_scale is {scale!r}. Known: {', '.join(get_args(Scale))}.")
    own = OWN_SCALE.get(form)
    if own is not None and scale not in (None, own):
        raise ValueError(f"{form} is always counted in {own}: leave {side}_scale out.")
    known: Scale = own or scale or "utc"  # type: ignore[assignment]  # checked above
    return known


def _read(value: str | float, form: str, scale: str) -> Time:
    if form == "iso":
        text: str | float = _iso(str(value).strip(), scale)
        problem = f"value is {value!r}, which is not an ISO 8601 date such as 2026-11-14T06:30:00."
    else:
        # A string keeps all digits of a Julian date, a float does not.
        text = value.strip() if isinstance(value, str) else value
        problem = f"value is {value!r}, which is not a finite number, as {form} needs."
    try:
        finite = form == "iso" or math.isfinite(float(text))
        moment = Time(text, format=form, scale=scale, precision=6)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(problem) from error
    if not finite:
        raise ValueError(problem)
    return moment


def _iso(text: str, scale: str) -> str:
    """Return a date as astropy reads it: without an offset, and without its scale."""
    if text.endswith("Z") and scale != "utc":
        raise ValueError(f"value is {text!r}: the Z says UTC, where from_scale says {scale}.")
    date, time = text[:10], text[10:].removesuffix("Z").replace("T", " ")
    if "+" in time or "-" in time:
        raise ValueError(f"value is {text!r}: an offset is not taken, give the time in its scale.")
    return date + time


def _in_scale(moment: Time, scale: str) -> Time:
    if "ut1" in (scale, moment.scale) and scale != moment.scale:
        _check_rotation(moment)
    converted: Time = getattr(moment, scale)
    return converted


def _check_rotation(moment: Time) -> None:
    """Refuse a date without measured rotation: astropy would use the last value for decades."""
    _, status = earth_orientation_table.get().ut1_utc(moment.jd1, moment.jd2, return_status=True)
    if status < 0:
        raise ValueError(
            "UT1 follows the Earth's rotation, which is measured: the tables here do not cover "
            "that date."
        )


def _written(moment: Time, form: str) -> str | float:
    if form != "iso":
        return float(moment.to_value(form))
    try:
        return str(moment.isot) + ("Z" if moment.scale == "utc" else "")
    except ErfaError as error:
        raise ValueError("The date is too far off to be written as one.") from error
