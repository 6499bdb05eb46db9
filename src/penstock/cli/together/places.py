"""The tables of a config that hold servers for all projects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from penstock.cli.wrapping.formats import Format
from penstock.cli.wrapping.tree import TreeMember, TreeTable


class CannotMove(ValueError):
    """The servers of a config cannot be moved, for the reason that the error says."""


class ServerTable(NamedTuple):
    """A table of servers, and the keys that lead to it."""

    way: tuple[str, ...]
    table: TreeTable


class PlacedServer(NamedTuple):
    """The entry of one server in a table."""

    place: ServerTable
    member: TreeMember

    @property
    def name(self) -> str:
        return self.member.name


def places_in(root: TreeTable, form: Format) -> list[ServerTable]:
    found = (_at(root, way) for way in form.ways_for_all)
    return [place for place in found if place]


def servers_in(places: list[ServerTable]) -> Iterator[PlacedServer]:
    return (PlacedServer(place, member) for place in places for member in place.table.members)


def _at(root: TreeTable, way: tuple[str, ...]) -> ServerTable | None:
    table = root
    for step in way:
        found = [member for member in table.members if member.name == step]
        if len(found) > 1:
            raise CannotMove(f"it has `{step}` twice")
        if not found or not isinstance(found[0].value, TreeTable):
            return None
        table = found[0].value
    return ServerTable(way, table)
