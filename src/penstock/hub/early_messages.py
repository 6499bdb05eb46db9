"""Messages for a party that is not ready to hear them.

A client that has its greeting may speak at once, but a server behind a hub may start only later. It
hears then what it would have heard if it had been the only one. A legacy client must not be told
anything before it says that it is ready. Either may be a stranger, so no more than a little is kept,
and of that the latest.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from penstock.log import logger

MOST_BYTES: Final = 100_000


class EarlyMessages:
    def __init__(self, hearer: str) -> None:
        self._hearer = hearer
        self._lines: deque[bytes] = deque()
        self._size = 0

    def put(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)
        while self._size > MOST_BYTES:
            self._size -= len(self._lines.popleft())
            logger().warning("dropped a message for %s, which is not ready yet", self._hearer)

    def take(self) -> list[bytes]:
        lines, self._lines, self._size = list(self._lines), deque(), 0
        return lines
