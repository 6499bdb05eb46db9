"""Stores by URL.

| URL | store |
|---|---|
| `memory:` | in this process |
| `sqlite:` | a file in the platform's state folder |
| `sqlite:///abs/path`, `sqlite:///~/path`, `sqlite:relative.db` | that file |
| `redis://`, `rediss://`, `valkey://`, `valkeys://`, `unix://` | Redis or Valkey, as redis-py reads it |

A backend's library is imported only when a URL names the backend, and `pathlib` only when needed.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from penstock.core.model.store import DEFAULT_CAPACITY, DEFAULT_QUOTA
from penstock.errors import InvalidSetting

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.core.model.store import Store

# The scheme that redis-py knows each of them by.
REDIS_SCHEMES = {
    "redis": "redis",
    "rediss": "rediss",
    "valkey": "redis",
    "valkeys": "rediss",
    "unix": "unix",
}
SCHEMES = ("memory", "sqlite", *REDIS_SCHEMES)


def open_store(url: str, *, capacity: int | None = None, quota: int | None = None) -> Store:
    """Open the store that `url` names. Redis ignores `capacity`: see `penstock.stores.redis`."""
    capacity = DEFAULT_CAPACITY if capacity is None else capacity
    quota = DEFAULT_QUOTA if quota is None else quota
    scheme, rest = _split(url)
    if scheme == "memory":
        from penstock.stores.memory import MemoryStore

        return MemoryStore(capacity, quota)
    if scheme == "sqlite":
        from penstock.stores.sqlite import SQLiteStore

        return SQLiteStore(_path(rest), capacity=capacity, quota=quota)
    from penstock.stores.redis import RedisStore

    return RedisStore(f"{REDIS_SCHEMES[scheme]}:{rest}", quota=quota)


def sqlite_file(url: str) -> Path | None:
    """Return the file that a URL names, whether or not it exists, or None for other stores."""
    scheme, rest = _split(url)
    return _path(rest) if scheme == "sqlite" else None


def is_in_memory(url: str) -> bool:
    """Return whether only one process can use the store that a URL names."""
    return _split(url)[0] == "memory"


def is_shared(url: str) -> bool:
    """Return whether other machines may use the store that a URL names."""
    return _split(url)[0] in REDIS_SCHEMES


def state_folder() -> Path:
    """Return the folder of this platform for data that a program needs again after a restart."""
    from pathlib import Path

    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "penstock"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "penstock"
    base = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification says that a relative path is invalid and must be ignored.
    folder = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    return folder / "penstock"


def _split(url: str) -> tuple[str, str]:
    scheme, colon, rest = url.partition(":")
    scheme = scheme.lower()
    if not colon or scheme not in SCHEMES:
        # Only the scheme is shown: the rest may hold a password.
        known = ", ".join(f"{name}:" for name in SCHEMES)
        raise InvalidSetting("store", scheme, f"a store is one of {known}.")
    return scheme, rest


def _path(rest: str) -> Path:
    from pathlib import Path
    from urllib.parse import unquote

    if rest.strip("/") == "":
        return state_folder() / "results.sqlite"
    if rest.startswith("//") and not rest.startswith("///"):
        why = "an absolute path has three slashes (sqlite:///path), a relative one none."
        raise InvalidSetting("store", f"sqlite:{rest}", why)
    name = unquote(rest[2:] if rest.startswith("///") else rest)
    if re.match(r"/(~|[A-Za-z]:)", name):
        name = name[1:]  # the URL's slash is no part of a home or a Windows drive
    if name.strip("/") == ":memory:":
        why = "this would be a file of that name; for a store in memory, use `memory:`."
        raise InvalidSetting("store", f"sqlite:{rest}", why)
    return Path(name).expanduser()
