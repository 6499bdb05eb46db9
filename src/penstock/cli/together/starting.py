"""The start of servers that one entry will run: to learn what their lists cost."""

from __future__ import annotations

import os
import shlex
from functools import partial
from pathlib import Path
from typing import Any

from penstock.cli.measuring import Asked
from penstock.cli.options import policy_from
from penstock.cli.several.itself import inside
from penstock.cli.several.members import Group, member
from penstock.cli.several.servers_file import WrittenServer, inputs_in, servers_in_text
from penstock.cli.wrapping.host_values import NotStarted, host_values
from penstock.cli.wrapping.invocation import recognise
from penstock.cli.wrapping.plan import Change, Plan
from penstock.cli.wrapping.starting import Start
from penstock.cli.wrapping.wrapped_options import wrapped_options
from penstock.relay.secret_words import secrets_of
from penstock.settings.policy import Policy
from penstock.settings.table import RUN_DEFAULTS


def starts_of(plan: Plan) -> dict[int, Asked]:
    """Return how the one entry will start each server, by the number of the change."""
    file = plan.servers_file
    if file is None or file.after is None:
        return {}
    servers = servers_in_text(file.after, file.path, Path.cwd())
    group = Group(servers, file.path, inside(file.path, os.environ), os.environ)
    written = {server.name: server for server in servers.servers}
    policy = policy_of(plan)
    return {
        number: (change.name, partial(_start, written[change.name], group, policy, change))
        for number, change in enumerate(plan.changes)
        if change.action == "gather"
    }


def policy_of(plan: Plan) -> Policy:
    """Return the settings that the one entry has. A value that only the host asks for is empty."""
    entry = next(change.after for change in plan.changes if change.action == "gather")
    args: list[str] = entry["args"]
    found = recognise(entry["command"], args)
    if found is None:
        raise NotStarted("The entry does not run Penstock.")
    asked = dict.fromkeys(inputs_in(entry), "")
    values = host_values(entry, plan.path, "", os.environ, asked)
    return policy_from(wrapped_options(found, [], values), RUN_DEFAULTS, values.environment)


def _start(written: WrittenServer, group: Group, policy: Policy, change: Change) -> Start:
    found = member(written, group, takes_results=False)
    if found.fault:
        step = f"Or leave it in the config: --except {shlex.quote(written.name)}"
        raise NotStarted(found.fault, next_step=step)
    around = found.around._replace(is_quiet=True)
    given = around.environment or {}
    secrets = [given[name] for name in _stated(change.before) if name in given]
    return Start(found.target, policy, around, (*secrets, *secrets_of(found.target)))


def _stated(entry: Any) -> list[str]:
    stated = entry.get("env")
    return [*stated] if isinstance(stated, dict) else []
