"""Show what an agent sees of the site, step by step: python look.py STEP TOKEN [URL]"""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

URL = "http://127.0.0.1:8000/mcp/"


async def main(step: str, token: str, url: str = URL) -> None:
    look = STEPS[step]
    headers = {"Authorization": f"Token {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        await look(client)


async def told(client: Client, tool: str, **arguments: Any) -> Any:
    result: Any = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


async def tools(client: Client) -> None:
    for tool in (await client.list_tools()).tools:
        print(tool.name)


async def page(client: Client) -> None:
    reply = await told(client, "device_list")
    for name, value in reply.items():
        print(f"{name}: {len(value)} rows" if name == "results" else f"{name}: {json.dumps(value)}")
    print(json.dumps(reply["results"][0]))


async def down(client: Client) -> None:
    first = await told(client, "device_list", status="down", country="FR")
    rows, token = first["results"], first["next"]
    while token:
        reply = await told(client, "device_list", continuation_token=token)
        rows, token = rows + reply["items"], reply["next"]
    print(first["count"], "are down,", len({row["id"] for row in rows}), "were read")

    query = "SELECT kind, count(*) AS n, min(last_seen) AS longest FROM result GROUP BY kind"
    token = first["continuation_token"]
    answer = await told(client, "device_list", continuation_token=token, mode="sql", query=query)
    print(answer["columns"])
    for row in answer["rows"]:
        print(row)


async def functions(client: Client) -> None:
    print((await told(client, "fleet.overview"))["status"])

    probe = await told(client, "fleet.power", country="CH")
    print(probe["count"], "rows,", probe["total_size"], "bytes:", probe["columns"])
    query = "SELECT site, round(sum(watts)) AS watts FROM result GROUP BY site ORDER BY watts DESC"
    token = probe["continuation_token"]
    answer = await told(client, "fleet.power", continuation_token=token, mode="sql", query=query)
    print(answer["columns"], answer["rows"][0])


async def retire(client: Client) -> None:
    recalled = await told(client, "device_list", status="recalled")
    tag = recalled["results"][0]["asset_tag"]
    reply = await told(client, "device_retire", asset_tag=tag, reason="Recalled by the maker.")
    print(json.dumps(reply))

    token = reply["continuation_token"]
    echo = await told(client, "read_result", continuation_token=token, mode="full")
    print(len(echo), "fields,", echo["status"])


async def refusal(client: Client) -> None:
    print(len((await client.list_tools()).tools), "tools")
    try:
        await told(client, "device_retire", asset_tag="CM-000006", reason="Why not?")
    except MCPError as error:
        print(error)


STEPS = {step.__name__: step for step in (tools, page, down, functions, retire, refusal)}

if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
