"""Lambert's problem: the orbit from here to there in a given time, by Izzo's method (lamberthub).

lamberthub decorates its solvers with numba. Compiling them takes 7 seconds at the first call and
gains little after it (0.09 ms a solution against 0.13 ms interpreted, measured on one machine). So
lamberthub is imported with compilation off; the setting is restored for other users of numba.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

_numba: Any = numba.config  # its settings are made at import, so type checkers do not see them
_before = _numba.DISABLE_JIT
_numba.DISABLE_JIT = True
try:
    from lamberthub import izzo2015
finally:
    _numba.DISABLE_JIT = _before

Floats = npt.NDArray[np.float64]
Vector = tuple[float, float, float]


@dataclass(frozen=True)  # no slots: the SDK takes them for defaults in a tool's output schema
class Arc:
    """An orbit that was found, in km, km/s and degrees."""

    v1: Vector
    v2: Vector
    transfer_angle_deg: float
    semi_major_axis_km: float
    """Negative on a hyperbola."""
    eccentricity: float
    periapsis_km: float


@dataclass(frozen=True, slots=True)
class NoArc:
    """The reason why no orbit was found."""

    reason: str


def lambert_solve(
    r1: Sequence[float],
    r2: Sequence[float],
    tof_seconds: float,
    mu: float,
    *,
    prograde: bool = True,
    revolutions: int = 0,
    low_path: bool = True,
) -> Arc | NoArc:
    """Find the orbit from r1 to r2 (km) in `tof_seconds`, around a body with gravitational
    parameter mu (km³/s²).

    Prograde is with the z axis. With full revolutions there are two orbits: `low_path` selects the
    one that leaves r1 at the lower flight-path angle, which is the larger.
    """
    here, there = _position(r1, "r1"), _position(r2, "r2")
    _positive(tof_seconds, "tof_seconds")
    _positive(mu, "mu")
    if revolutions < 0:
        raise ValueError(f"revolutions is {revolutions}; it starts at 0.")
    found = velocities(here, there, tof_seconds, mu, prograde, revolutions, low_path)
    return found if isinstance(found, NoArc) else _arc(here, there, *found, mu)


def velocities(
    r1: Floats,
    r2: Floats,
    tof_seconds: float,
    mu: float,
    prograde: bool = True,
    revolutions: int = 0,
    low_path: bool = True,
) -> tuple[Floats, Floats] | NoArc:
    """Return the velocities at both ends. The input is not checked: a sweep calls this 40,000
    times."""
    # A normal of length zero, or a step out of the domain, shows in the result.
    with np.errstate(all="ignore"):
        try:
            v1, v2 = izzo2015(
                mu, r1, r2, tof_seconds, revolutions, prograde, low_path, atol=1e-10, rtol=1e-10
            )
        except AssertionError:
            return NoArc("r1 and r2 lie on one line through the centre: no plane is given.")
        except ValueError:
            return NoArc(f"{revolutions} revolutions do not fit into the time of flight.")
        except (ArithmeticError, RuntimeError):
            return NoArc("The solver did not converge.")
    if not (math.isfinite(v1.sum()) and math.isfinite(v2.sum())):
        return NoArc("r1 and r2 lie on one line through the centre: no plane is given.")
    return v1, v2


def _arc(r1: Floats, r2: Floats, v1: Floats, v2: Floats, mu: float) -> Arc:
    distance, normal = float(np.linalg.norm(r1)), np.cross(r1, v1)
    axis = 1 / (2 / distance - float(v1 @ v1) / mu)
    eccentricity = float(np.linalg.norm(np.cross(v1, normal) / mu - r1 / distance))
    turn = math.atan2(
        float(np.cross(r1, r2) @ normal) / float(np.linalg.norm(normal)), float(r1 @ r2)
    )
    return Arc(
        v1=_vector(v1),
        v2=_vector(v2),
        transfer_angle_deg=math.degrees(turn) % 360,
        semi_major_axis_km=axis,
        eccentricity=eccentricity,
        periapsis_km=float(normal @ normal) / mu / (1 + eccentricity),
    )


def _vector(values: Floats) -> Vector:
    x, y, z = values.tolist()
    return x, y, z


def _position(values: Sequence[float], what: str) -> Floats:
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise ValueError(f"{what} must be three finite numbers, in km: it is {list(values)}.")
    if not vector.any():
        raise ValueError(f"{what} is the centre of the body itself.")
    return vector


def _positive(value: float, what: str) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{what} is {value}; it must be a positive number.")
