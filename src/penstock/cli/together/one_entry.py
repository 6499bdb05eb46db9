"""The one entry that runs all servers of a file: how to write it and how to find it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from penstock.cli.several.servers_file import INPUT_VARIABLE, input_of, inputs_in, variable_part
from penstock.cli.together.places import PlacedServer, ServerTable, servers_in
from penstock.cli.wrapping.entries import Remote, understand
from penstock.cli.wrapping.files import is_servers_file
from penstock.cli.wrapping.formats import Format
from penstock.cli.wrapping.invocation import Launcher, recognise
from penstock.cli.wrapping.literals import Dialect, array
from penstock.cli.wrapping.tree import Node, plain

NAME: Final = "penstock"
OPTION: Final = "--servers"
# How long a host waits if an entry does not say so with one of these keys.
_USUAL_WAITS: Final = {
    "timeout": 600_000,
    "startup_timeout_sec": 10,
    "startup_timeout_ms": 10_000,
    "tool_timeout_sec": 60,
}
_EVERY_TOOL: Final = ["*"]


class OneEntry(NamedTuple):
    """The one entry of a config, and the file whose servers it runs."""

    server: PlacedServer
    path: Path


class Needs(NamedTuple):
    """The variables that a server needs in the environment of the one entry."""

    stated: dict[str, str]  # their values are for the host to fill in
    passed_on: tuple[str, ...]  # the host passes these on only if they are named


def find_one(places: list[ServerTable]) -> list[OneEntry]:
    """Return the entries that run a file of servers that `penstock wrap --together` wrote."""
    found = ((server, servers_file_in(plain(server.member.value))) for server in servers_in(places))
    return [OneEntry(server, path) for server, path in found if path]


def servers_file_in(entry: Any) -> Path | None:
    """Return the file of servers that an entry runs, if `penstock wrap --together` wrote it."""
    named = named_file(entry)
    return named if named and is_servers_file(named) else None


def named_file(entry: Any) -> Path | None:
    """Return the file whose servers an entry runs, if it runs Penstock so."""
    command, args = (entry.get("command"), entry.get("args")) if _is_table(entry) else (None, None)
    if not isinstance(command, str) or not isinstance(args, list):
        return None
    found = recognise(command, [word for word in args if isinstance(word, str)])
    named = found.values(OPTION) if found else []
    return Path(named[-1]).expanduser() if named else None


def free_name(places: list[ServerTable]) -> str:
    """Return a name for the one entry that no server of the config has."""
    taken = {server.name for server in servers_in(places)}
    names = (NAME, *(f"{NAME}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def needs_of(node: Node, form: Format) -> Needs:
    """Return the variables of a server that only the host knows."""
    values = plain(node)
    ids = [input_of(word) for word in inputs_in(values)]
    stated = {INPUT_VARIABLE + variable_part(one): f"${{input:{one}}}" for one in ids}
    if not form.names_variables:
        return Needs(stated, ())
    entry = understand(node, form)
    named = entry.variables if isinstance(entry, Remote) else values.get("env_vars") or ()
    return Needs(stated, tuple(named))


def written(
    dialect: Dialect,
    servers: Sequence[Node],
    form: Format,
    launcher: Launcher,
    host: str | None,
    path: Path,
) -> list[tuple[str, str]]:
    """Return the keys and values of the one entry, spelled in the language of the config."""
    string = dialect.string
    entries = [plain(node) for node in servers]
    needs = [needs_of(node, form) for node in servers]
    words = launcher.arguments(host, OPTION, str(path))
    kind = _type(entries)
    members = [("type", string(kind))] if kind else []
    members += [("command", string(launcher.command)), ("args", array(map(string, words)))]
    stated = {name: text for one in needs for name, text in one.stated.items()}
    if stated:
        members.append(
            ("env", dialect.table((name, string(text)) for name, text in stated.items()))
        )
    passed_on = dict.fromkeys(name for one in needs for name in one.passed_on)
    if passed_on:
        members.append(("env_vars", array(map(string, passed_on))))
    if any(entry.get("tools") == _EVERY_TOOL for entry in entries):  # Copilot needs this key
        members.append(("tools", array(map(string, _EVERY_TOOL))))
    waits = ((key, _longest_wait(entries, key)) for key in _USUAL_WAITS)
    return members + [(key, str(longest)) for key, longest in waits if longest is not None]


def _type(entries: list[Mapping[str, Any]]) -> str | None:
    """Return the type of a local server, if the host wants to be told."""
    types = [entry.get("type") for entry in entries]
    if not all(isinstance(one, str) for one in types):
        return None
    local = (str(one) for one, entry in zip(types, entries, strict=True) if "command" in entry)
    return next(local, "stdio")


def _longest_wait(entries: list[Mapping[str, Any]], key: str) -> float | None:
    """Return how long the host may have to wait for one of the servers, if that is unusual."""
    stated = [entry[key] for entry in entries if _is_number(entry.get(key))]
    if not stated:
        return None
    longest: float = max(stated)
    return longest if len(stated) == len(entries) or longest > _USUAL_WAITS[key] else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)
