"""Decorated tools beside other middlewares, which may change a result."""

import json
from typing import Any

import fastmcp
import pytest
from doors import client_of, run, sent, text_of, told, value_of, walked
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from fastmcp.tools import Tool
from mcp.server.mcpserver import MCPServer

from penstock import Grid, Policy, heavy, shaped
from penstock.adapters.fastmcp import Penstock as InFastMCP
from penstock.adapters.mcp import Penstock as InSdk

ROWS = [{"id": number, "note": "hunter2"} for number in range(200)]


@heavy
def rows() -> list[dict[str, Any]]:
    """Rows."""
    return ROWS


@shaped
def grid() -> Grid[float]:
    """A grid."""
    return Grid([[float(row * column) for column in range(30)] for row in range(30)])


class Redact(Middleware):
    async def on_call_tool(self, context, call_next):
        result = await call_next(context)
        for block in result.content:
            block.text = block.text.replace("hunter2", "REDACTED")
        return result


class Deny(Middleware):
    async def on_call_tool(self, context, call_next):
        await call_next(context)
        raise ToolError("refused by policy")


def fast(*others: Any) -> FastMCP[Any]:
    server = FastMCP("t", middleware=[InFastMCP(Policy()), *others])
    server.tool(rows)
    server.tool(grid)
    return server


def test_what_is_redacted_stays_so_on_fastmcp():
    async def scenario():
        async with client_of(fast(Redact())) as client:
            probe = await told(client, "rows")
            kept = await walked(client, "rows", probe["continuation_token"])
            assert "hunter2" not in json.dumps([probe, kept])
            assert len(kept) == 200
            assert kept[0]["note"] == "REDACTED"

    run(scenario)


def test_what_is_redacted_stays_so_on_the_sdk():
    async def redact(ctx, call_next):
        result = await call_next(ctx)
        if ctx.method != "tools/call":
            return result
        return json.loads(json.dumps(result).replace("hunter2", "REDACTED"))

    server = MCPServer("t", middleware=[InSdk(Policy()), redact])
    server.add_tool(rows)

    async def scenario():
        async with client_of(server) as client:
            probe = await told(client, "rows")
            assert "hunter2" not in json.dumps(probe)
            assert "REDACTED" in json.dumps(probe)

    run(scenario)


def test_a_refusal_of_anothers_stands():
    async def scenario():
        async with client_of(fast(Deny())) as client:
            for tool in ("rows", "grid"):
                result = await client.call_tool(tool, {})
                assert result.is_error
                assert "refused by policy" in text_of(result)

    run(scenario)


def test_a_cached_result_is_the_result():
    async def scenario():
        async with client_of(fast(ResponseCachingMiddleware())) as client:
            for _ in range(2):
                assert (await told(client, "rows"))["count"] == 200
                summary = value_of(await client.call_tool("grid", {}))
                assert summary["total"] == 900

    run(scenario)


def test_a_transformed_tool_gives_what_its_transform_gives():
    server = fast()

    async def only_first(**_fields: Any) -> str:
        forwarded = await fastmcp.tools.tool_transform.forward()
        return json.dumps(json.loads(forwarded.content[0].text)[:1])

    server.add_tool(Tool.from_tool(Tool.from_function(rows), name="first", transform_fn=only_first))

    async def scenario():
        async with client_of(server) as client:
            assert value_of(await client.call_tool("first", {})) == ROWS[:1]

    run(scenario)


def test_a_task_that_a_tool_leaves_behind_meets_other_servers_as_anyone_does():
    """The task has inherited the tool's context, but is not part of the request any more."""
    import asyncio

    other = FastMCP("other", middleware=[InFastMCP(Policy(budget="2kB"))])

    @other.tool
    def plenty() -> list[dict[str, Any]]:
        """Rows."""
        return ROWS

    found: list[Any] = []

    async def ask() -> None:
        async with client_of(other) as client:
            found.append(sent(await client.call_tool("plenty", {})))

    server = FastMCP("t", middleware=[InFastMCP(Policy())])
    tasks: list[asyncio.Task[None]] = []

    @server.tool
    async def leaves() -> str:
        """Leaves a task, and asks another server itself."""
        await ask()
        tasks.append(asyncio.create_task(ask()))
        return "left"

    async def scenario():
        async with client_of(server) as client:
            await client.call_tool("leaves", {})
            await asyncio.gather(*tasks)

    run(scenario)
    assert len(found) == 2
    for reply in found:
        assert len(json.dumps(reply)) < 4_000
        assert "continuation_token" in json.dumps(reply)


@pytest.mark.parametrize("key", ["1", "ab12-1", "x"])
def test_a_mark_of_another_process_is_nobodys(key):
    from mcp.server import Server
    from mcp_types import CallToolResult, ListToolsResult, TextContent
    from mcp_types import Tool as Listed

    schema = {"type": "object", "properties": {"region": {"type": "string", "x-penstock": key}}}

    async def listed(_ctx, _params):
        return ListToolsResult(tools=[Listed(name="remote", input_schema=schema)])

    async def called(_ctx, params):
        return CallToolResult(content=[TextContent(text=params.arguments["region"])])

    server = Server("t", on_list_tools=listed, on_call_tool=called)
    server.middleware.append(InSdk(Policy()))

    async def scenario():
        async with client_of(server) as client:
            tools = (await client.list_tools()).tools
            assert tools[0].input_schema["properties"]["region"]["x-penstock"] == key
            assert text_of(await client.call_tool("remote", {"region": "eu"})) == "eu"

    run(scenario)


def test_an_option_that_the_operator_does_not_admit_is_left_out(caplog):
    @heavy(page_size=50, ttl="10m")
    def many() -> list[dict[str, Any]]:
        """Rows."""
        return ROWS

    policy = Policy(page_size=5, max_page_size=10, ttl=100, max_ttl=200)
    server = FastMCP("t", middleware=[InFastMCP(policy)])
    server.tool(many)

    async def scenario():
        async with client_of(server) as client:
            assert (await client.list_tools()).tools[0].name == "many"
            probe = await told(client, "many")
            page = await told(client, "many", continuation_token=probe["continuation_token"])
            assert page["page_size"] == 5

    run(scenario)
    assert "the tool many sets page_size = 50, which is ignored" in caplog.text
