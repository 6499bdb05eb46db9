"""The tokens that a model receives of a grid and a series, compared with all and a cap of 8,000.

The two tools are those of `examples/astro`, called as a client calls them: a launch window of 30 by
30 dates, and a satellite by the minute for a day. "raw" is the full form that the same server sends
without Penstock. The size of a reply includes its text and its structured content.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.server.mcpserver import MCPServer

from benchmarks.lines import Line
from penstock.core.budget.measure import default_meter

CAP = 8_000
SUMMARY = 2_000
WINDOW = {
    "departure_body": "earth",
    "arrival_body": "mars",
    "departure_start": "2026-09-01",
    "departure_end": "2027-01-31",
    "arrival_start": "2027-06-01",
    "arrival_end": "2027-12-31",
    "samples_per_axis": 30,
}


def measure() -> Iterator[Line]:
    replies = asyncio.run(_replies())
    meter = default_meter()
    for what, forms in replies.items():
        raw = meter.count(forms["raw"])
        yield Line(f"{what}, full, raw: bytes", len(forms["raw"].encode()), unit="B")
        yield Line(f"{what}, full, raw", raw, CAP, "tok")
        for form in ("summary", "full"):
            tokens = meter.count(forms[form])
            limit = SUMMARY if form == "summary" else CAP
            yield Line(f"{what}, {form}: bytes", len(forms[form].encode()), unit="B")
            yield Line(f"{what}, {form}, of {limit:,} tokens", tokens, limit, "tok", limit=1)


async def _replies() -> dict[str, dict[str, str]]:
    server = _server()
    async with Client(server) as client:
        found = (await client.call_tool("tle_lookup", {"query": "25544"})).structured_content
        elements = found["result"][0] if found else {}
        asked = {
            "porkchop 30 x 30": ("porkchop", WINDOW),
            "sgp4 24 h, 1 min": (
                "sgp4_propagate",
                {"line1": elements["line1"], "line2": elements["line2"]},
            ),
        }
        replies = {
            what: {
                form: await _sent(client, tool, {**arguments, "output": form})
                for form in ("summary", "full")
            }
            for what, (tool, arguments) in asked.items()
        }
    server.middleware[:] = [one for one in server.middleware if type(one).__name__ != "Penstock"]
    async with Client(server) as client:
        for what, (tool, arguments) in asked.items():
            replies[what]["raw"] = await _sent(client, tool, {**arguments, "output": "full"})
    return replies


async def _sent(client: Client, tool: str, arguments: dict[str, Any]) -> str:
    reply = await client.call_tool(tool, arguments)
    assert not reply.is_error, reply.content
    return reply.model_dump_json(by_alias=True, exclude_none=True)


def _server() -> MCPServer:
    """Load the example, which is a script in its own folder."""
    folder = Path(__file__).parent.parent / "examples" / "astro"
    sys.path.insert(0, str(folder))
    try:
        made: MCPServer = import_module("server").server
    finally:
        sys.path.remove(str(folder))
    return made
