"""The clock of a gate: the time of day, which never goes back within a process.

A token lives until a time of day. If someone sets the clock of the machine back by a day, a token of
five minutes would live for a day. So the clock goes on with the time that has really passed. It
follows the time of day forwards: the machine may have been asleep, while no other clock counts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from penstock.log import logger

_NOTABLE: Final = 60.0  # seconds


class SteadyClock:
    """A clock that shows the time of day, or more if the time of day was set back."""

    def __init__(
        self,
        time_of_day: Callable[[], float] = time.time,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._time_of_day = time_of_day
        self._elapsed = elapsed
        self._ahead = float("-inf")  # the most that the time of day was ahead of `elapsed`
        self._has_told = False
        self._lock = threading.Lock()

    def __call__(self) -> float:
        with self._lock:
            # In this order: a pause between the two readings does not move the clock ahead.
            given = self._time_of_day()
            elapsed = self._elapsed()
            self._ahead = max(self._ahead, given - elapsed)
            now = elapsed + self._ahead
            is_new = now - given > _NOTABLE and not self._has_told
            self._has_told = self._has_told or is_new
        if is_new:
            logger().warning(
                "the clock of this machine was set back by %d seconds: this process goes on with its "
                "own time, so that no result lives longer. Other processes may refuse its results "
                "until the process is started again",
                now - given,
            )
        return now
