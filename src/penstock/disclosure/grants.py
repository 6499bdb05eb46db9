"""Grants: records that an agent has read the full description of a tool.

A grant belongs to a holder: a session, a principal, or, if neither is known, the bearer of a handle
that came with the description. A grant improves calls and protects nothing: it permits nothing that
the caller may not do anyway, and it never changes a list.

Each grant is a separate record in the store, so that several server processes agree and none has to
read before it writes.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, Self

import msgspec

from penstock.core.model.recent import Recent
from penstock.core.model.store import Record, Store
from penstock.log import logger
from penstock.stores.memory import MemoryStore

IDLE_SECONDS: Final = 3_600.0
SWEEP_SECONDS: Final = 600.0
MOST_GRANTS: Final = 10_000
HANDLE_PREFIX: Final = "pgr_"
GRANT_FIELD: Final = "tool_grant"
_OWNER: Final = "grants"
_HANDLE_BYTES: Final = 18
_HANDLE: Final = re.compile(HANDLE_PREFIX + "[A-Za-z0-9_-]{24}")  # `_HANDLE_BYTES` in base64


class Holder(msgspec.Struct, frozen=True):
    """The holder of grants."""

    id: str
    handle: str = ""  # the grant handle that identifies an agent with no session and no principal

    @classmethod
    def of(cls, server: str, who: str, shown: Any = None) -> Self:
        """Return the holder: `who` if known, else the bearer of `shown`, else of a new handle."""
        if who:
            return cls(f"{server}\0{who}")
        handle = shown if isinstance(shown, str) and _HANDLE.fullmatch(shown) else new_handle()
        return cls(f"{server}\0{handle}", handle)


class Grants:
    """The grants in a store. A grant ends after `idle` seconds without use."""

    def __init__(
        self,
        store: Store | None = None,
        *,
        idle: float = IDLE_SECONDS,
        most: int = MOST_GRANTS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store or MemoryStore()
        self._idle = idle
        self._clock = clock
        self._given: Recent[str, float] = Recent(most)
        self._swept = clock()

    def __len__(self) -> int:
        """Return how many grants this process gave and has not swept."""
        return len(self._given)

    def grant(self, holder: str, tools: str | Iterable[str]) -> None:
        now = self._clock()
        for tool in [tools] if isinstance(tools, str) else tools:
            key = _key(holder, tool)
            expires = now + self._idle
            self._store.put(
                key, Record(_OWNER, expires, tool.encode("utf-8", "surrogatepass")), now=now
            )
            self._remember(key, expires)
            logger().info("granted: %s (%d in all)", tool, len(self))
        self._sweep_sometimes(now)

    def is_granted(self, holder: str, tool: str) -> bool:
        """Return whether the holder has a grant for the tool, and keep the grant alive."""
        now = self._clock()
        self._sweep_sometimes(now)
        key = _key(holder, tool)
        found = self._store.load(key, now=now)
        if found is None:
            logger().info("not granted: %s", tool)
            return False
        if found.expires - now < self._idle / 2:  # a write for every call would be slow
            self._store.touch(key, expires=now + self._idle)
            self._remember(key, now + self._idle)
        return True

    def revoke(self, holder: str, tools: Iterable[str]) -> None:
        for tool in tools:
            key = _key(holder, tool)
            self._store.delete(key)
            self._given.pop(key)

    def sweep(self) -> int:
        """Free the space of expired records, results included. Return how many expired."""
        now = self._swept = self._clock()
        self._given.drop_if(lambda expires: expires <= now)
        gone = self._store.sweep(now=now)
        logger().info("swept: %d expired, %d grants in all", gone, len(self))
        return gone

    def _remember(self, key: str, expires: float) -> None:
        """Note a grant. Delete the oldest one if there are too many."""
        oldest = self._given.put(key, expires)
        if oldest is not None:
            self._store.delete(oldest)

    def _sweep_sometimes(self, now: float) -> None:
        if now - self._swept >= SWEEP_SECONDS:
            self.sweep()


def new_handle() -> str:
    """Return a new handle, which identifies an agent with no session and no principal."""
    return HANDLE_PREFIX + secrets.token_urlsafe(_HANDLE_BYTES)


def _key(holder: str, tool: str) -> str:
    named = f"grant\0{holder}\0{tool}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(named).hexdigest()
