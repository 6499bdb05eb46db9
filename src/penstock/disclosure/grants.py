"""Which tools an agent has read the description of.

A grant belongs to a holder: a session, a principal, or, where nobody is known, whoever has a handle
that came with the description. It makes calls good, not allowed: it opens nothing that the caller
may not do anyway, and it never changes a list.

Each grant is a record of its own in the store, so that several workers agree and none has to read
before it writes.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

from penstock.gate import log
from penstock.stores.base import Record, Store
from penstock.stores.memory import MemoryStore

IDLE_SECONDS: Final = 3_600.0
SWEEP_SECONDS: Final = 600.0
MOST_GRANTS: Final = 10_000
HANDLE_PREFIX: Final = "pgr_"
_OWNER: Final = "grants"


class Grants:
    """`grant` and `is_granted`; one that is not used for `idle` seconds ends."""

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
        self._most = most
        self._clock = clock
        self._given: OrderedDict[str, None] = OrderedDict()
        self._swept = clock()
        self._lock = threading.Lock()

    def grant(self, holder: str, tools: Iterable[str]) -> None:
        now = self._clock()
        for tool in tools:
            key = _key(holder, tool)
            self._store.put(key, Record(_OWNER, now + self._idle, tool.encode()), now=now)
            log().info("granted: %s", tool)
            self._remember(key)
        self._sweep_sometimes(now)

    def is_granted(self, holder: str, tool: str) -> bool:
        """Asking keeps it alive."""
        now = self._clock()
        self._sweep_sometimes(now)
        key = _key(holder, tool)
        found = self._store.load(key, now=now) is not None
        if found:
            self._store.touch(key, expires=now + self._idle)
        else:
            log().info("not granted: %s", tool)
        return found

    def revoke(self, holder: str, tools: Iterable[str]) -> None:
        for tool in tools:
            self._store.delete(_key(holder, tool))

    def sweep(self) -> int:
        """Gives back the space of what has expired; how many went."""
        self._swept = self._clock()
        gone = self._store.sweep(now=self._swept)
        if gone:
            log().info("%d grants and results have expired", gone)
        return gone

    def _remember(self, key: str) -> None:
        """Bounds how many there are: the oldest goes first."""
        with self._lock:
            self._given[key] = None
            self._given.move_to_end(key)
            oldest = self._given.popitem(last=False)[0] if len(self._given) > self._most else None
        if oldest is not None:
            self._store.delete(oldest)

    def _sweep_sometimes(self, now: float) -> None:
        if now - self._swept >= SWEEP_SECONDS:
            self.sweep()


def new_handle() -> str:
    """For an agent of whom nothing is known: it shows the handle instead of itself."""
    return HANDLE_PREFIX + secrets.token_urlsafe(18)


def _key(holder: str, tool: str) -> str:
    named = f"grant\0{holder}\0{tool}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(named).hexdigest()
