"""FastMCP's own features: requests for input, mounted servers, other middleware, tags, versions."""

import asyncio
import json
from typing import Any

import fastmcp
import mcp_types
import pytest
from adapter_functions import MANY
from doors import client_of, refused, run, sent, text_of, told, value_of, walked
from fastmcp import Context, FastMCP
from fastmcp.server.middleware import Middleware
from fastmcp.tools.base import ToolResult
from mcp_types import ElicitResult

from penstock import Policy, heavy
from penstock.adapters.fastmcp import Penstock

ROWS = [{"id": number, "note": "x" * 50} for number in range(100)]


@heavy
def rows(count: int) -> list[dict[str, Any]]:
    """Rows."""
    return ROWS[:count]


def large(count: int) -> list[dict[str, Any]]:
    """Rows that happen to be many."""
    return ROWS[:count]


def few() -> list[int]:
    """Numbers."""
    return [1, 2]


@pytest.fixture
def penstock():
    """Return a maker of middleware that is closed after the test."""
    made = []

    def make(**settings):
        made.append(Penstock(Policy(**settings), name="t"))
        return made[-1]

    yield make
    for middleware in made:
        middleware.close()


def server_with(*middleware, functions=(rows, large, few), **options):
    server = FastMCP("t", middleware=list(middleware), **options)
    for function in functions:
        server.tool(function)
    return server


# -- results that are not results yet ----------------------------------------------------------


def question() -> mcp_types.InputRequiredResult:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    asked = mcp_types.ElicitRequest(
        params=mcp_types.ElicitRequestFormParams(message="Who?", requested_schema=schema)
    )
    return mcp_types.InputRequiredResult(input_requests={"who": asked})


def test_a_request_for_input_passes(penstock):
    """The answer that the client sends with its second call passes too."""
    server = server_with(penstock(budget="1kB"))

    @server.tool
    async def greet(ctx: Context) -> str | mcp_types.InputRequiredResult:
        """Greets."""
        if not ctx.input_responses:
            return question()
        return f"Hello {ctx.input_responses['who'].content['name']}."

    async def accept(_context, params):
        assert params.message == "Who?"
        return ElicitResult(action="accept", content={"name": "Ann"})

    async def scenario():
        async with client_of(server, elicitation_callback=accept) as client:
            assert text_of(await client.call_tool("greet", {})) == "Hello Ann."

    run(scenario)


# -- mounted servers ---------------------------------------------------------------------------


@pytest.mark.parametrize("namespace", [None, "store"])
def test_a_mounted_server_is_covered(penstock, era, namespace):
    """The middleware is on the outer server, which lists Penstock's tools."""
    outer = FastMCP("outer", middleware=[penstock(budget="3kB", list_form="full")])
    outer.mount(server_with(), namespace=namespace)
    prefix = f"{namespace}_" if namespace else ""

    async def scenario():
        async with client_of(outer, era) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == [f"{prefix}rows", f"{prefix}large", f"{prefix}few", "read_result"]
            assert "x-penstock" not in json.dumps(sent(await client.list_tools()))
            for name in (f"{prefix}rows", f"{prefix}large"):
                probe = await told(client, name, count=90)
                assert probe["count"] == 90
                token = probe["continuation_token"]
                assert await walked(client, "read_result", token) == ROWS[:90]
                assert await walked(client, name, token) == ROWS[:90]

    run(scenario)


# -- other middleware --------------------------------------------------------------------------


class Watching(Middleware):
    """A middleware that records the calls that it sees."""

    def __init__(self):
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.results: list[Any] = []

    async def on_call_tool(self, context, call_next):
        self.calls.append((context.message.name, dict(context.message.arguments or {})))
        self.results.append(await call_next(context))
        return self.results[-1]


def test_middleware_around_and_within(penstock):
    """The outer middleware sees the client's reply, the inner one the tool's result."""
    outer, inner = Watching(), Watching()
    server = server_with(outer, penstock(budget="3kB"), inner)

    async def scenario():
        async with client_of(server) as client:
            token = (await told(client, "large", count=90))["continuation_token"]
            await told(client, "read_result", continuation_token=token)
            await client.call_tool("few", {})

    run(scenario)
    assert [name for name, _ in outer.calls] == ["large", "read_result", "few"]
    assert [name for name, _ in inner.calls] == ["large", "few"]
    assert "continuation_token" in outer.results[0].content[0].text
    assert json.loads(inner.results[0].content[0].text) == ROWS[:90]


