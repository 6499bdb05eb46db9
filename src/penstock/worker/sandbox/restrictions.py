"""The rights that the child gives up before the first question, and its alarm.

The child clears its environment. On platforms with resource limits (`resource`, so not Windows) it
cannot open or write files, start processes, or use more memory than its limit. macOS enforces the
memory limit only for SQLite. On Windows only the time limit holds, which the parent enforces.
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
        return  # The platform names the limit but does not support it.


def _address_space() -> int | None:
    """Return the size of the memory mapped so far, which the limit on data must not count."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def set_alarm(seconds: float) -> None:
    """End this process after `seconds`, by the signal's default action; 0 cancels the alarm."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
