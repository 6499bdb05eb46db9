"""A server with one tool, and a client that calls it."""

import asyncio
from typing import Any

import river
from mcp import Client
from mcp.server.mcpserver import MCPServer

server = MCPServer("station")


@server.tool()
def measurements(hours: int = 5000) -> list[dict[str, Any]]:
    """Hourly measurements of the station since the first of January."""
    return river.measured(hours)


async def look() -> None:
    async with Client(server) as client:
        result = await client.call_tool("measurements")
        size = len(result.model_dump_json(by_alias=True, exclude_none=True))
        print(f"{len(result.content)} blocks, {size:,} bytes")
    assert size > 1_000_000


if __name__ == "__main__":
    asyncio.run(look())
