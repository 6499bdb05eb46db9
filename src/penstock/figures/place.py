"""The place of the file with figures. This module loads little: a host waits for `penstock run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.stores.urls import state_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.settings.policy import Policy
    from penstock.wire.answered import Tally

_FILE: Final = "figures.sqlite"


def figures_file() -> Path:
    """Return the path of the file, whether or not it exists."""
    return state_folder() / _FILE


def tally_of(policy: Policy, name: Callable[[], str]) -> Tally | None:
    """Return the tally of a server, or None if the settings keep no figures. `name` returns the
    server's name in the figures."""
    if not policy.stats:
        return None
    from penstock.figures.tally import BackgroundTally

    return BackgroundTally(name)


def called_before(server: str) -> frozenset[str]:
    """Return the tools of a server that were called on this machine. Return none if the file cannot
    be read: a list of tools must not depend on that."""
    path = figures_file()
    if not path.is_file():
        return frozenset()
    from penstock.errors import StoreError
    from penstock.figures.file import FiguresFile

    try:
        with FiguresFile(path) as file:
            return file.called_tools(server)
    except StoreError:
        return frozenset()
