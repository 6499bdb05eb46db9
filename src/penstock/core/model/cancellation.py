"""Lets one thread end what another is doing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancelled(Exception):
    """The caller no longer wants an answer. Nothing of it is kept."""


class Cancellation:
    """Asked for from one thread, heeded in another: between two steps by whoever looks at
    `requested`, and in the middle of one through what was bound to it.

    A question that still waits for a free child ends at its turn.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stop: Callable[[], None] | None = None
        self.requested = False

    def request(self) -> None:
        with self._lock:
            self.requested = True
            if self._stop:
                self._stop()

    @contextmanager
    def bound_to(self, stop: Callable[[], None]) -> Iterator[None]:
        """While this lasts, a request calls `stop`; one that came before does so at once."""
        self._bind(stop)
        try:
            yield
        finally:
            self._bind(None)

    def _bind(self, stop: Callable[[], None] | None) -> None:
        with self._lock:
            self._stop = stop
            if stop and self.requested:
                stop()
