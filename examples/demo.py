"""`penstock run` in front of two servers that flood a context window, one with its results and one
with its tools: what the agent sees at each step, and what it costs.

Run with `make demo`. A real client talks to the relay over stdio; the exit code is not zero if a
step does not do what it says.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent

from penstock.core.budget.measure import default_meter

BUDGET = "25kB"
BUDGET_BYTES = 25_000
HERE = Path(__file__).parent
SERVER = [sys.executable, str(HERE / "plant_server.py")]
MANY_TOOLS = [sys.executable, str(HERE / "control_room_server.py")]
RUN = [sys.executable, "-m", "penstock", "run", "--budget", BUDGET, "--"]
LIST_TOKENS = 2_000
METER = default_meter()
COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ


class Agent:
    """Calls tools, shows what it gets, and adds up what that costs."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.spent = 0

    async def call(self, thought: str, tool: str, **arguments: Any) -> Any:
        result = await self._client.call_tool(tool, arguments)
        wire = result.model_dump_json(by_alias=True, exclude_none=True)
        text = text_of(result)
        cost = METER.count(text)
        self.spent += cost
        print(paint("1", f"\n▸ {thought}"))
        print(paint("36", f"  {tool}({shown(arguments)})"))
        print(*(f"  {line}" for line in shortened(text)), sep="\n")
        print(paint("32", f"  {cost:,} tokens"))
        if result.is_error or len(wire.encode()) > BUDGET_BYTES:
            raise SystemExit("That is not what the demo is meant to show.")
        return json.loads(text) if text.startswith("{") else text


async def main() -> None:
    raw = await cost_without()
    heading(
        f"Two tools of a server return {raw['list_devices']:,} and {raw['read_log']:,} tokens. "
        "Now the same server behind `penstock run`:"
    )
    async with connect([*RUN, *SERVER]) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        print(f"\n  tools: {', '.join(listed)}")
        agent = Agent(client)
        await walk(agent)
    total = sum(raw.values())
    exact = "" if METER.name != "estimate" else " (estimated)"
    heading(
        f"Seven calls, {agent.spent:,} tokens{exact}. Without Penstock: {total:,}, "
        f"{total / agent.spent:,.0f} times as many."
    )
    print("Each tool ran once. Nothing was lost: every row and line is behind its token.")
    await choose_among_many()


async def choose_among_many() -> None:
    async with connect(MANY_TOOLS) as client:
        raw, count = await cost_of_list(client)
    async with connect([*RUN, *MANY_TOOLS]) as client:
        cost, shown_tools = await cost_of_list(client)
        heading(
            f"Another server lists {count} tools in {raw:,} tokens, before any work starts. Behind "
            f"`penstock run`: {shown_tools} in {cost:,}."
        )
        if cost > LIST_TOKENS:
            raise SystemExit("That is not what the demo is meant to show.")
        agent = Agent(client)
        await use_one_of_many(agent)
    spent = cost + agent.spent
    heading(
        f"List and three calls: {spent:,} tokens. Without Penstock the list alone: {raw:,}, "
        f"{raw / spent:,.0f} times as many.\n"
    )


async def use_one_of_many(agent: Agent) -> None:
    found = await agent.call(
        "Which tool is it?", "find_tools", query="set a pressure limit on a boiler"
    )
    name = found["tools"][0]["name"]
    await agent.call("How is it used?", "describe_tools", tools=[name])
    arguments = {"number": 7, "unit": "bar", "most": 8, "why": "valve 7 does not answer"}
    await agent.call("Call it.", "call_tool", name=name, arguments=arguments)


async def cost_of_list(client: Client) -> tuple[int, int]:
    """Tokens, and tools."""
    listed = await client.list_tools()
    wire = listed.model_dump_json(by_alias=True, exclude_none=True)
    return METER.count(wire), len(listed.tools)


async def walk(agent: Agent) -> None:
    probe = await agent.call("What devices are there? A probe comes back.", "list_devices")
    devices = probe["continuation_token"]
    await agent.call("What is in it?", "read_result", continuation_token=devices, mode="summary")
    down = await agent.call(
        "A question, answered where the data is.",
        "read_result",
        continuation_token=devices,
        mode="sql",
        query="SELECT * FROM result WHERE status = 'down' AND battery < 3.4 ORDER BY battery",
    )
    token = down["continuation_token"]
    await agent.call(
        f"Hand these {down['total']} rows to another tool, unread.",
        "plan_visits",
        devices=f"@result:{token}",
    )
    log = await agent.call("And the log? 50,000 lines.", "read_log")
    await agent.call(
        "Where is the one line that matters?",
        "read_result",
        continuation_token=log["continuation_token"],
        mode="search",
        query="error",
    )
    await agent.call(
        "One row, whole.", "read_result", continuation_token=devices, path="/4711", mode="full"
    )


async def cost_without() -> dict[str, int]:
    """What the same results cost without Penstock."""
    costs = {}
    async with connect(SERVER) as client:
        for tool in ("list_devices", "read_log"):
            result = await client.call_tool(tool, {})
            costs[tool] = METER.count(text_of(result))
    return costs


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def connect(command: list[str]) -> Client:
    parameters = StdioServerParameters(command=command[0], args=command[1:])
    return Client(stdio_client(parameters))


def shown(arguments: dict[str, Any]) -> str:
    """As an agent sends them: each value is JSON."""
    return ", ".join(f"{name}={as_json(value)}" for name, value in arguments.items())


def as_json(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(clipped(value), ensure_ascii=False)
    return clipped(json.dumps(value, ensure_ascii=False))


def clipped(text: str, length: int = 88) -> str:
    """Tokens are long, and say nothing to a person."""
    head, secret, rest = text.partition("pen_")
    text = f"{head}{secret}{rest[:4]}…" if secret else text
    return text if len(text) <= length else text[: length - 1] + "…"


def shortened(text: str, width: int = 100, lines: int = 6) -> list[str]:
    """Text in a few lines of a terminal."""
    flat = text.replace("\n", " ⏎ ")
    cut = [flat[start : start + width] for start in range(0, len(flat), width)]
    return cut if len(cut) <= lines else [*cut[:lines], f"… and {len(cut) - lines} lines more"]


def heading(text: str) -> None:
    print("\n" + paint("1;33", text))


def paint(code: str, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if COLOUR else text


if __name__ == "__main__":
    asyncio.run(main())
