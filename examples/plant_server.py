"""An MCP server of the kind that floods a context window: a large table and a long log.

On the official SDK, and it knows nothing of Penstock:

    penstock run -- python examples/plant_server.py
"""

from __future__ import annotations

import random
from typing import Any

from mcp.server.mcpserver import MCPServer

DEVICES = 5_000
LOG_LINES = 50_000
SITES = ("Lyon", "Osaka", "Quito", "Tromsø", "Perth")

server = MCPServer("plant")


@server.tool()
def list_devices() -> list[dict[str, Any]]:
    """Every sensor of the plant, with its state."""
    dice = random.Random(7)
    return [
        {
            "id": number,
            "name": f"sensor-{number:05d}",
            "site": dice.choice(SITES),
            "status": dice.choices(("ok", "degraded", "down"), (95, 4, 1))[0],
            "battery": round(dice.uniform(3.1, 4.2), 2),
            "firmware": {"version": f"2.{dice.randrange(9)}.{dice.randrange(30)}", "signed": True},
            "last_seen": f"2026-11-{dice.randrange(1, 15):02d}T{dice.randrange(24):02d}:00:00Z",
            "note": "Mounted on the north wall, behind the pump; access needs a ladder.",
        }
        for number in range(DEVICES)
    ]


@server.tool()
def read_log() -> str:
    """The gateway's log of the last day."""
    dice = random.Random(11)
    lines = [
        f"2026-11-14T{n * 86_400 // LOG_LINES // 3_600:02d}:{n * 1_440 // LOG_LINES % 60:02d} "
        f"INFO poll sensor-{dice.randrange(DEVICES):05d} ok in {dice.randrange(3, 90)} ms"
        for n in range(LOG_LINES)
    ]
    lines[31_415] = "2026-11-14T15:04 ERROR valve 7 does not answer: pressure 9.8 bar, limit 8.0"
    return "\n".join(lines)


@server.tool()
def plan_visits(devices: list[dict[str, Any]]) -> str:
    """A maintenance round for the devices given."""
    sites = sorted({device["site"] for device in devices})
    return f"{len(devices)} visits planned, in {len(sites)} cities: {', '.join(sites)}."


if __name__ == "__main__":
    server.run("stdio")
