"""The start of a server that is behind Penstock: its target, settings and surroundings.

A wrapped entry says all of this. So a server that is not wrapped yet is understood by the entry
that wrapping it would give.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from penstock.cli import run
from penstock.cli.command_line import Parser
from penstock.cli.options import UsageError, policy_from, secret_variables_of, target_from
from penstock.cli.wrapping.formats import format_of
from penstock.cli.wrapping.host_configs import config_places
from penstock.cli.wrapping.invocation import recognise
from penstock.errors import PenstockError
from penstock.relay.process import Surroundings
from penstock.relay.secret_words import secrets_of, without_secrets
from penstock.relay.target import Target
from penstock.settings.policy import Policy
from penstock.settings.sources import without_secret_variables
from penstock.settings.table import RUN_DEFAULTS

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


@dataclass(frozen=True, slots=True)
class Start:
    """All that is needed to start one server as its host does."""

    target: Target
    policy: Policy
    around: Surroundings
    secrets: tuple[str, ...] = ()  # values that must not be printed

    def without_secrets(self, text: str) -> str:
        return without_secrets(text, self.secrets)


def start_of(
    entry: Mapping[str, Any],
    path: Path,
    project: str = "",
    inherited: Mapping[str, str] = os.environ,
) -> Start:
    """Return how the host with this config starts a wrapped entry. Raise if only the host can."""
    if entry.get("disabled") is True or entry.get("enabled") is False:
        raise NotStarted("It is switched off in the host.", next_step="Switch it on there.")
    args = list(entry.get("args") or ())
    found = recognise(entry["command"], args)
    if found is None or found.told[:1] != ("run",):
        raise NotStarted("It runs Penstock in a form that wrap does not write.")
    folder = _folder(entry, path, project)
    variables = {**inherited, "workspaceFolder": folder, "userHome": str(Path.home())}
    own = {name: _filled(str(text), variables) for name, text in (entry.get("env") or {}).items()}
    passed_on = _passed_on(entry, path, inherited)
    environment = {**passed_on, **own}
    words = [] if found.server is None else args[found.server :]
    chosen = _options([_filled(word, variables) for word in found.options])
    chosen.command = [_filled(word, variables) for word in words]
    target = target_from(chosen, environment)
    policy = policy_from(chosen, RUN_DEFAULTS, environment)
    inherited_by_server = without_secret_variables(environment, secret_variables_of(chosen))
    around = Surroundings(inherited_by_server, folder, is_quiet=True)
    return Start(target, policy, around, (*own.values(), *secrets_of(target)))


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
    variables = {**os.environ, "workspaceFolder": str(usual), "userHome": str(Path.home())}
    folder = usual / Path(_filled(told, variables)).expanduser() if told else usual
    if not folder.is_dir():
        raise PenstockError(f"Its working folder {folder} does not exist.", next_step="Create it.")
    return str(folder)


def _filled(text: str, variables: Mapping[str, str]) -> str:
    """Fill in variables such as ${HOME}, ${env:HOME} and ${HOME:-/root}, as hosts do."""

    def value(found: re.Match[str]) -> str:
        name, rest = found["name"], found["rest"] or ""
        if name in variables and (not rest or rest.startswith(":-")):
            return variables[name]
        if rest.startswith(":-"):
            return rest.removeprefix(":-")
        raise NotStarted(f"Only the host can fill in its ${{{name}{rest}}}.")

    return _VARIABLE.sub(value, text)


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(add_help=False)
    run.add_to(parser.add_subparsers())
    try:
        return parser.parse_known_args(["run", *words])[0]
    except PenstockError as error:
        told = f"Its options of penstock run cannot be read: {error.message}"
        raise UsageError(told, next_step=error.next_step) from error