def test_what_is_not_changed_is_the_same_object(penstock):
    """A result that passes is the server's own object, with all its members."""
    seen = []

    class Last(Middleware):
        async def on_call_tool(self, context, call_next):
            seen.append(await call_next(context))
            return seen[-1]

    server = server_with(Last(), penstock(), Last())

    @server.tool
    def rich() -> ToolResult:
        """With everything."""
        return ToolResult(
            content="text", structured_content={"a": 1}, meta={"example.org/x": {"y": 1}}
        )

    async def scenario():
        async with client_of(server) as client:
            return sent(await client.call_tool("rich", {}))

    told_of = run(scenario)
    assert seen[0] is seen[1]
    assert told_of["_meta"]["example.org/x"] == {"y": 1}
    assert told_of["structuredContent"] == {"a": 1}


def test_a_middleware_that_rewrites_arguments(penstock, era):
    class Adding(Middleware):
        async def on_call_tool(self, context, call_next):
            given = {**(context.message.arguments or {}), "count": 7}
            message = context.message.model_copy(update={"arguments": given})
            return await call_next(context.copy(message=message))

    for middleware in ([Adding(), penstock()], [penstock(), Adding()]):
        server = server_with(*middleware)

        async def scenario(server=server):
            async with client_of(server, era) as client:
                result = await client.call_tool("large", {"count": 3})
                assert len(result.structured_content["result"]) == 7

        run(scenario)


# -- lists -------------------------------------------------------------------------------------


def test_what_a_tool_is_told_with_stays(penstock, era):
    """A full list keeps titles, tags, meta, annotations and icons."""

    def made(*middleware):
        server = server_with(*middleware)

        @server.tool(
            title="A title",
            tags={"a", "b"},
            meta={"example.org/x": 1},
            annotations={"readOnlyHint": True},
            output_schema=None,
        )
        def tagged(count: int) -> list[int]:
            """Tagged."""
            return [count]

        return server

    async def listed(server):
        async with client_of(server, era) as client:
            return {tool.name: sent(tool) for tool in (await client.list_tools()).tools}

    plain = run(lambda: listed(made()))
    with_penstock = run(lambda: listed(made(penstock(list_form="full"))))
    assert with_penstock["tagged"] == plain["tagged"]
    for name in ("few", "large"):
        theirs = {key: value for key, value in plain[name].items() if key != "outputSchema"}
        ours = {key: value for key, value in with_penstock[name].items() if key != "outputSchema"}
        assert ours == theirs


def test_the_list_in_python(penstock):
    """`list_tools()` returns FastMCP's own objects for unchanged tools."""
    middleware = penstock(list_form="full")
    server = server_with(middleware, functions=(few,))

    async def scenario():
        plain = await server.list_tools(run_middleware=False)
        listed = await server.list_tools()
        assert [tool.name for tool in listed] == ["few", "read_result"]
        assert listed[0].name == plain[0].name
        assert listed[-1].to_mcp_tool().name == "read_result"
        return await server.call_tool("few", {})

    result = run(scenario)
    assert result.structured_content == {"result": [1, 2]}


def test_calls_in_python(penstock):
    """The code that runs the server gets probes too, and can read them."""
    server = server_with(penstock(budget="3kB"))

    async def scenario():
        for name in ("rows", "large"):
            probe = json.loads((await server.call_tool(name, {"count": 90})).content[0].text)
            asked = {"continuation_token": probe["continuation_token"], "page": 2}
            page = json.loads((await server.call_tool("read_result", asked)).content[0].text)
            assert page["items"] == ROWS[20:40]

    run(scenario)


def test_versions(penstock, era):
    """The newest version is listed and called, an older one on request."""

    def made(*middleware):
        server = FastMCP("t", middleware=list(middleware))

        @server.tool(version="1.0")
        def which(count: int) -> str:
            """Return the version."""
            return f"first {count}"

        @server.tool(name="which", version="2.0")
        def second(count: int) -> str:
            """Return the version."""
            return f"second {count}"

        return server

    async def said(server):
        async with client_of(server, era) as client:
            tools = [
                sent(tool) for tool in (await client.list_tools()).tools if tool.name == "which"
            ]
            newest = await client.call_tool("which", {"count": 1})
            meta = {"fastmcp": {"version": "1.0"}}
            older = await client.call_tool("which", {"count": 1}, meta=meta)
            return tools[0]["_meta"], text_of(newest), text_of(older)

    plain = run(lambda: said(made()))
    assert plain[1:] == ("second 1", "first 1")
    assert run(lambda: said(made(penstock(list_form="full")))) == plain


