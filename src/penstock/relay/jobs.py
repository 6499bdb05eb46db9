"""A few threads for what takes long, and no more of it at once than memory can hold.

Whoever submits one too many waits: so a client or an upstream that is faster than the relay is
slowed down, and not collected in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

THREADS = 4
MOST_WAITING = 16


class Jobs:
    """`most_waiting=None`: for whoever must not wait."""

    def __init__(self, threads: int = THREADS, most_waiting: int | None = MOST_WAITING) -> None:
        self._threads = ThreadPoolExecutor(threads, "penstock-job")
        self._room = None if most_waiting is None else threading.BoundedSemaphore(most_waiting)

    def submit(self, job: Callable[[], None]) -> None:
        if self._room is not None:
            self._room.acquire()
        try:
            self._threads.submit(self._run, job)
        except RuntimeError:  # shut down: nobody is there to take the answer
            self._leave()

    def _run(self, job: Callable[[], None]) -> None:
        try:
            job()
        finally:
            self._leave()

    def _leave(self) -> None:
        if self._room is not None:
            self._room.release()

    def finish(self) -> None:
        """Waits for what is under way."""
        self._threads.shutdown()
