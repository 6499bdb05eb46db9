"""Files for one user alone: those of a database, and the log that SQLite puts beside it.

Such a file may hold results of tools, with all that these returned. So a file that belongs to another
user, or that other users may read or change, is refused, as SSH refuses such a key. The folder is not
checked, because volumes of containers are often open to all. Users who may write to the folder can
delete the file, but if they put another in its place, that one is refused.

Windows has neither modes nor owners of this kind. There the rights of the folder count.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from shlex import quote
from typing import TYPE_CHECKING, Final

from penstock.errors import StoreError, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_BESIDE: Final = ("-wal", "-shm", "-journal")
_ELSEWHERE: Final = "Name a file elsewhere."


def create_private(path: Path) -> None:
    """Create a missing file with mode 0600, and missing folders with 0700. SQLite gives the files
    beside it the same mode."""
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return  # not opened: closing it would end the locks that SQLite has in this process
    try:
        has_mode = not _is_shared(os.fstat(handle))
    finally:
        os.close(handle)
    if not has_mode:
        path.unlink()
        raise StoreError(
            f"{path} cannot be kept from other users: its file system has no permissions.",
            next_step=_ELSEWHERE,
        )


def refuse_foreign(path: Path) -> None:
    """Refuse a link that leads nowhere, and what another user has put at this place."""
    try:
        found = path.stat()
    except FileNotFoundError:
        if not path.is_symlink():
            raise
        raise StoreError(
            f"{path} is a link to a file that does not exist.",
            next_step="Remove the link, or create the file that it leads to, with mode 600.",
        ) from None
    for name, status in ((path, found), *_beside(path)):
        _refuse_foreign(name, status)
    if not os.access(path, os.R_OK | os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def refuse_shared(path: Path) -> None:
    """Refuse a file that other users may read or change."""
    for name, found in ((path, path.stat()), *_beside(path)):
        if _is_shared(found):
            raise StoreError(
                f"Other users may use {name} (mode {stat.S_IMODE(found.st_mode):o}), which must be "
                "yours alone.",
                next_step=f"chmod 600 {quote(str(name))}",
            )


def _beside(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Return the files that SQLite has put beside the database, as they are now."""
    real = path.resolve()
    for suffix in _BESIDE:
        name = real.with_name(real.name + suffix)
        try:
            yield name, name.lstat()
        except FileNotFoundError:
            continue


def _refuse_foreign(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise StoreUnavailable(f"{path} cannot be opened: it is not a regular file.")
    if sys.platform != "win32" and found.st_uid != os.geteuid():
        raise StoreError(
            f"{path} belongs to another user ({found.st_uid}; this process runs as "
            f"{os.geteuid()}), who could read and change it.",
            next_step="Run as that user, or name another file.",
        )


def _is_shared(found: os.stat_result) -> bool:
    return sys.platform != "win32" and bool(found.st_mode & _OTHERS)
