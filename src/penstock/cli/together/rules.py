"""The servers that stay in the host's config, because they would not work behind the one entry."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from penstock.cli.several.members import BadEntry, check_name
from penstock.cli.wrapping.entries import Left, Local, Remote, understand
from penstock.cli.wrapping.exclusions import why_not_reached
from penstock.cli.wrapping.formats import Format
from penstock.cli.wrapping.host_configs import config_places
from penstock.cli.wrapping.invocation import URL, recognise
from penstock.cli.wrapping.tree import Node, plain
from penstock.relay.target import URL_VARIABLE

# Settings by which a host allows or forbids single tools of a server.
_ALLOWING: Final = ("enabled_tools", "enabledTools", "includeTools", "tools")
_FORBIDDING: Final = ("disabled_tools", "disabledTools", "excludeTools")
_ASKING: Final = "default_tools_approval_mode"
_EVERY_TOOL: Final = (["*"], "*")

_VARIABLE: Final = re.compile(r"\$\{([^}]*)\}")
_BARE_VARIABLE: Final = re.compile(r"\$[A-Za-z_]\w*", re.ASCII)
_OF_WORKSPACE: Final = ("workspaceFolder", "workspaceFolderBasename")
_OF_VS_CODE: Final = frozenset({*_OF_WORKSPACE, "userHome", "pathSeparator", "/"})
_PROJECT_FOLDERS: Final = frozenset({".cursor", ".vscode", ".codex"})
_PROJECT_FILE: Final = ".mcp.json"


def why_kept(node: Node, name: str, form: Format, path: Path, *, remote: bool) -> Left | None:
    """Return why a server stays in the host's config, if it does."""
    entry = understand(node, form)
    if isinstance(entry, Left):
        return entry
    values = plain(node)
    if values.get("disabled") is True or values.get("enabled") is False:
        return Left("it is switched off in the host; switch it on and wrap again to take it in")
    return (
        _unnamed(name)
        or _only_host_reads(values)
        or (why_not_reached(entry, remote=remote) if isinstance(entry, Remote) else None)
        or (_other_penstock(entry) if isinstance(entry, Local) else None)
        or _only_host_fills(values, form, path)
    )


def is_wrapped(entry: Local | Remote | Left) -> bool:
    """Return whether `penstock wrap` has put one server behind Penstock in this entry."""
    return isinstance(entry, Local) and recognise(entry.program, entry.arguments) is not None


def texts_in(value: Any) -> Iterator[str]:
    """Return every text in an entry."""
    if isinstance(value, str):
        yield value
    inside = value.values() if isinstance(value, Mapping) else value
    if isinstance(inside, Collection) and not isinstance(inside, str):
        for one in inside:
            yield from texts_in(one)


def _unnamed(name: str) -> Left | None:
    try:
        check_name(name)
    except BadEntry as error:
        return Left(f"{error.message[:1].lower()}{error.message[1:].rstrip('.')}")
    return None


def _only_host_reads(values: Mapping[str, Any]) -> Left | None:
    if "envFile" in values:
        return Left("only the host reads its `envFile`")
    named = values.get("env_vars") or []
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        return Left("its `env_vars` are not a list of strings")
    rules = [key for key in _ALLOWING if values.get(key, "*") not in _EVERY_TOOL]
    rules += [key for key in _FORBIDDING if values.get(key)]
    rules += [_ASKING] if _ASKING in values else []
    if rules:
        return Left(f"its `{rules[0]}` has rules for single tools, which the host would not apply")
    return None


def _other_penstock(entry: Local) -> Left | None:
    """Leave a Penstock that does not run exactly one server."""
    found = recognise(entry.program, entry.arguments)
    if found is None:
        return None
    if found.values("--servers"):
        return Left("already behind Penstock, with other servers")
    environment = plain(entry.table).get("env")
    has_url = isinstance(environment, Mapping) and URL_VARIABLE in environment
    if found.server is None and not found.values(URL) and not has_url:
        return Left("it runs Penstock in a form that wrap does not write")
    return None


def _only_host_fills(values: Mapping[str, Any], form: Format, path: Path) -> Left | None:
    """Leave a server if Penstock would fill in a variable otherwise than the host does."""
    for text in texts_in(values):
        for word in _VARIABLE.findall(text):
            if not form.fills_variables:
                return Left(f"its ${{{word}}} is not for the host, but Penstock would fill it in")
            if not _is_filled_alike(word, form, path):
                return Left(f"only the host can fill in its ${{{word}}}")
        bare = _BARE_VARIABLE.search(text) if form.fills_bare_variables else None
        if bare:
            return Left(f"only the host fills in {bare[0]}; write ${{{bare[0][1:]}}} instead")
    return None


def _is_filled_alike(word: str, form: Format, path: Path) -> bool:
    prefix, colon, rest = word.partition(":")
    if prefix in _OF_WORKSPACE and not _is_of_project(path):
        return False
    if colon:
        return prefix in ("env", "input") or rest.startswith("-")
    return "vscode" not in form.names or word in _OF_VS_CODE


def _is_of_project(path: Path) -> bool:
    """Return whether a config belongs to a project, whose folder is the workspace."""
    own = {known.path.absolute() for known in config_places() if not known.is_of_project}
    in_project = path.absolute().parent.name in _PROJECT_FOLDERS or path.name == _PROJECT_FILE
    return in_project and path.absolute() not in own
