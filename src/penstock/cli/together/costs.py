"""The costs of servers that are put together: of each list now, and of the one list then."""

from __future__ import annotations

import time
from collections.abc import Mapping

from penstock.cli.auditing.list_costs import Balance, Measured
from penstock.cli.measuring import measured
from penstock.cli.several.one_list import cost_of_one_list, learn_lists
from penstock.cli.together.starting import policy_of, starts_of
from penstock.cli.wrapping.plan import Plan
from penstock.hub.remembered import Remembered
from penstock.relay.tool_lists import Listed
from penstock.wire.servers import HubMember


def costs_of(plan: Plan, *, seconds: float) -> tuple[Mapping[int, Measured], Balance | None]:
    """Start each server that moves, and list its tools. Return the costs by the number of the
    change, and that of one list of all tools. It is None if no server has listed its tools."""
    starts = starts_of(plan)
    lists: dict[int, Listed] = {}
    costs = measured(starts, seconds=seconds, keep=lists.__setitem__)
    if not lists:
        return costs, None
    members = {number: HubMember(starts[number][0], starts[number][0]) for number in sorted(lists)}
    remembered = Remembered()
    learnt = [(member, lists[number]) for number, member in members.items()]
    learn_lists(remembered, learnt, time.time())
    return costs, cost_of_one_list([*members.values()], remembered, policy_of(plan))
