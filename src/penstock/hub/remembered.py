"""Facts about servers from earlier runs: their lists, the names of what they list, and how their
tools have changed. A carrier keeps them in a file."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from penstock.hub.kinds import KINDS, NAMED_BY, Kind
from penstock.hub.links import widget_of
from penstock.hub.names import Names, Table
from penstock.hub.tool_changes import (
    ToolChange,
    changes_between,
    dropped,
    each_once,
    latest,
    named,
)
from penstock.wire import messages

FORMAT: Final = 1
_MOST_OLD_NAMES: Final = 1_000  # of one server, in each table
_DROPPED: Final = "dropped"  # in the file: the key of dropped tools among the lists


class KnownServer(msgspec.Struct):
    """Facts that a server gave when it was last asked."""

    name: str
    era: str = ""
    only: str = ""  # its era, if it has refused the other
    was_late: bool = False  # a list was waited for in vain, and none came since
    learnt_at: float = 0.0  # seconds since 1970
    capabilities: dict[str, Any] = {}
    info: dict[str, Any] = {}
    instructions: str = ""
    lists: dict[str, list[msgspec.Raw]] = {}
    dropped: dict[str, msgspec.Raw] = {}  # tools that it has listed before, by name


class _File(msgspec.Struct):
    format: int
    servers: dict[str, KnownServer]  # without their lists and dropped tools
    lists: dict[str, dict[str, list[str]]]  # of each server: the items as JSON texts
    names: dict[str, Table]
    changes: list[ToolChange]


class _Removed(NamedTuple):
    """Servers that the user had removed, or configured in another way, when the file was read."""

    identities: set[str]
    names: set[str]


class Remembered:
    """The known facts about all servers of one front, by the identity of each configuration."""

    def __init__(self, file: _File | None = None) -> None:
        self.servers: dict[str, KnownServer] = {} if file is None else _servers(file)
        self.names = Names(None if file is None else file.names)
        self.changes: list[ToolChange] = [] if file is None else file.changes
        self._removed = _Removed(set(), set())
        self._lock = threading.Lock()

    @classmethod
    def read(cls, data: bytes) -> Remembered:
        """Read what `encoded` made. Raise ValueError for anything else."""
        try:
            file = msgspec.convert(json.loads(data), type=_File)
        except (msgspec.ValidationError, ValueError, RecursionError) as error:
            raise ValueError(f"not a list of known servers: {error}") from error
        if file.format != FORMAT:
            raise ValueError(f"written in format {file.format} by another version")
        return cls(file)

    def encoded(self) -> bytes:
        """Return the facts as ASCII: servers may list texts with half of a character, which UTF-8
        cannot hold."""
        with self._lock:
            bare = {
                identity: msgspec.structs.replace(known, lists={}, dropped={})
                for identity, known in self.servers.items()
            }
            lists = {identity: _texts(known) for identity, known in self.servers.items()}
            file = _File(FORMAT, bare, lists, self.names.tables, self.changes)
            return json.dumps(msgspec.to_builtins(file), separators=(",", ":")).encode()

    def server(self, identity: str, name: str) -> KnownServer:
        with self._lock:
            known = self.servers.setdefault(identity, KnownServer(name))
            known.name = name  # The user may have renamed it.
            return known

    def keep_only(self, identities: Mapping[str, str]) -> None:
        """Forget servers that the user has removed or configured in another way. The `identities` are
        given by name. One is "" if it is not known, because the entry is at fault just now."""
        with self._lock:
            named = {home.server for table in self.names.tables.values() for home in table.values()}
            kept = set(identities.values())
            self._removed.identities.update(
                identity
                for identity, known in self.servers.items()
                if identity not in kept and identities.get(known.name) != ""
            )
            self._removed.names.update(named - identities.keys())
            self._forget(self._removed)

    def _forget(self, removed: _Removed) -> None:
        for identity in self.servers.keys() & removed.identities:
            del self.servers[identity]
        self.names.remove(removed.names)

    def joined(self, saved: Remembered) -> Remembered:
        """Return these facts and those that other processes have saved meanwhile. Of a server, the
        newer facts count. A name that is saved stays as it is. What this process has found removed
        is forgotten, also in `saved`."""
        joined = Remembered()
        with self._lock:
            saved._forget(self._removed)
            joined.servers = saved.servers | self.servers
            for identity in saved.servers.keys() & self.servers.keys():
                both = saved.servers[identity], self.servers[identity]
                joined.servers[identity] = _newer(*both)
            joined.names = self.names.after(saved.names)
            for known in joined.servers.values():
                _forget_old_names(joined.names, known)
            joined.changes = latest(each_once([*saved.changes, *self.changes]))
        return joined

    def learn(
        self, known: KnownServer, kind: Kind, items: Sequence[msgspec.Raw], now: float
    ) -> list[ToolChange]:
        """Take over a list as a server gives it now. Return how known tools have changed."""
        with self._lock:
            changes = _learn_tools(known, items, now) if kind == "tools" else []
            known.lists = {**known.lists, kind: list(items)}
            known.learnt_at = now
            _forget_old_names(self.names, known)
            self.changes = latest([*self.changes, *changes])
        return changes


def _learn_tools(known: KnownServer, items: Sequence[msgspec.Raw], now: float) -> list[ToolChange]:
    """Return how known tools have changed, and keep those that are no longer listed."""
    before = known.lists.get("tools", [])
    if list(map(bytes, before)) == list(map(bytes, items)):
        return []
    earlier = known.dropped | dict(named(before))
    known.dropped = dropped(earlier, dict(named(items)))
    return changes_between(known.name, earlier, items, now)


def _forget_old_names(names: Names, known: KnownServer) -> None:
    """Free names of what a server no longer lists, if there are many: a server may rename what it
    lists without end. One that has listed nothing yet may have a fault just now."""
    for kind in KINDS if known.lists else ():
        most = len(known.lists.get(kind, [])) + _MOST_OLD_NAMES
        if names.count(kind, known.name) > most:
            names.keep_only(kind, known.name, _names_in(known, kind))


def _names_in(known: KnownServer, kind: Kind) -> set[str]:
    """Return the names of what a server lists. The pages of widgets have names like resources."""
    items = map(messages.members_of, known.lists.get(kind, []))
    found = {messages.text_of(item, NAMED_BY[kind]) for item in items}
    if kind == "resources":
        found |= {widget_of(messages.members_of(tool)) for tool in known.lists.get("tools", [])}
    return {name for name in found if name is not None}


def _newer(saved: KnownServer, own: KnownServer) -> KnownServer:
    """Return the newer facts. A list that only the older ones have is kept."""
    older, newer = (own, saved) if saved.learnt_at > own.learnt_at else (saved, own)
    lists = {**older.lists, **newer.lists}
    earlier = older.dropped | dict(named(older.lists.get("tools", []))) | newer.dropped
    gone = dropped(earlier, dict(named(lists.get("tools", []))))
    return msgspec.structs.replace(newer, lists=lists, dropped=gone)


def _texts(known: KnownServer) -> dict[str, list[str]]:
    lists = {**known.lists, _DROPPED: list(known.dropped.values())}
    return {
        kind: [bytes(item).decode(errors="replace") for item in items]
        for kind, items in lists.items()
    }


def _servers(file: _File) -> dict[str, KnownServer]:
    for identity, known in file.servers.items():
        known.lists = {
            kind: [msgspec.Raw(item.encode(errors="replace")) for item in items]
            for kind, items in file.lists.get(identity, {}).items()
        }
        known.dropped = dict(named(known.lists.pop(_DROPPED, [])))
    return file.servers
