"""One legacy session and its own process."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Final

import msgspec

from penstock.log import logger
from penstock.relay.http import large_bodies
from penstock.relay.http.carrier import Carrier, Workshop
from penstock.relay.http.child import AsyncProcess
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.messages import Message
from penstock.wire.outputs import Outputs, Perform, ToClient
from penstock.wire.session import Session

_MOST_UNHEARD: Final = 1_000
_CONFLICT: Final = 409


class LegacySession:
    """A legacy session, which sends each message of the process to the right HTTP reply.

    A message goes to the POST that it belongs to. If it names none and just one POST is open, the
    message goes there, because a client expects the effects of its request there. Otherwise it goes
    to the client's open GET, or else to the latest POST, or it waits for a GET.
    """

    def __init__(self, target: Target, session: Session, workshop: Workshop) -> None:
        self._session = session
        self._carrier = Carrier(workshop, session, self._up, self._down)
        self._posts: dict[bytes, ReplyQueue] = {}
        self._progress: dict[bytes, bytes] = {}
        self._listener: ReplyQueue | None = None
        self._unheard: deque[bytes] = deque(maxlen=_MOST_UNHEARD)
        self._tasks: set[asyncio.Task[None]] = set()
        self.used = time.monotonic()
        self.has_ended = False
        self._child = AsyncProcess(target, self._received, self._ended)

    @property
    def is_busy(self) -> bool:
        """Return whether a client waits for an answer, or listens."""
        queues = [*self._posts.values(), *([self._listener] if self._listener else [])]
        return any(queue.is_open for queue in queues)

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        self.used = time.monotonic()
        requests = _requests(inbound)
        for message in requests:
            self._posts[message.key] = queue
            token = messages.members_of(
                messages.members_of(message.params).get("_meta", msgspec.UNSET)
            ).get("progressToken")
            if token is not None:
                self._progress[messages.id_key(token)] = message.key
        try:
            outputs = await large_bodies.apply(self._session.from_client, inbound.body)
            await self._carrier.carry_out(outputs)
            if inbound.message is not None:
                await self._close_cancelled(inbound.message)
            if requests:
                await queue.wait_closed()
        finally:
            self._forget(queue)
            self.used = time.monotonic()

    async def _close_cancelled(self, message: Message) -> None:
        """Close the reply of a cancelled request, which gets no answer."""
        if message.method == "notifications/cancelled":
            named = messages.members_of(message.params).get("requestId")
            queue = self._posts.pop(messages.id_key(named), None) if named is not None else None
            if queue is not None:
                await queue.close()

    async def listen(self, queue: ReplyQueue) -> None:
        if self._listener is not None and self._listener.is_open:
            queue.status = _CONFLICT
            return
        self._listener = queue
        queue.is_stream = True
        await queue.put(Event())
        while self._unheard:
            await queue.put(Event(self._unheard.popleft()))
        await queue.wait_closed()
        self.used = time.monotonic()

    async def end(self) -> None:
        self.has_ended = True
        await self._child.end()

    async def _up(self, message: bytes) -> None:
        await self._child.send(message)

    async def _received(self, line: bytes) -> None:
        outputs = self._session.from_upstream(line)
        if any(isinstance(output, Perform) for output in outputs):
            self._aside(outputs)  # Other messages must not wait for a large result.
        else:
            await self._carrier.carry_out(outputs)

    def _aside(self, outputs: Outputs) -> None:
        task = asyncio.create_task(self._carrier.carry_out(outputs))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ended(self, how: str) -> None:
        self.has_ended = True
        told = f"The MCP server behind Penstock {how} before it answered."
        if self._session.pending:
            logger().error("the MCP server %s", how)
        await self._carrier.carry_out(self._session.upstream_ended(told))
        await asyncio.gather(*self._tasks, return_exceptions=True)  # answers from before the end
        listener = [self._listener] if self._listener is not None else []
        for queue in [*self._posts.values(), *listener]:
            await queue.close()

    async def _down(self, output: ToClient) -> None:
        if output.answers:
            queue = self._posts.get(output.answers)
            if queue is not None:
                self._forget(queue)
                await queue.finish(Event(output.message))
            return
        queue = self._place_for(output.message)
        if queue is None:
            self._unheard.append(output.message)
        else:
            await queue.put(Event(output.message))

    def _forget(self, queue: ReplyQueue) -> None:
        """Forget all requests of a POST: a batch has one answer."""
        for key in [key for key, other in self._posts.items() if other is queue]:
            del self._posts[key]
        known = self._posts
        self._progress = {token: key for token, key in self._progress.items() if key in known}

    def _place_for(self, message: bytes) -> ReplyQueue | None:
        queue = self._posts.get(self._request_of(message))
        if queue is not None:
            return queue
        waiting = [post for post in self._posts.values() if post.is_open]
        hears = self._listener is not None and self._listener.is_open
        if len(waiting) == 1 or (waiting and not hears):
            return waiting[-1]
        return self._listener if hears else None

    def _request_of(self, message: bytes) -> bytes:
        read = messages.message_or_none(message)
        if read is None or read.method != "notifications/progress":
            return b""
        token = messages.members_of(read.params).get("progressToken")
        return b"" if token is None else self._progress.get(messages.id_key(token), b"")


def _requests(inbound: Inbound) -> list[Message]:
    batch = messages.batch_of(inbound.body) if inbound.message is None else [inbound.body]
    found = [messages.message_or_none(item) for item in batch or []]
    return [
        item for item in found if item is not None and item.key and item.method is not msgspec.UNSET
    ]
