"""Clients behind every door, and helpers for their replies, for the tests of the adapters."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from adapter_server import build
from environments import clean_environment
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server import Server
from mcp.server.mcpserver import MCPServer

from penstock import Policy

ERAS = {"legacy": "legacy", "modern": "auto"}
INSIDE = ("mcp", "lowlevel", "fastmcp")
DOORS = ("relay", *INSIDE)
SERVER = [sys.executable, str(Path(__file__).parents[1] / "servers" / "adapter_server.py")]
# The lifetimes of results inside a server, so that the replies are the same.
RUN = [sys.executable, "-m", "penstock", "run", "--ttl", "5m", "--max-ttl", "1h"]
PATIENCE = 180  # seconds, for a busy machine

_OPTIONS = {"list_form": "--list", "list_budget": "--list-budget"}
# A random part, a position that must be the same in each run, and the position's signature.
_TOKEN = re.compile(r"pen_[A-Za-z0-9_-]{16,}(?:(\.[A-Za-z0-9_-]*)\.[A-Za-z0-9_-]+)?")
_STORED = re.compile(r"penstock://result/[A-Za-z0-9_-]+")
_LIFE = re.compile(r'(expires_in\\*"\s*:\s*)(29\d|300)')


def quiet_environment() -> dict[str, str]:
    """Return a clean environment in which FastMCP logs nothing."""
    return clean_environment(FASTMCP_LOG_LEVEL="CRITICAL")


# -- connections -------------------------------------------------------------------------------


def target_of(server: Any) -> Any:
    """Return the server that the SDK's client connects to in process. For FastMCP this is not
    public; the tests of the wire use stdio and HTTP, which are."""
    return server if isinstance(server, Server | MCPServer) else server._mcp_server


@asynccontextmanager
async def client_of(server: Any, era: str = "modern", **options: Any) -> AsyncIterator[Client]:
    async with Client(target_of(server), mode=ERAS[era], cache=None, **options) as client:
        yield client


@asynccontextmanager
async def opened(door: str, era: str, kind: str = "few", **settings: Any) -> AsyncIterator[Client]:
    """Yield a client of the same functions, behind a door."""
    if door == "relay":
        options = [
            word
            for name, value in settings.items()
            for word in (_OPTIONS.get(name, f"--{name}"), str(value))
        ]
        command = [*RUN, *options, "--", *SERVER, "plain", "--tools", kind]
        target = StdioServerParameters(
            command=command[0], args=command[1:], env=quiet_environment()
        )
        pipes = stdio_client(target, errlog=sys.__stderr__)
        async with Client(pipes, mode=ERAS[era], cache=None) as client:
            yield client
        return
    server, middleware = build(door, kind, **settings)
    try:
        async with client_of(server, era) as client:
            yield client
    finally:
        middleware.close()


@asynccontextmanager
async def served(
    framework: str, *functions: Any, era: str = "modern", store: Any = None, **settings: Any
) -> AsyncIterator[Client]:
    """Yield a client of these functions, under a framework's own decorator, with the middleware."""
    server, middleware = make(framework, *functions, store=store, **settings)
    try:
        async with client_of(server, era) as client:
            yield client
    finally:
        middleware.close()


def make(framework: str, *functions: Any, store: Any = None, **settings: Any) -> tuple[Any, Any]:
    server, middleware = empty(framework, store=store, **settings)
    for function in functions:
        server.tool()(function)
    return server, middleware


def empty(framework: str, *, store: Any = None, name: str = "t", **settings: Any) -> Any:
    policy = Policy(**settings)
    if framework == "fastmcp":
        from fastmcp import FastMCP

        from penstock.adapters.fastmcp import Penstock as InFastMCP

        fast = InFastMCP(policy, store=store, name=name)
        return FastMCP("t", middleware=[fast]), fast
    from penstock.adapters.mcp import Penstock

    inside = Penstock(policy, store=store, name=name)
    return MCPServer("t", middleware=[inside], log_level="CRITICAL"), inside


def run(scenario: Callable[[], Awaitable[Any]]) -> Any:
    """Run a scenario with a time limit. Raise a single error without the groups around it."""

    async def patiently() -> Any:
        async with asyncio.timeout(PATIENCE):
            return await scenario()

    try:
        return asyncio.run(patiently())
    except ExceptionGroup as group:
        fault: BaseException = group
        while isinstance(fault, BaseExceptionGroup) and len(fault.exceptions) == 1:
            fault = fault.exceptions[0]
        raise fault from None


# -- replies -----------------------------------------------------------------------------------


def sent(result: Any) -> dict[str, Any]:
    told: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return told


def text_of(result: Any) -> str:
    text: str = result.content[0].text
    return text


def value_of(result: Any) -> Any:
    return json.loads(text_of(result))


async def told(client: Client, tool: str, **arguments: Any) -> Any:
    """Return a tool's reply as JSON values. The reply must not be an error."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    return value_of(result)


async def refused(client: Client, tool: str, **arguments: Any) -> Any:
    """Return a tool's error as JSON values."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, text_of(result)
    return value_of(result)


async def walked(client: Client, tool: str, token: str, **first: Any) -> list[Any]:
    """Return every row, by following `next`."""
    page = await told(client, tool, continuation_token=token, mode="paginated", **first)
    rows = list(page["items"])
    while page["has_more"]:
        page = await told(client, tool, continuation_token=page["next"])
        rows += page["items"]
    return rows


def normal(value: Any) -> Any:
    """Return the value without what differs between runs: secrets, and remaining seconds."""
    text = json.dumps(value, ensure_ascii=False)
    text = _STORED.sub("penstock://result/HANDLE", _TOKEN.sub(r"pen_TOKEN\1", text))
    return json.loads(_LIFE.sub(r"\g<1>300", text))
