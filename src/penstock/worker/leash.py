"""Ending a child that is in use, from another thread: when time is up, or the caller cancels.

Only a `Leash` kills a child that is in use, and never after it was let go: the child may by then
be answering somebody else.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from penstock.questions import Failure
from penstock.worker.child import Child
from penstock.worker.failures import CANCELLED


class Leash:
    """Kills a child for one reason, the first; not after it was let go."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._lock = threading.Lock()
        self._held = True
        self.reason: Failure | None = None

    def pull(self, reason: Failure) -> None:
        with self._lock:
            if self._held and self.reason is None:
                self.reason = reason
                self._child.kill()

    def let_go(self) -> None:
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


class Cancellation:
    """Lets another thread end a question.

    An async caller runs `ask` in a thread, and ends it when it is itself cancelled:

        cancellation = Cancellation()
        try:
            return await loop.run_in_executor(
                threads, workers.ask, question, material, cancellation
            )
        except asyncio.CancelledError:
            cancellation.request()
            raise

    `ask` then returns a Failure. One that still waits for a free child does so at its turn.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._leash: Leash | None = None
        self.requested = False

    def request(self) -> None:
        with self._lock:
            self.requested = True
            if self._leash:
                self._leash.pull(CANCELLED)

    @contextmanager
    def bound_to(self, leash: Leash) -> Iterator[None]:
        self._bind(leash)
        try:
            yield
        finally:
            self._bind(None)

    def _bind(self, leash: Leash | None) -> None:
        with self._lock:
            self._leash = leash
            if leash and self.requested:
                leash.pull(CANCELLED)
