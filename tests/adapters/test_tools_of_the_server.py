"""Tools of servers: tools that come and go, are left alone, ask for input, or fail."""

import json
from typing import Annotated, Any

import pytest
from adapter_functions import MANY
from adapter_server import build
from doors import client_of, make, refused, run, sent, served, text_of, told, value_of
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult
from pydantic import BaseModel

from penstock import heavy
from wire import Wire, listening

ROWS = [{"id": number, "note": "x" * 50} for number in range(100)]


@heavy
def rows(count: int) -> list[dict[str, Any]]:
    """Rows."""
    return ROWS[:count]


def large(count: int) -> list[dict[str, Any]]:
    """Rows that happen to be many."""
    return ROWS[:count]


# -- that come and go --------------------------------------------------------------------------


@pytest.mark.parametrize("list_form", ["full", "auto", "index"])
def test_a_tool_that_comes_later(framework, era, list_form):
    """A new tool is listed and called, and returns a probe, although the tools were known."""

    async def scenario():
        server, middleware = make(framework, large, list_form=list_form)
        async with client_of(server, era) as client:
            await client.list_tools()
            await client.call_tool("large", {"count": 1})
            server.tool()(rows)
            probe = await told(client, "rows", count=50)
            assert probe["count"] == 50
            page = await told(client, "rows", continuation_token=probe["continuation_token"])
            assert page["items"] == ROWS[:20]
            assert "rows" in json.dumps(sent(await client.list_tools()))
        middleware.close()

    run(scenario)


def test_a_tool_that_goes(framework, era):
    """The results of a tool that is gone can still be read."""

    async def scenario():
        server, middleware = make(framework, rows, large, list_form="full")
        async with client_of(server, era) as client:
            await client.list_tools()
            token = (await told(client, "rows", count=90))["continuation_token"]
            remove = server.remove_tool if framework == "mcp" else server.local_provider.remove_tool
            remove("rows")
            assert "rows" not in [tool.name for tool in (await client.list_tools()).tools]
            gone = await client.call_tool("rows", {"count": 3})
            assert gone.is_error
            page = await told(client, "read_result", continuation_token=token)
            assert page["items"] == ROWS[:20]
        middleware.close()

    run(scenario)


# -- that have our names -----------------------------------------------------------------------


def test_a_reader_of_the_servers_own(framework, era):
    """Penstock's reader takes another name, and every text uses that name."""

    def read_result(name: str) -> str:
        """The server's own."""
        return f"theirs: {name}"

    async def scenario():
        async with served(
            framework, read_result, large, era=era, budget="3kB", list_form="full"
        ) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == ["read_result", "large", "penstock_read_result"]
            own = await client.call_tool("read_result", {"name": "x"})
            assert text_of(own) == "theirs: x"
            probe = await told(client, "large", count=90)
            assert "penstock_read_result" in probe["next_step"]
            token = probe["continuation_token"]
            page = await told(client, "penstock_read_result", continuation_token=token)
            assert page["items"] == ROWS[:20]

    run(scenario)


# -- that are left alone -----------------------------------------------------------------------


def test_tools_that_are_left_alone(framework, era):
    async def scenario():
        settings = {"budget": "2kB", "except_": ["large"]}
        async with served(framework, large, rows, era=era, **settings) as client:
            whole = await client.call_tool("large", {"count": 90})
            assert whole.structured_content == {"result": ROWS[:90]}
            assert (await told(client, "rows", count=90))["count"] == 90

    run(scenario)


# -- that ask ----------------------------------------------------------------------------------


class Name(BaseModel):
    name: str


def ask_for_name() -> Elicit[Name]:
    return Elicit("Who?", Name)


def test_a_tool_that_asks(era):
    """In the legacy era a tool asks during the call, in the modern era by a special result."""

    def greet(name: Annotated[Name, Resolve(ask_for_name)], times: int = 1) -> str:
        """Greets."""
        return f"Hello {name.name}. " * times

    async def accept(_context, params):
        assert params.message == "Who?"
        return ElicitResult(action="accept", content={"name": "Ann"})

    async def scenario():
        server, middleware = make("mcp", greet, budget="1kB")
        async with client_of(server, era, elicitation_callback=accept) as client:
            assert text_of(await client.call_tool("greet", {})) == "Hello Ann. "
            probe = value_of(await client.call_tool("greet", {"times": 900}))
            assert probe["total_size"] > 9_000
        middleware.close()

    run(scenario)


# -- that fail hard ----------------------------------------------------------------------------


def test_an_error_of_the_protocol_over_the_budget(era):
    """The error keeps its code. Its message is cut, and stored as a whole."""

    def failing(size: int) -> str:
        """Fails."""
        raise MCPError(code=-32042, message="m" * size, data={"why": "y" * size})

    async def scenario():
        async with served("mcp", failing, era=era, budget="2kB") as client:
            with pytest.raises(MCPError) as small:
                await client.call_tool("failing", {"size": 3})
            assert small.value.error.model_dump() == {
                "code": -32042,
                "message": "mmm",
                "data": {"why": "yyy"},
            }
            with pytest.raises(MCPError) as large_one:
                await client.call_tool("failing", {"size": 5_000})
            error = large_one.value.error
            assert error.code == -32042
            assert len(json.dumps(error.model_dump())) <= 2_000
            token = error.data["continuation_token"]
            whole = await told(client, "read_result", continuation_token=token, mode="full")
            assert whole["data"] == {"why": "y" * 5_000}

    run(scenario)


# -- behind a strict gate, with unknown callers ------------------------------------------------


@pytest.mark.parametrize("stateless", [False, True], ids=["stateful", "stateless"])
def test_a_grant_that_is_shown(inside, stateless):
    """For an unknown caller, the description comes with a handle, which the tool does not see."""
    server, middleware = build(inside, "many", gate="strict")
    good = {"station": "Lyon", "hours": 2}
    with listening(inside, server, stateless=stateless) as url, Wire(url, "modern") as wire:
        refusal = wire.told("station_task_05", **good)
        assert refusal["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
        described = json.loads(
            json.loads(wire.called("describe_tools", tools=["station_task_05"]))["content"][0][
                "text"
            ]
        )
        grant = described["$tool_grant"]
        assert wire.told("station_task_05", **good)["error"]
        sent_with = json.loads(wire.called("station_task_05", **good, tool_grant=grant))
        assert sent_with["content"][0]["text"] == "5: Lyon for 2 h"
        through = {"name": "station_task_05", "arguments": good, "tool_grant": grant}
        assert json.loads(wire.called("call_tool", **through))["content"][0]["text"] == (
            "5: Lyon for 2 h"
        )
        other = wire.told("station_task_06", **good, tool_grant=grant)
        assert other["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
    middleware.close()


def test_unknown_tools_are_the_servers_to_refuse(framework, era):
    async def scenario():
        async with served(framework, *MANY, era=era) as client:
            await client.list_tools()
            unknown = await client.call_tool("nowhere", {})
            assert unknown.is_error
            assert "nowhere" in text_of(unknown)
            told_of = await refused(client, "call_tool", name="nowhere", arguments={})
            assert "nowhere" in told_of["error"]

    run(scenario)
