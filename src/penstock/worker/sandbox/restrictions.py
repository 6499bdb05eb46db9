"""What the child takes from itself before the first question, and when it ends itself.

Its environment becomes empty, and where the platform has resource limits (`resource`, so not
Windows) it can open no file, write none, start no process, and take no more memory than it was
given. macOS ignores the limit on memory for all but SQLite, and Windows has none of them: there
the time limit, kept by the parent, is what holds.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path


def give_up_rights(memory: int) -> None:
    os.environ.clear()  # Python itself sets LC_CTYPE, and jq's `env` would show it.
    try:
        import resource
    except ImportError:
        return
    for name, limit in _limits(memory):
        _lower(resource.setrlimit, getattr(resource, name, None), limit)


def _limits(memory: int) -> Iterator[tuple[str, int]]:
    in_use = _address_space()
    if in_use is not None:
        yield "RLIMIT_AS", in_use + memory
    yield "RLIMIT_CORE", 0
    yield "RLIMIT_FSIZE", 0
    yield "RLIMIT_NPROC", 0
    yield "RLIMIT_NOFILE", 3  # stdin, stdout and stderr, which are open


def _lower(
    setrlimit: Callable[[int, tuple[int, int]], None], which: int | None, limit: int
) -> None:
    if which is None:
        return
    try:
        setrlimit(which, (limit, limit))
    except (ValueError, OSError):
        return  # The platform names the limit and does not have it.


def _address_space() -> int | None:
    """What this process has mapped already, so that the limit is on the data alone."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def set_alarm(seconds: float) -> None:
    """Ends this process after `seconds`; 0 calls it off. The default action needs no handler."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
