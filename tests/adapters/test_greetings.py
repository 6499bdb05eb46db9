"""Greetings of a server with Penstock inside."""

import pytest
from adapter_server import INSTRUCTIONS
from doors import client_of, empty, opened, run, sent
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from penstock.adapters.mcp import Penstock

EXTENSION = "dev.penstock/results"


def test_the_extension_and_the_instructions(inside, era):
    async def scenario():
        async with opened(inside, era) as client:
            able = sent(client.server_capabilities)
            place, other = (
                ("extensions", "experimental")
                if era == "modern"
                else ("experimental", "extensions")
            )
            assert able[place][EXTENSION] == {}
            assert EXTENSION not in able.get(other, {})
            assert "resources" in able
            assert client.instructions.startswith("A result too large to send is stored")
            assert client.instructions.endswith(f"\n\n{INSTRUCTIONS}")
            assert client.server_info.name == "doors"

    run(scenario)


def test_the_relay_claims_nothing(era):
    """The relay is not the server, and claims no capabilities of its own."""

    async def scenario():
        async with opened("relay", era) as client:
            able = sent(client.server_capabilities)
            assert EXTENSION not in able.get("extensions", {})
            assert EXTENSION not in able.get("experimental", {})

    run(scenario)


def test_a_server_without_tools_is_left_alone(era):
    """Without tools, there is nothing to keep within a budget."""

    def bare(*middleware):
        server = Server("bare", version="1", instructions="Nothing here.")
        server.middleware.extend(middleware)
        return server

    async def said(server):
        async with client_of(server, era) as client:
            with pytest.raises(MCPError) as refused:
                await client.list_tools()
            return sent(client.server_capabilities), client.instructions, refused.value.error

    penstock = Penstock()
    assert run(lambda: said(bare(penstock))) == run(lambda: said(bare()))
    penstock.close()


def test_a_server_that_registers_no_tool(framework, era):
    """Both frameworks answer `tools/list` anyway. The reader is listed for later tools."""

    async def scenario():
        server, middleware = empty(framework)
        async with client_of(server, era) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["read_result"]
        middleware.close()

    run(scenario)
