"""The messages that wait until a process reads its input: in order, and under a limit.

A process that does not read would otherwise fill our memory with the messages of its clients.
"""

from __future__ import annotations

import asyncio
from typing import Final

from penstock.relay.http.child import AsyncProcess
from penstock.relay.http.refusals import RETRY_SECONDS
from penstock.relay.http.to_its_end import to_its_end

MOST_UNREAD: Final = 32_000_000
_EACH: Final = 4_096  # the memory that a waiting message takes besides its bytes
_TOLD: Final = (
    f"The MCP server does not read its input: {MOST_UNREAD // 1_000_000} MB wait for it. It was not "
    f"sent this message. Try again in {RETRY_SECONDS} s."
)


class NotRead(Exception):
    """The process has left too many messages unread, and was not sent this one."""

    def __init__(self) -> None:
        super().__init__(_TOLD)


class Outbox:
    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def send(self, child: AsyncProcess, message: bytes) -> None:
        """Send a message after those before it. Raise `NotRead` if too many wait.

        A sender that is cancelled takes back its message, unless it is being written.
        """
        size = len(message) + _EACH
        if self._waiting and self._waiting + size > MOST_UNREAD:
            raise NotRead
        self._waiting += size
        try:
            async with self._turn:
                await to_its_end(asyncio.ensure_future(child.send(message)))
        finally:
            self._waiting -= size
