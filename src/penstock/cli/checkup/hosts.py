"""The check of hosts: which servers are behind Penstock, whether they start, and their costs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from shlex import quote
from typing import Any, Final

from penstock.cli.auditing.list_costs import Balance, Measured, NotMeasured, cost_told
from penstock.cli.checkup.findings import CheckupSection, Finding, broken, fine, warning
from penstock.cli.checkup.group_entries import group_of
from penstock.cli.checkup.groups import AskedGroup, check_group
from penstock.cli.measuring import Asked, measured
from penstock.cli.wrapping import (
    Change,
    ChosenConfig,
    ConfigError,
    NoServers,
    Plan,
    find_launcher,
    plan,
    read,
)
from penstock.cli.wrapping.host_values import NotStarted
from penstock.cli.wrapping.invocation import Invocation, recognise
from penstock.cli.wrapping.starting import start_of
from penstock.errors import PenstockError
from penstock.relay.secret_words import without_secrets

_VERSION_SECONDS: Final = 30.0
_WRAP_AGAIN: Final = (
    "Undo and wrap again: penstock wrap CONFIG --undo --write, then penstock wrap CONFIG --write, with "
    "--together if one entry has all servers"
)


def check_hosts(
    configs: Sequence[ChosenConfig], *, starts: bool, seconds: float
) -> list[CheckupSection]:
    """Return a section for each config. With `starts`, start the servers and list their tools."""
    if not configs:
        step = "Name a config: penstock doctor CONFIG"
        return [CheckupSection("Hosts", (warning("No config of a known host was found", step),))]
    return [
        section
        for config in configs
        for section in _sections(config, starts=starts, seconds=seconds)
    ]


def _sections(config: ChosenConfig, *, starts: bool, seconds: float) -> list[CheckupSection]:
    """Return the section of a config, and those of files whose servers one of its entries runs."""
    title = str(config.path)
    try:
        made = plan(read(config.path), config.path, find_launcher())
    except NoServers as error:
        return [CheckupSection(title, (fine(error.message),))]
    except ConfigError as error:
        return [CheckupSection(title, (broken(error.message, error.next_step),))]
    is_starting = starts and config.may_start
    groups = _groups(made)
    costs: dict[int, Measured] = {
        number: group for number, group in groups.items() if isinstance(group, NotMeasured)
    }
    if is_starting:
        costs |= measured(_starts(made, groups.keys()), seconds=seconds)
    findings = [
        finding
        for number, change in enumerate(made.changes)
        for finding in _of_server(change, costs.get(number), groups.get(number), config)
    ]
    if starts and not config.may_start:
        told = "Its servers are not started, because the file belongs to this folder"
        findings.append(fine(f"{told}. If you trust it: penstock doctor {quote(str(config.path))}"))
    asked = [group for group in groups.values() if isinstance(group, AskedGroup)]
    return [
        CheckupSection(f"{made.title}: {title}", tuple(findings)),
        *(check_group(group, starts=is_starting, seconds=seconds) for group in asked),
    ]


def _groups(made: Plan) -> dict[int, AskedGroup | NotMeasured]:
    """Return the entries that run the servers of a file, or why that is not known."""
    found: dict[int, AskedGroup | NotMeasured] = {}
    for number, change in enumerate(made.changes):
        invocation = _invocation(change)
        try:
            group = invocation and group_of(change.before, invocation, made.path, change.project)
        except PenstockError as error:
            is_left = isinstance(error, NotStarted)
            found[number] = NotMeasured(without_secrets(error.message), error.next_step, is_left)
        else:
            found |= {number: group} if group else {}
    return found


def _starts(made: Plan, groups: Collection[int]) -> dict[int, Asked]:
    """Return how each server starts that is behind Penstock, or that may be, but for groups."""
    return {
        number: (change.name, partial(start_of, change.after, made.path, change.project))
        for number, change in enumerate(made.changes)
        if number not in groups and (change.action == "wrap" or _invocation(change) is not None)
    }


def _invocation(change: Change) -> Invocation | None:
    """Return how an entry runs Penstock, or None if it does not."""
    entry = change.before
    if isinstance(entry, dict) and isinstance(entry.get("command"), str):
        return recognise(entry["command"], _words(entry))
    return None


def _words(entry: Mapping[str, Any]) -> list[str]:
    args = entry.get("args")
    return [str(word) for word in args] if isinstance(args, list) else []


def _of_server(
    change: Change,
    cost: Measured | None,
    group: AskedGroup | NotMeasured | None,
    config: ChosenConfig,
) -> list[Finding]:
    name, wrapped = change.name, _invocation(change) is not None
    if change.action == "leave" and not wrapped:
        return [fine(f"{name}: not behind Penstock: {change.reason}", server=name)]
    facts: dict[str, Any] = {"server": name, "is_behind_penstock": wrapped}
    findings = [_launcher(name, change.before)] if wrapped and config.may_start else []
    place = "behind Penstock" if wrapped else "not behind Penstock"
    if isinstance(group, AskedGroup):
        told = f"{name}: one Penstock before the servers of {group.path}, see below"
        return [*findings, fine(told, file=str(group.path), **facts)]
    if cost is None:
        return [*findings, fine(f"{name}: {place}", **facts)]
    if isinstance(cost, NotMeasured):
        return [*findings, _not_measured(name, cost, facts)]
    facts |= {"tools": cost.tools, "before": cost.before, "after": cost.after}
    return [*findings, _cost(name, cost, config.path, facts)]


def _not_measured(name: str, cost: NotMeasured, facts: dict[str, Any]) -> Finding:
    if cost.is_left_to_host:
        return warning(f"{name}: not started. {cost.why}", cost.next_step, **facts)
    return broken(f"{name}: {cost.why}", cost.next_step, **facts)


def _cost(name: str, cost: Balance, path: Path, facts: dict[str, Any]) -> Finding:
    if facts["is_behind_penstock"]:
        sizes = f"{cost.before:,} tokens without Penstock, {cost.after:,} behind it"
        return fine(f"{name}: starts behind Penstock; its list has {sizes}", **facts)
    told = f"{name}: starts, not behind Penstock; its list has {cost_told(cost)}"
    if cost.saved > 0:
        return warning(told, f"penstock wrap {quote(str(path))}", **facts)
    return fine(told, **facts)


def _launcher(name: str, entry: Mapping[str, Any]) -> Finding:
    """Check the Penstock that an entry names."""
    words = _words(entry)
    found = recognise(entry["command"], words)
    count = len(words) - len(found.told) if found else 0
    why, told = _tried((entry["command"], *words[:count]))
    path = str(entry["command"])
    if why:
        return broken(f"{name}: its Penstock {why}: {path}", _WRAP_AGAIN, path=path)
    return fine(f"{name}: by {path}, {told}", path=path)


@cache
def _tried(command: tuple[str, ...]) -> tuple[str, str]:
    """Run a Penstock as a host does. Return why that fails, and the version that it prints. All
    servers of a config have the same Penstock, so it runs once."""
    if shutil.which(command[0]) is None:
        return "is not there", ""
    try:
        done = subprocess.run(  # noqa: S603 (the command of the user's own config)
            [*command, "--version"],
            capture_output=True, encoding="utf-8", errors="replace", timeout=_VERSION_SECONDS,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not start ({type(error).__name__})", ""
    if done.returncode or not done.stdout.startswith("penstock "):
        return f"does not work (exit code {done.returncode})", ""
    return "", done.stdout.strip()
