"""The replies to requests over HTTP.

The first message decides between JSON and a stream of events. If upstream streams, the reply is a
stream. Otherwise a reply of one message is JSON, and a longer reply is a stream.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.types import Send

from penstock.relay.http.admission import accepts
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound, answer_for_each, lost
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.wire import headers
from penstock.wire.headers import EVENTS, JSON

PING_SECONDS: Final = 15.0
_NO_CONTENT: Final = 204
_UNAVAILABLE: Final = 503
_PING: Final = b": ping\r\n\r\n"
_OPEN: Final = b": open\r\n\r\n"

_STREAM_HEADERS: Final = {
    "content-type": EVENTS,
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
}


class HttpReply:
    """One reply: JSON or a stream."""

    def __init__(self, request: Request, send: Send, inbound: Inbound, queue: ReplyQueue) -> None:
        self._request = request
        self._send = send
        self._inbound = inbound
        self._queue = queue
        self._takes_events = accepts(request, EVENTS)
        self._has_begun = self._is_stream = False

    async def write(self) -> None:
        first = await self._first()
        if first is None and self._queue.is_drained:
            await self._empty()
        elif not self._takes_events:
            await self._json(await self._last(first))
        elif first is not None and self._queue.is_at_end and not self._queue.is_stream:
            await self._json(first)
        else:
            await self._stream(first)

    async def break_off(self, told: str) -> None:
        """End the reply although the queue goes on, with an error for each request without an answer.

        An answer that waits to be sent, or is sent in part, is the only one.
        """
        errors = answer_for_each(self._inbound, lambda message: lost(message, told))
        if self._is_stream:
            is_answered = not self._queue.is_open or self._inbound.message is None
            await self._body(b"" if is_answered else _framed(Event(errors)), more=False)
        elif not self._has_begun:
            self._queue.status = _UNAVAILABLE
            await self._json(Event(errors))

    async def _first(self) -> Event | None:
        """Return the first message, or None after a while: a stream then keeps the connection."""
        if not self._takes_events:
            return await self._queue.get()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PING_SECONDS):
                return await self._queue.get()
        return None

    async def _last(self, event: Event | None) -> Event | None:
        """Return the last message: a client without streams gets only the answer."""
        last = None
        while event is not None:
            last = event if event.message else last
            event = await self._queue.get()
        return last

    async def _empty(self) -> None:
        status = self._queue.status or (404 if self._request.method == "DELETE" else 202)
        await self._head(status, {} if status == _NO_CONTENT else {"content-length": "0"})
        await self._body(b"", more=False)

    async def _json(self, event: Event | None) -> None:
        body = b"" if event is None else event.message
        status = headers.status_of(body) if self._inbound.is_modern and body else 200
        given = {"content-type": JSON, "content-length": str(len(body))}
        await self._head(self._queue.status or status, given)
        await self._body(body, more=False)

    async def _stream(self, event: Event | None) -> None:
        opening = self._queue.become_stream()
        await self._head(200, _STREAM_HEADERS)
        self._is_stream = True
        early = b"".join(_framed(one) for one in (opening, event) if one is not None)
        await self._body(early)  # Also if it is empty: the server holds the head until then.
        while True:
            try:
                async with asyncio.timeout(PING_SECONDS):
                    event = await self._queue.get()
            except TimeoutError:
                await self._body(_PING)
                continue
            if event is None:
                break
            await self._body(_framed(event))
        await self._body(b"", more=False)

    async def _head(self, status: int, given: Mapping[str, str]) -> None:
        session = self._queue.session
        own = ((headers.SESSION, self._queue.session_mark + session),) if session else ()
        made = (*given.items(), *own, *self._queue.headers)  # A header may occur several times.
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in made]
        await self._send({"type": "http.response.start", "status": status, "headers": pairs})
        self._has_begun = True  # Last: while the client does not read, the head waits to be sent.

    async def _body(self, part: bytes, *, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": part, "more_body": more})


def _framed(event: Event) -> bytes:
    """Return the bytes of an event in a stream."""
    if event == Event():
        return _OPEN
    return headers.event(event.message, id=event.id, retry=event.retry)
