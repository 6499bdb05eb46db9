"""Functions that are called later, all by one thread."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from itertools import count

from penstock.log import logger


class Alarms:
    """A thread that calls functions at their time. It starts with the first one."""

    def __init__(self) -> None:
        self._waiting: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()  # functions of the same time have no order
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def set(self, seconds: float, ring: Callable[[], None]) -> None:
        with self._changed:
            alarm = (time.monotonic() + seconds, next(self._numbers), ring)
            heapq.heappush(self._waiting, alarm)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
            if self._waiting[0] is alarm:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            ring = self._next()
            try:
                ring()
            except Exception:  # noqa: BLE001 (the other alarms must still ring)
                logger().exception("an alarm failed")
            del ring  # it may hold a program, and the next one may be far

    def _next(self) -> Callable[[], None]:
        """Wait for the next function, and return it at its time."""
        with self._changed:
            while True:
                now = time.monotonic()
                if self._waiting and self._waiting[0][0] <= now:
                    return heapq.heappop(self._waiting)[2]
                self._changed.wait(self._waiting[0][0] - now if self._waiting else None)
