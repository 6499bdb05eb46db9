"""One process that all modern requests of one principal share."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final

import msgspec

from penstock.core.json.rawjson import NotJson
from penstock.core.model.values import Principal
from penstock.log import logger
from penstock.relay.http import large_bodies
from penstock.relay.http.carrier import Carrier, Workshop
from penstock.relay.http.child import AsyncProcess
from penstock.relay.http.drop_log import DropLog
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.outbox import MOST_UNREAD, NotRead, Outbox
from penstock.relay.http.renaming import Renaming
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.strays import nobodys_answer
from penstock.relay.upstream import UpstreamPlace
from penstock.wire import messages
from penstock.wire.headers import RepeatedArguments
from penstock.wire.messages import METHOD_NOT_FOUND, UPSTREAM_GONE, Message
from penstock.wire.outputs import ToClient
from penstock.wire.received import received
from penstock.wire.request import Connection
from penstock.wire.session import Session
from penstock.wire.unread import Unread
from penstock.wire.upstream_state import UpstreamState

# A legacy server may not answer at all before it is initialized. A server that npx has to install
# first does not answer for long either.
DISCOVER_SECONDS: Final = 30.0
_MOST_WAITING: Final = 1_000
_HUNG_UP: Final = "the client closed its request"


class SharedProcess:
    """A process that starts when it is first needed, and again after it has ended."""

    def __init__(
        self, workshop: Workshop, server: str, place: UpstreamPlace, principal: Principal
    ) -> None:
        self._workshop = workshop
        self._server = server
        self._place = place
        self._principal = principal
        self.known = UpstreamState()
        self._renaming: Renaming[_SharedPost] = Renaming()
        self._child: AsyncProcess | None = None
        self._overdue = b""  # the name of a `server/discover` that nobody waits for any longer
        self._posts: set[_SharedPost] = set()
        self._outbox = Outbox()
        self._dropped = DropLog()
        self._tasks: set[asyncio.Task[None]] = set()

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        message = inbound.message
        if message is None or not message.is_request:
            return  # A modern client hangs up where a legacy client sent a notification.
        if inbound.is_initialize:  # A server that has started would take it for an error.
            told = messages.failure(
                message.key, METHOD_NOT_FOUND, "This protocol has no initialize."
            )
            await queue.finish(Event(told))
            return
        connection = Connection(
            self._workshop.engine.gate,
            tally=self._workshop.engine.tally,
            toolboxes=self._workshop.engine.toolboxes,
            principal=self._principal,
            server=self._server,
            servers=self._place.servers,
            peer=inbound.peer,
            known=self.known,
            repeated=RepeatedArguments(message, inbound.headers),
        )
        post = _SharedPost(self, Session(connection), self._workshop, queue)
        self._posts.add(post)
        try:
            await post.run(inbound.body)
        finally:
            self._posts.discard(post)
            self._hung_up(post)

    def _hung_up(self, post: _SharedPost) -> None:
        """Cancel the requests of a reply that has ended. After an answer, none is left."""
        for key in list(post.session.pending):
            post.session.cancel(key)
        for name in self._renaming.forget(post):
            self._start(self._tell(messages.cancellation(name, _HUNG_UP)))

    async def send(self, post: _SharedPost, message: bytes) -> None:
        read = messages.read_message(message)
        if read.method == "notifications/cancelled":
            await self._cancel(post, read)
        if not read.key or read.method is msgspec.UNSET:
            return
        name, renamed = self._renaming.outgoing(post, message, read)
        if self._child is None:
            upstream = self._place.start()
            self._child = AsyncProcess(upstream, self._received, self._unread, self._ended)
        if read.method == "server/discover":
            asyncio.get_running_loop().call_later(DISCOVER_SECONDS, self._give_up, name)
        try:
            await self._outbox.send(self._child, renamed)
        except NotRead as error:
            post.queue.refuse()
            await self._received(messages.failure(name, UPSTREAM_GONE, str(error)))

    async def _cancel(self, post: _SharedPost, read: Message) -> None:
        """Cancel a call, of a program or one that took too long, under the name by which the process knows the call."""
        named = messages.members_of(read.params).get("requestId")
        name = b"" if named is None else self._renaming.forget_one(post, messages.id_key(named))
        if name:
            reason = messages.text_of(messages.members_of(read.params), "reason")
            await self._tell(messages.cancellation(name, reason or "it is not needed"))

    def _give_up(self, name: bytes) -> None:
        """Take a silent server for a legacy one, until it answers."""
        if self._renaming.is_waiting(name):
            self._overdue = name
            why = "Upstream does not answer server/discover."
            told = messages.failure(name, METHOD_NOT_FOUND, why)
            self._start(self._received(told))

    async def _received(self, line: bytes) -> None:
        try:
            read = messages.read_message(line)
        except NotJson:
            try:  # The session of the client repairs most lines, and keeps their bytes.
                repaired = received(line)
            except NotJson as error:
                told = "upstream sent a line that is not JSON (%s): %r"
                logger().warning(told, error, line[:200])
                return
            read, line = repaired.message, repaired.line
        found = self._renaming.incoming(line, read)
        if found is not None:
            self._give(*found, read)
        elif read.method is not msgspec.UNSET:
            self._nobodys(read)
        elif read.key == self._overdue:
            self.known.learn_discovery(read)

    async def _unread(self, unread: Unread) -> None:
        for error in unread.answers(self._renaming.names()):
            await self._received(error)

    def _nobodys(self, read: Message) -> None:
        """Handle a message that names no request in progress.

        Even if only one request waits, the message may be about one that has just ended, and that
        was another client's. So no client gets it.
        """
        subscriber = self._renaming.closed_by(read)
        if subscriber is not None:
            subscriber.close()
        elif read.key:
            self._start(self._tell(nobodys_answer(read.key)))
            self._dropped.note(str(read.method), "a request that names no client")
        else:
            if read.method == "notifications/tools/list_changed":
                self.known.outdate_toolbox()
            self._dropped.note(str(read.method), "it names no request in progress")

    async def _tell(self, message: bytes) -> None:
        """Send the process a message that no client waits for."""
        with suppress(NotRead):  # The process reads nothing. This message must not add to that.
            if self._child is not None:
                await self._outbox.send(self._child, message)

    def _start(self, doing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _give(self, post: _SharedPost, message: bytes, read: Message) -> None:
        """Pass on a message, and limit what all slow clients together leave unread.

        Only notifications count. An answer is taken at once, and stored if it is large.
        """
        size = 0 if read.method is msgspec.UNSET else len(message)
        post.received(message, size)
        if size and sum(other.unread for other in self._posts) > MOST_UNREAD:
            max(self._posts, key=lambda other: other.unread).break_off()

    async def _ended(self, how: str) -> None:
        self._child = None
        told = f"The MCP server behind Penstock {how} before it answered."
        waiting = dict.fromkeys(self._renaming.owners())
        if waiting:
            logger().error("the MCP server %s", how)
        for post in waiting:
            self._renaming.forget(post)
            self._start(post.fail(told))

    async def end(self) -> None:
        if self._child is not None:
            await self._child.end()


class _SharedPost:
    """One request of a client, and the requests that the relay makes to answer it."""

    def __init__(
        self, shared: SharedProcess, session: Session, workshop: Workshop, queue: ReplyQueue
    ) -> None:
        self._shared = shared
        self.session = session
        self.queue = queue
        self._carrier = Carrier(workshop, session, self._up, self._down)
        self._incoming: asyncio.Queue[tuple[bytes, int]] = asyncio.Queue(_MOST_WAITING)
        self.unread = 0  # the bytes of notifications that wait because the client reads slowly

    async def run(self, body: bytes) -> None:
        outputs = await large_bodies.apply(self.session.from_client, body)
        await self._carrier.carry_out(outputs)
        while self.queue.is_open:
            message, size = await self._incoming.get()
            self.unread -= size
            if message:
                await self._carrier.carry_out(self.session.from_upstream(message))
            else:
                await self.queue.close()
        self._carrier.end()

    def received(self, message: bytes, size: int = 0) -> None:
        """Queue a message that counts as `size` unread bytes. Drop a client that is far behind."""
        try:
            self._incoming.put_nowait((message, size))
        except asyncio.QueueFull:
            self.break_off()
        else:
            self.unread += size

    def break_off(self) -> None:
        """Drop the client, which does not read its reply. No other client may wait for it."""
        logger().warning("dropped a client that does not read its reply")
        self.queue.break_off()
        while not self._incoming.empty():
            self._incoming.get_nowait()
        self.unread = 0
        self.close()

    def close(self) -> None:
        """End the reply after what was received before."""
        self.received(b"")

    async def fail(self, told: str) -> None:
        await self._carrier.carry_out(self.session.upstream_ended(told))
        self.close()

    async def _up(self, message: bytes) -> None:
        await self._shared.send(self, message)

    async def _down(self, output: ToClient) -> None:
        if output.answers:
            await self.queue.finish(Event(output.message))
        else:
            await self.queue.put(Event(output.message))
