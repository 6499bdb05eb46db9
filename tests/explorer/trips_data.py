"""Trips with hired bicycles, drawn at random: 100,000 rows that no chart or filter was made for."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random
from typing import Any

TRIPS = 100_000
UNDER_WAY = 300  # the newest trips, which come first and have not ended
_NEWEST = datetime(2024, 5, 20, 13, 37, tzinfo=UTC)
_STATIONS = [
    f"{name} {kind}"
    for name in ("Abbey", "Canal", "Mill", "Tower")
    for kind in ("Road", "Square", "Gate", "Quay", "Park", "Lane", "Bridge", "Market")
]
_REMARKS = ("flat tyre", "Flat tyre, reported", "saddle loose", "")


@cache
def trips() -> list[dict[str, Any]]:
    draw = Random(1_817)
    at = _NEWEST
    rows = []
    for number in range(TRIPS):
        at -= timedelta(seconds=draw.randrange(120))
        rows.append(_trip(draw, TRIPS - number, at))
    return rows


def _trip(draw: Random, number: int, at: datetime) -> dict[str, Any]:
    is_under_way = TRIPS - number < UNDER_WAY
    metres = int(draw.lognormvariate(7.3, 0.8))
    ended = at + timedelta(seconds=metres // 4 + draw.randrange(300))
    row: dict[str, Any] = {
        "trip": number,
        "started": at.isoformat().replace("+00:00", "Z"),
        "ended_at": None if is_under_way else int(ended.timestamp() * 1_000),
        "from": {"station": draw.choice(_STATIONS[: draw.randrange(1, len(_STATIONS))])},
        "rider": {
            "plan": draw.choices(("member", "day pass", "single"), (70, 20, 10))[0],
            "age": draw.randrange(16, 80) if draw.random() < 0.9 else None,
        },
        "bike": draw.choices(("classic", "electric", "cargo"), (6, 3, 1))[0],
        "metres": metres,
        "fare": round(1 + metres / 900 * draw.uniform(0.8, 1.6), 2),
    }
    if not is_under_way and draw.random() < 0.4:
        row["review"] = {"stars": draw.choice((1, 3, 4, 4, 5, 5)), "remark": draw.choice(_REMARKS)}
    return row


def list_trips() -> str:
    """Trips with hired bicycles, the newest first."""
    return json.dumps(trips())
