"""Apps behind every door: the explorer, `@app_only`, and tools with a widget."""

from __future__ import annotations

import json
import sys
from contextlib import asynccontextmanager
from typing import Any

import pytest
from adapter_server import build
from doors import DOORS, ERAS, RUN, SERVER, quiet_environment, target_of
from fastmcp import FastMCP
from mcp import Client, StdioServerParameters
from mcp.client.extension import advertise
from mcp.client.stdio import stdio_client
from mcp.server.mcpserver import MCPServer

from penstock import InvalidSetting, Policy, app_only, heavy
from penstock.adapters.fastmcp import Penstock as ForFastMCP
from penstock.adapters.mcp import Penstock as ForSDK
from penstock.explorer import MIME_TYPE, URI

pytestmark = pytest.mark.anyio
APPS = advertise("io.modelcontextprotocol/ui", {"mimeTypes": [MIME_TYPE]})
ARCS = list(range(15_000))


@pytest.fixture
def anyio_backend():
    return "asyncio"


@asynccontextmanager
async def connected(target: Any, era: str, *, has_apps: bool = True):
    extensions = [APPS] if has_apps else None
    async with Client(target, mode=ERAS[era], cache=None, extensions=extensions) as client:
        yield client


@asynccontextmanager
async def opened(door: str, era: str):
    """Yield a client with apps, of the same functions, behind a door."""
    if door == "relay":
        command = [*RUN, "--", *SERVER, "plain", "--tools", "few"]
        target = StdioServerParameters(
            command=command[0], args=command[1:], env=quiet_environment()
        )
        async with connected(stdio_client(target, errlog=sys.__stderr__), era) as client:
            yield client
        return
    server, middleware = build(door, "few")
    try:
        async with connected(target_of(server), era) as client:
            yield client
    finally:
        middleware.close()


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("door", DOORS)
async def test_the_explorer_is_behind_every_door(door, era):
    async with opened(door, era) as client:
        assert (await names(client))[-2:] == ["show_result", "browse_result"]
        listed = (await client.list_resources()).resources
        assert URI in [str(resource.uri) for resource in listed]
        [page] = (await client.read_resource(URI)).contents
        assert page.mime_type == MIME_TYPE
        assert page.meta["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}
        probe = await client.call_tool("rows", {"count": 3_000})
        token = {"continuation_token": json.loads(probe.content[0].text)["continuation_token"]}
        shown = await client.call_tool("show_result", token)
        assert shown.structured_content["page"]["total"] == 3_000
        asked = {**token, "sort": {"column": "id", "descending": True}, "count": 2}
        page = (await client.call_tool("browse_result", asked)).structured_content
        assert page["numbers"] == [2_999, 2_998]
        assert [row["id"] for row in page["rows"]] == [2_999, 2_998]


# -- @app_only ---------------------------------------------------------------------------------


def topology(level: int = 0) -> dict[str, list[int]]:
    """Borders, for a map."""
    return {"arcs": [number + level for number in ARCS]}


async def outline() -> str:
    """A long text, without a parameter."""
    return "x" * 60_000


def fields() -> list[dict[str, int]]:
    """For the model."""
    return [{"id": 1}]


def others(count: int) -> list[Any]:
    """Tools that fill a list."""

    def made(number: int) -> Any:
        def other(amount: int) -> int:
            return amount

        other.__name__, other.__doc__ = f"other_{number}", "Words that say what it does. " * 20
        return other

    return [made(number) for number in range(count)]


def sdk_server(policy: Policy, many: int = 0) -> tuple[Any, Any]:
    middleware = ForSDK(policy)
    server = MCPServer("maps", middleware=[middleware], log_level="CRITICAL")
    for function in (app_only(topology), app_only(outline), fields, *others(many)):
        server.tool()(function)
    return server, middleware


def fastmcp_server(policy: Policy, many: int = 0) -> tuple[Any, Any]:
    middleware = ForFastMCP(policy)
    server = FastMCP("maps")
    server.add_middleware(middleware)
    for function in (app_only(topology), app_only(outline), fields, *others(many)):
        server.tool()(function)
    return target_of(server), middleware


SERVERS = {"mcp": sdk_server, "fastmcp": fastmcp_server}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", SERVERS)
async def test_a_tool_for_apps_is_listed_to_them_alone(framework, era):
    server, middleware = SERVERS[framework](Policy())
    async with connected(server, era, has_apps=False) as client:
        assert await names(client) == ["fields", "read_result"]
    async with connected(server, era) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"topology", "outline", "fields"} <= listed.keys()
        for name, own in (("topology", ["level"]), ("outline", [])):
            assert listed[name].meta["ui"]["visibility"] == ["app"]
            assert list(listed[name].input_schema.get("properties", {})) == own
            assert "penstock" not in json.dumps(listed[name].input_schema)
        assert "ui" not in (listed["fields"].meta or {})
    middleware.close()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", SERVERS)
async def test_its_result_may_fill_what_the_host_takes(framework, era):
    server, middleware = SERVERS[framework](Policy())
    async with connected(server, era) as client:
        text = await client.call_tool("outline", {})
        assert text.content[0].text == "x" * 60_000
        shape = await client.call_tool("topology", {"level": 1})
        assert shape.structured_content == topology(1)
    async with connected(server, era, has_apps=False) as client:
        text = await client.call_tool("outline", {})
        assert "continuation_token" in json.loads(text.content[0].text)
    middleware.close()


@pytest.mark.parametrize("framework", SERVERS)
async def test_in_an_index_nobody_finds_it(framework):
    server, middleware = SERVERS[framework](Policy(list_form="index", list_budget="4kB"), many=60)
    async with connected(server, "modern") as client:
        found = await client.call_tool("find_tools", {"query": "borders for a map"})
        assert not found.is_error
        assert "topology" not in found.content[0].text
        called = await client.call_tool("call_tool", {"name": "topology", "arguments": {}})
        assert "There is no tool" in called.content[0].text
    middleware.close()


def test_the_function_stays_a_function():
    assert app_only(topology)(level=2) == topology(2)
    assert app_only(topology)(3) == topology(3)


def test_what_cannot_be_kept_for_apps():
    def taken(app_only: bool = False) -> str:
        return str(app_only)

    with pytest.raises(InvalidSetting, match="already has a parameter app_only"):
        app_only(taken)
    with pytest.raises(InvalidSetting, match="decorated"):
        app_only(heavy(fields))


# -- tools with a widget -----------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
async def test_a_widget_gets_what_the_model_does_not(era):
    middleware = ForSDK(Policy())
    server = MCPServer("charts", middleware=[middleware], log_level="CRITICAL")

    @server.tool(meta={"ui": {"resourceUri": "ui://charts/view.html"}})
    def chart(count: int) -> dict[str, list[dict[str, int]]]:
        """Rows for a chart."""
        return {"rows": [{"id": number, "value": number % 7} for number in range(count)]}

    async with connected(server, era) as client:
        await client.list_tools()
        whole = await client.call_tool("chart", {"count": 3_000})
        assert len(whole.structured_content["rows"]) == 3_000
        token = json.loads(whole.content[0].text)["continuation_token"]
        fitted = await client.call_tool("chart", {"count": 30_000})
        kept = len(fitted.structured_content["rows"])
        assert fitted.meta["dev.penstock/left_out"] == {"truncated": 30_000 - kept}
        assert 3_000 < kept < 30_000
        asked = {"continuation_token": token, "start": 2_999}
        last = await client.call_tool("browse_result", asked)
        assert last.structured_content["rows"] == [{"id": 2_999, "value": 3}]
    middleware.close()
