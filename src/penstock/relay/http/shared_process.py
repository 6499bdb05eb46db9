"""One process that all modern requests of one principal share."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from penstock.core.json.rawjson import NotJson
from penstock.core.model.values import Principal
from penstock.log import logger
from penstock.relay.http import large_bodies
from penstock.relay.http.carrier import Carrier, Workshop
from penstock.relay.http.child import AsyncProcess
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.renaming import Renaming
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.headers import RepeatedArguments
from penstock.wire.messages import METHOD_NOT_FOUND, Message
from penstock.wire.outputs import ToClient
from penstock.wire.request import Connection
from penstock.wire.session import Session
from penstock.wire.upstream_state import UpstreamState

# A legacy server may not answer at all before it is initialized.
DISCOVER_SECONDS: Final = 10.0
_MOST_WAITING: Final = 1_000
_HUNG_UP: Final = "the client closed its request"


class SharedProcess:
    """A process that starts when it is first needed, and again after it has ended."""

    def __init__(self, workshop: Workshop, target: Target, principal: Principal) -> None:
        self._workshop = workshop
        self._target = target
        self._principal = principal
        self.known = UpstreamState()
        self._renaming: Renaming[_SharedPost] = Renaming()
        self._child: AsyncProcess | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        if inbound.message is None or not inbound.expects_answer:
            return  # A modern client hangs up where a legacy client sent a notification.
        message = inbound.message
        if message.method == "initialize":  # A server that has started would take it for an error.
            told = messages.failure(
                message.key, METHOD_NOT_FOUND, "This protocol has no initialize."
            )
            await queue.finish(Event(told))
            return
        connection = Connection(
            self._workshop.engine.gate,
            tally=self._workshop.engine.tally,
            principal=self._principal,
            server=self._target.server,
            known=self.known,
            repeated=RepeatedArguments(message, inbound.headers),
        )
        post = _SharedPost(self, Session(connection), self._workshop, queue)
        try:
            await post.run(inbound.body)
        except asyncio.CancelledError:
            await asyncio.shield(self._hung_up(post))
            raise
        finally:
            self._renaming.forget(post)

    async def _hung_up(self, post: _SharedPost) -> None:
        for key in list(post.session.pending):
            post.session.cancel(key)
        for name in self._renaming.forget(post):
            if self._child is not None:
                await self._child.send(messages.cancellation(name, _HUNG_UP))

    async def send(self, post: _SharedPost, message: bytes) -> None:
        read = messages.read_message(message)
        if read.method == "notifications/cancelled":
            await self._cancel(post, read)
        if not read.key or read.method is msgspec.UNSET:
            return
        renamed = self._renaming.outgoing(post, message, read)
        if self._child is None:
            self._child = AsyncProcess(self._target, self._received, self._ended)
        if read.method == "server/discover":
            name = messages.read_message(renamed).key
            asyncio.get_running_loop().call_later(DISCOVER_SECONDS, self._give_up, name)
        await self._child.send(renamed)

    async def _cancel(self, post: _SharedPost, read: Message) -> None:
        """Cancel a call of a program, under the name by which the process knows the call."""
        named = messages.members_of(read.params).get("requestId")
        name = b"" if named is None else self._renaming.forget_one(post, messages.id_key(named))
        if name and self._child is not None:
            await self._child.send(messages.cancellation(name, "the program has ended"))

    def _give_up(self, name: bytes) -> None:
        if self._renaming.is_waiting(name):
            why = "Upstream does not answer server/discover."
            told = messages.failure(name, METHOD_NOT_FOUND, why)
            task = asyncio.create_task(self._received(told))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _received(self, line: bytes) -> None:
        try:
            read = messages.read_message(line)
        except NotJson as error:
            logger().warning("upstream sent a line that is not JSON (%s): %r", error, line[:200])
            return
        found = self._renaming.incoming(line, read)
        if found is not None:
            await self._give(*found)
        elif read.method is not msgspec.UNSET:
            await self._give_to_only(line, read)

    async def _give_to_only(self, line: bytes, read: Message) -> None:
        """Give a message that names no request, such as a log message, to the only request.

        Drop the message if several requests wait: it may belong to another client.
        """
        owners = set(self._renaming.owners())
        if len(owners) == 1:
            await self._give(owners.pop(), line)
        else:
            logger().info("dropped %s: it names no request, and %d wait", read.method, len(owners))

    async def _give(self, post: _SharedPost, message: bytes) -> None:
        """Pass on a message. Drop a client that reads too slowly: no other client may wait for it."""
        if not post.received(message):
            logger().warning("dropped a client that does not read its reply")
            post.break_off()
            await self._hung_up(post)

    async def _ended(self, how: str) -> None:
        self._child = None
        told = f"The MCP server behind Penstock {how} before it answered."
        waiting = dict.fromkeys(self._renaming.owners())
        if waiting:
            logger().error("the MCP server %s", how)
        for post in waiting:
            await post.fail(told)

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
        self._queue = queue
        self._carrier = Carrier(workshop, session, self._up, self._down)
        self._incoming: asyncio.Queue[bytes] = asyncio.Queue(_MOST_WAITING)

    async def run(self, body: bytes) -> None:
        outputs = await large_bodies.apply(self.session.from_client, body)
        await self._carrier.carry_out(outputs)
        while self._queue.is_open:
            message = await self._incoming.get()
            if message:
                await self._carrier.carry_out(self.session.from_upstream(message))

    def received(self, message: bytes) -> bool:
        """Queue a message, and return whether there was room for it."""
        try:
            self._incoming.put_nowait(message)
        except asyncio.QueueFull:
            return False
        return True

    def break_off(self) -> None:
        self._queue.break_off()
        while not self._incoming.empty():
            self._incoming.get_nowait()
        self.received(b"")

    async def fail(self, told: str) -> None:
        await self._carrier.carry_out(self.session.upstream_ended(told))

    async def _up(self, message: bytes) -> None:
        await self._shared.send(self, message)

    async def _down(self, output: ToClient) -> None:
        if output.answers:
            await self._queue.finish(Event(output.message))
        else:
            await self._queue.put(Event(output.message))
