"""Marks beside the file: a process has ended, and its clerk still counts.

`penstock stats` waits for these clerks, so that it shows the figures of a run that has just ended.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import Final

MOST_SECONDS: Final = 10.0  # An older mark is that of a clerk that was killed.
_PAUSE_SECONDS: Final = 0.02
_NAME: Final = "-unfinished-"


def new_mark(file: Path) -> Path:
    """Return the path of a mark, which does not exist yet."""
    return file.with_name(f"{file.name}{_NAME}{token_hex(8)}")


def set_mark(mark: Path) -> None:
    for folder in reversed(mark.parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    mark.touch(mode=0o600)


def clear_mark(mark: Path) -> None:
    mark.unlink(missing_ok=True)


def wait_for_clerks(file: Path) -> None:
    """Wait until the figures of processes that have ended are in the file. Delete marks that are
    too old."""
    while any(map(_is_recent, _marks(file))):
        time.sleep(_PAUSE_SECONDS)
    for mark in _marks(file):
        clear_mark(mark)


def _marks(file: Path) -> Iterator[Path]:
    return file.parent.glob(f"{file.name}{_NAME}*")


def _is_recent(mark: Path) -> bool:
    try:
        age = time.time() - mark.stat().st_mtime
    except FileNotFoundError:
        return False
    return abs(age) < MOST_SECONDS
