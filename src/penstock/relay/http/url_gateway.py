"""The gateway from HTTP to HTTP: one POST for each POST, in upstream's own session."""

from __future__ import annotations

from functools import partial

import msgspec

from penstock.engine.engine import Engine
from penstock.figures.keeping import tally_of
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.relay.http.carrier import Carrier, Workshop
from penstock.relay.http.client import BrokenOff
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound, SessionFault
from penstock.relay.http.lanes import limits_for_many
from penstock.relay.http.open_requests import OpenRequests
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.upstream import HttpUpstream, Unanswered
from penstock.relay.http.upstream_refusals import BAD_GATEWAY, pass_on_refusal
from penstock.relay.http.url_post import UrlPost, fixed_headers
from penstock.relay.http.url_sessions import UrlSessions
from penstock.relay.target import Target
from penstock.wire import headers
from penstock.wire.outputs import ToClient
from penstock.wire.session import Session


class UrlGateway:
    """The gateway."""

    knows_sessions = False  # Another process, or upstream itself, may have opened one.

    def __init__(self, gate: Gate, target: Target, mark: str = "") -> None:
        engine = Engine(gate, tally_of(gate.policy, target.name), mark=mark)
        self._workshop = Workshop(engine, limits_for_many())
        self._requests = OpenRequests()
        self._upstream = HttpUpstream(target, gate.policy.max_upstream)
        self._sessions = UrlSessions(engine, target)

    async def session_fault(self, _inbound: Inbound) -> SessionFault | None:
        return None

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        with self._requests.of(inbound) as refusal:
            if refusal:
                await queue.finish(Event(refusal))
            else:
                with self._sessions.using(inbound) as session:
                    own = self._upstream, self._sessions, self._workshop
                    await UrlPost(*own, inbound, queue, session).run()

    async def listen(self, inbound: Inbound, queue: ReplyQueue) -> None:
        with self._sessions.using(inbound) as session:
            await self._listen(inbound, queue, session)

    async def _listen(self, inbound: Inbound, queue: ReplyQueue, session: Session) -> None:
        given = fixed_headers(inbound)
        if inbound.last_event:
            given[headers.LAST_EVENT] = inbound.last_event
        try:
            with await self._upstream.listen(given) as answer:
                if not answer.is_stream:
                    queue.status = BAD_GATEWAY
                    if answer.is_refusal:
                        pass_on_refusal(queue, answer, inbound)
                    return
                queue.is_stream = True
                await queue.put(Event())
                async for event in answer.events():
                    put = partial(_put, queue, event)
                    carrier = Carrier(self._workshop, session, _unasked, put)
                    outputs = session.from_upstream(event.message) if event.message else []
                    await carrier.carry_out(outputs)
                    if not event.message:
                        await queue.put(event)
        except Unanswered as error:
            queue.status = error.status
        except BrokenOff as error:
            logger().warning("%s", error)

    async def leave(self, inbound: Inbound, queue: ReplyQueue) -> None:
        self._sessions.end(inbound)
        try:
            answer = await self._upstream.leave(fixed_headers(inbound))
            queue.status = answer.status
            if answer.is_refusal:
                pass_on_refusal(queue, answer, inbound)
        except Unanswered as error:
            queue.status = error.status

    async def close(self) -> None:
        await self._upstream.close()
        await self._workshop.close()


async def _put(queue: ReplyQueue, event: Event, output: ToClient) -> None:
    await queue.put(msgspec.structs.replace(event, message=output.message))


async def _unasked(_message: bytes) -> None:
    """Send nothing: unasked messages never make the relay ask upstream."""
