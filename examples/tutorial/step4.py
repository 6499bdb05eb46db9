"""A sweep over two axes: its best cells and a map, or every cell."""

import asyncio
import json
from typing import Any

import river
from looking import show, told
from mcp import Client
from mcp.server.mcpserver import MCPServer

from penstock import Grid, heavy, shaped
from penstock.adapters.mcp import Penstock

server = MCPServer("station", middleware=[Penstock()])


@server.tool()
@heavy(budget="2kB", page_size=50, ttl="10m", modes=("sql", "summary", "paginated", "full"))
def measurements(hours: int = 5000) -> list[dict[str, Any]]:
    """Hourly measurements of the station since the first of January."""
    return river.measured(hours)


@server.tool()
@shaped
def hill_chart(lowest: int = 40, highest: int = 80) -> Grid[river.Point]:
    """How well the turbine runs, for heads from lowest to highest (m) and flows up to 30 m³/s."""
    heads = range(lowest, highest + 1)
    flows = [flow / 2 for flow in range(61)]
    return Grid(
        [[river.point(head, flow) for flow in flows] for head in heads],
        rank_by="efficiency",
        better="higher",
        rows=heads,
        columns=flows,
        row_name="head",
        column_name="flow",
    )


async def look() -> None:
    async with Client(server) as client:
        summary = await told(client, "hill_chart")
        show(summary)
    assert summary["returned"] + summary["omitted"] == summary["feasible"]


async def look_at_all() -> None:
    async with Client(server) as client:
        result: Any = await client.call_tool("hill_chart", {"output": "full"})
        probe, link = json.loads(result.content[0].text), result.content[1]
        print(probe["count"], "cells at", probe["rows_at"], list(probe["columns"]))
        print(link.type, link.uri, link.size)

        token = probe["continuation_token"]
        query = "SELECT * FROM result WHERE head = 64 ORDER BY megawatts DESC LIMIT 1"
        most = await told(client, "read_result", continuation_token=token, mode="sql", query=query)
        print(most["items"])
    assert probe["count"] == 1565
    assert most["items"][0]["megawatts"] == 13


if __name__ == "__main__":
    asyncio.run(look())
    asyncio.run(look_at_all())
