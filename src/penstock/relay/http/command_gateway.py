"""The gateway from HTTP to a command, or to several servers: one upstream for each legacy session,
and one for each principal of modern requests, which have no session."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from typing import Final

from penstock.core.model.values import Principal
from penstock.engine.engine import Engine
from penstock.figures.keeping import tally_of
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.relay.http.carrier import Workshop
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import SESSION_NOT_FOUND, Inbound, SessionFault
from penstock.relay.http.lanes import limits_for_many
from penstock.relay.http.legacy_session import LegacySession
from penstock.relay.http.open_requests import OpenRequests
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.session_table import SWEEP_SECONDS, SessionTable
from penstock.relay.http.shared_process import SharedProcess
from penstock.relay.process import CannotStart
from penstock.relay.upstream import Backend, UpstreamPlace
from penstock.wire import eras, messages
from penstock.wire.messages import BUSY, INVALID_REQUEST, UPSTREAM_GONE
from penstock.wire.request import Connection
from penstock.wire.session import Session

MOST_SESSIONS: Final = 1_000
_NO_SESSION: Final = SessionFault(400, INVALID_REQUEST, "Mcp-Session-Id is missing.")


class CommandGateway:
    knows_sessions = True

    def __init__(self, gate: Gate, backend: Backend, mark: str = "") -> None:
        engine = Engine(gate, tally_of(gate.policy, backend.name), mark=mark)
        self._workshop = Workshop(engine, limits_for_many())
        self._requests = OpenRequests()
        self._backend = backend
        self._sessions: SessionTable[LegacySession] = SessionTable(MOST_SESSIONS, _is_busy)
        self._shared: dict[str, SharedProcess] = {}
        self._sweeper: asyncio.Task[None] | None = None

    async def session_fault(self, inbound: Inbound) -> SessionFault | None:
        session = self._sessions.get(inbound.session)
        is_known = session is not None and not session.has_ended
        return SESSION_NOT_FOUND if inbound.session and not is_known else None

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        try:
            with self._requests.of(inbound) as refusal:
                if refusal:
                    await queue.finish(Event(refusal))
                else:
                    await self._post(inbound, queue)
        except CannotStart as error:
            queue.status = 500
            told = f"{error.message} {error.next_step}"
            await queue.finish(Event(messages.failure(inbound.key, UPSTREAM_GONE, told)))

    async def _post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        if inbound.is_modern:
            await self._shared_by(inbound.principal).post(inbound, queue)
            return
        if inbound.is_initialize and not inbound.session:
            await self._open(inbound, queue)
            return
        session = await self._find(inbound, queue)
        if session is not None and await _has_version(session, inbound, queue):
            await session.post(inbound, queue)

    async def listen(self, inbound: Inbound, queue: ReplyQueue) -> None:
        session = await self._find(inbound, queue)
        if session is not None and await _has_version(session, inbound, queue):
            await session.listen(inbound, queue)

    async def leave(self, inbound: Inbound, queue: ReplyQueue) -> None:
        session = await self._find(inbound, queue)
        if session is not None:
            self._sessions.pop(inbound.session)
            await session.end()
            queue.status = 204

    async def close(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        ending: list[LegacySession | SharedProcess] = [
            *self._sessions,
            *self._shared.values(),
        ]
        await asyncio.gather(*(item.end() for item in ending))
        await self._workshop.close()

    async def _find(self, inbound: Inbound, queue: ReplyQueue) -> LegacySession | None:
        session = self._sessions.get(inbound.session)
        if session is not None and not session.has_ended:
            return session
        fault = await self.session_fault(inbound) or _NO_SESSION
        queue.status = fault.status
        await queue.finish(Event(messages.failure(inbound.key, fault.code, fault.told)))
        return None

    async def _open(self, inbound: Inbound, queue: ReplyQueue) -> None:
        replaced = self._sessions.make_room(inbound.peer)
        if replaced is None:
            await self._refuse(inbound, queue)
            return
        session_id = secrets.token_urlsafe(24)
        place = self._place()
        connection = Connection(
            self._workshop.engine.gate,
            tally=self._workshop.engine.tally,
            toolboxes=self._workshop.engine.toolboxes,
            principal=Principal(f"session:{session_id}"),
            server=self._backend.server,
            servers=place.servers,
            legacy_session=session_id,
            peer=inbound.peer,
        )
        session = LegacySession(place.start(), Session(connection), self._workshop)
        self._sessions.put(session_id, session, inbound.peer)
        queue.session = session_id
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._keep_sweeping())
        await _end(replaced)
        await session.post(inbound, queue)

    async def _refuse(self, inbound: Inbound, queue: ReplyQueue) -> None:
        seconds = int(SWEEP_SECONDS)
        queue.refuse(seconds)
        own = self._sessions.most_of_peer
        told = (
            f"No session is free: all {MOST_SESSIONS} are in use, or {own} by your network address. "
            f"End one, or try again in {seconds} s."
        )
        await queue.finish(Event(messages.failure(inbound.key, BUSY, told)))

    def _shared_by(self, principal: Principal) -> SharedProcess:
        shared = self._shared.get(principal.id)
        if shared is None:
            shared = self._shared[principal.id] = SharedProcess(
                self._workshop, self._backend.server, self._place(), principal
            )
        return shared

    def _place(self) -> UpstreamPlace:
        return self._backend.place(self._workshop.engine.gate.policy.max_upstream)

    async def _keep_sweeping(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            await _end(self._sessions.pop_if(_has_ended))


async def _has_version(session: LegacySession, inbound: Inbound, queue: ReplyQueue) -> bool:
    """Return whether the protocol version of a request is known, or refuse the request."""
    known = {*eras.LEGACY_VERSIONS, session.version}
    if not inbound.version or inbound.version in known:
        return True
    told = (
        f"MCP-Protocol-Version {inbound.version[:40]!r} is not supported. This session has "
        f"{session.version or 'not agreed on one yet'}."
    )
    queue.status = 400
    await queue.finish(Event(messages.failure(inbound.key, INVALID_REQUEST, told)))
    return False


async def _end(sessions: Sequence[LegacySession]) -> None:
    if sessions:
        told = "sessions were removed (%d): they had ended, were idle, or made room for others"
        logger().info(told, len(sessions))
    await asyncio.gather(*(session.end() for session in sessions))


def _is_busy(session: LegacySession) -> bool:
    return session.is_busy


def _has_ended(session: LegacySession) -> bool:
    return session.has_ended
