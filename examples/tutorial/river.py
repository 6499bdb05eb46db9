"""A made-up hydropower station: its measurements and its forecasts. No MCP in here."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import exp, sin
from typing import Any

START = datetime(2026, 1, 1, tzinfo=UTC)
FULL = 812.0  # metres above the sea, where the lake spills
TAILWATER = 748.0
LAKE = 1_400_000  # square metres


@dataclass
class Point:
    efficiency: float
    megawatts: float


@dataclass
class State:
    hour: int
    level: float
    megawatts: float


def point(head: float, flow: float) -> Point | None:
    """Return the turbine's output at a head (m) and a flow (m³/s); None if it must not run."""
    if not 6 <= flow <= 0.42 * head:  # too little to turn, or more than the gates let through
        return None
    efficiency = 0.93 * exp(-(((head - 58) / 45) ** 2) - ((flow - 17) / 24) ** 2)
    return Point(round(efficiency, 3), round(9.81 * efficiency * flow * head / 1000, 2))


def measured(hours: int) -> list[dict[str, Any]]:
    """Return the inflow, the flow and the output for each hour."""
    dice = random.Random(7)
    level, rows = FULL - 4, []
    for hour in range(hours):
        inflow = 17 + 8 * sin(hour / 800) + dice.gauss(0, 1.5)
        is_blocked = dice.random() < 0.004  # leaves and ice on the screen
        flow = 6.5 if is_blocked else min(22.0, max(8.0, inflow + 2 * (level - FULL + 3)))
        level = min(FULL, level + (inflow - flow) * 3600 / LAKE)
        made = point(level - TAILWATER, flow)
        row = {
            "time": f"{START + timedelta(hours=hour):%Y-%m-%dT%H:%MZ}",
            "level": round(level, 2),
            "inflow": round(inflow, 1),
            "flow": round(flow, 1),
            "megawatts": made.megawatts if made else 0.0,
            "state": "screen blocked" if is_blocked else "spilling" if level == FULL else "normal",
        }
        rows.append(row)
    return rows


def forecast(flow: float, hours: int) -> list[State]:
    """Return the lake for each hour: double flow in the evenings, a flood on the sixth day."""
    level, states = FULL - 2, []
    for hour in range(hours):
        inflow = 11 + 28 * exp(-(((hour - 135) / 14) ** 2))
        taken = 2 * flow if 17 <= hour % 24 < 21 else flow
        level = min(FULL, level + (inflow - taken) * 3600 / LAKE)
        made = point(level - TAILWATER, taken)
        states.append(State(hour, round(level, 2), made.megawatts if made else 0.0))
    return states
