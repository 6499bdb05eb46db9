"""The one list of several servers, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from penstock.cli.auditing.balance import balance
from penstock.cli.auditing.list_costs import Balance
from penstock.core.budget.measure import default_meter
from penstock.hub.hub import Hub
from penstock.hub.merging import list_result
from penstock.hub.remembered import Remembered
from penstock.relay.tool_lists import Listed, tools_in
from penstock.settings.policy import Policy
from penstock.wire import messages
from penstock.wire.servers import HubMember


def learn_lists(
    remembered: Remembered, lists: Iterable[tuple[HubMember, Listed]], now: float
) -> None:
    """Take over the tools that servers have just listed."""
    for member, listed in lists:
        known = remembered.server(member.identity, member.name)
        known.era = known.era or "legacy"
        known.capabilities = messages.decoded(listed.capabilities) or {}
        remembered.learn(known, "tools", [msgspec.Raw(tool) for tool in listed.tools], now)


def cost_of_one_list(
    members: Sequence[HubMember], remembered: Remembered, policy: Policy
) -> Balance:
    """Return the cost of the list that an agent gets. A server that does not start is in it with the
    tools that it is known for."""
    hub = Hub(members, remembered)
    hub.state.claim("tools")
    merged = messages.members_of(list_result(hub.state, "tools", is_modern=False))
    return balance(Listed(tuple(tools_in(merged["tools"]))), policy, default_meter(), hub)
