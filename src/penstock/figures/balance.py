"""The balance of each server: what a model would have read without Penstock, and what it read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from penstock.figures.rows import CallFigures, ListFigures


class ServerBalance(msgspec.Struct, frozen=True):
    """The figures of one server, with its tools in the order of the tokens saved."""

    name: str
    tools: Sequence[tuple[str, CallFigures]]
    lists: ListFigures = msgspec.field(default_factory=ListFigures)
    # It is one of several behind one Penstock, and shares their list.
    is_member: bool = False
    # The servers that share this list. Its cost and their savings are one account.
    members: Sequence[ServerBalance] = ()

    @property
    def raw(self) -> int:
        return self.lists.raw + self.lists.greeting_raw + sum(row.raw for _, row in self.tools)

    @property
    def saved(self) -> int:
        return self.lists.saved + sum(row.saved for _, row in self.tools)

    @property
    def costs_more(self) -> bool:
        """Whether a model has read more than without Penstock. It cannot be told of one member."""
        return not self.is_member and self.saved + sum(one.saved for one in self.members) < 0

    @property
    def sent(self) -> int:
        return self.raw - self.saved

    @property
    def has_estimates(self) -> bool:
        return bool(self.lists.estimated or any(row.estimated for _, row in self.tools))

    def as_json(self) -> dict[str, Any]:
        tools = [
            {"name": tool, **msgspec.structs.asdict(row), "saved": row.saved}
            for tool, row in self.tools
        ]
        lists = {**msgspec.structs.asdict(self.lists), "saved": self.lists.saved}
        members = [one.name for one in self.members]
        return {
            "name": self.name,
            **sums([self]),
            "list": lists,
            "tools": tools,
            "members": members,
        }


def balances(
    calls: Mapping[tuple[str, str], CallFigures],
    lists: Mapping[str, ListFigures],
    members: Iterable[tuple[str, str]] = (),
) -> list[ServerBalance]:
    """Return the balance of each server, those that saved most first. `members` has each front with
    each server behind it."""
    names = dict.fromkeys([*(server for server, _ in calls), *lists])
    found = [
        ServerBalance(
            name,
            sorted(
                ((tool, row) for (server, tool), row in calls.items() if server == name),
                key=lambda one: (-one[1].saved, one[0]),
            ),
            lists.get(name, ListFigures()),
        )
        for name in names
    ]
    return _grouped(sorted(found, key=lambda server: (-server.saved, server.name)), {*members})


def _grouped(
    found: Sequence[ServerBalance], members: Collection[tuple[str, str]]
) -> list[ServerBalance]:
    behind = {server for _, server in members}
    return [
        msgspec.structs.replace(
            one,
            is_member=one.name in behind,
            members=[other for other in found if (one.name, other.name) in members],
        )
        for one in found
    ]


def sums(servers: Sequence[ServerBalance]) -> dict[str, int]:
    """Return the tokens of all these servers together."""
    return {
        "raw": sum(server.raw for server in servers),
        "sent": sum(server.sent for server in servers),
        "saved": sum(server.saved for server in servers),
    }
