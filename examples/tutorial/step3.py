"""A tool that declares its results large, and how to read them."""

import asyncio
from typing import Any

import river
from looking import told
from mcp import Client
from mcp.server.mcpserver import MCPServer

from penstock import heavy
from penstock.adapters.mcp import Penstock

server = MCPServer("station", middleware=[Penstock()])


@server.tool()
@heavy(budget="2kB", page_size=50, ttl="10m", modes=("sql", "summary", "paginated", "full"))
def measurements(hours: int = 5000) -> list[dict[str, Any]]:
    """Hourly measurements of the station since the first of January."""
    return river.measured(hours)


async def look() -> None:
    async with Client(server) as client:
        (tool, reader) = (await client.list_tools()).tools
        print(tool.name, list(tool.input_schema["properties"]))

        probe = await told(client, "measurements", hours=48)
        print(probe["count"], probe["total_size"], probe["available_modes"], probe["expires_in"])

        rows, token = [], probe["continuation_token"]
        while token:
            page = await told(client, "measurements", continuation_token=token)
            print(len(page["items"]), "of", page["total"], {"truncated": page.get("truncated", 0)})
            rows += page["items"]
            token = page["next"]
    assert reader.name == "read_result"
    assert rows == river.measured(48)


if __name__ == "__main__":
    asyncio.run(look())
