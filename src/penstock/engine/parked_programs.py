"""Programs that wait until the user has replied to a question of a tool."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from typing import Any, Final

import msgspec

MOST_PARKED: Final = 32


class Parked(msgspec.Struct, frozen=True):
    """A program that waits, and the handler that continues it."""

    program: Any
    handler: Any
    owner: str
    until: float


class ParkedPrograms:
    """The programs that wait. `end` is called for one that nobody has taken back in time. All
    handles begin with `mark`."""

    def __init__(self, end: Callable[[Any], None], mark: str = "") -> None:
        self._end = end
        self._mark = mark
        self._parked: dict[str, Parked] = {}  # the oldest first
        self._lock = threading.Lock()

    def park(self, parked: Parked, now: float) -> str:
        """Keep a program, and return its handle. The oldest makes room for one too many."""
        handle = self._mark + secrets.token_urlsafe(16)
        with self._lock:
            self._parked[handle] = parked
            old = list(self._parked)[: max(len(self._parked) - MOST_PARKED, 0)]
            ended = [self._parked.pop(name) for name in old]
        for one in ended:
            self._end(one.program)
        self.sweep(now)
        return handle

    def sweep(self, now: float) -> None:
        """End the programs whose time is up."""
        with self._lock:
            old = [name for name, one in self._parked.items() if one.until <= now]
            ended = [self._parked.pop(name) for name in old]
        for one in ended:
            self._end(one.program)

    def take(self, handle: str, owner: str, now: float) -> Parked | None:
        """Return a program that waits for this caller, once."""
        with self._lock:
            parked = self._parked.get(handle)
            if parked is None or parked.owner != owner or parked.until <= now:
                return None
            return self._parked.pop(handle)

    def close(self) -> None:
        with self._lock:
            ended, self._parked = list(self._parked.values()), {}
        for one in ended:
            self._end(one.program)
