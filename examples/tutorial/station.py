"""The whole server, for a host to start."""

from typing import Any

import river
from mcp.server.mcpserver import MCPServer

from penstock import Grid, Series, heavy, shaped
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


@server.tool()
@shaped
def lake(flow: float = 12, days: int = 10) -> Series[river.State]:
    """The level of the lake (m) in the days to come, with this flow (m³/s) through the turbine."""
    return Series(river.forecast(flow, 24 * days), axis="hour", name="states", value="level")


if __name__ == "__main__":
    server.run()
