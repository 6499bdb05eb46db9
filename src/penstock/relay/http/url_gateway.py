"""The gateway from HTTP to HTTP: one POST for each POST, in upstream's own session."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Final

import httpx2
import msgspec

from penstock.core.model.recent import Recent
from penstock.core.model.values import Principal
from penstock.engine.engine import Engine
from penstock.figures.keeping import tally_of
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.relay.http import large_bodies
from penstock.relay.http.carrier import Carrier, Workshop
from penstock.relay.http.events import Event
from penstock.relay.http.exchange import Exchange
from penstock.relay.http.gateway import Inbound, SessionFault
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.upstream import HttpAnswer, HttpUpstream, Unanswered, broken
from penstock.relay.target import Target
from penstock.wire import headers, messages
from penstock.wire.headers import RepeatedArguments
from penstock.wire.messages import Message
from penstock.wire.outputs import ToClient
from penstock.wire.request import Connection
from penstock.wire.session import Session
from penstock.wire.upstream_state import UpstreamState

_MOST_KEPT = 10_000
_POOLS: Final = 16
_NOT_FOUND: Final = 404
_NOT_ALLOWED: Final = 405
_BAD_GATEWAY: Final = 502
_WHO_ARE_YOU: Final = (401, 403)


class UrlGateway:
    """The gateway. It keeps legacy sessions by id, and the state of upstream without sessions by
    era and principal."""

    knows_sessions = False  # Another process, or upstream itself, may have opened one.

    def __init__(self, gate: Gate, target: Target) -> None:
        self.workshop = Workshop(Engine(gate, tally_of(gate.policy, target.name)))
        self._upstream = HttpUpstream(target, pools=_POOLS)
        self._sessions: Recent[str, Session] = Recent(_MOST_KEPT)
        self._known: Recent[str, UpstreamState] = Recent(_MOST_KEPT)

    def session_fault(self, _inbound: Inbound) -> SessionFault | None:
        return None

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        await _UrlPost(self, inbound, queue).run()

    async def listen(self, inbound: Inbound, queue: ReplyQueue) -> None:
        if inbound.is_modern:
            queue.status = _NOT_ALLOWED
            return
        session = self.session(inbound)
        given = fixed_headers(inbound)
        if inbound.last_event:
            given[headers.LAST_EVENT] = inbound.last_event
        try:
            async with self._upstream.listen(given) as answer:
                if not answer.is_stream:
                    queue.status = answer.status if answer.is_refusal else _BAD_GATEWAY
                    return
                queue.is_stream = True
                await queue.put(Event())
                async for event in answer.events():
                    put = partial(_put, queue, event)
                    carrier = Carrier(self.workshop, session, _unasked, put)
                    outputs = session.from_upstream(event.message) if event.message else []
                    await carrier.carry_out(outputs)
                    if not event.message:
                        await queue.put(event)
        except Unanswered as error:
            queue.status = error.status
        except httpx2.HTTPError as error:
            logger().warning("%s", broken(error))

    async def leave(self, inbound: Inbound, queue: ReplyQueue) -> None:
        self._sessions.pop(_session_key(inbound, inbound.session))
        try:
            queue.status = await self._upstream.leave(fixed_headers(inbound))
        except Unanswered as error:
            queue.status = error.status

    async def close(self) -> None:
        await self._upstream.close()
        await self.workshop.close()

    @property
    def upstream(self) -> HttpUpstream:
        return self._upstream

    def session(self, inbound: Inbound) -> Session:
        if inbound.is_modern:
            # Each client chooses its own ids, so requests share only the state of upstream.
            known = self._known.get_or_make(f"modern {inbound.principal.id}", UpstreamState)
            return self._new(inbound, known, _repeated(inbound))
        if inbound.session:
            legacy_session = _session_key(inbound, inbound.session)
            return self._sessions.get_or_make(legacy_session, partial(self._resumed, inbound))
        if inbound.message is not None and inbound.message.method == "initialize":
            return self._new(inbound)
        return self._new(
            inbound, self._known.get_or_make(f"legacy {inbound.principal.id}", UpstreamState)
        )

    def begin(self, session: Session, session_id: str, inbound: Inbound) -> None:
        """Keep the session that upstream opened, or its state if it opens none for anyone."""
        if not session_id:
            self._known.put(f"legacy {inbound.principal.id}", session.known)
            return
        connection = session.connection
        connection.legacy_session = session_id
        if connection.principal.is_bearer:
            connection.principal = Principal(f"session:{session_id}")
        self._sessions.put(_session_key(inbound, session_id), session)

    def _resumed(self, inbound: Inbound) -> Session:
        """Return a session that began in another process, or before a restart."""
        known = UpstreamState()
        known.is_initialized = True
        return self._new(inbound, known)

    def _new(
        self,
        inbound: Inbound,
        known: UpstreamState | None = None,
        repeated: RepeatedArguments | None = None,
    ) -> Session:
        return Session(
            Connection(
                self.workshop.engine.gate,
                tally=self.workshop.engine.tally,
                principal=inbound.principal,
                server=self._upstream.target.server,
                legacy_session=inbound.session,
                known=known or UpstreamState(),
                repeated=repeated,
            )
        )


def _session_key(inbound: Inbound, session_id: str) -> str:
    """Return the key of a session. With another authorization, the same id is another session."""
    return f"{session_id} {inbound.principal.id if inbound.authorization else ''}"


class _UrlPost:
    """One POST of a client, and the POSTs that it causes."""

    def __init__(self, gateway: UrlGateway, inbound: Inbound, queue: ReplyQueue) -> None:
        self._gateway = gateway
        self._session = gateway.session(inbound)
        self._inbound = inbound
        self._queue = queue
        self._event = Event(b"")
        self._key = b"" if inbound.message is None else inbound.message.key
        self._inner: dict[bytes, asyncio.Task[Any]] = {}  # the POSTs of a program's calls
        self._carrier = Carrier(gateway.workshop, self._session, self._up, self._down)

    async def run(self) -> None:
        inbound = self._inbound
        try:
            outputs = await large_bodies.apply(self._session.from_client, inbound.body)
            await self._carrier.carry_out(outputs)
            await self._carrier.finish()
        except asyncio.CancelledError:
            if inbound.is_modern and inbound.message is not None:
                self._session.cancel(inbound.message.key)  # The client has hung up.
                self._carrier.stop()
            raise

    async def _up(self, message: bytes) -> None:
        read = None if message.startswith(b"[") else messages.read_message(message)
        if read is not None and self._is_hang_up(read):
            return
        task = asyncio.current_task()
        is_inner = read is not None and read.key != self._key and task is not None
        if read is not None and task is not None and is_inner:
            self._inner[read.key] = task
        await self._exchange(message, read)

    def _is_hang_up(self, read: Message) -> bool:
        """Return whether this cancels a call of a program, after closing the stream of the call: that
        is how a modern client cancels a request."""
        if not self._inbound.is_modern or read.method != "notifications/cancelled":
            return False
        named = messages.members_of(read.params).get("requestId")
        task = None if named is None else self._inner.get(messages.id_key(named))
        if task is not None:
            task.cancel()
        return True

    async def _exchange(self, message: bytes, read: Message | None) -> None:
        exchange = Exchange(
            self._gateway.upstream,
            message,
            fixed_headers(self._inbound),
            self._session.called_by(read),
            resumes=self._inbound.is_modern,
        )
        is_clients = read is None or read.key == self._key or not read.key
        receive = self._received if is_clients else self._received_ours
        await exchange.run(receive, self._opened if is_clients else None)

    async def _received_ours(self, event: Event) -> None:
        """Take the answer to the relay's own request, whose stream is not for the client."""
        if event.message:
            self._event = Event(b"")
            await self._carrier.carry_out(self._session.from_upstream(event.message))

    async def _received(self, event: Event) -> None:
        if not event.message:
            await self._queue.put(event)
            return
        self._event = event
        await self._carrier.carry_out(self._session.from_upstream(event.message))

    async def _down(self, output: ToClient) -> None:
        event = msgspec.structs.replace(self._event, message=output.message)
        if output.answers or self._is_response(output.message):
            await self._queue.finish(event)
        else:
            await self._queue.put(event)

    def _is_response(self, message: bytes) -> bool:
        if message.startswith(b"["):
            return True
        return messages.read_message(message).method is msgspec.UNSET

    def _opened(self, answer: HttpAnswer) -> None:
        inbound = self._inbound
        self._queue.is_stream = self._queue.is_stream or answer.is_stream
        if answer.session:
            self._queue.session = answer.session
        if inbound.message is not None and inbound.message.method == "initialize":
            self._gateway.begin(self._session, answer.session, inbound)
        if answer.status in _WHO_ARE_YOU and inbound.authorization:
            self._queue.status, self._queue.challenge = answer.status, answer.challenge
        is_lost = answer.status == _NOT_FOUND and inbound.session  # The client must see the 404.
        if answer.is_refusal and (answer.is_json or is_lost or not inbound.expects_answer):
            self._queue.status = answer.status


def fixed_headers(inbound: Inbound) -> dict[str, str]:
    """Return the headers of a legacy session; those of a modern request come from its body."""
    made = {"authorization": inbound.authorization}
    if not inbound.is_modern:
        made |= {headers.SESSION: inbound.session, headers.VERSION: inbound.version}
    return {name: value for name, value in made.items() if value}


def _repeated(inbound: Inbound) -> RepeatedArguments | None:
    """Return the headers to check against the arguments. Upstream's headers are made anew from the
    tool's schema, which would otherwise silently correct wrong or missing ones."""
    message = inbound.message
    return None if message is None else RepeatedArguments(message, inbound.headers)


async def _put(queue: ReplyQueue, event: Event, output: ToClient) -> None:
    await queue.put(msgspec.structs.replace(event, message=output.message))


async def _unasked(_message: bytes) -> None:
    """Send nothing: unasked messages never make the relay ask upstream."""