def test_paged_lists(penstock, era):
    """FastMCP's own pages of a list hold all of it, once."""
    server = server_with(penstock(list_form="full"), list_page_size=2)

    async def scenario():
        async with client_of(server, era) as client:
            page = await client.list_tools()
            names = [tool.name for tool in page.tools]
            while page.next_cursor:
                page = await client.list_tools(cursor=page.next_cursor)
                names += [tool.name for tool in page.tools]
            assert names == ["rows", "large", "few", "read_result"]

    run(scenario)


def test_what_a_session_sees(penstock):
    """A session that hides a tool does not see it. The lists of other sessions stay."""
    server = server_with(penstock(), functions=(large, *MANY))

    @server.tool
    async def hide(ctx: Context) -> str:
        """Hides a tool."""
        await ctx.disable_components(names={"large"})
        return "hidden"

    async def scenario():
        async with client_of(server, "legacy") as one, client_of(server, "legacy") as other:
            assert "large" in json.dumps(sent(await one.list_tools()))
            await one.call_tool("hide", {})
            assert '"large"' not in json.dumps(await told(one, "find_tools", query="rows many"))
            described = await one.call_tool("describe_tools", {"tools": ["large"]})
            assert "Rows that happen" not in text_of(described)
            unknown = await one.call_tool("large", {"count": 3})
            assert unknown.is_error
            assert "large" in json.dumps(await told(other, "find_tools", query="rows many"))
            assert not (await other.call_tool("large", {"count": 3})).is_error

    run(scenario)


# -- its own client ----------------------------------------------------------------------------


def test_fastmcps_client(penstock):
    """FastMCP's client reads data from a result that passes, and text from a probe."""
    server = server_with(penstock(budget="3kB"))

    async def scenario():
        async with fastmcp.Client(server) as client:
            assert (await client.call_tool("few", {})).data == [1, 2]
            probe = value_of(await client.call_tool("large", {"count": 90}))
            token = {"continuation_token": probe["continuation_token"]}
            whole = await client.call_tool("read_result", {**token, "mode": "full"})
            assert value_of(whole) == ROWS[:90]
            page = await client.call_tool("read_result", token)
            assert value_of(page)["items"] == ROWS[:20]

    run(scenario)


def test_fastmcps_client_does_not_read_a_probe_as_an_empty_value(penstock):
    """Its `data` has every member of an envelope. That of a value is the value, typed as promised."""
    server = FastMCP("t", middleware=[penstock(budget="3kB", list_form="full")])

    @server.tool
    def numbers(count: int) -> list[int]:
        return list(range(count))

    @server.tool
    def words(count: int) -> str:
        return "word " * count

    @server.tool
    def perhaps(count: int) -> list[int] | None:
        return list(range(count)) if count else None

    whole = {"numbers": [0, 1], "words": "word word ", "perhaps": [0, 1]}

    async def scenario():
        async with fastmcp.Client(server) as client:
            assert (await client.call_tool("perhaps", {"count": 0})).data is None
            for name, value in whole.items():
                assert (await client.call_tool(name, {"count": 2})).data == value
                probe = await client.call_tool(name, {"count": 5_000})
                assert probe.data.model_extra == probe.structured_content
                token = {"continuation_token": probe.data.continuation_token}
                page = await client.call_tool(name, {**token, "page_size": 3})
                assert page.data.items == page.structured_content["items"] != []
                full = await client.call_tool(name, {**token, "mode": "full"})
                assert len(full.data) == {"words": 25_000}.get(name, 5_000)

    run(scenario)


def test_masked_errors_stay_masked(penstock, era):
    server = server_with(penstock(), mask_error_details=True)

    @server.tool
    @heavy
    def crash() -> list[int]:
        """Crashes."""
        raise RuntimeError("secret")

    async def scenario():
        async with client_of(server, era) as client:
            result = await client.call_tool("crash", {})
            assert result.is_error
            assert "secret" not in text_of(result)
            # Penstock's own errors are for the agent.
            missing = await refused(client, "rows")
            assert "count" in missing["error"]

    run(scenario)


def test_a_time_limit_of_a_tool(penstock):
    server = server_with(penstock())

    @server.tool(timeout=0.05)
    @heavy
    async def slow() -> list[int]:
        """Too slow."""
        await asyncio.sleep(30)
        return [1]

    async def scenario():
        async with client_of(server) as client:
            result = await client.call_tool("slow", {})
            assert result.is_error
            assert "timed out" in text_of(result)

    run(scenario)
