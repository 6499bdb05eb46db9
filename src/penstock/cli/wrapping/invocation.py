"""The command line that puts a server behind Penstock: how to write it and how to recognise it."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Final

from penstock.errors import PenstockError

URL: Final = "--url"
BEARER_VARIABLE: Final = "--bearer-env"
HEADER_VARIABLE: Final = "--header-env"


# Folders that a cleaner may empty, and those in which uv keeps environments for one use.
_CACHES: Final = frozenset({".cache", "Caches"})
_UV_CACHES: Final = ("archive-v", "builds-v", "environments-v")


@dataclass(frozen=True, slots=True)
class Launcher:
    """The command by which a host starts Penstock."""

    command: str  # an absolute path
    leading_args: tuple[str, ...] = ()  # the arguments before `run`

    @property
    def is_temporary(self) -> bool:
        """Whether the path is in a cache or a temporary folder, as after `uvx` or `pipx run`."""
        parts = Path(self.command).parts
        in_cache = any(part in _CACHES or part.startswith(_UV_CACHES) for part in parts)
        folders = [tempfile.gettempdir(), os.environ.get("UV_CACHE_DIR", "")]
        return in_cache or any(
            Path(self.command).is_relative_to(Path(folder).absolute())
            for folder in folders
            if folder
        )

    def arguments(self, host: str | None, *rest: str) -> tuple[str, ...]:
        profile = ("--host", host) if host else ()
        return (*self.leading_args, "run", *profile, *rest)


def find_launcher(executable: str | None = sys.executable) -> Launcher:
    """Return the script beside this Python, or else this Python with `-m penstock`.

    A host does not start its servers from a shell, so the command is an absolute path. Links are
    not followed: the Python of a virtual environment is a link that leads out of the environment.
    """
    if not executable:
        raise PenstockError(
            "This Python does not know its own path, so no host could start Penstock with it.",
            next_step="Run penstock from an ordinary installation of Python.",
        )
    python = Path(executable).absolute()
    for name in ("penstock", "penstock.exe"):
        script = python.with_name(name)
        if script.is_file() and os.access(script, os.X_OK):
            return Launcher(str(script))
    return Launcher(str(python), ("-m", "penstock"))


@dataclass(frozen=True, slots=True)
class Invocation:
    """The command line of an entry that runs Penstock."""

    told: tuple[str, ...]  # all arguments of Penstock
    options: tuple[str, ...] = ()  # the options of `run`
    server: int | None = None  # the index of the server's command in the entry's arguments

    def values(self, name: str) -> list[str]:
        """Return the values of an option, written as `--name value` or `--name=value`."""
        apart = [value for flag, value in pairwise(self.options) if flag == name]
        joined = [one[len(name) + 1 :] for one in self.options if one.startswith(f"{name}=")]
        return apart + joined

    def several(self, name: str) -> list[str]:
        """Return the values of an option that takes several, written as `--name one two`."""
        found = self.values(name)[-1:]
        for place, word in enumerate(self.options):
            if word == name:
                found = list(takewhile(_is_value, self.options[place + 1 :]))
        return found


def _is_value(word: str) -> bool:
    return not word.startswith("-")


_END_OF_OPTIONS = "--"
# The name of a program, of a module, or of a package as for uvx and pipx.
_PENSTOCK = re.compile(
    r"(?s)(?:.*[/\\])?penstock(?:\.exe|(?:\[[^\]]*\])?(?:(?:@|==).*)?)", re.IGNORECASE
)


def recognise(command: str, args: Sequence[str]) -> Invocation | None:
    """Return the command line if it runs Penstock, otherwise None.

    It may run Penstock directly, as `python -m penstock run` or as `uvx penstock run`. The user
    may have added options.
    """
    for place, word in enumerate((command, *args)):
        if word == _END_OF_OPTIONS:
            break
        if _PENSTOCK.fullmatch(word) and list(args[place : place + 1]) == ["run"]:
            return _run(args, place)
    return Invocation(tuple(args)) if _PENSTOCK.fullmatch(command) else None


def _run(args: Sequence[str], place: int) -> Invocation:
    told = tuple(args[place:])
    if told[1:] and not told[1].startswith("-"):  # `run` takes a command without `--` too
        return Invocation(told, (), place + 1)
    if _END_OF_OPTIONS not in told:
        return Invocation(told, told[1:])
    end = told.index(_END_OF_OPTIONS)
    server = place + end + 1
    return Invocation(told, told[1:end], server if server < len(args) else None)
