"""The time that the middleware adds to a small call, on the official SDK and on FastMCP.

FastMCP's own limit of responses is measured too, and a large result through each. The times are
medians, of one client in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from statistics import median
from time import perf_counter
from typing import Any

from fastmcp import FastMCP
from fastmcp.client import Client as FastClient
from fastmcp.server.middleware.response_limiting import ResponseLimitingMiddleware
from mcp import Client as SdkClient
from mcp.server.mcpserver import MCPServer

import penstock.adapters.fastmcp
import penstock.adapters.mcp
from benchmarks.lines import Line

ROUNDS = 400
LARGE_ROUNDS = 5
ROWS = [{"id": number, "name": f"device {number}", "note": "x" * 60} for number in range(20_000)]

Caller = Callable[[str], Awaitable[Any]]


def measure() -> Iterator[Line]:
    small, large = asyncio.run(_measured())
    for era in ("2025-11-25", "2026-07-28"):
        yield Line(
            f"small call, SDK, {era}",
            small[f"sdk ours {era}"],
            small[f"sdk plain {era}"],
            limit=0.3,
            difference=True,
        )
    plain = small["fastmcp plain"]
    yield Line("small call, FastMCP", small["fastmcp ours"], plain, difference=True)
    yield Line("small call, its ResponseLimiting", small["fastmcp limit"], plain, difference=True)
    yield Line("2 MB of rows, SDK", large["sdk ours"], large["sdk plain"])
    yield Line("2 MB of rows, FastMCP", large["fastmcp ours"], large["fastmcp plain"])
    yield Line("2 MB, its ResponseLimiting", large["fastmcp limit"], large["fastmcp plain"])


async def _measured() -> tuple[dict[str, float], dict[str, float]]:
    async with AsyncExitStack() as stack:
        callers: dict[str, Caller] = {}
        for era, mode in (("2025-11-25", "legacy"), ("2026-07-28", "auto")):
            for name, server in _sdk_servers().items():
                client = await stack.enter_async_context(SdkClient(server, mode=mode))
                callers[f"sdk {name} {era}"] = client.call_tool
        for name, fast in _fast_servers().items():
            session = await stack.enter_async_context(FastClient(fast))
            callers[f"fastmcp {name}"] = session.call_tool
        small = await _in_turns({name: _bound(call, "small") for name, call in callers.items()})
        chosen = {name.removesuffix(" 2026-07-28"): call for name, call in callers.items()}
        heavy = {name: _bound(call, "large") for name, call in chosen.items() if "2025" not in name}
        return small, await _in_turns(heavy, LARGE_ROUNDS)


def _bound(call: Caller, tool: str) -> Callable[[], Awaitable[Any]]:
    return lambda: call(tool)


async def _in_turns(
    calls: Mapping[str, Callable[[], Awaitable[Any]]], rounds: int = ROUNDS
) -> dict[str, float]:
    """Return the milliseconds of the median call. The first call warms up."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        await call()
    for _ in range(rounds):
        for name, call in calls.items():
            start = perf_counter()
            await call()
            times[name].append(perf_counter() - start)
    return {name: 1_000 * median(runs) for name, runs in times.items()}


def _sdk_servers() -> dict[str, MCPServer]:
    servers = {
        "plain": MCPServer("plain", log_level="ERROR"),
        "ours": MCPServer("ours", middleware=[penstock.adapters.mcp.Penstock()], log_level="ERROR"),
    }
    for server in servers.values():
        server.add_tool(small)
        server.add_tool(large)
    return servers


def _fast_servers() -> dict[str, FastMCP[Any]]:
    servers: dict[str, FastMCP[Any]] = {
        "plain": FastMCP("plain"),
        "ours": FastMCP("ours", middleware=[penstock.adapters.fastmcp.Penstock()]),
        "limit": FastMCP("limit", middleware=[ResponseLimitingMiddleware(max_size=25_000)]),
    }
    for server in servers.values():
        server.tool(small)
        server.tool(large)
    return servers


def small() -> dict[str, Any]:
    """A small result."""
    return {"id": 17, "name": "Ada", "tags": ["a", "b"]}


def large() -> list[dict[str, Any]]:
    """A large one."""
    return ROWS
