"""A pause after a server did not answer in time.

While a server hangs, every call would wait for the same time-out, and hold its thread. In a pause,
calls fail at once instead. When the pause is over, one call tries the server for all.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Final

SECONDS: Final = 3.0
# One time-out may be due to one very large entry.
_IN_A_ROW: Final = 2


class Pause:
    """The state of one server, as far as its last answers tell. Threads may share it."""

    def __init__(
        self, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._clock = clock
        self._time_outs = 0
        self._until = -math.inf
        self._lock = threading.Lock()

    def admits(self) -> bool:
        """Return whether a call may try the server. Report its outcome with `note`."""
        with self._lock:
            if self._time_outs < _IN_A_ROW:
                return True
            if self._clock() < self._until:
                return False
            self._until = math.inf  # until this call has an outcome
            return True

    def note(self, *, timed_out: bool) -> None:
        """Note the outcome of a call. Any answer, even an error, ends the pause."""
        with self._lock:
            self._time_outs = self._time_outs + 1 if timed_out else 0
            if self._time_outs >= _IN_A_ROW:
                self._until = self._clock() + self._seconds
