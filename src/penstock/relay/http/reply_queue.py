"""The queue of messages that wait to be sent as the reply to one HTTP request."""

from __future__ import annotations

import asyncio
from typing import Final

from penstock.relay.http.events import Event

_MOST_WAITING: Final = 1_000


class ReplyQueue:
    """A queue that a gateway fills and the HTTP app empties. The gateway waits while it is full.

    Set `status`, `session`, `challenge` and `is_stream` before the first message: they go into the
    head of the reply.
    """

    def __init__(self) -> None:
        self._events: asyncio.Queue[Event | None] = asyncio.Queue(_MOST_WAITING)
        self._is_closed = False
        self._closed = asyncio.Event()
        self.status = 0
        self.is_stream = False
        self.session = ""
        self.challenge = ""

    async def put(self, event: Event) -> None:
        if not self._is_closed:
            await self._events.put(event)

    async def finish(self, event: Event) -> None:
        """Put the last message. So the app sees that a reply of one message needs no stream."""
        if not self._is_closed:
            self._end()
            await self._events.put(event)
            await self._events.put(None)

    async def close(self) -> None:
        if not self._is_closed:
            self._end()
            await self._events.put(None)

    def _end(self) -> None:
        self._is_closed = True
        self._closed.set()

    async def wait_closed(self) -> None:
        await self._closed.wait()

    def break_off(self) -> None:
        """Drop all messages, waiting and future: the client has left or reads too slowly."""
        self._end()
        while not self._events.empty():
            self._events.get_nowait()
        self._events.put_nowait(None)

    @property
    def is_open(self) -> bool:
        return not self._is_closed

    @property
    def is_at_end(self) -> bool:
        """Return whether no message follows the one that was taken last."""
        return self._is_closed and self._events.qsize() <= 1

    @property
    def is_drained(self) -> bool:
        """Return whether the end was taken too."""
        return self._is_closed and self._events.empty()

    async def get(self) -> Event | None:
        return await self._events.get()
