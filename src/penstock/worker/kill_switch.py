"""The switch that ends a child in use from another thread: time is up, or the caller cancels.

Only a `KillSwitch` kills a child that is in use. A disarmed switch never does, because the child
may by then be answering another caller.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from penstock.core.model.questions import Failure
from penstock.worker.child import WorkerChild


class KillSwitch:
    """A switch that kills a child once, and keeps the reason, unless it was disarmed before."""

    def __init__(self, child: WorkerChild) -> None:
        self._child = child
        self._lock = threading.Lock()
        self._held = True
        self.reason: Failure | None = None

    def pull(self, reason: Failure) -> None:
        with self._lock:
            if self._held and self.reason is None:
                self.reason = reason
                self._child.kill()

    def disarm(self) -> None:
        with self._lock:
            self._held = False

    @contextmanager
    def within(self, seconds: float, reason: Failure) -> Iterator[None]:
        """Pull the switch unless the block ends within `seconds`."""
        timer = threading.Timer(seconds, self.pull, (reason,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
