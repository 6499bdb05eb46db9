"""How the tools of a server differ from those that it listed before: a change of what agents are told
is how a server is turned against its users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.json.surrogates import without_half_pairs
from penstock.hub.differences import Difference, difference
from penstock.wire import messages

_MOST_CHANGES: Final = 100  # of one server: one that changes without end hides none of another
_MOST_DROPPED: Final = 1_000_000  # bytes of one server
# The members of a tool that tell an agent what it does, how to call it, and what it returns.
_TELLING: Final = ("description", "inputSchema", "annotations", "outputSchema")


class ToolChange(msgspec.Struct, frozen=True):
    """A known tool of a server has another description or schema than before."""

    server: str
    tool: str
    parts: dict[str, Difference]
    at: float  # seconds since 1970


def changes_between(
    server: str, before: Sequence[msgspec.Raw], after: Sequence[msgspec.Raw], now: float
) -> list[ToolChange]:
    """Compare the tools of two lists. Tools that are new, or gone, have not changed."""
    if list(map(bytes, before)) == list(map(bytes, after)):
        return []
    earlier = {_name_of(tool): tool for tool in before}
    found = []
    for tool in after:
        name = _name_of(tool)
        known = earlier.get(name)
        if name is None or known is None or bytes(known) == bytes(tool):
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


def _name_of(tool: msgspec.Raw) -> str | None:
    return messages.text_of(messages.members_of(tool), "name")


def dropped(earlier: Sequence[msgspec.Raw], listed: Sequence[msgspec.Raw]) -> list[msgspec.Raw]:
    """Return the earlier tools that are not listed now, of very many the latest. Otherwise a server
    could hide a change by listing nothing in between."""
    names = set(map(_name_of, listed))
    last = {name: tool for tool in earlier if (name := _name_of(tool)) not in names}
    kept, size = [], 0
    for tool in reversed(last.values()):
        size += len(bytes(tool))
        if size > _MOST_DROPPED:
            break
        kept.append(tool)
    return kept[::-1]


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
