"""A few threads for long work, with a limit on the work that waits, so that memory suffices.

A thread that submits one job too many waits. This slows down a client or an upstream that is
faster than the relay, instead of collecting its messages in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

THREADS = 4
MOST_WAITING = 16


class Jobs:
    """A pool of threads. With `most_waiting=None`, `submit` never waits."""

    def __init__(self, threads: int = THREADS, most_waiting: int | None = MOST_WAITING) -> None:
        self._threads = ThreadPoolExecutor(threads, "penstock-job")
        self._room = None if most_waiting is None else threading.BoundedSemaphore(most_waiting)

    def submit(self, job: Callable[[], None]) -> None:
        if self._room is not None:
            self._room.acquire()
        try:
            self._threads.submit(self._run, job)
        except RuntimeError:  # The pool is shut down, and nobody would take the answer.
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
        """Wait for the jobs in progress."""
        self._threads.shutdown()
