"""The names under which a client knows the tools, prompts and resources of several servers.

A name that one server alone has stays as it is. If several servers have it, each gets a name with
its server's name in front. A name that was given once is kept: the table of names is saved, so it
does not depend on which servers are up. A server that comes later with a name that is taken is the
only one that is renamed.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count
from typing import Final

import msgspec

from penstock.hub.kinds import Kind

LONGEST: Final = 64  # characters of a name: some hosts refuse longer ones
_LONGEST_SLUG: Final = 24
_DIGEST: Final = 8
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_-]+")
_URI: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:)(//)?(.*)", re.DOTALL)


class Home(msgspec.Struct, frozen=True, array_like=True):
    """The server that has something, and the name that it has there."""

    server: str
    name: str


Table = dict[str, Home]


class Names:
    """A table for each kind, from a client's names to homes."""

    def __init__(self, tables: Mapping[str, Table] | None = None) -> None:
        self.tables: dict[str, Table] = {
            kind: dict(table) for kind, table in (tables or {}).items()
        }
        self._common = {kind: _turned(table) for kind, table in self.tables.items()}
        self._claiming = threading.Lock()  # the sessions of `penstock serve` share one table

    def home(self, kind: Kind, common: str) -> Home | None:
        return self.tables.get(kind, {}).get(common)

    def common(self, kind: Kind, server: str, name: str) -> str:
        """Return the client's name for what a server calls `name`. Return `name` if it is unknown."""
        return self._common.get(kind, {}).get(Home(server, name), name)

    def spellings(self, kind: Kind, name: str, servers: Collection[str]) -> list[str]:
        """Return the names under which these servers' things of this name are known."""
        given = self._given(kind)
        return [common for common, home in given if home.name == name and home.server in servers]

    def renamed(self, kind: Kind, server: str) -> dict[str, str]:
        """Return the client's names for a server's things that have another name there."""
        given = self._given(kind)
        return {
            home.name: common
            for common, home in given
            if home.server == server and home.name != common
        }

    def _given(self, kind: Kind) -> list[tuple[str, Home]]:
        """Return a copy of a table: other sessions may give names meanwhile."""
        return list(self.tables.get(kind, {}).items())

    def claim(self, kind: Kind, listed: Mapping[str, Iterable[str]]) -> bool:
        """Give a name to everything that servers list and that has none. Return whether some was
        new."""
        with self._claiming:
            table = self.tables.setdefault(kind, {})
            known = self._common.setdefault(kind, {})
            new: dict[str, list[str]] = {}
            for server, names in listed.items():
                for name in dict.fromkeys(names):
                    if Home(server, name) not in known:
                        new.setdefault(name, []).append(server)
            for name, servers in new.items():
                stays = len(servers) == 1 and name not in table and _fits(kind, name)
                for server in servers:
                    common = name if stays else _free_name(kind, server, name, table)
                    table[common] = home = Home(server, name)
                    known[home] = common
            return bool(new)

    def after(self, earlier: Names) -> Names:
        """Return the names that were given earlier, and with them what only this table has. Such a
        thing gets another name if its own was given to something else."""
        joined = Names(earlier.tables)
        with self._claiming:
            for kind, table in self.tables.items():
                for common, home in table.items():
                    joined._give(kind, common, home)
        return joined

    def _give(self, kind: str, common: str, home: Home) -> None:
        known = self._common.setdefault(kind, {})
        if home in known:
            return
        table = self.tables.setdefault(kind, {})
        given = _free_name(kind, home.server, home.name, table) if common in table else common
        table[given], known[home] = home, given

    def count(self, kind: Kind, server: str) -> int:
        return sum(home.server == server for _, home in self._given(kind))

    def keep_only(self, kind: Kind, server: str, listed: Collection[str]) -> None:
        """Free the names of what a server no longer lists."""
        with self._claiming:
            kept = {
                name: home
                for name, home in self.tables[kind].items()
                if home.server != server or home.name in listed
            }
            self.tables[kind], self._common[kind] = kept, _turned(kept)

    def remove(self, servers: Collection[str]) -> None:
        """Free the names of servers that the user has removed."""
        with self._claiming:
            for kind, table in self.tables.items():
                kept = {name: home for name, home in table.items() if home.server not in servers}
                self.tables[kind], self._common[kind] = kept, _turned(kept)


def slug(server: str) -> str:
    """Return a server's name as a part of other names."""
    return _NOT_IN_NAMES.sub("_", server).strip("_")[:_LONGEST_SLUG] or "server"


def uri_with_server(uri: str, server: str) -> str:
    found = _URI.fullmatch(uri)
    if found is None:
        return f"{slug(server)}:{uri}"
    scheme, slashes, rest = found[1], found[2], found[3]
    return f"{scheme}//{slug(server)}/{rest}" if slashes else f"{scheme}{slug(server)}:{rest}"


def uri_without_server(uri: str, server: str) -> str | None:
    """Return the URI that `uri_with_server` was made from, or None if it was not made so."""
    found = _URI.fullmatch(uri)
    if found is not None:
        scheme, slashes, rest = found[1], found[2] or "", found[3]
        start = slug(server) + ("/" if slashes else ":")
        if rest.startswith(start):
            return scheme + slashes + rest.removeprefix(start)
    start = f"{slug(server)}:"
    return uri.removeprefix(start) if uri.startswith(start) else None


def _turned(table: Table) -> dict[Home, str]:
    return {home: common for common, home in table.items()}


def _is_uri(kind: str) -> bool:
    return kind in ("resources", "resourceTemplates")


def _fits(kind: Kind, name: str) -> bool:
    return _is_uri(kind) or len(name) <= LONGEST


def _free_name(kind: str, server: str, name: str, taken: Collection[str]) -> str:
    names = uris_for(server, name) if _is_uri(kind) else _names_for(server, name)
    return next(made for made in names if made not in taken)


def _names_for(server: str, name: str) -> Iterator[str]:
    """Yield names that begin with the server's. A hostile server may have listed some of them."""
    made = f"{slug(server)}_{name}"
    if len(made) <= LONGEST:
        yield made
    for end in _ends():
        yield f"{made[: LONGEST - _DIGEST - 1]}_{_digest(f'{server} {name}{end}')}"


def uris_for(server: str, uri: str) -> Iterator[str]:
    """Yield URIs that have the server's name in them. Some may be taken."""
    yield uri_with_server(uri, server)
    for end in _ends():
        yield uri_with_server(uri, f"{_digest(f'{server}{end}')}-{server}")


def _ends() -> Iterator[str]:
    return (f" {number}" if number else "" for number in count())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
