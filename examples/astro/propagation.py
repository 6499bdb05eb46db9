"""States of a satellite over a span of time, by SGP4 and in its frame (TEME)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt
from epochs import DAY, J2000, J2000_JD, MILLISECOND, parse_date, to_milliseconds, written
from sgp4.api import SGP4_ERRORS, Satrec
from tles import parse_tle, satellite_of

MOST_EPOCHS: Final = 100_000
DECAYED: Final = 6

Floats = npt.NDArray[np.float64]
Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class StateVector:
    """A state in TEME: true equator, mean equinox of date."""

    epoch: str
    position_km: Vector
    velocity_km_s: Vector
    distance_km: float
    """From the centre of the Earth."""


@dataclass(frozen=True, slots=True)
class FailedEpoch:
    """An epoch without a state, mostly because the satellite has come down by then."""

    epoch: str
    error_code: int
    error: str


def sgp4_propagate(
    line1: str, line2: str, start: str | None, hours: float, step_minutes: float
) -> list[StateVector | FailedEpoch]:
    """Return one entry for every epoch, from `start` (UTC; None: the epoch of the elements) on.

    SGP4 counts days of 86,400 seconds of UTC, and ignores a leap second inside the span.
    """
    elements = parse_tle(line1, line2)
    count = _count(hours, step_minutes)
    # Rounded to the millisecond, so that the printed epoch is exactly the computed one.
    first = to_milliseconds(parse_date(start or elements.epoch, "start"))
    step = step_minutes * 60_000
    moments = [first + MILLISECOND * round(n * step) for n in range(count)]
    since = [divmod(moment - J2000, DAY) for moment in moments]
    days = np.array([J2000_JD + whole for whole, _ in since], dtype=np.float64)
    parts = np.array([part / DAY for _, part in since])
    codes, positions, speeds = propagate(satellite_of(elements.line1, elements.line2), days, parts)
    # After a satellite has come down, SGP4 may find states again, which mean nothing.
    codes = np.where(np.logical_or.accumulate(codes == DECAYED), DECAYED, codes)
    return [
        _entry(*each)
        for each in zip(moments, codes.tolist(), positions.tolist(), speeds.tolist(), strict=True)
    ]


def propagate(
    satellite: Satrec, days: Floats, parts: Floats
) -> tuple[npt.NDArray[np.uint8], Floats, Floats]:
    """Return error codes (0 is good), positions in km and velocities in km/s at dates in UTC.

    The Julian dates come in two parts: one double is exact to 40 µs only, 0.3 m along the orbit.
    """
    codes, positions, speeds = satellite.sgp4_array(days, parts)
    return codes, positions, speeds


def _count(hours: float, step_minutes: float) -> int:
    if not (math.isfinite(hours) and hours >= 0):
        raise ValueError(f"hours is {hours}; it must be 0 or more.")
    if not (math.isfinite(step_minutes) and step_minutes > 0):
        raise ValueError(f"step_minutes is {step_minutes}; it must be more than 0.")
    # The addend keeps 0.1 hours in steps of 0.1 minutes from losing the last of 61 epochs.
    count = math.floor(hours * 60 / step_minutes + 1e-9) + 1
    if count > MOST_EPOCHS:
        raise ValueError(
            f"{hours:g} hours in steps of {step_minutes:g} minutes are {count:,} epochs, more than "
            f"{MOST_EPOCHS:,}. Take a longer step or a shorter span."
        )
    return count


def _entry(
    moment: datetime, code: int, position: list[float], speed: list[float]
) -> StateVector | FailedEpoch:
    epoch = written(moment)
    if code:
        return FailedEpoch(epoch, code, SGP4_ERRORS.get(code, "unknown error"))
    # Rounded to millimetres, and micrometres a second: SGP4 itself is accurate to a kilometre.
    distance = round(math.hypot(*position), 6)
    return StateVector(epoch, _rounded(position, 6), _rounded(speed, 9), distance)


def _rounded(values: list[float], digits: int) -> Vector:
    x, y, z = values
    return round(x, digits), round(y, digits), round(z, digits)
