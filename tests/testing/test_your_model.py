"""A model uses a server whose tools are listed in brief."""

import asyncio
import sys

import pytest
from mcp import Client, StdioServerParameters

from penstock.testing import Agent, ChatModel, SdkServer

SERVER = [sys.executable, "tests/servers/many_tools_server.py"]  # Put your server here.
PENSTOCK = ["-m", "penstock", "run", "--list", "brief", "--gate", "strict", "--"]
MODEL = ChatModel.from_environment()


async def trace_of(task):
    assert MODEL is not None
    target = StdioServerParameters(command=sys.executable, args=[*PENSTOCK, *SERVER])
    async with Client(target) as client:
        agent = Agent(SdkServer(client), MODEL)
        await agent.query(task)
        print(agent.trace)  # noqa: T201 (pytest shows it if the test fails)
        return agent.trace


@pytest.mark.skipif(MODEL is None, reason=ChatModel.wanted)
def test_it_learns_a_tool_and_then_calls_it():
    trace = asyncio.run(trace_of("How warm was the water in Lyon in the last 3 hours?"))
    assert trace.contains_description("list_readings")
    assert trace.contains_result("list_readings")
    assert not trace.contains_error("MISSING_TOOL_SELECTION")
    assert not trace.contains_error("TOOL_DESCRIPTION_REQUIRED")
    assert "12" in trace.answer
