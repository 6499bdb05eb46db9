"""The file that keeps what is known of the servers of one front until the next run."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from penstock.hub.remembered import Remembered
from penstock.log import logger
from penstock.relay.alarms import Alarms
from penstock.stores.urls import state_folder

_FOLDER: Final = "servers"
_SOON: Final = 0.5  # seconds in which changes are saved together
_TRIES: Final = 40
_PAUSE: Final = 0.05


def memory_path(front: str) -> Path:
    return state_folder() / _FOLDER / f"{front}.json"


def load(front: str, identities: Mapping[str, str]) -> Remembered:
    """Return what is known of these servers, given as in `ServerGroup`. A file that is missing or
    damaged tells nothing."""
    found = _read(memory_path(front))
    found.keep_only(identities)
    return found


def _read(path: Path) -> Remembered:
    try:
        return Remembered.read(path.read_bytes())
    except FileNotFoundError:
        return Remembered()
    except (OSError, ValueError) as error:
        logger().warning("what was known of the servers is lost: %s: %s", path, error)
        return Remembered()


class MemoryFile:
    """The file, and what this process knows. Other processes may have the same file."""

    def __init__(self, front: str, remembered: Remembered, alarms: Alarms) -> None:
        self.remembered = remembered
        self._path = memory_path(front)
        self._alarms = alarms
        self._is_due = False
        self._noting = threading.Lock()
        self._writing = threading.Lock()

    def save_soon(self) -> None:
        with self._noting:
            if self._is_due:
                return
            self._is_due = True
        self._alarms.set(_SOON, self._save_apart)

    def _save_apart(self) -> None:
        """Save in a thread of its own: another process may hold the lock, and nobody waits for that."""
        threading.Thread(target=self.save, daemon=True).start()

    def save(self) -> None:
        """Save what has changed, and keep what other processes have saved meanwhile. They see the old
        file or the new one, never a part."""
        with self._writing:
            with self._noting:
                is_due, self._is_due = self._is_due, False
            if not is_due:
                return
            try:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with _alone_in(self._path.parent):
                    self._write(self.remembered.joined(_read(self._path)).encoded())
            except OSError as error:
                logger().warning("what is known of the servers cannot be kept: %s", error)

    def _write(self, data: bytes) -> None:
        draft = self._path.with_suffix(f".{os.getpid()}")
        # Lists of tools may tell what a user works on.
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        draft.replace(self._path)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes from saving in a folder. Without locks, and if another process holds the
    lock for long, go on all the same: the names of one start may then be lost."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    opened = os.open(folder, os.O_RDONLY)
    try:
        for _ in range(_TRIES):
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_PAUSE)
            except OSError:  # This file system has no locks.
                break
            else:
                break
        yield
    finally:
        os.close(opened)
