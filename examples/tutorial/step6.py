"""The same server on FastMCP."""

import asyncio
from typing import Any

import river
from fastmcp import Client, FastMCP
from looking import told

from penstock import Grid, Series, heavy, shaped
from penstock.adapters.fastmcp import Penstock

server = FastMCP("station", middleware=[Penstock()])


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


@server.tool()
@shaped
def lake(flow: float = 12, days: int = 10) -> Series[river.State]:
    """The level of the lake (m) in the days to come, with this flow (m³/s) through the turbine."""
    return Series(river.forecast(flow, 24 * days), axis="hour", name="states", value="level")


async def look() -> None:
    async with Client(server) as client:
        summary = await told(client, "lake")
        print(summary["ascii_summary"])
        print(summary["states"][0], summary["states"][-1])
        print({name: summary[name] for name in ("total", "returned", "omitted")})

        full = await told(client, "lake", days=7, output="full")
        print(len(full["states"]), "states, the fullest:", max(s["level"] for s in full["states"]))
    assert summary["states"][0] == full["states"][0]


if __name__ == "__main__":
    asyncio.run(look())
