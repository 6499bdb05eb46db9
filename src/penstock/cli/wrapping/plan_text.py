"""A plan as text for the user."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from penstock.cli.auditing.list_costs import Balance, Measured, cost_told, total
from penstock.cli.terminal import printable
from penstock.cli.wrapping.entries import URL_KEYS
from penstock.cli.wrapping.invocation import recognise
from penstock.cli.wrapping.plan import Change, Plan
from penstock.relay.secret_urls import shown_url
from penstock.relay.secret_words import shown_words
from penstock.relay.target import HEADERS_VARIABLE, URL_VARIABLE


def describe(
    plan: Plan, costs: Mapping[int, Measured] | None = None, together: Balance | None = None
) -> str:
    """Return how each server starts before and after, and why others stay as they are. `costs` are
    those of lists, by the number of the change. `together` is that of one list of all servers.

    Values of headers and of the environment are not shown, nor are secrets in URLs and arguments:
    people share what terminals print.
    """
    return "\n".join(map(printable, _lines(plan, costs or {}, together)))


def _lines(plan: Plan, costs: Mapping[int, Measured], together: Balance | None) -> Iterator[str]:
    numbered = [(n, change) for n, change in enumerate(plan.changes) if change.action != "leave"]
    changed = [change for _, change in numbered]
    yield f"{plan.title}: {plan.path}"
    yield _summary(plan, len(changed))
    for number, change in numbered:
        yield ""
        yield f"  {_name(change)}"
        yield f"    now    {_started(change.before)}"
        if change.action != "gather":
            yield f"    then   {_started(change.after)}"
        if number in costs:
            yield f"    list   {_cost(change, costs[number])}"
    known = sum(isinstance(cost, Balance) for cost in costs.values())
    # A sum that leaves a list out must say so.
    part = "" if known == len(costs) else f"{known} of {len(costs)} servers"
    yield from _one_entry(changed, together, part)
    yield from _unchanged(plan)
    if not together and known > 1:
        yield ""
        measured = f" ({part})" if part else ""
        yield f"  All lists that were measured{measured}: {cost_told(total([*costs.values()]))}"
    behind = next((change.after for change in changed if change.action in ("wrap", "gather")), None)
    if behind:
        yield ""
        yield f"  penstock stands for {_launcher(behind)}"
    for note in plan.notes:
        yield ""
        yield f"  {note}"


def _one_entry(changed: Sequence[Change], together: Balance | None, part: str) -> Iterator[str]:
    """Describe the entry that takes the place of several servers, if there is one. `part`: the
    servers whose lists are known, if some are not."""
    entry = next((change.after for change in changed if change.action == "gather"), None)
    if entry is None:
        return
    yield ""
    yield "  one entry in their place"
    yield f"    then   {_started(entry)}"
    if together:
        yield f"    list   {f'of {part}: ' if part else ''}{cost_told(together)}"
    elif part:
        yield "    list   not measured: no server has listed its tools"


def _unchanged(plan: Plan) -> Iterator[str]:
    left = [change for change in plan.changes if change.action == "leave"]
    if left:
        yield ""
        yield "  Not changed:"
    for change in left:
        yield f"    {_name(change)}: {change.reason}"


def _cost(change: Change, cost: Measured) -> str:
    """Say what a list costs. Behind the one entry, a server has no list of its own."""
    if change.action == "gather" and isinstance(cost, Balance):
        return f"{cost.before:,} tokens now"
    return cost_told(cost)


def _summary(plan: Plan, changed: int) -> str:
    if not changed:
        return "Nothing to change."
    total = len(plan.changes)
    count = f"{changed} of {total} servers" if total > 1 else "1 server"
    if any(change.action == "unwrap" for change in plan.changes):
        return f"To be taken from behind Penstock: {count}."
    profile = f", with the limits of {plan.host}" if plan.host else ""
    if any(change.action == "gather" for change in plan.changes):
        return f"To be put together behind one Penstock: {count}{profile}."
    return f"To be put behind Penstock: {count}{profile}."


def _name(change: Change) -> str:
    return f"{change.name} (in {change.project})" if change.project else change.name


def _started(entry: Any) -> str:
    """Return the command line or the URL of a server, and where its headers are."""
    if not isinstance(entry, Mapping):
        return "an entry that is not a table"
    address = next((shown_url(str(entry[key])) for key in URL_KEYS if key in entry), None)
    if address is not None:
        stated = entry.get("headers") or entry.get("http_headers")
        headers = ", ".join(stated) if isinstance(stated, Mapping) else ""
        return f"{address} ({headers})" if headers else address
    command, args = entry.get("command"), entry.get("args", [])
    if not isinstance(command, str) or not isinstance(args, list):
        return "an entry without a command and a URL"
    penstock = recognise(command, args)
    words = ["penstock", *penstock.told] if penstock else [command, *args]
    line = shlex.join(shown_words(list(map(str, words))))
    environment = entry.get("env") or ()
    places = {"URL": URL_VARIABLE, "headers": HEADERS_VARIABLE}
    moved = [f"{what} in {name}" for what, name in places.items() if name in environment]
    return f"{line} ({', '.join(moved)})" if penstock and moved else line


def _launcher(wrapped: Mapping[str, Any]) -> str:
    """Return the words before `run`."""
    leading = takewhile(lambda word: word != "run", wrapped["args"])
    return shlex.join([wrapped["command"], *leading])
