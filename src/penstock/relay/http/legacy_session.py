"""One legacy session and its own process."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Final

import msgspec

from penstock.log import logger
from penstock.relay.http import large_bodies
from penstock.relay.http.carrier import Carrier, Workshop
from penstock.relay.http.child import AsyncProcess
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.outbox import NotRead, Outbox
from penstock.relay.http.refusals import RETRY_SECONDS
from penstock.relay.http.replay import Stream, Streams
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.upstream import Upstream
from penstock.wire import messages
from penstock.wire.messages import INVALID_REQUEST, UPSTREAM_GONE, Message
from penstock.wire.outputs import Perform, ToClient
from penstock.wire.session import Session
from penstock.wire.unread import Unread

_CONFLICT: Final = 409
_BAD_REQUEST: Final = 400
# Requests stay open when their clients leave, because a lost connection is no cancellation.
MOST_OPEN: Final = 32_000_000
_EACH: Final = 32_768  # the memory that an open request takes besides its bytes
_TOO_MANY: Final = (
    "Too many requests of this session have no answer. Cancel those that are no longer needed, or try "
    f"again in {RETRY_SECONDS} s."
)
_ID_IN_USE: Final = (
    "A request of this session with the same id has no answer yet. Cancel it, or use another id."
)
_OPENING_SINCE: Final = "2025-11-25"  # Older clients may not expect an event without a message.


class LegacySession:
    """A legacy session, which sends each message of the process to the right stream.

    A message goes to the POST that it belongs to. If it names none and just one POST is open, the
    message goes there, because a client expects the effects of its request there. Otherwise it goes
    to the client's open GET, or else to the latest POST, or it waits for a GET.

    A client that leaves does not cancel its request. The answer is kept, and a GET can ask for it.
    """

    def __init__(self, upstream: Upstream, session: Session, workshop: Workshop) -> None:
        self._session = session
        self._carrier = Carrier(workshop, session, self._up, self._down)
        self._streams = Streams()
        self._unasked = self._streams.open()  # messages that belong to no POST
        self._posts: dict[bytes, Stream] = {}
        self._progress: dict[bytes, bytes] = {}
        self._sizes: dict[Stream, int] = {}  # of the open requests
        self._tasks: set[asyncio.Task[None]] = set()
        self.has_ended = False
        self._outbox = Outbox()
        self._child = AsyncProcess(upstream, self._received, self._unread, self._ended)

    @property
    def is_busy(self) -> bool:
        """Return whether a client waits for an answer, or listens."""
        return any(stream.is_heard for stream in [*self._posts.values(), self._unasked])

    @property
    def version(self) -> str:
        """Return the protocol version that client and server have agreed on, or ""."""
        return self._session.known.version

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        requests = inbound.requests()
        size = len(inbound.body) + _EACH
        if any(message.key in self._posts for message in requests):
            queue.status = _BAD_REQUEST
            await queue.finish(Event(messages.failure(inbound.key, INVALID_REQUEST, _ID_IN_USE)))
            return
        if requests and self._sizes and sum(self._sizes.values()) + size > MOST_OPEN:
            await _refuse(queue, inbound, _TOO_MANY)
            return
        stream = self._open(requests, size, inbound.version, queue) if requests else None
        work = self._aside(self._take(inbound, queue, stream))
        await asyncio.shield(work)
        if requests:
            await queue.wait_closed()

    def _open(self, requests: list[Message], size: int, version: str, queue: ReplyQueue) -> Stream:
        stream = self._streams.open(queue)
        self._sizes[stream] = size
        if version >= _OPENING_SINCE:
            queue.opening = stream.opening
        for message in requests:
            self._posts[message.key] = stream
            token = messages.members_of(
                messages.members_of(message.params).get("_meta", msgspec.UNSET)
            ).get("progressToken")
            if token is not None:
                self._progress[messages.id_key(token)] = message.key
        return stream

    async def _take(self, inbound: Inbound, queue: ReplyQueue, stream: Stream | None) -> None:
        """Handle a POST to its end, even if the client leaves: its work may be half done."""
        try:
            outputs = await large_bodies.apply(self._session.from_client, inbound.body)
            await self._carrier.carry_out(outputs)
            if inbound.message is not None:
                await self._close_cancelled(inbound.message)
        except NotRead as error:
            for message in inbound.requests():
                self._session.cancel(message.key)
            await _refuse(queue, inbound, str(error))
            await self._drop(stream)
        except Exception:
            await self._drop(stream)
            raise

    async def _drop(self, stream: Stream | None) -> None:
        if stream is not None:
            self._forget(stream)
            await stream.close()

    async def _close_cancelled(self, message: Message) -> None:
        """Close the reply of a cancelled request, which gets no answer. A batch may hold others."""
        if message.method == "notifications/cancelled":
            named = messages.members_of(message.params).get("requestId")
            stream = self._posts.pop(messages.id_key(named), None) if named is not None else None
            if stream is not None and stream not in self._posts.values():
                await self._drop(stream)

    async def listen(self, inbound: Inbound, queue: ReplyQueue) -> None:
        stream, after = self._unasked, None
        if inbound.last_event:
            found = self._streams.find(inbound.last_event)
            if isinstance(found, str):
                queue.status = _BAD_REQUEST
                await queue.finish(Event(messages.failure(b"", INVALID_REQUEST, found)))
                return
            stream, after = found
        elif stream.is_heard:
            queue.status = _CONFLICT
            return
        queue.is_stream = True
        opens = not inbound.last_event and inbound.version >= _OPENING_SINCE
        await stream.resume(queue, stream.opening if opens else Event(), after)
        await queue.wait_closed()

    async def end(self) -> None:
        self.has_ended = True
        await self._child.end()

    async def _up(self, message: bytes) -> None:
        try:
            await self._outbox.send(self._child, message)
        except NotRead as error:
            read = messages.message_or_none(message)
            if read is None or not read.is_request:
                raise
            if read.key in self._posts:
                self._posts[read.key].refuse()
            await self._received(messages.failure(read.key, UPSTREAM_GONE, str(error)))

    async def _received(self, line: bytes) -> None:
        outputs = self._session.from_upstream(line)
        if any(isinstance(output, Perform) for output in outputs):
            # Other messages must not wait for a large result.
            self._aside(self._carrier.carry_out(outputs))
        else:
            await self._carrier.carry_out(outputs)

    async def _unread(self, unread: Unread) -> None:
        await self._carrier.carry_out(self._session.from_upstream_unread(unread))

    def _aside(self, doing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _ended(self, how: str) -> None:
        is_sudden, self.has_ended = not self.has_ended, True
        told = f"The MCP server behind Penstock {how} before it answered."
        if self._session.pending:
            logger().error("the MCP server %s", how)
        elif is_sudden:
            logger().warning("the MCP server of a session %s; its client has to initialize", how)
        await self._carrier.carry_out(self._session.upstream_ended(told))
        await asyncio.gather(*self._tasks, return_exceptions=True)  # answers from before the end
        for stream in [*self._posts.values(), self._unasked]:
            await stream.close()

    async def _down(self, output: ToClient) -> None:
        if output.answers:
            stream = self._posts.get(output.answers)
            if stream is not None:
                self._forget(stream)
                await stream.finish(output.message)
            return
        await self._place_for(output.message).put(output.message)

    def _forget(self, stream: Stream) -> None:
        """Forget all requests of a POST: a batch has one answer."""
        self._sizes.pop(stream, None)
        for key in [key for key, other in self._posts.items() if other is stream]:
            del self._posts[key]
        known = self._posts
        self._progress = {token: key for token, key in self._progress.items() if key in known}

    def _place_for(self, message: bytes) -> Stream:
        stream = self._posts.get(self._request_of(message))
        if stream is not None:
            return stream
        waiting = [post for post in self._posts.values() if post.is_heard]
        hears = self._unasked.is_heard
        return waiting[-1] if len(waiting) == 1 or (waiting and not hears) else self._unasked

    def _request_of(self, message: bytes) -> bytes:
        read = messages.message_or_none(message)
        if read is None or read.method != "notifications/progress":
            return b""
        token = messages.members_of(read.params).get("progressToken")
        return b"" if token is None else self._progress.get(messages.id_key(token), b"")


async def _refuse(queue: ReplyQueue, inbound: Inbound, told: str) -> None:
    """Refuse a POST for now."""
    queue.refuse()
    await queue.finish(Event(messages.failure(inbound.key, UPSTREAM_GONE, told)))
