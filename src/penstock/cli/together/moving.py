"""A config as the servers of it move: its text, its tables, and the one entry if it has one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from penstock.cli.together import json_tables, toml_sections
from penstock.cli.together.json_tables import is_stub
from penstock.cli.together.one_entry import OneEntry, find_one
from penstock.cli.together.places import (
    CannotMove,
    PlacedServer,
    ServerTable,
    places_in,
    servers_in,
)
from penstock.cli.wrapping.failures import ConfigError, Unreadable
from penstock.cli.wrapping.files import backups_of, read
from penstock.cli.wrapping.formats import Format
from penstock.cli.wrapping.literals import TOML
from penstock.cli.wrapping.text_edits import ConfigText
from penstock.cli.wrapping.tree import TreeTable, plain


class Config(NamedTuple):
    """A text with servers: a host's config, or the file of servers beside it."""

    source: ConfigText
    root: TreeTable
    form: Format
    places: list[ServerTable]

    @property
    def servers(self) -> list[PlacedServer]:
        return list(servers_in(self.places))

    @property
    def is_toml(self) -> bool:
        return self.form.dialect is TOML

    @property
    def in_order(self) -> list[tuple[str, Any]]:
        """The names and values of the servers, without stubs."""
        found = [(one.name, plain(one.member.value)) for one in self.servers]
        return [(name, value) for name, value in found if not is_stub(value)]

    @property
    def values(self) -> list[tuple[str, Any]]:
        """The same in an order that does not depend on the text."""
        return sorted(self.in_order, key=repr)

    @property
    def rest(self) -> Any:
        """Everything else in the config."""
        values = plain(self.root)
        for place in self.places:
            *outer, last = place.way
            table = values
            for step in outer:
                table = table[step]
            table.pop(last)
        return values

    def one_entry(self) -> OneEntry | None:
        found = find_one(self.places)
        if len(found) > 1:
            names = " and ".join(repr(one.server.name) for one in found)
            raise CannotMove(f"{names} both run files of servers; remove one of these entries")
        return found[0] if found else None


def config_in(text: str, form: Format) -> Config:
    source = ConfigText(text, form.dialect)
    try:
        root = form.dialect.scan(text)
    except Unreadable as error:
        raise CannotMove(str(error)) from error
    return Config(source, root, form, places_in(root, form))


def read_servers_of(one: OneEntry, path: Path, form: Format) -> Config:
    """Read the file of servers that the one entry of a config runs."""
    if not one.path.exists():
        raise ConfigError(
            one.path,
            f"There is no such file, but the entry {one.server.name!r} of {path} runs its servers",
            next_step=_way_back(one, path),
        )
    try:
        return config_in(read(one.path), form)
    except CannotMove as error:
        raise ConfigError(one.path, str(error)) from error


def _way_back(one: OneEntry, path: Path) -> str:
    for backup in backups_of(path):
        text = backup.read_text("utf-8", errors="replace")
        if one.path.name not in text:
            return f"Put the file back, or copy the backup {backup} over {path}."
    return (
        f"Put the file back, or remove {one.server.name!r} and add the servers in the host again."
    )


def given_back(config: Config, one: OneEntry, kept: Config) -> str:
    """Return the text of a config with its servers in place of the one entry."""
    one = config.one_entry() or one  # its position, if the text has changed
    if not config.is_toml:
        return json_tables.give_back(
            config.source, kept.source, config.places, kept.places, one.server
        )
    again = _doubles(config, one, kept)
    if again:
        text = toml_sections.removed(config.source, config.root, again)
        return given_back(config_in(text, config.form), one, kept)
    _check_section(one.server)
    return toml_sections.give_back(config.source, config.root, one.server.member, kept.source)


def _doubles(config: Config, one: OneEntry, kept: Config) -> list[Any]:
    """Return the servers that both files have alike. Refuse two that differ."""
    known = dict(kept.values)
    both = [server for server in config.servers if server.name in known and server != one.server]
    for server in both:
        if plain(server.member.value) != known[server.name]:
            raise CannotMove(f"it has another server {server.name!r} than the file of servers")
        _check_section(server)
    return [server.member for server in both]


def _check_section(server: PlacedServer) -> None:
    if not toml_sections.is_section(server.member):
        raise CannotMove(f"its {server.name!r} is not written as a section of its own")


def taken_out(
    config: Config,
    taken: Sequence[PlacedServer],
    name: str,
    entry: Sequence[tuple[str, str]],
) -> tuple[str, str]:
    """Return the text of a config with the one entry, and the text of the file of servers."""
    if not config.is_toml:
        return json_tables.take(config.source, config.places, taken, name, entry)
    members = [server.member for server in taken]
    way = taken[0].place.way
    return toml_sections.take(config.source, config.root, members, way, name, entry)


def added(config: Config, taken: Collection[PlacedServer], kept: Config) -> tuple[str, str]:
    """Return both texts after further servers have moved."""
    if not config.is_toml:
        return json_tables.add(config.source, kept.source, kept.places, list(taken))
    known = dict(kept.values)
    new = [server.member for server in taken if server.name not in known]
    again = [server.member for server in taken if server.name in known]
    text, servers = toml_sections.add(config.source, config.root, new, kept.source)
    if again:
        text = toml_sections.removed(config.source, config.root, [*new, *again])
    return text, servers
