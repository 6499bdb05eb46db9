"""Rare cases in which the adapters were once wrong."""

import json
from typing import Annotated, Any

import fastmcp
import mcp_types
import pytest
from adapter_server import build
from doors import (
    RUN,
    SERVER,
    client_of,
    make,
    run,
    sent,
    served,
    told,
    value_of,
    walked,
)
from fastmcp import FastMCP
from mcp.server.mcpserver.resolve import Resolve
from mcp_types import ElicitResult, Icon
from pydantic import Field
from relay_weights import counted_forms
from test_wire_budget import compact, piped

from penstock import Policy, heavy
from penstock.adapters.fastmcp import Penstock as InFastMCP
from wire import Wire, listening

ROWS = [{"id": number, "note": "x" * 50} for number in range(100)]
BUDGET = 3_000


@heavy
def rows(count: int) -> list[dict[str, Any]]:
    """Rows."""
    return ROWS[:count]


# -- replies over the budget -------------------------------------------------------------------


def near_the_budget(send):
    """Return what counts of results around the largest that a reply may have."""
    results = [compact(send("x" * size)) for size in range(2_700, 3_000, 3)]
    return [max(len(form) for form in counted_forms(result)[1:]) for result in results]


def test_what_passes_is_within_the_budget(inside, era):
    """The SDK adds `isError: false` to a result, and more to FastMCP's modern results. Once the
    measure left both out."""
    server, middleware = build(inside, "few", budget=BUDGET)
    with listening(inside, server) as url, Wire(url, era) as wire:
        sizes = near_the_budget(lambda text: wire.called("small", name=text))
    middleware.close()
    assert BUDGET - 10 < max(sizes) <= BUDGET


def test_what_the_relay_passes_is_within_the_budget(era):
    command = [*RUN, "--budget", str(BUDGET), "--", *SERVER, "plain"]
    with piped(era, command) as pipes:
        sizes = near_the_budget(
            lambda text: pipes.result("tools/call", name="small", arguments={"name": text})
        )
    assert BUDGET - 10 < max(sizes) <= BUDGET


def test_what_passes_is_within_the_budget_of_a_server_that_says_more_of_itself():
    """FastMCP adds all its data to the `_meta` of each modern result, which does not count."""
    middleware = InFastMCP(Policy(budget=BUDGET))
    icon = Icon(src="https://example.org/icon.png", mime_type="image/png")
    site = "https://example.org/some/page/about/it"
    server = FastMCP("named", website_url=site, icons=[icon], middleware=[middleware])

    @server.tool
    def small(name: str) -> str:
        """Greets."""
        return f"Hello, {name}."

    with listening("fastmcp", server) as url, Wire(url, "modern") as wire:
        sizes = near_the_budget(lambda text: wire.called("small", name=text))
    middleware.close()
    assert BUDGET - 10 < max(sizes) <= BUDGET


# -- what others may keep ----------------------------------------------------------------------


def test_a_stored_result_is_never_public():
    """PROTOCOL 14. FastMCP's `cache_scope` is for its own resources, not for stored results."""
    middleware = InFastMCP(Policy(budget="2kB", ceiling="2kB"))
    server = FastMCP("t", middleware=[middleware], cache_ttl=3_600, cache_scope="public")
    server.tool(rows)
    with listening("fastmcp", server) as url, Wire(url, "modern") as wire:
        token = wire.told("rows", count=90)["continuation_token"]
        above = json.loads(wire.called("read_result", continuation_token=token, mode="full"))
        read = json.loads(wire.result("resources/read", {"uri": above["content"][1]["uri"]}))
    middleware.close()
    assert read["cacheScope"] == "private"
    assert read["ttlMs"] <= 300_000


# -- parameters --------------------------------------------------------------------------------


@heavy
def described(count: int = Field(description="How many.")) -> list[dict[str, Any]]:
    """Rows."""
    return ROWS[:count]


def test_a_required_parameter_that_is_described_in_its_default(framework):
    """This is the most common way to describe a parameter. Only the first call requires it."""

    async def scenario():
        async with served(framework, described, list_form="full") as client:
            listed = {tool.name: sent(tool) for tool in (await client.list_tools()).tools}
            assert "required" not in listed["described"]["inputSchema"]
            token = listed["described"]["inputSchema"]["properties"]["continuation_token"]
            assert "count" in token["description"]

    run(scenario)


def test_the_same_without_a_middleware(framework):
    """Without a middleware, a second call once was impossible."""
    server, middleware = make(framework, described)
    server.middleware.remove(middleware)
    middleware.close()

    async def scenario():
        async with client_of(server) as client:
            probe = await told(client, "described", count=90)
            assert await walked(client, "described", probe["continuation_token"]) == ROWS[:90]

    run(scenario)


def test_a_parameter_that_the_sdk_resolves():
    """The client does not give the parameter, so it is not missing."""

    def ninety() -> int:
        return 90

    @heavy
    def resolved(count: Annotated[int, Resolve(ninety)], start: int = 0) -> list[dict[str, Any]]:
        """Rows."""
        return ROWS[start:count]

    async def scenario():
        async with served("mcp", resolved) as client:
            assert (await told(client, "resolved"))["count"] == 90

    run(scenario)


