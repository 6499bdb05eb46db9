"""The HTTP side of `penstock serve`: it checks requests, calls a gateway, and forms the replies.

The first message decides between JSON and a stream of events. If upstream streams, the reply is a
stream. Otherwise a reply of one message is JSON, and a longer reply is a stream.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from penstock._version import __version__
from penstock.core.json.rawjson import NotJson
from penstock.core.model.values import Principal
from penstock.log import logger
from penstock.relay.http.allowed_hosts import AllowedHosts
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import HttpGateway, Inbound
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.wire import eras, headers, messages
from penstock.wire.headers import EVENTS, JSON
from penstock.wire.messages import (
    INTERNAL_ERROR,
    PARSE_ERROR,
)

PATH: Final = "/mcp"
HEALTH: Final = "/healthz"
PING_SECONDS: Final = 15.0
_PING: Final = b": ping\r\n\r\n"
_OPEN: Final = b": open\r\n\r\n"
MOST_BODY: Final = 256_000_000

_STREAM_HEADERS: Final = {
    "content-type": EVENTS,
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
}

Step = Callable[[Inbound, ReplyQueue], Awaitable[None]]


class RefusedExchange(Exception):
    """A request that gets this response and reaches no gateway."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class AsgiApp:
    """An ASGI application."""

    def __init__(
        self, gateway: HttpGateway, guard: AllowedHosts, *, forwards_authorization: bool
    ) -> None:
        self._gateway = gateway
        self._guard = guard
        self._forwards_authorization = forwards_authorization

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        request = Request(scope, receive)
        try:
            await self._route(request, receive, send)
        except RefusedExchange as refused:
            await refused.response(scope, receive, send)
        except ClientDisconnect:
            logger().info("a client left before its request was complete")

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            stage = (await receive())["type"]
            if stage == "lifespan.shutdown":
                await self._gateway.close()
            await send({"type": f"{stage}.complete"})
            if stage == "lifespan.shutdown":
                return

    async def _route(self, request: Request, receive: Receive, send: Send) -> None:
        given = request.headers
        why = self._guard.refuses(given.get("host", ""), given.get("origin", ""))
        if why:
            raise RefusedExchange(Response(why, 403))
        path = request.scope["path"].rstrip("/")
        if path == HEALTH:
            raise RefusedExchange(JSONResponse({"status": "ok", "version": __version__}))
        if path != PATH:
            raise RefusedExchange(Response(f"The MCP endpoint is {PATH}.", 404))
        if request.method == "POST":
            inbound = await self._posted(request)
            await self._reply(request, receive, send, inbound, self._gateway.post)
        elif request.method == "GET":
            _require_accept(request, EVENTS)
            await self._reply(request, receive, send, self._inbound(request), self._gateway.listen)
        elif request.method == "DELETE":
            await self._reply(request, receive, send, self._inbound(request), self._gateway.leave)
        else:
            raise RefusedExchange(Response("", 405, {"allow": "POST, GET, DELETE"}))

    # -- reading -------------------------------------------------------------------------------

    def _inbound(self, request: Request, **more: Any) -> Inbound:
        given = request.headers
        more.setdefault("is_modern", given.get(headers.VERSION, "") in eras.MODERN_VERSIONS)
        session = given.get(headers.SESSION, "")
        authorization = given.get("authorization", "") if self._forwards_authorization else ""
        is_modern = more["is_modern"]  # Modern requests have no session, despite a header.
        principal = Principal(f"session:{session}") if session and not is_modern else Principal()
        if authorization:
            digest = hashlib.sha256(authorization.encode()).hexdigest()
            principal = Principal(f"authorization:{digest}")
        return Inbound(
            session=session,
            version=given.get(headers.VERSION, ""),
            last_event=given.get(headers.LAST_EVENT, ""),
            headers=tuple(given.items()),
            authorization=authorization,
            forwards_authorization=self._forwards_authorization,
            principal=principal,
            peer=request.client.host if request.client is not None else "",
            **more,
        )

    async def _posted(self, request: Request) -> Inbound:
        # A missing type is refused too: a web page could send it without a CORS preflight.
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise RefusedExchange(Response(f"The body must be {JSON}.", 415))
        _require_accept(request, JSON)
        body = messages.one_line(await _body(request))
        try:
            is_batch = messages.batch_of(body) is not None
            message = None if is_batch else messages.read_message(body)
            _ = message is not None and message.key
        except (NotJson, UnicodeDecodeError) as error:
            told = messages.error(PARSE_ERROR, f"Not JSON: {error}.")
            raise _refused(b"", told) from error
        is_modern = headers.is_modern(message, request.headers.get(headers.VERSION, ""))
        fault = headers.disagreement(message, request.headers.items()) if is_modern else None
        if fault is not None:
            raise _refused(b"" if message is None else message.key, fault)
        return self._inbound(request, body=body, message=message, is_modern=is_modern)

    # -- replying ------------------------------------------------------------------------------

    async def _reply(
        self, request: Request, receive: Receive, send: Send, inbound: Inbound, step: Step
    ) -> None:
        queue = ReplyQueue()
        work = asyncio.create_task(self._work(inbound, queue, step))
        watch = asyncio.create_task(_disconnected(receive))
        reply = asyncio.create_task(_Reply(request, send, inbound, queue).write())
        try:
            await asyncio.wait({reply, watch}, return_when=asyncio.FIRST_COMPLETED)
            if reply.done():
                await reply
        finally:
            queue.break_off()
            for task in (reply, watch, work):
                task.cancel()
            await asyncio.gather(reply, watch, work, return_exceptions=True)

    async def _work(self, inbound: Inbound, queue: ReplyQueue, step: Step) -> None:
        try:
            await step(inbound, queue)
        except Exception:  # noqa: BLE001 (the client gets an error in any case)
            logger().exception("a request could not be handled")
            key = inbound.message.key if inbound.message is not None else b""
            told = "Penstock failed on this request; its log says why."
            queue.status = queue.status or 500
            await queue.finish(Event(messages.failure(key, INTERNAL_ERROR, told)))
        finally:
            await queue.close()


