"""The streams of a legacy session, and their latest events, which a client can ask for again.

Every stream numbers its events: `4-17` is event 17 of stream 4. A client whose connection broke names
the last event it has, and gets the later ones of the same stream on a new connection. What was sent is
kept, so a replay holds the same tokens as the first time.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from typing import Final

from penstock.relay.http.drop_log import DropLog
from penstock.relay.http.events import Event
from penstock.relay.http.reply_queue import ReplyQueue

MOST_KEPT: Final = 4_000_000
_EACH: Final = 500  # the memory that a kept event takes besides its bytes
_ID: Final = re.compile(r"(\d{1,15})-(\d{1,15})")


class Streams:
    """The streams of one session. Together they keep a limited number of bytes: the oldest events
    go first."""

    def __init__(self) -> None:
        self._known: dict[int, Stream] = {}
        self._order: deque[tuple[Stream, int]] = deque()
        self._size = 0
        self._opened = 0
        self._dropped = DropLog()

    def open(self, connection: ReplyQueue | None = None) -> Stream:
        stream = self._known[self._opened] = Stream(self, self._opened, connection)
        self._opened += 1
        return stream

    def find(self, event: str) -> tuple[Stream, int] | str:
        """Return the stream of an event and the event's number, or why the stream cannot go on."""
        match = _ID.fullmatch(event)
        stream = None if match is None else self._known.get(int(match[1]))
        if match is None or stream is None:
            return f"No event {event[:40]!r} is known in this session, or it is no longer kept."
        return stream.after(int(match[2]))

    def keep(self, stream: Stream, event: Event) -> None:
        size = len(event.message) + _EACH
        stream.kept.append(event)
        self._order.append((stream, size))
        self._size += size
        while self._size > MOST_KEPT:
            oldest, size = self._order.popleft()
            self._size -= size
            if oldest.drop_oldest():
                self._dropped.note("a message", "no client came for it, and newer ones need room")
            self._forget_if_useless(oldest)

    def _forget_if_useless(self, stream: Stream) -> None:
        if stream.is_finished and not stream.kept:
            self._known.pop(stream.number, None)

    def finished(self, stream: Stream) -> None:
        self._forget_if_useless(stream)


class Stream:
    """One stream: the reply to a POST, or the messages that belong to no POST.

    The connection may break and be replaced. Until then, events are only kept.
    """

    def __init__(self, streams: Streams, number: int, connection: ReplyQueue | None) -> None:
        self.number = number
        self.is_finished = False
        self._streams = streams
        self._connection = connection
        self.kept: deque[Event] = deque()
        self._count = 0  # events so far; the opening event has the number 0
        self._sent = 0  # the last event that was given to a connection
        self._turn = asyncio.Lock()  # No event overtakes a replay.

    @property
    def opening(self) -> Event:
        """Return the event that gives a client an id to resume after, before the first message."""
        return Event(id=f"{self.number}-{self._count}")

    @property
    def is_heard(self) -> bool:
        return self._connection is not None and self._connection.is_open

    async def put(self, message: bytes) -> None:
        async with self._turn:
            event = self._numbered(message)
            self._streams.keep(self, event)
            if self._connection is not None:
                await self._connection.put(event)

    async def finish(self, message: bytes) -> None:
        """Put the last message. Do not keep it if no client can know an event before it."""
        async with self._turn:
            is_known = self._count > 0 or (
                self._connection is not None and self._connection.is_stream
            )
            event = self._numbered(message)
            self.is_finished = True
            if is_known:
                self._streams.keep(self, event)
            if self._connection is not None:
                await self._connection.finish(event)
            self._streams.finished(self)

    def refuse(self) -> None:
        """Say with the reply, if it has not begun, that the request is refused for now."""
        if self._connection is not None:
            self._connection.refuse()

    async def close(self) -> None:
        """End the stream without a last message."""
        self.is_finished = True
        if self._connection is not None:
            await self._connection.close()
        self._streams.finished(self)

    async def resume(
        self, connection: ReplyQueue, opening: Event, after: int | None = None
    ) -> None:
        """Give a new connection an opening event, and the events after one, or those that no
        connection was given. Then give it each later event. The connection before it ends: it is
        broken, or would miss them."""
        if self._connection is not None:
            self._connection.break_off()
        async with self._turn:
            self._connection = connection
            await connection.put(opening)
            start = self._sent if after is None else after
            first = self._count - len(self.kept)
            for event in list(self.kept)[max(0, start - first) :]:
                await connection.put(event)
            self._sent = self._count
            if self.is_finished:
                await connection.close()

    def after(self, number: int) -> tuple[Stream, int] | str:
        """Return this stream and a number whose later events are all kept, or why there is none."""
        lost = self._count - len(self.kept) - number
        if lost > 0:
            return (
                f"{lost} messages after event {self.number}-{number} are no longer kept. The answer "
                "may be lost, although the server may have run the request."
            )
        if number > self._count:
            return f"Event {self.number}-{number} has not been sent."
        return self, number

    def drop_oldest(self) -> bool:
        """Forget the oldest kept event. Return whether no connection was ever given it."""
        self.kept.popleft()
        return self._count - len(self.kept) > self._sent

    def _numbered(self, message: bytes) -> Event:
        self._count += 1
        if self.is_heard:
            self._sent = self._count
        return Event(message, f"{self.number}-{self._count}")
