"""Districts of a made-up country: figures for each, and borders with far too many numbers for a
model. They are the same every time."""

from __future__ import annotations

import math
import random
from typing import Any

COLUMNS, ROWS = 24, 16
FIGURES = ("households", "rainfall", "altitude")
# Points on each side of a district's border, by level of detail.
LEVELS = (1, 3)
# The radius of hexagons whose centres are 1 apart.
RADIUS = 1 / math.sqrt(3)


def districts() -> list[dict[str, Any]]:
    """Return one row for each district."""
    dice = random.Random(7)
    return [
        {
            "id": number,
            "name": f"District {number}",
            "households": int(200 + 4_000 * dice.random() ** 2),
            "rainfall": round(300 + 900 * _height(number) * dice.uniform(0.8, 1.2)),
            "altitude": round(1_800 * _height(number)),
            "surveyor": dice.choice(("Bakker", "Okafor", "Lindqvist", "Moreau")),
            "remark": "Surveyed on foot, along all borders, in dry weather. " * 2,
        }
        for number in range(COLUMNS * ROWS)
    ]


def borders(level: int) -> dict[str, Any]:
    """Return GeoJSON with a polygon for each district."""
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "id": number,
                "geometry": {"type": "Polygon", "coordinates": [_border(number, LEVELS[level])]},
            }
            for number in range(COLUMNS * ROWS)
        ],
    }


def _height(number: int) -> float:
    across, down = number % COLUMNS, number // COLUMNS
    return 0.5 + 0.25 * math.sin(across / 4) + 0.25 * math.cos(down / 3)


def _border(number: int, steps: int) -> list[list[float]]:
    """Return a hexagon with winding sides. Neighbours share the same side."""
    across, down = number % COLUMNS, number // COLUMNS
    middle = (across + (0.5 if down % 2 else 0.0), down * 1.5 * RADIUS)
    corners = [_corner(middle, turn) for turn in range(6)]
    line = [
        point
        for start, end in zip(corners, corners[1:] + corners[:1], strict=True)
        for point in _winding(start, end, steps)
    ]
    return [*line, line[0]]


def _corner(middle: tuple[float, float], turn: int) -> tuple[float, float]:
    """Return a corner, rounded so that it is the same for all districts that meet there."""
    angle = math.pi / 6 + turn * math.pi / 3
    across, down = RADIUS * math.cos(angle), RADIUS * math.sin(angle)
    return (round(middle[0] + across, 3), round(middle[1] + down, 3))


def _winding(start: tuple[float, float], end: tuple[float, float], steps: int) -> list[list[float]]:
    first, last = sorted((start, end))
    dice = random.Random(f"{first[0]:.2f} {first[1]:.2f} {last[0]:.2f} {last[1]:.2f}")
    bends = [dice.uniform(-0.06, 0.06) if step else 0.0 for step in range(steps)]
    points = [
        [
            round(first[0] + (last[0] - first[0]) * step / steps + bend, 3),
            round(first[1] + (last[1] - first[1]) * step / steps + bend, 3),
        ]
        for step, bend in enumerate(bends)
    ]
    return points if start == first else [[*last], *reversed(points[1:])]
