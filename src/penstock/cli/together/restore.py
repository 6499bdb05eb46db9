"""The plan to put the servers of one entry back into the config. This module writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from penstock.cli.options import UsageError
from penstock.cli.together.moving import Config, config_in, given_back, read_servers_of
from penstock.cli.together.one_entry import OneEntry
from penstock.cli.together.places import CannotMove, PlacedServer
from penstock.cli.together.rules import is_wrapped
from penstock.cli.wrapping.entries import understand
from penstock.cli.wrapping.failures import ConfigError
from penstock.cli.wrapping.files import original_of
from penstock.cli.wrapping.formats import Format, format_of
from penstock.cli.wrapping.plan import Change, FileBeside, Plan
from penstock.cli.wrapping.tree import plain

_CORRECT: Final = "Correct that and try again; nothing was changed."


def plan_apart(text: str, path: Path, left_out: Collection[str] = ()) -> Plan | None:
    """Plan to put the servers back that `plan_together` has moved. Return None if there are none,
    or if `left_out` names their entry."""
    form = format_of(path)
    config = _read(text, form)
    if config is None:
        return None
    try:
        one = config.one_entry()
        if one is None or one.server.name in left_out:
            return None
        _check_left_out(one, left_out)
        kept = read_servers_of(one, path, form)
        made = given_back(config, one, kept)
        _check_values(config, one, kept, made)
    except CannotMove as error:
        raise ConfigError(path, str(error), next_step=_CORRECT) from error
    is_own = original_of(one.path).resolve() == path.resolve()
    servers = FileBeside(one.path, kept.source.text, None if is_own else kept.source.text)
    return Plan(
        path=path,
        title=form.title,
        host=None,
        original=text,
        text=made,
        changes=tuple(_changes(config, one, kept, form)),
        servers_file=servers,
        notes=tuple(_notes(one, kept, is_own=is_own)),
    )


def _read(text: str, form: Format) -> Config | None:
    """Return the config, or None: whatever undoes another change says what is wrong with it."""
    try:
        return config_in(text, form)
    except CannotMove:
        return None


def _notes(one: OneEntry, kept: Config, *, is_own: bool) -> Iterator[str]:
    if is_own:
        yield f"{one.path} becomes a backup."
    else:
        yield f"{one.path} belongs to another config, and stays as it is."
    others = [name for name, value in kept.rest.items() if value]
    if others:
        yield f"It has more than servers, which does not come back: {', '.join(others)}"


def _check_left_out(one: OneEntry, left_out: Collection[str]) -> None:
    if left_out:
        raise UsageError(
            f"The servers behind {one.server.name!r} come back together.",
            next_step="Undo without --except.",
        )


def _changes(config: Config, one: OneEntry, kept: Config, form: Format) -> list[Change]:
    before = plain(one.server.member.value)
    back = [
        Change(name=name, project="", action="unwrap", before=before, after=entry)
        for name, entry in kept.in_order
    ]
    return back + [_left(server, form) for server in config.servers if server != one.server]


def _left(server: PlacedServer, form: Format) -> Change:
    alone = is_wrapped(understand(server.member.value, form))
    entry = plain(server.member.value)
    reason = "behind a Penstock of its own; undo again" if alone else "not behind Penstock"
    return Change(
        name=server.name, project="", action="leave", before=entry, after=entry, reason=reason
    )


def _check_values(config: Config, one: OneEntry, kept: Config, made: str) -> None:
    """Refuse a change after which a server, or anything else, would have other values."""
    after = config_in(made, config.form)
    here = [
        (server.name, plain(server.member.value))
        for server in config.servers
        if server != one.server
    ]
    new = [one for one in here if one not in kept.values]
    if after.values != sorted([*kept.values, *new], key=repr) or after.rest != config.rest:
        raise CannotMove(f"its settings and those in {one.path} cannot be put together")
