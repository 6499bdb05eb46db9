"""News from a client for a server that is not ready to hear it.

A client that has its greeting may speak at once, but a server behind a hub may start only later. It
hears then what it would have heard if it had been the only one. A client may be a stranger, so no more
than a little is kept, and of that the latest.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from penstock.log import logger

MOST_BYTES: Final = 100_000


class EarlyNews:
    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()
        self._size = 0

    def put(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)
        while self._size > MOST_BYTES:
            self._size -= len(self._lines.popleft())
            logger().warning("dropped a notification for a server that has not started")

    def take(self) -> list[bytes]:
        lines, self._lines, self._size = list(self._lines), deque(), 0
        return lines
