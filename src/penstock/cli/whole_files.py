"""Files that are complete before other programs see them."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Yield a new file that then takes the place of `target`, with the same rights. After an error,
    `target` is as it was. Only this user can read the new file before."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(handle)
        if target.exists():
            give_rights(draft, target.stat())
        else:
            draft.chmod(0o666 & ~_umask())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def give_rights(path: Path, status: os.stat_result) -> None:
    """Give a file the owner, the group and the mode of another."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):  # only root may give a file away
            os.chown(path, status.st_uid, status.st_gid)
    path.chmod(stat.S_IMODE(status.st_mode))


def _umask() -> int:
    """Return the rights that new files do not get. Reading them means setting them."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
