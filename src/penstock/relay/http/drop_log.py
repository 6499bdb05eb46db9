"""The log of what strangers can cause without end: dropped messages, and refused requests."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from penstock.core.model.recent import Recent
from penstock.log import logger

_EVERY_SECONDS: Final = 60.0
_MOST_KINDS: Final = 100  # A stranger chooses the names of some.
_SHOWN: Final = 100


class DropLog:
    """A log with one line for each kind and minute, which tells the number since the last line."""

    def __init__(self, done: str = "dropped", now: Callable[[], float] = time.monotonic) -> None:
        self._done = done
        self._now = now
        self._said: Recent[str, float] = Recent(_MOST_KINDS)
        self._unsaid: Recent[str, int] = Recent(_MOST_KINDS)

    def note(self, kind: str, why: str) -> None:
        kind, now = kind[:_SHOWN], self._now()
        said = self._said.get(kind)
        if said is not None and now - said < _EVERY_SECONDS:
            self._unsaid.put(kind, (self._unsaid.get(kind) or 0) + 1)
            return
        before = self._unsaid.pop(kind) or 0
        more = f" (and {before} more since the last report)" if before else ""
        self._said.put(kind, now)
        logger().info("%s %r%s: %s", self._done, kind, more, why)
