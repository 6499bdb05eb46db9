"""Ending a child that is in use, from another thread: when time is up, or the caller cancels.

Only a `KillSwitch` kills a child that is in use, and never after it was disarmed: the child may by then
be answering somebody else.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from penstock.core.model.questions import Failure
from penstock.worker.child import WorkerChild


class KillSwitch:
    """Kills a child for one reason, the first; not after it was disarmed."""

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
        timer = threading.Timer(seconds, self.pull, (reason,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
