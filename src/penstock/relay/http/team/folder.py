"""The folder of the sockets on which the members of a team hear each other."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_PREFIX: Final = "penstock-team-"


class TeamFolder:
    """A folder that only this user can enter.

    The supervisor and each member have a lock on it, and the system takes the lock back when the last
    of them has ended, however it ended. So the next team can tell which folders are left behind.
    """

    def __init__(self) -> None:
        _remove_left_behind()
        self.path, self._lock = _locked_folder()  # The lock stays until the process ends.

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def _locked_folder() -> tuple[Path, int | None]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        try:
            lock = _lock(path)
        except (BlockingIOError, FileNotFoundError):
            continue  # Another team begins just now, and takes this folder for one left behind.
        except OSError:
            return path, None  # There are no locks here. So nobody can take it for that.
        if path.exists():
            return path, lock
        os.close(lock)


def _lock(path: Path) -> int:
    """Return a descriptor that holds the lock of a folder."""
    import fcntl

    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        raise
    return opened


def _remove_left_behind() -> None:
    """Remove the folders of this user's teams that were killed as a whole."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # A team that serves has the lock.
            if path.lstat().st_uid == os.getuid():
                lock = _lock(path)
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)
