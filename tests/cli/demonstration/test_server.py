"""The servers of the demo, asked by the official client in both eras."""

import json
import sys

import anyio
import pytest
from environments import clean_environment
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_official_client_understands_it(mode, version):
    anyio.run(visit, mode, version)


async def visit(mode, version):
    command = ["-m", "penstock.cli.demonstration.plant"]
    parameters = StdioServerParameters(
        command=sys.executable, args=command, env=clean_environment()
    )
    async with Client(stdio_client(parameters), mode=mode) as client:
        assert client.protocol_version == version
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["list_devices", "read_log", "plan_visits"]
        assert tools[2].input_schema["required"] == ["devices"]
        rows = json.loads((await client.call_tool("list_devices", {})).content[0].text)
        assert len(rows) == 5_000
        planned = await client.call_tool("plan_visits", {"devices": rows[:2]})
        assert planned.content[0].text.startswith("2 visits planned")
        wrong = await client.call_tool("plan_visits", {})
        assert wrong.is_error
        assert "devices" in wrong.content[0].text
        with pytest.raises(MCPError, match="Unknown tool: nothing"):
            await client.call_tool("nothing", {})
        with pytest.raises(MCPError, match="Method not found: prompts/list"):
            await client.list_prompts()