def test_a_heavy_tool_that_is_left_alone_is_listed_as_its_own(framework):
    """Its list entry has no fields for views, because the tool has no views."""

    async def scenario():
        async with served(framework, rows, list_form="full", except_=["rows"]) as client:
            listed = {tool.name: sent(tool) for tool in (await client.list_tools()).tools}
            assert listed["rows"]["inputSchema"]["properties"].keys() == {"count"}
            assert listed["rows"]["inputSchema"]["required"] == ["count"]

    run(scenario)


# -- results -----------------------------------------------------------------------------------


def test_nothing_is_null(framework):
    """A function that returns None gives null, not the empty text of the handover."""

    @heavy
    def nothing() -> None:
        """Gives nothing."""

    async def scenario():
        async with served(framework, nothing) as client:
            result = await client.call_tool("nothing", {})
            assert sent(result)["content"] in ([], [{"type": "text", "text": "null"}])

    run(scenario)


def test_a_heavy_tool_that_asks_for_input():
    """A request for the client's input is not a result, heavy or not."""
    middleware = InFastMCP(Policy())
    server = FastMCP("t", middleware=[middleware])
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}}
    form = mcp_types.ElicitRequestFormParams(message="How many?", requested_schema=schema)

    @server.tool
    @heavy
    async def asking(ctx: fastmcp.Context) -> Any:
        """Asks first."""
        if not ctx.input_responses:
            asked = {"count": mcp_types.ElicitRequest(params=form)}
            return mcp_types.InputRequiredResult(input_requests=asked)
        return ROWS[: ctx.input_responses["count"].content["count"]]

    async def accept(_context, _params):
        return ElicitResult(action="accept", content={"count": 90})

    async def scenario():
        async with client_of(server, elicitation_callback=accept) as client:
            assert value_of(await client.call_tool("asking", {}))["count"] == 90

    run(scenario)
    middleware.close()


def test_a_heavy_tool_that_gives_a_result_of_its_frameworks(framework):
    """The framework's result is sent as it is, with its error flag. It is not data."""

    @heavy
    def answering(size: int) -> Any:
        """Answers."""
        text = mcp_types.TextContent(text="word " * size)
        return mcp_types.CallToolResult(content=[text], is_error=True)

    async def scenario():
        async with served(framework, answering) as client:
            result = await client.call_tool("answering", {"size": 2})
            assert result.is_error
            assert [block.text for block in result.content] == ["word word "]

    run(scenario)


# -- FastMCP -----------------------------------------------------------------------------------


@pytest.mark.parametrize("namespace", [None, "store"])
def test_a_mounted_server_that_has_penstock_itself(namespace):
    """Every listed tool can be called: the inner server's reader has the outer server's prefix."""
    middleware = InFastMCP(Policy(budget="3kB", list_form="full"))
    inner = FastMCP("inner", middleware=[middleware])
    inner.tool(rows)
    outer = FastMCP("outer")
    outer.mount(inner, namespace=namespace)

    async def scenario():
        async with client_of(outer) as client:
            tools = (await client.list_tools()).tools
            assert "stored result" in tools[1].description
            probe = await told(client, tools[0].name, count=90)
            token = probe["continuation_token"]
            assert await walked(client, tools[1].name, token) == ROWS[:90]

    run(scenario)
    middleware.close()


def test_a_mounted_server_and_its_outer_one_that_both_have_penstock():
    """Only one of them acts: a heavy tool stays heavy, and there is one reader, which works."""
    inside, outside = (InFastMCP(Policy(list_form="full"), name=name) for name in ("i", "o"))
    inner = FastMCP("inner", middleware=[inside])
    inner.tool(rows)
    outer = FastMCP("outer", middleware=[outside])
    outer.mount(inner, namespace="store")

    async def scenario():
        async with client_of(outer) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == ["store_rows", "read_result"]
            probe = await told(client, "store_rows", count=90)
            assert await walked(client, "read_result", probe["continuation_token"]) == ROWS[:90]

    run(scenario)
    inside.close()
    outside.close()


def test_fastmcps_client_finds_the_data_in_a_full_list():
    """FastMCP's client unwraps a result by a mark, and reads its type from the schema's own
    `properties`, which a union does not have."""
    middleware = InFastMCP(Policy(list_form="full"))
    server = FastMCP("t", middleware=[middleware])

    @server.tool
    def few() -> list[int]:
        """Numbers."""
        return [1, 2]

    async def scenario():
        async with fastmcp.Client(server) as client:
            assert (await client.call_tool("few", {})).data == [1, 2]

    run(scenario)
    middleware.close()


# -- together and alone ------------------------------------------------------------------------


def test_the_relay_before_a_server_that_has_penstock_itself(era):
    """The server resolves a reference to a result that it stored."""
    inside = [*SERVER, "mcp", "--set", f"budget={BUDGET}", "--set", "list_form=full"]
    with piped(era, [*RUN, "--list", "full", "--", *inside]) as pipes:

        def call(tool, **arguments):
            return json.loads(pipes.result("tools/call", name=tool, arguments=arguments))

        probe = json.loads(call("rows", count=500)["content"][0]["text"])
        handed = call("total", items=f"@result:{probe['continuation_token']}")
        assert handed.get("structuredContent") == {"result": sum(range(500))}
