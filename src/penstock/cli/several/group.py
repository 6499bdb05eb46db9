"""The servers of a file as a group: those that the user has selected."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from penstock.cli.several.itself import identity_of, inside
from penstock.cli.several.members import Group, member
from penstock.cli.several.servers_file import WrittenServer, read_servers
from penstock.cli.wrapping.failures import NoServers
from penstock.cli.wrapping.files import is_servers_file
from penstock.errors import PenstockError
from penstock.log import logger
from penstock.relay.hub.group import GroupedServer, ServerGroup


class NoSuchServer(PenstockError):
    """The file has no server of this name."""


def read_group(
    path: Path,
    *,
    selected: Sequence[str] = (),
    results_to: Collection[str] = (),
    environment: Mapping[str, str] = os.environ,
    folder: Path | None = None,
) -> ServerGroup:
    """Return the servers of a file, or the `selected` ones. Those of projects must be for `folder`,
    by default the working folder. `results_to` names remote servers that may receive results."""
    group_inside = inside(path, environment)
    here = folder or Path.cwd()
    file = read_servers(path, here)
    _warn_of_unknown(results_to, path, file.servers)
    # The host that has started us would have started the servers in the same folder.
    started_in = str(here) if is_servers_file(path) else None
    group = Group(file, path, group_inside, environment, started_in)
    found = _each_identity_once(
        [member(one, group, takes_results=one.name in results_to) for one in file.servers]
    )
    names = _selected(path, file.servers, selected)
    return ServerGroup(
        identity_of(path),
        file.path.name,
        tuple(one for one in found if one.member.name in names),
        {one.member.name: "" if one.fault else one.member.identity for one in found},
    )


def _selected(path: Path, servers: Sequence[WrittenServer], chosen: Sequence[str]) -> set[str]:
    is_off = {one.name: one.is_off for one in servers}
    for name in chosen:
        if name not in is_off:
            step = f"Its servers: {_listed(is_off)}."
            raise NoSuchServer(f"{path} has no server {name!r}.", next_step=step)
        if is_off[name]:
            step = "Switch it on there, or leave it out."
            raise NoSuchServer(f"{name!r} is switched off in {path}.", next_step=step)
    names = {name for name in chosen or is_off if not is_off[name]}
    if not names:
        raise NoServers(path, "All of its servers are switched off")
    return names


def _warn_of_unknown(names: Collection[str], path: Path, servers: Sequence[WrittenServer]) -> None:
    """Warn of names that no server has. They are not refused, because one `penstock.toml` holds for
    all files of servers."""
    known = {one.name for one in servers}
    for name in names:
        if name not in known:
            logger().warning("results_to names %r, which is no server of %s", name, path)


def _listed(names: Collection[str]) -> str:
    return ", ".join(name if name.isprintable() else repr(name) for name in names)


def _each_identity_once(found: Sequence[GroupedServer]) -> list[GroupedServer]:
    """Give two servers that are configured alike different identities."""
    taken: set[str] = set()
    told = []
    for one in found:
        known = one.member
        if known.identity in taken:
            named = hashlib.sha256(f"{known.identity}\0{known.name}".encode()).hexdigest()[:32]
            one = msgspec.structs.replace(  # noqa: PLW2901 (the same server, renamed)
                one, member=msgspec.structs.replace(known, identity=named)
            )
        taken.add(one.member.identity)
        told.append(one)
    return told
