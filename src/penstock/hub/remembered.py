"""Facts about servers from earlier runs: their lists, the names of what they list, and how their
tools have changed. A carrier keeps them in a file."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec

from penstock.hub.kinds import NAMED_BY, Kind
from penstock.hub.names import Names, Table
from penstock.wire import messages

FORMAT: Final = 1
_MOST_CHANGES: Final = 200
# The members of a tool that tell an agent what it does and how to call it.
_TELLING: Final = ("description", "inputSchema", "annotations")


class KnownServer(msgspec.Struct):
    """Facts that a server gave when it was last asked."""

    name: str
    era: str = ""
    learnt_at: float = 0.0  # seconds since 1970
    capabilities: dict[str, Any] = {}
    info: dict[str, Any] = {}
    instructions: str = ""
    lists: dict[str, list[msgspec.Raw]] = {}


class ToolChange(msgspec.Struct, frozen=True):
    """A known tool of a server has another description or schema than before."""

    server: str
    tool: str
    parts: tuple[str, ...]
    at: float  # seconds since 1970


class _File(msgspec.Struct):
    format: int
    servers: dict[str, KnownServer]
    names: dict[str, Table]
    changes: list[ToolChange]


class Remembered:
    """The known facts about all servers of one front, by the identity of each configuration."""

    def __init__(self, file: _File | None = None) -> None:
        self.servers: dict[str, KnownServer] = {} if file is None else file.servers
        self.names = Names(None if file is None else file.names)
        self.changes: list[ToolChange] = [] if file is None else file.changes
        self._lock = threading.Lock()

    @classmethod
    def read(cls, data: bytes) -> Remembered:
        """Read what `encoded` made. Raise ValueError for anything else."""
        try:
            file = msgspec.json.decode(data, type=_File)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"not a list of known servers: {error}") from error
        if file.format != FORMAT:
            raise ValueError(f"written in format {file.format} by another version")
        return cls(file)

    def encoded(self) -> bytes:
        with self._lock:
            return msgspec.json.encode(_File(FORMAT, self.servers, self.names.tables, self.changes))

    def server(self, identity: str, name: str) -> KnownServer:
        with self._lock:
            return self.servers.setdefault(identity, KnownServer(name))

    def keep_only(self, identities: Collection[str], names: Collection[str]) -> None:
        """Forget servers that the user has removed or configured in another way."""
        with self._lock:
            for identity in self.servers.keys() - set(identities):
                del self.servers[identity]
        self.names.keep_only(names)

    def learn(
        self, known: KnownServer, kind: Kind, items: Sequence[msgspec.Raw], now: float
    ) -> list[ToolChange]:
        """Take over a list as a server gives it now. Return how known tools have changed."""
        with self._lock:
            before = known.lists.get(kind, [])
            changes = _changes(known.name, before, items, now) if kind == "tools" else []
            known.lists = {**known.lists, kind: list(items)}
            known.learnt_at = now
            self.changes = [*self.changes, *changes][-_MOST_CHANGES:]
        return changes


def _changes(
    server: str, before: Sequence[msgspec.Raw], after: Sequence[msgspec.Raw], now: float
) -> list[ToolChange]:
    """Compare the tools of two lists. Tools that are new, or gone, have not changed."""
    if list(map(bytes, before)) == list(map(bytes, after)):
        return []
    earlier = {messages.text_of(tool, "name"): tool for tool in map(messages.members_of, before)}
    found = []
    for tool in map(messages.members_of, after):
        name = messages.text_of(tool, NAMED_BY["tools"])
        known = earlier.get(name)
        if name is None or known is None:
            continue
        parts = tuple(
            part
            for part in _TELLING
            if messages.decoded(known.get(part)) != messages.decoded(tool.get(part))
        )
        if parts:
            found.append(ToolChange(server, name, parts, now))
    return found
