"""A real server of many tools behind a real Penstock, and the official client before it."""

import asyncio
import sys
from pathlib import Path

import pytest
from http_rig import serving
from mcp import Client, StdioServerParameters

from penstock.testing import Agent, Scripted, SdkServer

SERVER = [sys.executable, str(Path(__file__).parents[1] / "servers" / "many_tools_server.py")]
RUN = ["-m", "penstock", "run", "--config", "/dev/null"]
MODES = {"legacy": "legacy", "modern": "auto"}
TASK = "How warm is the water in Lyon?"
PATIENCE = 180  # seconds, for a busy machine


@pytest.fixture
def perform():
    """Let a script do the task through `penstock run`, and return the trace."""

    def performed(script, *options, era="legacy"):
        target = StdioServerParameters(command=sys.executable, args=[*RUN, *options, "--", *SERVER])
        return _trace(target, script, MODES[era])

    return performed


@pytest.fixture
def perform_remotely():
    """Let a script do the task through `penstock serve`, which does not know a modern agent."""

    def performed(script, *options):
        with serving("--config", "/dev/null", *options, "--", *SERVER) as url:
            return _trace(url, script, "auto")

    return performed


def _trace(target, script, mode):
    async def task():
        async with asyncio.timeout(PATIENCE), Client(target, mode=mode, cache=None) as client:
            assert (client.protocol_version >= "2026") == (mode == "auto")
            agent = Agent(SdkServer(client), Scripted(script))
            await agent.query(TASK)
            return agent.trace

    trace = asyncio.run(task())
    print(trace)  # noqa: T201 (shown where a test fails)
    return trace
