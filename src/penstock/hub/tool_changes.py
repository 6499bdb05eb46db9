"""How the tools of a server differ from those that it listed before: a change of what agents are told
is how a server is turned against its users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.json.surrogates import without_half_pairs
from penstock.hub.differences import Difference, difference
from penstock.wire import messages

_MOST_CHANGES: Final = 100  # of one server: one that changes without end hides none of another
_MOST_DROPPED: Final = 500  # tools of one server
_MOST_DROPPED_BYTES: Final = 1_000_000
# The members of a tool that tell an agent what it does, how to call it, and what it returns.
_TELLING: Final = ("description", "inputSchema", "annotations", "outputSchema")


class ToolChange(msgspec.Struct, frozen=True):
    """A known tool of a server has another description or schema than before."""

    server: str
    tool: str
    parts: dict[str, Difference]
    at: float  # seconds since 1970


Tools = Mapping[str, msgspec.Raw]  # by name


def named(tools: Sequence[msgspec.Raw]) -> list[tuple[str, msgspec.Raw]]:
    """Return tools with their names. One without a name cannot be called."""
    found = ((messages.text_of(messages.members_of(tool), "name"), tool) for tool in tools)
    return [(name, tool) for name, tool in found if name is not None]


def changes_between(
    server: str, before: Tools, after: Sequence[msgspec.Raw], now: float
) -> list[ToolChange]:
    """Compare the tools of two lists. Tools that are new, or gone, have not changed. A hostile server
    may list a tool twice."""
    found = []
    for name, tool in named(after):
        known = before.get(name)
        if known is None or bytes(known) == bytes(tool):
            continue
        parts = _different_parts(messages.members_of(known), messages.members_of(tool))
        if parts:
            found.append(ToolChange(server, without_half_pairs(name), parts, now))
    return found


def _different_parts(
    before: Mapping[str, msgspec.Raw], after: Mapping[str, msgspec.Raw]
) -> dict[str, Difference]:
    return {
        part: difference(_text(was), _text(is_now))
        for part in _TELLING
        if (was := messages.decoded(before.get(part)))
        != (is_now := messages.decoded(after.get(part)))
    }


def _text(part: Any) -> str:
    """Return a part of a tool as text."""
    if isinstance(part, str):
        return part
    return "" if part is None else rawjson.text(encode(part))


def dropped(earlier: Tools, listed: Tools) -> dict[str, msgspec.Raw]:
    """Return the earlier tools that are not listed now, of very many the latest. Otherwise a server
    could hide a change by listing nothing in between."""
    gone = [name for name in earlier if name not in listed][-_MOST_DROPPED:]
    sizes = accumulate(len(bytes(earlier[name])) for name in reversed(gone))
    fitting = sum(size <= _MOST_DROPPED_BYTES for size in sizes)
    return {name: earlier[name] for name in gone[len(gone) - fitting :]}


def latest(changes: Sequence[ToolChange]) -> list[ToolChange]:
    """Return the latest changes of each server, in their order."""
    counts: Counter[str] = Counter()
    kept = []
    for change in reversed(changes):
        counts[change.server] += 1
        if counts[change.server] <= _MOST_CHANGES:
            kept.append(change)
    return kept[::-1]


def each_once(changes: Sequence[ToolChange]) -> list[ToolChange]:
    """Return the changes in the order of their times, and once those that several processes saw."""
    last: dict[tuple[str, str], ToolChange] = {}
    found = []
    for change in sorted(changes, key=lambda change: change.at):
        before = last.get((change.server, change.tool))
        if before is None or before.parts != change.parts:
            last[change.server, change.tool] = change
            found.append(change)
    return found
