"""The calls that one program makes, as its session follows them.

Several threads may finish calls while another waits for them. `finish` and `wait` hand all finished
calls to exactly one of these threads, which then advances the program.
"""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

Made = TypeVar("Made")  # a call as its session knows it


class InnerCalls(Generic[Made]):
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._done: list[Made] = []
        self._is_waiting = False
        self.open: dict[bytes, Made] = {}  # those that have no answer, by their ids

    def begin(self, key: bytes, call: Made) -> None:
        self.open[key] = call

    def finish(self, key: bytes, call: Made) -> list[Made] | None:
        """Note that a call has its answer. Return the finished calls if the program waits for them,
        otherwise None."""
        with self._lock:
            self.open.pop(key, None)
            self._done.append(call)
            return self._take() if self._is_waiting else None

    def wait(self) -> list[Made] | None:
        """Return the finished calls. If there are none, return None: another thread gets them."""
        with self._lock:
            self._is_waiting = not self._done
            return self._take() if self._done else None

    def interrupt(self) -> list[Made] | None:
        """End the wait of the program. Return the finished calls, or None if it does not wait."""
        with self._lock:
            return self._take() if self._is_waiting else None

    def finished(self) -> list[Made]:
        """Return the finished calls without waiting."""
        with self._lock:
            return self._take()

    def _take(self) -> list[Made]:
        done, self._done, self._is_waiting = self._done, [], False
        return done
