"""The same server, with the middleware."""

import asyncio
from typing import Any

import river
from looking import show, told
from mcp import Client
from mcp.server.mcpserver import MCPServer

from penstock.adapters.mcp import Penstock

server = MCPServer("station", middleware=[Penstock()])


@server.tool()
def measurements(hours: int = 5000) -> list[dict[str, Any]]:
    """Hourly measurements of the station since the first of January."""
    return river.measured(hours)


QUERY = "SELECT state, count(*) AS hours, round(sum(megawatts)) AS mwh FROM result GROUP BY state"


async def look() -> None:
    async with Client(server) as client:
        print([tool.name for tool in (await client.list_tools()).tools])

        probe = await told(client, "measurements")
        show(probe)

        token = probe["continuation_token"]
        answer = await told(
            client, "read_result", continuation_token=token, mode="sql", query=QUERY
        )
        print(answer["columns"])
        for row in answer["rows"]:
            print(row)
    assert probe["count"] == sum(hours for _, hours, _ in answer["rows"]) == 5000


if __name__ == "__main__":
    asyncio.run(look())
