"""Heliocentric states of the planets, from astropy's built-in ephemeris.

The frame is the mean ecliptic and equinox of J2000, so that "prograde" has its usual meaning for
planets: in the equatorial frame a steep transfer could be taken for a retrograde one.

The Earth is accurate to some 5 km (ERFA `epv00`), the others to what Simon et al. 1994 give
(`plan94`): in the years 1960 to 2025 about 1,000 km and 1 m/s for Venus, 8,000 km and 2 m/s for
Mars, 70,000 km and 8 m/s for Jupiter. That is enough for a first look, not to navigate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import offline  # noqa: F401 - for its effect, before astropy reads a date
from astropy.coordinates import get_body_barycentric_posvel
from astropy.time import Time

Floats = npt.NDArray[np.float64]

MU_SUN: Final = 132_712_440_041.279  # km³/s², DE440


@dataclass(frozen=True, slots=True)
class Planet:
    mu: float
    """km³/s², of the planet without its moons (DE440)."""
    radius: float
    """km, at the equator (IAU 2015)."""


PLANETS: Final = {
    "mercury": Planet(22_031.868551, 2_440.53),
    "venus": Planet(324_858.592, 6_051.8),
    "earth": Planet(398_600.435507, 6_378.1366),
    "mars": Planet(42_828.37362, 3_396.19),
    "jupiter": Planet(126_686_531.9, 71_492.0),
    "saturn": Planet(37_931_206.2, 60_268.0),
    "uranus": Planet(5_793_951.3, 25_559.0),
    "neptune": Planet(6_835_099.97, 24_764.0),
}

# The series behind the Earth's position hold for 1900 to 2100.
FIRST_JD: Final = 2_415_020.5
LAST_JD: Final = 2_488_069.5

_OBLIQUITY = math.radians(84_381.448 / 3_600)
_TO_ECLIPTIC: Final = np.array(
    [
        [1.0, 0.0, 0.0],
        [0.0, math.cos(_OBLIQUITY), math.sin(_OBLIQUITY)],
        [0.0, -math.sin(_OBLIQUITY), math.cos(_OBLIQUITY)],
    ]
)


@dataclass(frozen=True, slots=True)
class States:
    """States with one row for each epoch; read-only, because they are shared."""

    position_km: Floats
    velocity_km_s: Floats


def planet_name(name: str) -> str:
    known = name.strip().lower()
    if known not in PLANETS:
        raise ValueError(f"There is no planet {name!r} here. Known: {', '.join(PLANETS)}.")
    return known


def heliocentric_states(planet: str, epochs: Floats) -> States:
    """Return the states of a planet at Julian dates in TDB."""
    epochs = np.atleast_1d(np.asarray(epochs, dtype=np.float64))
    if not np.all(np.isfinite(epochs)):
        raise ValueError("An epoch is not a finite Julian date.")
    if epochs.size and (epochs.min() < FIRST_JD or epochs.max() > LAST_JD):
        raise ValueError("The ephemeris covers the years 1900 to 2100, and an epoch lies outside.")
    return _states(planet_name(planet), epochs.tobytes())


@lru_cache(maxsize=32)  # agents ask again for the same window, in more detail or in full
def _states(planet: str, epochs: bytes) -> States:
    time = Time(np.frombuffer(epochs), format="jd", scale="tdb")
    there, speed = get_body_barycentric_posvel(planet, time, ephemeris="builtin")
    sun, sun_speed = get_body_barycentric_posvel("sun", time, ephemeris="builtin")
    return States(
        _ecliptic((there - sun).xyz.to_value("km")),
        _ecliptic((speed - sun_speed).xyz.to_value("km/s")),
    )


def _ecliptic(columns: Floats) -> Floats:
    rows = np.ascontiguousarray((_TO_ECLIPTIC @ columns).T)
    rows.flags.writeable = False
    return rows
