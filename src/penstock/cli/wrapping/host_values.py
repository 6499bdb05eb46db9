"""Values that a host gives to a server: variables filled in, the environment, the working folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from penstock.cli.wrapping.formats import format_of
from penstock.cli.wrapping.host_configs import config_places
from penstock.errors import PenstockError

# Codex passes on these variables, and those that an entry names.
_CODEX_VARIABLES: Final = frozenset(
    {"HOME", "LOGNAME", "PATH", "SHELL", "USER", "__CF_USER_TEXT_ENCODING", "LANG", "LC_ALL",
     "TERM", "TMPDIR", "TZ", "USERPROFILE", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP",
     "PATHEXT", "COMSPEC"}
)  # fmt: skip
_VARIABLE: Final = re.compile(r"\$\{(?:env:)?(?P<name>[^}:]+)(?P<rest>:[^}]*)?\}")
# Folders in which a project keeps a config.
_CONFIG_FOLDERS: Final = frozenset({".cursor", ".vscode", ".codex"})


class NotStarted(PenstockError):
    """The server was not started."""

    next_step = "Look at it in the host."


class NotFilled(NotStarted):
    """A variable in an entry has no value here."""

    def __init__(self, variable: str) -> None:
        self.variable = variable
        super().__init__(f"Only the host can fill in its ${{{variable}}}.")


class HostValues(NamedTuple):
    """The surroundings that a host gives to the server of one entry."""

    folder: str
    own: dict[str, str]  # the variables that the entry states
    environment: dict[str, str]
    variables: dict[str, str]  # those that texts of the entry may refer to

    def filled(self, text: str) -> str:
        return _filled(text, self.variables)


def host_values(
    entry: Mapping[str, Any],
    path: Path,
    project: str,
    inherited: Mapping[str, str],
    inputs: Mapping[str, str] | None = None,
) -> HostValues:
    """Return the values for an entry of this config. `inputs` are values that a host asks users
    for, by names such as `input:token`."""
    folder = _folder(entry, path, project)
    variables = {**inherited, **_variables_of(Path(folder)), **(inputs or {})}
    stated = _stated(entry)
    told = {name: _spelled(value) for name, value in stated.items() if value is not None}
    own = {name: _filled(text, variables) for name, text in told.items()}
    passed_on = _passed_on(entry, path, inherited)
    kept = {name: text for name, text in passed_on.items() if name not in stated}
    return HostValues(folder, own, {**kept, **own}, variables)


def _variables_of(folder: Path) -> dict[str, str]:
    return {
        "workspaceFolder": str(folder),
        "workspaceFolderBasename": folder.name,
        "userHome": str(Path.home()),
        "pathSeparator": os.sep,
        "/": os.sep,
    }


def _stated(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the variables that an entry states; null means that the server must not have one."""
    stated = entry.get("env") or {}
    if not isinstance(stated, Mapping) or any(
        isinstance(value, list | Mapping) for value in stated.values()
    ):
        told = "Its `env` is not a table of strings."
        raise PenstockError(told, next_step="Correct it in the config.")
    return stated


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _passed_on(
    entry: Mapping[str, Any], path: Path, inherited: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables of ours that reach the server. Most hosts pass on all of them."""
    if not format_of(path).names_variables:
        return dict(inherited)
    named = _CODEX_VARIABLES | set(map(str, entry.get("env_vars") or ()))
    return {name: text for name, text in inherited.items() if name in named}


def _folder(entry: Mapping[str, Any], path: Path, project: str) -> str:
    """Return the working folder: the entry's, its project's, that of the config, or the home."""
    holder = path.absolute().parent
    root = holder.parent if holder.name in _CONFIG_FOLDERS else holder
    own = {known.path.absolute() for known in config_places() if not known.is_of_project}
    usual = Path(project) if project else Path.home() if path.absolute() in own else root
    told = str(entry.get("cwd") or "")
    variables = {**os.environ, **_variables_of(usual)}
    folder = usual / Path(_filled(told, variables)).expanduser() if told else usual
    if not folder.is_dir():
        raise PenstockError(f"Its working folder {folder} does not exist.", next_step="Create it.")
    return str(folder)


def _filled(text: str, variables: Mapping[str, str]) -> str:
    """Fill in variables such as ${HOME}, ${env:HOME} and ${HOME:-/root}, as hosts do."""

    def value(found: re.Match[str]) -> str:
        name, rest = found["name"], found["rest"] or ""
        if name + rest in variables:
            return variables[name + rest]
        if name in variables and rest.startswith(":-"):
            return variables[name]
        if rest.startswith(":-"):
            return rest.removeprefix(":-")
        raise NotFilled(name + rest)

    return _VARIABLE.sub(value, text)
