"""The figures, for processes that serve clients. This module loads little: a host waits for the
start of `penstock run`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from penstock.errors import StoreError
from penstock.figures.place import figures_file
from penstock.figures.rows import writable
from penstock.settings.policy import Policy
from penstock.wire.answered import AnswerTally


def tally_of(policy: Policy, name: Callable[[], str]) -> AnswerTally | None:
    """Return the tally of a server or a front, or None if the settings keep no figures. `name` returns
    its name in the figures."""
    if not policy.stats:
        return None
    from penstock.figures.tally import BackgroundTally

    return BackgroundTally(lambda: writable(name()))


def called_before(
    policy: Policy, names: Callable[[], Sequence[str]]
) -> Callable[[], frozenset[str]]:
    """Return a function that tells which tools were called on this machine: none if the settings keep
    no figures. `names` returns the names of their servers in the figures."""
    return (lambda: _called(names())) if policy.stats else frozenset


def _called(servers: Sequence[str]) -> frozenset[str]:
    """Return the tools that were called, or none if the file cannot be read: a list of tools must
    not depend on that."""
    path = figures_file()
    if not path.is_file():
        return frozenset()
    from penstock.figures.file import FiguresFile

    try:
        with FiguresFile(path) as file:
            return frozenset().union(*(file.called_tools(writable(name)) for name in servers))
    except StoreError:
        return frozenset()
