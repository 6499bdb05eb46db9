"""The visits of the demo: to a server with large results, to a server with many tools, and to the
same server again, for a question that takes many calls."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from penstock.cli.demonstration.agent import DemoAgent, call_tool, cost_of, list_tools, visit
from penstock.cli.demonstration.transcript import (
    CODE,
    count_tokens,
    expect,
    heading,
    say,
    text_in,
    tokens,
)
from penstock.disclosure.programs import programs_available
from penstock.errors import how_to_install
from penstock.relay.tool_lists.conversation import Steps

_PLANT: Final = "plant"
_CONTROL_ROOM: Final = "control_room"
_LIST_TOKENS: Final = 2_000  # the default of `penstock run`
_WEAK_DEVICES: Final = (
    "SELECT * FROM result WHERE status = 'down' AND battery < 3.4 ORDER BY battery"
)
_PUMPS: Final = 40
_HIGH_PUMPS: Final = f"""\
import asyncio
pumps = range(1, {_PUMPS + 1})
days = await asyncio.gather(*[pump_history(number=n, unit="bar") for n in pumps])
highest = {{n: max(row["value"] for row in day) for n, day in zip(pumps, days)}}
[[n, value] for n, value in highest.items() if value > 85]
"""
_HOW_TO_INSTALL: Final = (
    "Agents can also run programs that make many calls at once. "
    f"{how_to_install('programs')}, and run this again.\n"
)


# -- large results -----------------------------------------------------------------------------


def visit_plant() -> None:
    heading("The MCP server of a plant has a table of 5,000 devices and a log of 50,000 lines.")
    raw = visit(_PLANT, _read_whole("list_devices", "read_log"), is_behind_penstock=False)
    heading(
        f"The two tools that read them return {' and '.join(map(tokens, raw))}. "
        "Here is the same server behind `penstock run`:"
    )
    agent = visit(_PLANT, _inspect_plant(), is_behind_penstock=True)
    heading(
        f"{agent.calls} calls, {tokens(agent.spent)}. Without Penstock: {tokens(sum(raw))}, "
        f"{sum(raw) / agent.spent:,.0f} times as many."
    )
    say("Each tool ran once. Nothing was lost: a token gives access to every row and line.")


def _read_whole(*tools: str) -> Steps[list[int]]:
    """Return the cost of each tool's whole result."""
    yield from list_tools()
    costs = []
    for tool in tools:
        result = yield from call_tool(tool, {})
        costs.append(count_tokens(text_in(result)))
    return costs


def _inspect_plant() -> Steps[DemoAgent]:
    listed = yield from list_tools()
    names = [msgspec.json.decode(tool)["name"] for tool in listed.tools]
    say(f"\n  tools: {', '.join(names)}")
    agent = DemoAgent()
    yield from _inspect_devices(agent)
    yield from _inspect_log(agent)
    return agent


def _inspect_devices(agent: DemoAgent) -> Steps[None]:
    probe = yield from agent.call(
        "List the devices. A probe comes back: a preview, the size and a token.", "list_devices"
    )
    stored = {"continuation_token": probe["continuation_token"]}
    yield from agent.call("Summarize the stored result.", "read_result", **stored, mode="summary")
    down = yield from agent.call(
        "Ask a question in SQL, where the data is.",
        "read_result",
        **stored,
        mode="sql",
        query=_WEAK_DEVICES,
    )
    planned = yield from agent.call(
        f"Pass these {down['total']} rows to another tool, unread.",
        "plan_visits",
        devices=f"@result:{down['continuation_token']}",
    )
    expect(planned.startswith(f"{down['total']} visits planned"))
    row = yield from agent.call(
        "Read one whole row.", "read_result", **stored, path="/4711", mode="full"
    )
    expect(row["name"] == "sensor-04711")


def _inspect_log(agent: DemoAgent) -> Steps[None]:
    log = yield from agent.call("Read the log of 50,000 lines. A probe comes back.", "read_log")
    found = yield from agent.call(
        "Search the stored log for the one error.",
        "read_result",
        continuation_token=log["continuation_token"],
        mode="search",
        query="error",
    )
    expect(found["total"] == 1)


# -- many tools --------------------------------------------------------------------------------


def visit_control_room() -> None:
    raw = visit(_CONTROL_ROOM, list_tools(), is_behind_penstock=False)
    heading(
        f"Another server lists {len(raw.tools)} tools. The list costs {tokens(cost_of(raw))} "
        "before any work starts."
    )
    agent, list_cost = visit(_CONTROL_ROOM, _limit_boiler(), is_behind_penstock=True)
    spent = list_cost + agent.spent
    heading(
        f"The list and {agent.calls} calls: {tokens(spent)}. Without Penstock, the list alone: "
        f"{tokens(cost_of(raw))}, {cost_of(raw) / spent:,.0f} times as many."
    )


def _limit_boiler() -> Steps[tuple[DemoAgent, int]]:
    """Return the agent, and the cost of its list of tools."""
    listed = yield from list_tools()
    cost = cost_of(listed)
    say(
        f"Behind `penstock run` it lists {len(listed.tools)} tools, which find and call the "
        f"others: {tokens(cost)}."
    )
    expect(cost <= _LIST_TOKENS)
    agent = DemoAgent()
    wanted = "set a pressure limit on a boiler"
    found = yield from agent.call("Find the tool for the job.", "find_tools", query=wanted)
    name = found["tools"][0]["name"]
    yield from agent.call("Read its full description.", "describe_tools", tools=[name])
    arguments: dict[str, Any] = {
        "number": 7,
        "unit": "bar",
        "most": 8,
        "why": "valve 7 does not answer",
    }
    done = yield from agent.call("Call it.", "call_tool", name=name, arguments=arguments)
    expect(done.startswith("The boiler 7 is limited to 8 bar"))
    return agent, cost


# -- many calls --------------------------------------------------------------------------------


def visit_pumps() -> None:
    if not programs_available():
        say(f"\n{_HOW_TO_INSTALL}")
        return
    raw = visit(_CONTROL_ROOM, _read_pumps(), is_behind_penstock=False)
    heading(
        f"Which of {_PUMPS} pumps went above 85 bar yesterday? That takes {_PUMPS} calls, and their "
        f"results cost {tokens(raw)}. Behind `penstock run` it is one call:"
    )
    agent = visit(_CONTROL_ROOM, _run_program(), is_behind_penstock=True)
    spent = agent.spent + count_tokens(_HIGH_PUMPS)
    heading(
        f"The program and its answer: {tokens(spent)}. Without Penstock: {tokens(raw)}, "
        f"{raw / spent:,.0f} times as many.\n"
    )


def _read_pumps() -> Steps[int]:
    """Return the cost of all histories."""
    yield from list_tools()
    cost = 0
    for number in range(1, _PUMPS + 1):
        result = yield from call_tool("pump_history", {"number": number, "unit": "bar"})
        cost += count_tokens(text_in(result))
    return cost


def _run_program() -> Steps[DemoAgent]:
    yield from list_tools()
    agent = DemoAgent()
    found = yield from agent.call(
        "Run a program that calls the tool for each pump. Only its answer comes back.",
        "run_python",
        **{CODE: _HIGH_PUMPS},
    )
    expect(found.startswith("[[13,") and f"pump_history {_PUMPS}x" in found)
    return agent
