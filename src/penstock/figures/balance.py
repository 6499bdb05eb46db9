"""The balance of each server: what a model would have read without Penstock, and what it read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from penstock.figures.rows import CallFigures, ListFigures


class ServerBalance(msgspec.Struct, frozen=True):
    """The figures of one server, with its tools in the order of the tokens saved."""

    name: str
    tools: Sequence[tuple[str, CallFigures]]
    lists: ListFigures = msgspec.field(default_factory=ListFigures)

    @property
    def raw(self) -> int:
        return self.lists.raw + self.lists.greeting_raw + sum(row.raw for _, row in self.tools)

    @property
    def saved(self) -> int:
        return self.lists.saved + sum(row.saved for _, row in self.tools)

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
        return {"name": self.name, **sums([self]), "list": lists, "tools": tools}


def balances(
    calls: Mapping[tuple[str, str], CallFigures], lists: Mapping[str, ListFigures]
) -> list[ServerBalance]:
    """Return the balance of each server, those that saved most first."""
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
    return sorted(found, key=lambda server: (-server.saved, server.name))


def sums(servers: Sequence[ServerBalance]) -> dict[str, int]:
    """Return the tokens of all these servers together."""
    return {
        "raw": sum(server.raw for server in servers),
        "sent": sum(server.sent for server in servers),
        "saved": sum(server.saved for server in servers),
    }
