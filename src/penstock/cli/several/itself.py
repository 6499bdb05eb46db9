"""Files of servers that name themselves. Each would start itself again, without end.

An entry that runs its own file is found when the file is read. A longer way round (a shell, or two
files that name each other) is found when it comes back: every server is told, in a variable of its
environment, in which files it is.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from penstock.cli.wrapping.invocation import Invocation, recognise
from penstock.errors import PenstockError

INSIDE_VARIABLE: Final = "PENSTOCK_INSIDE"
_SEPARATOR: Final = ","


class InsideItself(PenstockError):
    """A server of a file runs that very file."""

    next_step = "Remove the entry that leads back to the file."


def identity_of(path: Path) -> str:
    """Return the identity of the front of a file, to which stored results are bound."""
    named = f"servers\0{os.path.abspath(path)}"  # noqa: PTH100 (a link keeps its own name)
    return hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def inside(path: Path, environment: Mapping[str, str]) -> str:
    """Return the variable's value for the servers of a file. Refuse a file that we are in."""
    outer = environment.get(INSIDE_VARIABLE, "")
    own = identity_of(path.resolve())
    if own in outer.split(_SEPARATOR):
        raise InsideItself(f"{path} is run by a server of this very file.")
    return f"{outer}{_SEPARATOR}{own}" if outer else own


def runs_file(command: Sequence[str], folder: str, path: Path) -> bool:
    """Return whether a command runs Penstock with this file, perhaps behind another Penstock."""
    return any(
        (Path(folder) / Path(named).expanduser()).resolve() == path.resolve()
        for found in penstocks_in(command)
        for named in found.values("--servers")
    )


def penstocks_in(command: Sequence[str]) -> Iterator[Invocation]:
    """Return the Penstock that a command runs, and those that stand one behind the other after it."""
    while command:
        found = recognise(command[0], command[1:])
        if found is None:
            return
        yield found
        command = [] if found.server is None else command[1 + found.server :]
