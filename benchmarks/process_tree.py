"""The memory, files and CPU time of a process and of all processes below it. Linux only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_CPU = slice(11, 15)  # of `stat` after the name: own and ended children's, user and system


def megabytes(pid: int) -> float:
    """Return the resident memory. What processes share counts for each of them."""
    return sum(map(_resident, _tree(pid)))


def own_megabytes(pid: int) -> float:
    """Return the resident memory of the process without those below it."""
    return _resident(_PROC / str(pid))


def descriptors(pid: int) -> int:
    return sum(1 for one in _tree(pid) for _ in (one / "fd").iterdir())


def cpu_seconds(pid: int) -> float:
    return sum(sum(map(int, _stat(one)[_CPU])) for one in _tree(pid)) / _TICKS


def _tree(pid: int) -> Iterator[Path]:
    process = _PROC / str(pid)
    yield process
    for task in (process / "task").iterdir():
        # A thread may have ended since it was listed.
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))


def _resident(process: Path) -> float:
    pages = int((process / "statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


def _stat(process: Path) -> list[str]:
    return (process / "stat").read_text().rpartition(")")[2].split()
