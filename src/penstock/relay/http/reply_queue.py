"""The queue of messages that wait to be sent as the reply to one HTTP request."""

from __future__ import annotations

import asyncio
from typing import Final

from penstock.relay.http.events import Event
from penstock.relay.http.refusals import RETRY_SECONDS

_MOST_WAITING: Final = 1_000
_MOST_BYTES: Final = 4_000_000
_UNAVAILABLE: Final = 503


class ReplyQueue:
    """A queue that a gateway fills and the HTTP app empties. The gateway waits while it is full.

    Set `status`, `session`, `session_mark`, `headers`, `opening` and `is_stream` before the first
    message: they go into the head of the reply.
    """

    def __init__(self) -> None:
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._bytes = 0
        self._turn = asyncio.Lock()  # keeps the order while the queue is full
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._is_closed = False
        self._closed = asyncio.Event()
        self.status = 0
        self.is_stream = False
        self.session = ""
        self.session_mark = ""  # what the client sees before the id of the session
        self.headers: tuple[tuple[str, str], ...] = ()
        self.opening: Event | None = None  # the event before the others, if this becomes a stream

    def refuse(self, seconds: int = RETRY_SECONDS) -> None:
        """Refuse the request for now. The gateway then puts the error that says why."""
        self.status = _UNAVAILABLE
        self.headers = (("retry-after", str(seconds)),)

    async def put(self, event: Event) -> None:
        async with self._turn:
            await self._has_room.wait()
            if not self._is_closed:
                self._add(event)

    async def finish(self, event: Event) -> None:
        """Put the last message. So the app sees that a reply of one message needs no stream."""
        async with self._turn:
            if not self._is_closed:
                self._end()
                self._add(event)
                self._events.put_nowait(None)

    async def close(self) -> None:
        async with self._turn:
            if not self._is_closed:
                self._end()
                self._events.put_nowait(None)

    def _add(self, event: Event) -> None:
        self._events.put_nowait(event)
        self._bytes += len(event.message)
        if self._bytes > _MOST_BYTES or self._events.qsize() >= _MOST_WAITING:
            self._has_room.clear()

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
        self._has_room.set()

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

    def become_stream(self) -> Event | None:
        """Note that the reply is a stream of events, and return the event that opens it, if any."""
        self.is_stream = True
        return self.opening

    async def get(self) -> Event | None:
        event = await self._events.get()
        self._bytes -= len(event.message) if event is not None else 0
        if self._bytes <= _MOST_BYTES and self._events.qsize() < _MOST_WAITING:
            self._has_room.set()
        return event