class _Reply:
    """One reply: JSON or a stream."""

    def __init__(self, request: Request, send: Send, inbound: Inbound, queue: ReplyQueue) -> None:
        self._request = request
        self._send = send
        self._inbound = inbound
        self._queue = queue
        self._takes_events = _accepts(request, EVENTS)

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

    async def _first(self) -> Event | None:
        """Return the first message, or None after a while: a stream then keeps the connection."""
        if not self._takes_events:
            return await self._queue.get()
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(self._queue.get(), PING_SECONDS)
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
        await self._head(status, {})
        await self._body(b"", more=False)

    async def _json(self, event: Event | None) -> None:
        body = b"" if event is None else event.message
        status = headers.status_of(body) if self._inbound.is_modern and body else 200
        await self._head(self._queue.status or status, {"content-type": JSON})
        await self._body(body, more=False)

    async def _stream(self, event: Event | None) -> None:
        opening = self._queue.become_stream()
        await self._head(200, _STREAM_HEADERS)
        for early in (opening, event):
            if early is not None:
                await self._body(_framed(early))
        while True:
            try:
                event = await asyncio.wait_for(self._queue.get(), PING_SECONDS)
            except TimeoutError:
                await self._body(_PING)
                continue
            if event is None:
                break
            await self._body(_framed(event))
        await self._body(b"", more=False)

    async def _head(self, status: int, given: Mapping[str, str]) -> None:
        session = self._queue.session
        own = ((headers.SESSION, session),) if session else ()
        made = (*given.items(), *own, *self._queue.headers)  # A header may occur several times.
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in made]
        await self._send({"type": "http.response.start", "status": status, "headers": pairs})

    async def _body(self, part: bytes, *, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": part, "more_body": more})


def _framed(event: Event) -> bytes:
    """Return the bytes of an event in a stream."""
    if event == Event():
        return _OPEN
    return headers.event(event.message, id=event.id, retry=event.retry)


async def _body(request: Request) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BODY:
            raise RefusedExchange(Response(f"The body exceeds {MOST_BODY} bytes.", 413))
        parts.append(part)
    return b"".join(parts)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _accepts(request: Request, kind: str) -> bool:
    takes_json, takes_events = headers.accepts(request.headers.get("accept", "*/*"))
    return takes_json if kind == JSON else takes_events


def _require_accept(request: Request, kind: str) -> None:
    if not _accepts(request, kind):
        raise RefusedExchange(
            Response(f"This endpoint answers with {JSON} and {EVENTS}: accept both.", 406)
        )


def _refused(key: bytes, error: bytes) -> RefusedExchange:
    body = messages.error_response(key or b"null", error)
    return RefusedExchange(Response(body, 400, media_type=JSON))
