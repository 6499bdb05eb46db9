"""Facts about servers from earlier runs: their lists, the names of what they list, and how their
tools have changed. A carrier keeps them in a file."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.json.surrogates import without_half_pairs
from penstock.hub.differences import Difference, difference
from penstock.hub.kinds import KINDS, NAMED_BY, Kind
from penstock.hub.links import widget_of
from penstock.hub.names import Names, Table
from penstock.wire import messages

FORMAT: Final = 1
_MOST_CHANGES: Final = 100  # of one server: one that changes without end hides none of another
_MOST_OLD_NAMES: Final = 1_000  # of one server, in each table
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
    parts: dict[str, Difference]
    at: float  # seconds since 1970


class _File(msgspec.Struct):
    format: int
    servers: dict[str, KnownServer]  # without their lists
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
                identity: msgspec.structs.replace(known, lists={})
                for identity, known in self.servers.items()
            }
            lists = {identity: _texts(known) for identity, known in self.servers.items()}
            file = _File(FORMAT, bare, lists, self.names.tables, self.changes)
            return json.dumps(msgspec.to_builtins(file), separators=(",", ":")).encode()

    def server(self, identity: str, name: str) -> KnownServer:
        with self._lock:
            return self.servers.setdefault(identity, KnownServer(name))

    def keep_only(self, identities: Collection[str], names: Collection[str]) -> None:
        """Forget servers that the user has removed or configured in another way."""
        with self._lock:
            named = {home.server for table in self.names.tables.values() for home in table.values()}
            self._removed.identities.update(self.servers.keys() - set(identities))
            self._removed.names.update(named - set(names))
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
            joined.changes = _latest(_each_once([*saved.changes, *self.changes]))
        return joined

    def learn(
        self, known: KnownServer, kind: Kind, items: Sequence[msgspec.Raw], now: float
    ) -> list[ToolChange]:
        """Take over a list as a server gives it now. Return how known tools have changed."""
        with self._lock:
            before = known.lists.get(kind, [])
            changes = _changes(known.name, before, items, now) if kind == "tools" else []
            known.lists = {**known.lists, kind: list(items)}
            known.learnt_at = now
            _forget_old_names(self.names, known)
            self.changes = _latest([*self.changes, *changes])
        return changes


def _forget_old_names(names: Names, known: KnownServer) -> None:
    """Free names of what a server no longer lists, if there are many: a server may rename what it
    lists without end."""
    for kind in KINDS:
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
    return msgspec.structs.replace(newer, lists={**older.lists, **newer.lists})


def _each_once(changes: Sequence[ToolChange]) -> list[ToolChange]:
    """Return the changes in the order of their times, and once those that several processes saw."""
    last: dict[tuple[str, str], ToolChange] = {}
    found = []
    for change in sorted(changes, key=lambda change: change.at):
        before = last.get((change.server, change.tool))
        if before is None or before.parts != change.parts:
            last[change.server, change.tool] = change
            found.append(change)
    return found


def _texts(known: KnownServer) -> dict[str, list[str]]:
    return {
        kind: [bytes(item).decode(errors="replace") for item in items]
        for kind, items in known.lists.items()
    }


def _servers(file: _File) -> dict[str, KnownServer]:
    for identity, known in file.servers.items():
        known.lists = {
            kind: [msgspec.Raw(item.encode(errors="replace")) for item in items]
            for kind, items in file.lists.get(identity, {}).items()
        }
    return file.servers


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
        parts = {
            part: difference(_text(was), _text(is_now))
            for part in _TELLING
            if (was := messages.decoded(known.get(part)))
            != (is_now := messages.decoded(tool.get(part)))
        }
        if parts:
            found.append(ToolChange(server, without_half_pairs(name), parts, now))
    return found


def _text(part: Any) -> str:
    """Return a part of a tool as text."""
    if isinstance(part, str):
        return part
    return "" if part is None else rawjson.text(encode(part))


def _latest(changes: Sequence[ToolChange]) -> list[ToolChange]:
    """Return the latest changes of each server, in their order."""
    counts: Counter[str] = Counter()
    kept = []
    for change in reversed(changes):
        counts[change.server] += 1
        if counts[change.server] <= _MOST_CHANGES:
            kept.append(change)
    return kept[::-1]
