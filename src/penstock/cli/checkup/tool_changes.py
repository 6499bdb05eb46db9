"""The check for tools that servers describe in another way than before.

A server can be turned against its users by a change of what it tells agents. So each change is shown
for some days, and with the text that is new. After that, it is a remark.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from penstock.cli.checkup.findings import Finding, fine, warning
from penstock.hub.remembered import KnownServer
from penstock.hub.tool_changes import ToolChange
from penstock.wire import messages

DAYS: Final = 14
_MOST_SHOWN: Final = 5  # tools of one server
_SECONDS_A_DAY: Final = 86_400
_NEXT_STEP: Final = (
    "Read what is new before you use the server: a text that tells agents what to do can turn it "
    "against you. --json shows the whole tool. If you did not expect the change, remove the server. "
    f"This is shown for {DAYS} days."
)


def changed_tools(
    changes: Sequence[ToolChange], servers: Mapping[str, KnownServer], now: float
) -> Iterator[Finding]:
    """Return findings about the tools of these servers, which are given by name."""
    first = now - DAYS * _SECONDS_A_DAY
    for name, known in servers.items():
        own = [change for change in changes if change.server == name]
        recent = _by_tool([change for change in own if change.at >= first])
        told = list(recent.values())
        yield from (_changed(one, known) for one in told[:_MOST_SHOWN])
        if len(told) > _MOST_SHOWN:
            yield _more(name, told[_MOST_SHOWN:])
        older = [change for change in own if change.at < first and change.tool not in recent]
        if older:
            yield _remark(name, older)


def _by_tool(changes: Sequence[ToolChange]) -> dict[str, list[ToolChange]]:
    found: dict[str, list[ToolChange]] = {}
    for change in changes:
        found.setdefault(change.tool, []).append(change)
    return found


def _changed(changes: Sequence[ToolChange], known: KnownServer) -> Finding:
    """Tell the last change of a tool, and how many there were."""
    last = changes[-1]
    often = "" if len(changes) == 1 else f" {len(changes)} times, last"
    texts = "; ".join(
        f"its {part} was {one.was!r} and is {one.now!r}" for part, one in last.parts.items()
    )
    return warning(
        f"{last.server}: its tool {last.tool!r} has changed{often} on {_day(last.at)}: {texts}",
        _NEXT_STEP,
        server=last.server,
        tool=last.tool,
        changes=[
            {
                "at": change.at,
                "parts": {
                    part: {"was": one.was, "now": one.now} for part, one in change.parts.items()
                },
            }
            for change in changes
        ],
        definition=_definition(known, last.tool),
    )


def _more(server: str, tools: Sequence[Sequence[ToolChange]]) -> Finding:
    names = [changes[-1].tool for changes in tools]
    told = f"{server}: {len(names)} more of its tools have changed: {', '.join(map(repr, names))}"
    return warning(told, _NEXT_STEP, server=server, tools=names)


def _remark(server: str, changes: Sequence[ToolChange]) -> Finding:
    tools = sorted({change.tool for change in changes})
    last = _day(changes[-1].at)
    told = f"{server}: more than {DAYS} days ago, tools of it changed, last on {last}"
    return fine(f"{told}: {', '.join(map(repr, tools))}", server=server, tools=tools)


def _definition(known: KnownServer, tool: str) -> str | None:
    """Return a tool as the server lists it now, as JSON text."""
    for item in known.lists.get("tools", []):
        if messages.text_of(messages.members_of(item), "name") == tool:
            return bytes(item).decode(errors="replace")
    return None


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at))
