"""Plans: what would change in a config, for each server. This module writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from penstock.cli.wrapping import local_server, remote_server
from penstock.cli.wrapping.entries import Left, Local, Remote, understand
from penstock.cli.wrapping.exclusions import why_left
from penstock.cli.wrapping.failures import ConfigError, NoServers, Unreadable
from penstock.cli.wrapping.formats import ConfiguredServer, Format, format_of, servers
from penstock.cli.wrapping.invocation import Launcher, recognise
from penstock.cli.wrapping.text_edits import ConfigText, Splice, spliced
from penstock.cli.wrapping.tree import plain
from penstock.core.budget import hosts

# "gather": the server moves into the file of servers that one entry runs.
Action: TypeAlias = Literal["wrap", "unwrap", "gather", "leave"]
_Decision: TypeAlias = list[Splice] | Left

_WRAPPED = Left("already behind Penstock")
_NAMED = Left("--except names it")
_NOT_WRAPPED = Left("not behind Penstock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The decision about one server's entry."""

    name: str
    project: str  # the folder that the server is for; empty if it is for all
    action: Action
    before: Any
    after: Any
    reason: str = ""  # why the action is "leave"


@dataclass(frozen=True, slots=True)
class FileBeside:
    """The file of servers beside a config, before and after a change; None if it is not there."""

    path: Path
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A config before and after a change."""

    path: Path
    title: str
    host: str | None  # the host profile that the servers get
    original: str
    text: str
    changes: tuple[Change, ...]
    servers_file: FileBeside | None = None
    notes: tuple[str, ...] = ()  # sentences for the user about the change

    @property
    def has_effect(self) -> bool:
        return self.text != self.original


def plan(
    text: str,
    path: Path,
    launcher: Launcher,
    *,
    host: str | None = None,
    remote: bool = False,
    left_out: Collection[str] = (),
) -> Plan:
    """Plan to put every server behind Penstock, but for those that `left_out` names.

    `host` overrides the profile that the path implies. With `remote`, remote servers without
    credentials are put behind Penstock too.
    """
    fmt = format_of(path)
    name = hosts.profile(host).name if host else fmt.host

    def decide(source: ConfigText, entry: Local | Remote) -> _Decision:
        return _wrapped(source, entry, launcher, name, remote_too=remote)

    return _plan(text, path, fmt, name, "wrap", decide, left_out)


def plan_undo(text: str, path: Path, left_out: Collection[str] = ()) -> Plan:
    """Plan to unwrap every server, but for those that `left_out` names. Its entry holds all that is
    needed."""
    fmt = format_of(path)

    def decide(source: ConfigText, entry: Local | Remote) -> _Decision:
        return _unwrapped(source, entry, fmt)

    return _plan(text, path, fmt, None, "unwrap", decide, left_out)


def _wrapped(
    source: ConfigText,
    entry: Local | Remote,
    launcher: Launcher,
    host: str | None,
    *,
    remote_too: bool,
) -> _Decision:
    if isinstance(entry, Remote):
        left = why_left(source, entry, remote=remote_too)
        return left or remote_server.wrap(source, entry, launcher, host)
    if recognise(entry.program, entry.arguments):
        return _WRAPPED
    return local_server.wrap(source, entry, launcher, host)


def _unwrapped(source: ConfigText, entry: Local | Remote, fmt: Format) -> _Decision:
    if isinstance(entry, Remote):
        return _NOT_WRAPPED
    found = recognise(entry.program, entry.arguments)
    if found is None:
        return _NOT_WRAPPED
    if found.server is not None:
        return local_server.unwrap(source, entry, found.server)
    return remote_server.unwrap(source, entry, found, fmt)


def _plan(
    text: str,
    path: Path,
    fmt: Format,
    host: str | None,
    action: Action,
    decide: Callable[[ConfigText, Local | Remote], _Decision],
    left_out: Collection[str],
) -> Plan:
    source = ConfigText(text, fmt.dialect)
    before = configured_servers(source, path, fmt)
    decisions: list[_Decision] = []
    for server in before:
        entry = understand(server.entry, fmt) if server.name not in left_out else _NAMED
        decisions.append(entry if isinstance(entry, Left) else decide(source, entry))
    edits = [splice for one in decisions if not isinstance(one, Left) for splice in one]
    changed = spliced(text, edits)
    after = configured_servers(ConfigText(changed, fmt.dialect), path, fmt)
    changes = tuple(
        _change(old, new, decision, action)
        for old, new, decision in zip(before, after, decisions, strict=True)
    )
    return Plan(path=path, title=fmt.title, host=host, original=text, text=changed, changes=changes)


def _change(
    old: ConfiguredServer, new: ConfiguredServer, decision: _Decision, action: Action
) -> Change:
    left = decision if isinstance(decision, Left) else None
    return Change(
        name=old.name,
        project=old.project,
        action="leave" if left else action,
        before=plain(old.entry),
        after=plain(new.entry),
        reason=left.reason if left else "",
    )


def configured_servers(source: ConfigText, path: Path, fmt: Format) -> list[ConfiguredServer]:
    """Return the servers of a config. Raise `ConfigError` if it cannot be read or has none."""
    if not source.text.strip("\ufeff \t\r\n"):
        raise NoServers(path, "The file is empty")
    try:
        root = source.dialect.scan(source.text)
    except Unreadable as error:
        raise ConfigError(path, str(error)) from error
    found = servers(root, fmt.ways)
    if not found:
        keys = " or ".join(dict.fromkeys(way[-1] for way in fmt.ways if "." not in way[-1]))
        raise NoServers(path, f"No MCP servers found; they are looked for under {keys}")
    return found
