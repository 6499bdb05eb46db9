"""A plan as text for the user."""

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
    """Return how each server starts before and after, and why others stay as they are.

    Values of headers and of the environment are not shown: they may be secrets, and people share
    what terminals print.
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
        yield "  Not changed:"
    for change in left:
        yield f"    {_name(change)}: {change.reason}"
    wrapped = next((change.after for change in changed if change.action == "wrap"), None)
    if wrapped:
        yield ""
        yield f"  penstock stands for {_launcher(wrapped)}"


def _summary(plan: Plan, changed: int) -> str:
    if not changed:
        return "Nothing to change."
    total = len(plan.changes)
    count = f"{changed} of {total} servers" if total > 1 else "1 server"
    if any(change.action == "unwrap" for change in plan.changes):
        return f"No longer behind Penstock: {count}."
    profile = f", with the limits of {plan.host}" if plan.host else ""
    return f"Behind Penstock: {count}{profile}."


def _name(change: Change) -> str:
    return f"{change.name} (in {change.project})" if change.project else change.name


def _started(entry: Mapping[str, Any]) -> str:
    """Return the command line or the URL of a server, and where its headers are."""
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
    """Return the words before `run`."""
    leading = takewhile(lambda word: word != "run", wrapped["args"])
    return shlex.join([wrapped["command"], *leading])


def _shown(line: str) -> str:
    """Escape characters that a terminal would obey."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in line)
