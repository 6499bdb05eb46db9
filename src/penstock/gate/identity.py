"""The identity of a caller that has not logged in: the user of this machine, and this process."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress

from penstock.core.model.values import Principal
from penstock.stores.urls import is_shared, state_folder


def os_user(store: str = "memory:") -> Principal:
    """Return the user of this process as the principal: on stdio, the host is this user's program.
    With a `store` that several machines share, the principal has a mark."""
    mark = _user_mark() if is_shared(store) else ""
    if hasattr(os, "getuid"):
        return Principal(f"os:{os.getuid()}", mark)
    name = f"{os.environ.get('USERDOMAIN', '')}\\{os.environ.get('USERNAME', '')}"
    return Principal(f"os:{name}", mark)


def new_session_name() -> str:
    """Return a name that tells the one session of this process from those of other processes."""
    return secrets.token_hex(16)


def _user_mark() -> str:
    """Return the random mark of this user on this machine, or "" if it cannot be kept. The first
    process that needs it writes it to a file in the user's state folder."""
    file = state_folder() / "user-mark"
    try:
        if not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _create_mark(str(file))
        return file.read_text("ascii").strip()
    except OSError:
        return ""


def _create_mark(path: str) -> None:
    """Create the file with its content, unless another process is first."""
    draft = f"{path}.{new_session_name()}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w") as new:
            new.write(secrets.token_hex(16))
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.unlink(draft)  # noqa: PTH108 (`path` is a text, because pathlib is slow to import)
