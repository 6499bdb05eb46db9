"""Cancellation of the work of one thread by another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancelled(Exception):
    """The caller no longer wants an answer. Nothing of the answer is kept."""


class Cancellation:
    """A request by one thread that another stops its work.

    The working thread reads `requested` between two steps. Functions that are bound stop a step that
    is running, and a question that waits for a free child.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stops: list[Callable[[], None]] = []
        self.requested = False

    def request(self) -> None:
        with self._lock:
            self.requested = True
            stops = list(self._stops)
        for stop in stops:  # not under the lock: a stop may wait for a thread that needs it
            stop()

    @contextmanager
    def bound_to(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call `stop` on a request during this block, or at once if one has come already."""
        self.bind(stop)
        try:
            yield
        finally:
            self.unbind(stop)

    def bind(self, stop: Callable[[], None]) -> None:
        """Call `stop` on a request until `unbind`, or at once if one has come already."""
        with self._lock:
            self._stops.append(stop)
            is_late = self.requested
        if is_late:
            stop()

    def unbind(self, stop: Callable[[], None]) -> None:
        with self._lock:
            self._stops.remove(stop)
