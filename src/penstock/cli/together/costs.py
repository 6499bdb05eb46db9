"""The costs of servers that are put together: of each list now, and of the one list then."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from penstock.cli.auditing.balance import balance
from penstock.cli.auditing.list_costs import Balance, Measured
from penstock.cli.measuring import measured
from penstock.cli.together.starting import policy_of, starts_of
from penstock.cli.wrapping.plan import Plan
from penstock.core.budget.measure import default_meter
from penstock.core.json import rawjson
from penstock.hub.names import Names
from penstock.relay.tool_lists import Listed
from penstock.wire import messages


def costs_of(plan: Plan, *, seconds: float) -> tuple[Mapping[int, Measured], Balance | None]:
    """Start each server that moves, and list its tools. Return the costs by the number of the
    change, and that of one list of all tools. It is None if no server has listed its tools."""
    starts = starts_of(plan)
    lists: dict[int, Listed] = {}
    costs = measured(starts, seconds=seconds, keep=lists.__setitem__)
    if not lists:
        return costs, None
    whole = _one_list({starts[number][0]: lists[number] for number in sorted(lists)})
    return costs, balance(whole, policy_of(plan), default_meter())


def _one_list(lists: Mapping[str, Listed]) -> Listed:
    """Return the tools of several servers under the names that they have behind one Penstock."""
    wire = {
        server: [messages.members_of(tool) for tool in one.tools] for server, one in lists.items()
    }
    names = Names()
    names.claim(
        "tools", {server: [_name(tool) for tool in tools] for server, tools in wire.items()}
    )
    told = [
        messages.object_from({**tool, "name": _common(names, server, tool)})
        for server, tools in wire.items()
        for tool in tools
    ]
    return Listed(tuple(told))


def _common(names: Names, server: str, tool: Mapping[str, msgspec.Raw]) -> bytes:
    return rawjson.string(names.common("tools", server, _name(tool)))


def _name(tool: Mapping[str, msgspec.Raw]) -> str:
    return messages.text_of(tool, "name") or ""
