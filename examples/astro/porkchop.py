"""A porkchop: the cost of a transfer between two planets, for every departure and arrival date.

The model is patched conics: only the Sun between the planets, and an impulse from or into a
circular orbit at each end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from ephemeris import MU_SUN, PLANETS, Floats, Planet, States, heliocentric_states, planet_name
from epochs import julian_date, parse_date
from lambert import NoArc, velocities

MOST_SAMPLES: Final = 200
MINUTE: Final = timedelta(minutes=1)
SECONDS_A_DAY: Final = 86_400

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Transfer:
    """One transfer. Speeds are in km/s, c3 in km²/s²."""

    departure: str
    arrival: str
    tof_days: float
    c3: float
    """The square of the excess speed at departure, as in a launcher's data sheet."""
    v_inf_arrival: float
    departure_dv: float
    """From the circular orbit around the planet of departure."""
    arrival_dv: float
    """Into the circular orbit around the planet of arrival."""
    total_dv: float


@dataclass(frozen=True, slots=True)
class Porkchop:
    departures: list[str]
    arrivals: list[str]
    cells: list[list[Transfer | None]]
    """A row for each departure, a column for each arrival; None without a transfer."""

    def feasible(self) -> list[Transfer]:
        return [cell for row in self.cells for cell in row if cell is not None]


@dataclass(frozen=True, slots=True)
class End:
    """One end of the transfers: a planet, the orbit around it, and the dates."""

    planet: Planet
    altitude: float
    labels: list[str]
    epochs: Floats
    states: States

    def impulse(self, v_inf: float) -> float:
        """Return the impulse between the circular orbit and a hyperbola of this excess speed, at
        its periapsis."""
        well = self.planet.mu / (self.planet.radius + self.altitude)
        return math.sqrt(v_inf**2 + 2 * well) - math.sqrt(well)


def porkchop(
    departure_body: str,
    arrival_body: str,
    departure_window: tuple[str, str],
    arrival_window: tuple[str, str],
    *,
    samples_per_axis: int = 30,
    min_tof_days: float = 30.0,
    departure_altitude_km: float = 300.0,
    arrival_altitude_km: float = 300.0,
    progress: Progress = lambda _done, _total: None,
) -> Porkchop:
    """Find direct, prograde transfers over both windows, ends included; dates are TDB.

    `progress(rows done, rows in all)` is called after every row, and may raise to end the sweep.
    """
    if planet_name(departure_body) == planet_name(arrival_body):
        raise ValueError(f"Departure and arrival are both {departure_body!r}.")
    if not 2 <= samples_per_axis <= MOST_SAMPLES:
        raise ValueError(
            f"samples_per_axis is {samples_per_axis}; it may be 2 to {MOST_SAMPLES}, which is "
            f"{MOST_SAMPLES**2:,} cells. For finer steps narrow the windows."
        )
    if not (math.isfinite(min_tof_days) and min_tof_days > 0):
        raise ValueError(f"min_tof_days is {min_tof_days}; it must be a positive number.")
    start = _end(
        departure_body, departure_window, departure_altitude_km, samples_per_axis, "departure"
    )
    goal = _end(arrival_body, arrival_window, arrival_altitude_km, samples_per_axis, "arrival")
    if goal.epochs[-1] - start.epochs[0] < min_tof_days:
        raise ValueError(
            "Every arrival is before the first departure or within min_tof_days "
            f"({min_tof_days:g}) of it: {start.labels[0]} to {goal.labels[-1]} at the longest."
        )
    cells = []
    for row in range(samples_per_axis):
        cells.append([_cell(start, row, goal, n, min_tof_days) for n in range(samples_per_axis)])
        progress(row + 1, samples_per_axis)
    return Porkchop(start.labels, goal.labels, cells)


def _cell(start: End, row: int, goal: End, column: int, min_tof_days: float) -> Transfer | None:
    days = float(goal.epochs[column] - start.epochs[row])
    if days < min_tof_days:
        return None
    r1, r2 = start.states.position_km[row], goal.states.position_km[column]
    found = velocities(r1, r2, days * SECONDS_A_DAY, MU_SUN)
    if isinstance(found, NoArc):
        return None
    out = _length(found[0] - start.states.velocity_km_s[row])
    into = _length(found[1] - goal.states.velocity_km_s[column])
    departure_dv, arrival_dv = start.impulse(out), goal.impulse(into)
    # Millimetres a second are far below the accuracy of patched conics.
    return Transfer(
        departure=start.labels[row],
        arrival=goal.labels[column],
        tof_days=round(days, 4),
        c3=round(out**2, 6),
        v_inf_arrival=round(into, 6),
        departure_dv=round(departure_dv, 6),
        arrival_dv=round(arrival_dv, 6),
        total_dv=round(departure_dv + arrival_dv, 6),
    )


def _length(vector: Floats) -> float:
    return math.sqrt(vector @ vector)


def _end(body: str, window: tuple[str, str], altitude: float, samples: int, which: str) -> End:
    if not (math.isfinite(altitude) and altitude >= 0):
        raise ValueError(f"{which}_altitude_km is {altitude}; it must be 0 or more.")
    moments = _moments(window, samples, which)
    epochs = np.array([julian_date(moment) for moment in moments])
    labels = [moment.strftime("%Y-%m-%dT%H:%M") for moment in moments]
    planet = PLANETS[planet_name(body)]
    return End(planet, altitude, labels, epochs, heliocentric_states(body, epochs))


def _moments(window: tuple[str, str], samples: int, which: str) -> list[datetime]:
    """Return evenly spaced dates, to the minute, so that a cell shows exactly the dates it was
    solved for."""
    first = parse_date(window[0], f"{which}_start")
    last = parse_date(window[1], f"{which}_end")
    minutes = (last - first) / MINUTE
    if minutes < samples - 1:
        raise ValueError(
            f"The {which} window ends at {window[1]}, "
            + ("before" if minutes < 0 else "too soon after")
            + f" its start at {window[0]}: {samples} dates do not fit in."
        )
    return [first + MINUTE * round(minutes * n / (samples - 1)) for n in range(samples)]
