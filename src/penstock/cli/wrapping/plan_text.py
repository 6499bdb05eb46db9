"""A plan, told to a person."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from penstock.cli.wrapping.entries import URL_KEYS
from penstock.cli.wrapping.invocation import recognise
from penstock.cli.wrapping.plan import Change, Plan
from penstock.cli.wrapping.remote_server import HEADERS_VARIABLE


def describe(plan: Plan) -> str:
    """Per server how it is started now and how it would be, then those left alone, and why.

    Of headers and environment no value is told: they may be secrets, and terminals are shared.
    """
    return "\n".join(map(_shown, _lines(plan)))


def _lines(plan: Plan) -> Iterator[str]:
    changed = [change for change in plan.changes if change.action != "leave"]
    left = [change for change in plan.changes if change.action == "leave"]
    yield f"{plan.title}: {plan.path}"
    yield _summary(plan, len(changed))
    for change in changed:
        yield ""
        yield f"  {_name(change)}"
        yield f"    now    {_started(change.before)}"
        yield f"    then   {_started(change.after)}"
    if left:
        yield ""
        yield "  Left alone:"
    for change in left:
        yield f"    {_name(change)}: {change.reason}"
    wrapped = next((change.after for change in changed if change.action == "wrap"), None)
    if wrapped:
        yield ""
        yield f"  penstock here is {_launcher(wrapped)}"


def _summary(plan: Plan, changed: int) -> str:
    if not changed:
        return "Nothing to change."
    total = len(plan.changes)
    count = f"{changed} of {total} servers" if total > 1 else "1 server"
    if any(change.action == "unwrap" for change in plan.changes):
        return f"Out from behind Penstock: {count}."
    profile = f", with the limits of {plan.host}" if plan.host else ""
    return f"Behind Penstock: {count}{profile}."


def _name(change: Change) -> str:
    return f"{change.name} (in {change.project})" if change.project else change.name


def _started(entry: Mapping[str, Any]) -> str:
    """The command line or the address, and where headers are."""
    address = next((str(entry[key]) for key in URL_KEYS if key in entry), None)
    if address is not None:
        headers = ", ".join(entry.get("headers") or entry.get("http_headers") or ())
        return f"{address} ({headers})" if headers else address
    command, args = entry["command"], entry.get("args", [])
    penstock = recognise(command, args)
    line = shlex.join(["penstock", *penstock.told] if penstock else [command, *args])
    in_environment = HEADERS_VARIABLE in (entry.get("env") or ())
    return f"{line} (headers in {HEADERS_VARIABLE})" if in_environment else line


def _launcher(wrapped: Mapping[str, Any]) -> str:
    """What stands before `run`."""
    leading = takewhile(lambda word: word != "run", wrapped["args"])
    return shlex.join([wrapped["command"], *leading])


def _shown(line: str) -> str:
    """Without what a terminal would take for a command."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)
