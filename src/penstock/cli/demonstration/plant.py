"""A server that floods a context window with its results: a large table and a long log."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from penstock.cli.demonstration.server import DemoTool, serve

DEVICES: Final = 5_000
LOG_LINES: Final = 50_000
_SITES: Final = ("Lyon", "Osaka", "Quito", "Tromsø", "Perth")
_NOTE: Final = "Mounted on the north wall, behind the pump; access needs a ladder."


def list_devices() -> list[dict[str, Any]]:
    """List every sensor of the plant, with its state."""
    dice = random.Random(7)  # noqa: S311 (no secret: the same rows each time)
    return [
        {
            "id": number,
            "name": f"sensor-{number:05d}",
            "site": dice.choice(_SITES),
            "status": dice.choices(("ok", "degraded", "down"), (95, 4, 1))[0],
            "battery": round(dice.uniform(3.1, 4.2), 2),
            "firmware": {"version": f"2.{dice.randrange(9)}.{dice.randrange(30)}", "signed": True},
            "last_seen": f"2026-11-{dice.randrange(1, 15):02d}T{dice.randrange(24):02d}:00:00Z",
            "note": _NOTE,
        }
        for number in range(DEVICES)
    ]


def read_log() -> str:
    """Read the gateway's log of the last day."""
    dice = random.Random(11)  # noqa: S311 (as above)
    lines = [
        f"2026-11-14T{n * 86_400 // LOG_LINES // 3_600:02d}:{n * 1_440 // LOG_LINES % 60:02d} "
        f"INFO poll sensor-{dice.randrange(DEVICES):05d} ok in {dice.randrange(3, 90)} ms"
        for n in range(LOG_LINES)
    ]
    lines[31_415] = "2026-11-14T15:04 ERROR valve 7 does not answer: pressure 9.8 bar, limit 8.0"
    return "\n".join(lines)


def plan_visits(devices: list[dict[str, Any]]) -> str:
    """Plan a maintenance round for the devices given."""
    sites = sorted({device["site"] for device in devices})
    return f"{len(devices)} visits planned, in {len(sites)} cities: {', '.join(sites)}."


_PARAMETERS: Final[dict[Callable[..., Any], dict[str, Any]]] = {
    list_devices: {},
    read_log: {},
    plan_visits: {"devices": {"type": "array", "items": {"type": "object"}}},
}
TOOLS: Final = tuple(
    DemoTool(run.__name__, run.__doc__ or "", run, parameters)
    for run, parameters in _PARAMETERS.items()
)

if __name__ == "__main__":
    serve("plant", TOOLS)
