"""The check of several servers that one Penstock runs: those of one file."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from penstock.cli.auditing.list_costs import Measured, NotMeasured
from penstock.cli.checkup.findings import CheckupSection, Finding, broken, fine, warning
from penstock.cli.checkup.tool_changes import changed_tools
from penstock.cli.measuring import Asked, measured
from penstock.cli.several import read_group
from penstock.cli.several.members import FaultyServer
from penstock.cli.several.one_list import cost_of_one_list, learn_lists
from penstock.cli.wrapping.starting import Start
from penstock.errors import PenstockError
from penstock.hub.remembered import Remembered
from penstock.relay.hub.group import GroupedServer, ServerGroup
from penstock.relay.hub.memory_file import load
from penstock.relay.secret_urls import SECRET_NAME
from penstock.relay.secret_words import secrets_of
from penstock.relay.tool_lists import Listed
from penstock.settings.policy import Policy


class AskedGroup(NamedTuple):
    """The servers of a file as `penstock run --servers` would run them."""

    path: Path
    policy: Policy
    selected: Sequence[str] = ()
    environment: Mapping[str, str] = os.environ
    folder: Path | None = None
    # Variables with values that a host asks its users for, which are not known here.
    from_host: Collection[str] = ()


def check_group(asked: AskedGroup, *, starts: bool, seconds: float) -> CheckupSection:
    """Check the entries of the file. With `starts`, start the servers and list their tools."""
    title = f"Several servers: {asked.path}"
    try:
        group = read_group(
            asked.path,
            selected=asked.selected,
            results_to=asked.policy.results_to,
            environment=asked.environment,
            folder=asked.folder,
        )
    except PenstockError as error:
        return CheckupSection(title, (broken(error.message, error.next_step),))
    return CheckupSection(title, tuple(_findings(asked, group, starts=starts, seconds=seconds)))


def _findings(
    asked: AskedGroup, group: ServerGroup, *, starts: bool, seconds: float
) -> Iterator[Finding]:
    lists: dict[int, Listed] = {}
    startable = _starts(asked, group) if starts else {}
    costs = measured(startable, seconds=seconds, keep=lists.__setitem__)
    for number, server in enumerate(group.servers):
        yield _server(server, costs.get(number), asked)
    run = {one.member.name for one in group.servers}
    for name in group.identities:
        if name not in run:
            yield fine(f"{name}: not run: it is switched off, or not selected", server=name)
    now = time.time()
    remembered = load(group.identity, group.identities)  # a copy, which is not saved
    learnt = [(group.servers[number].member, listed) for number, listed in lists.items()]
    learn_lists(remembered, learnt, now)
    if lists:
        yield _one_list(group, remembered, asked.policy)
    known = {
        one.member.name: remembered.server(one.member.identity, one.member.name)
        for one in group.servers
    }
    yield from changed_tools(remembered.changes, known, now)


def _starts(asked: AskedGroup, group: ServerGroup) -> dict[int, Asked]:
    return {
        number: (server.member.name, partial(_start, server, asked.policy))
        for number, server in enumerate(group.servers)
        if not server.fault
    }


def _start(server: GroupedServer, policy: Policy) -> Start:
    told = (server.around.environment or {}).items()
    # An entry may pass on a secret of ours under its own name: `"API_KEY": "${API_KEY}"`.
    own = [
        text
        for name, text in told
        if os.environ.get(name) != text or SECRET_NAME.search(name) is not None
    ]
    around = server.around._replace(is_quiet=True)
    return Start(server.target, policy, around, (*own, *secrets_of(server.target)))


def _server(server: GroupedServer, cost: Measured | None, asked: AskedGroup) -> Finding:
    name = server.member.name
    facts: dict[str, Any] = {"server": name, "file": str(asked.path), "is_behind_penstock": True}
    if isinstance(server, FaultyServer) and server.variable in asked.from_host:
        step = f"The host asks for it. To check the server here, set {server.variable}."
        return warning(f"{name}: not started. {server.why}", step, **facts)
    if isinstance(server, FaultyServer):
        return broken(f"{name}: {server.why}", server.next_step, **facts)
    if cost is None:
        return fine(f"{name}: not started", **facts)
    if isinstance(cost, NotMeasured):
        return broken(f"{name}: {cost.why}", cost.next_step, **facts)
    facts |= {"tools": cost.tools, "before": cost.before}
    told = f"{name}: starts; its list alone has {cost.before:,} tokens without Penstock"
    return fine(told, **facts)


def _one_list(group: ServerGroup, remembered: Remembered, policy: Policy) -> Finding:
    cost = cost_of_one_list([server.member for server in group.servers], remembered, policy)
    return fine(
        f"Together they have one list of {cost.tools:,} tools: {cost.before:,} tokens without "
        f"Penstock, {cost.after:,} behind it",
        tools=cost.tools,
        before=cost.before,
        after=cost.after,
    )
