"""The plan to put the servers of a config together behind one entry. This module writes nothing."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from penstock.cli.together import one_entry
from penstock.cli.together.moving import (
    Config,
    added,
    config_in,
    given_back,
    read_servers_of,
    taken_out,
)
from penstock.cli.together.one_entry import OneEntry, needs_of
from penstock.cli.together.places import CannotMove, PlacedServer
from penstock.cli.together.rules import why_kept
from penstock.cli.together.toml_sections import is_section
from penstock.cli.wrapping.entries import Left, Local, understand
from penstock.cli.wrapping.failures import ConfigError
from penstock.cli.wrapping.files import read, servers_file_of
from penstock.cli.wrapping.formats import ConfiguredServer, Format, format_of
from penstock.cli.wrapping.invocation import (
    BEARER_VARIABLE,
    HEADER_VARIABLE,
    URL,
    Launcher,
    recognise,
)
from penstock.cli.wrapping.plan import Change, FileBeside, Plan, configured_servers
from penstock.cli.wrapping.text_edits import ConfigText
from penstock.cli.wrapping.tree import TreeMember, plain
from penstock.core.budget import hosts

_NAMED: Final = Left("--except names it")
_REPEATED: Final = Left("two servers of the config have this name")
_OF_PROJECT: Final = "it is for one project, and one entry is for all; without --together, it gets a Penstock of its own"
_NO_SECTION: Final = Left("its entry is not written as a section of its own, [mcp_servers.NAME]")
_CLASH: Final = Left("the file of servers has another server of this name; rename one of them")
_UNDO_FIRST: Final = "undo, and then wrap together again"
_ONE_BY_ONE: Final = "Put its servers behind Penstock one by one: penstock wrap CONFIG"
# The options that lead to a server, or that the one entry has too.
_KEPT_OPTIONS: Final = frozenset({URL, BEARER_VARIABLE, HEADER_VARIABLE, "--host"})


class _Gathering:
    """A config, the file of servers if there is one, and the rules for its servers."""

    def __init__(
        self,
        config: Config,
        path: Path,
        *,
        remote: bool,
        left_out: Collection[str],
    ) -> None:
        self.config = config
        self.path = path
        self.form = config.form
        self._remote = remote
        self._left_out = left_out
        self.one = config.one_entry()
        self.kept = read_servers_of(self.one, path, self.form) if self.one else None
        self._names = Counter(server.name for server in config.servers)
        self._stated: dict[str, str] = {}  # the variables of the one entry, and their values

    def decide(self, server: PlacedServer) -> Left | None:
        """Return why a server stays in the config, if it does."""
        if self.one and server == self.one.server:
            return Left(f"it runs the servers of {self.one.path}")
        if server.name in self._left_out:
            return _NAMED
        if self._names[server.name] > 1:
            return _REPEATED
        node = server.member.value
        return (
            why_kept(node, server.name, self.form, self.path, remote=self._remote)
            or (_NO_SECTION if self.config.is_toml and not is_section(server.member) else None)
            or (
                self._why_not_added(server, self.one, self.kept) if self.one and self.kept else None
            )
            or self._why_not_asked(server)
        )

    def _why_not_asked(self, server: PlacedServer) -> Left | None:
        """Leave a server whose input would have the same variable as another input."""
        stated = needs_of(server.member.value, self.form).stated
        for name, text in stated.items():
            if self._stated.get(name, text) != text:
                return Left(
                    f"its {text} and {self._stated[name]} would be the same variable {name}"
                )
        self._stated |= stated
        return None

    def _why_not_added(self, server: PlacedServer, one: OneEntry, kept: Config) -> Left | None:
        if server.place.way not in [place.way for place in kept.places]:
            return Left(f"it is under another key than the servers that moved; {_UNDO_FIRST}")
        known = dict(kept.values).get(server.name)
        if known is not None and known != plain(server.member.value):
            return _CLASH
        entry = plain(one.server.member.value)
        needs = needs_of(server.member.value, self.form)
        missing = [name for name in needs.stated if name not in (entry.get("env") or {})]
        missing += [name for name in needs.passed_on if name not in (entry.get("env_vars") or ())]
        if missing:
            told = f"the entry {one.server.name!r} does not pass on the variable {missing[0]}"
            return Left(f"{told}; {_UNDO_FIRST}")
        return None


def plan_together(
    text: str,
    path: Path,
    launcher: Launcher,
    *,
    host: str | None = None,
    remote: bool = False,
    left_out: Collection[str] = (),
) -> Plan:
    """Plan to put the servers of a config behind one entry. The options are those of `plan`."""
    form = format_of(path)
    profile = hosts.profile(host).name if host else form.host
    everyone = configured_servers(ConfigText(text, form.dialect), path, form)
    try:
        gathering = _Gathering(config_in(text, form), path, remote=remote, left_out=left_out)
        servers = gathering.config.servers
        decisions = [gathering.decide(server) for server in servers]
        taken = [one for one, left in zip(servers, decisions, strict=True) if left is None]
        made, kept = _texts(gathering, taken, launcher, profile)
    except CannotMove as error:
        raise ConfigError(path, str(error), next_step=_ONE_BY_ONE) from error
    after = config_in(made, form).one_entry()
    changes = [
        _change(server, left, after) for server, left in zip(servers, decisions, strict=True)
    ]
    changes += [_of_project(server) for server in everyone if server.project]
    return Plan(
        path=path,
        title=form.title,
        host=profile,
        original=text,
        text=made,
        changes=tuple(changes),
        servers_file=kept,
        notes=tuple(_notes(taken, form, kept)),
    )


def _change(server: PlacedServer, left: Left | None, one: OneEntry | None) -> Change:
    before = plain(server.member.value)
    return Change(
        name=server.name,
        project="",
        action="leave" if left else "gather",
        before=before,
        after=before if left or one is None else plain(one.server.member.value),
        reason=left.reason if left else "",
    )


def _of_project(server: ConfiguredServer) -> Change:
    entry = plain(server.entry)
    return Change(
        name=server.name,
        project=server.project,
        action="leave",
        before=entry,
        after=entry,
        reason=_OF_PROJECT,
    )


def _texts(
    gathering: _Gathering,
    taken: Sequence[PlacedServer],
    launcher: Launcher,
    host: str | None,
) -> tuple[str, FileBeside | None]:
    """Return the text of the config, and that of the file of servers."""
    config, one, kept = gathering.config, gathering.one, gathering.kept
    if not taken:
        return config.source.text, None
    if one and kept:
        made, servers = added(config, taken, kept)
        _check_values(config, taken, made, servers, kept)
        return made, FileBeside(one.path, kept.source.text, servers)
    path = servers_file_of(gathering.path)
    nodes = [server.member.value for server in taken]
    dialect = config.form.dialect
    entry = one_entry.written(dialect, nodes, config.form, launcher, host, path)
    made, servers = taken_out(config, taken, one_entry.free_name(config.places), entry)
    _check_values(config, taken, made, servers, None)
    _check_way_back(config, made, servers)
    return made, FileBeside(path, _left_over(path, servers, gathering.path), servers)


def _check_values(
    config: Config, taken: Sequence[PlacedServer], made: str, servers: str, kept: Config | None
) -> None:
    """Refuse a change after which a server, or anything else, would have other values."""
    everyone = [(server.name, plain(server.member.value)) for server in config.servers]
    moved = {server.name: plain(server.member.value) for server in taken}
    staying = [(name, entry) for name, entry in everyone if name not in moved]
    after, moved_after = config_in(made, config.form), config_in(servers, config.form)
    one = after.one_entry()
    if kept is None and one is not None:
        staying.append((one.server.name, plain(one.server.member.value)))
    known = [(name, entry) for name, entry in (kept.values if kept else ()) if name not in moved]
    is_same = (
        after.values == sorted(staying, key=repr)
        and moved_after.values == sorted([*known, *moved.items()], key=repr)
        and (after.rest == config.rest)
    )
    if one is None or not is_same:
        raise CannotMove("its servers are written in a way that cannot be taken apart")


def _check_way_back(config: Config, made: str, servers: str) -> None:
    """Refuse a change that could not be undone to the byte."""
    after = config_in(made, config.form)
    one = after.one_entry()
    back = given_back(after, one, config_in(servers, config.form)) if one else None
    if back != config.source.text:
        raise CannotMove("its servers are written in a way that could not be restored to the byte")


def _left_over(path: Path, servers: str, config: Path) -> str | None:
    """Return the text of a file of servers that is there already: an attempt before was broken off.
    Refuse any other."""
    if not path.exists():
        return None
    if read(path) != servers:
        raise ConfigError(
            path,
            f"The file exists, but no entry of {config} runs it",
            next_step="Take what you need from it, then delete or rename it.",
        )
    return servers


def _notes(taken: Sequence[PlacedServer], form: Format, kept: FileBeside | None) -> Iterator[str]:
    for server in taken:
        options = _own_options(server.member, form)
        if options:
            yield f"{server.name}: its own options no longer apply: {shlex.join(options)}"
    if kept:
        yield f"The servers move to {kept.path}. From then on, edit them there."


def _own_options(member: TreeMember, form: Format) -> list[str]:
    """Return the options of a server's own Penstock that the one entry does not have."""
    entry = understand(member.value, form)
    found = recognise(entry.program, entry.arguments) if isinstance(entry, Local) else None
    words, told = list(found.options if found else ()), []
    while words:
        word = words.pop(0)
        values = []
        while words and not words[0].startswith("-"):
            values.append(words.pop(0))
        if word.partition("=")[0] not in _KEPT_OPTIONS:
            told += [word, *values]
    return told
