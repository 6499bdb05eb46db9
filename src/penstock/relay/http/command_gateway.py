"""The gateway from HTTP to a command: one process for each legacy session, and one for each
principal of modern requests, which have no session."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Iterable
from typing import Final

from penstock.core.model.values import Principal
from penstock.engine.engine import Engine
from penstock.figures.keeping import tally_of
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.relay.http.carrier import Workshop
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound, SessionFault
from penstock.relay.http.legacy_session import LegacySession
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.shared_process import SharedProcess
from penstock.relay.process import CannotStart
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.messages import INVALID_REQUEST, UPSTREAM_GONE
from penstock.wire.request import Connection
from penstock.wire.session import Session

IDLE_SECONDS: Final = 3_600.0
MOST_SESSIONS: Final = 1_000
_SWEEP_SECONDS: Final = 60.0
_NO_SESSION: Final = SessionFault(400, INVALID_REQUEST, "Mcp-Session-Id is missing.")
_SESSION_NOT_FOUND: Final = SessionFault(404, -32001, "Session not found: initialize again.")


class CommandGateway:
    knows_sessions = True

    def __init__(self, gate: Gate, target: Target) -> None:
        self._workshop = Workshop(Engine(gate, tally_of(gate.policy, target.name)))
        self._target = target
        self._sessions: dict[str, LegacySession] = {}
        self._shared: dict[str, SharedProcess] = {}
        self._sweeper: asyncio.Task[None] | None = None

    def session_fault(self, inbound: Inbound) -> SessionFault | None:
        session = self._sessions.get(inbound.session)
        is_known = session is not None and not session.has_ended
        return _SESSION_NOT_FOUND if inbound.session and not is_known else None

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        try:
            await self._post(inbound, queue)
        except CannotStart as error:
            key = inbound.message.key if inbound.message is not None else b""
            queue.status = 500
            told = f"{error.message} {error.next_step}"
            await queue.finish(Event(messages.failure(key, UPSTREAM_GONE, told)))

    async def _post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        if inbound.is_modern:
            await self._shared_by(inbound.principal).post(inbound, queue)
            return
        is_opening = inbound.message is not None and inbound.message.method == "initialize"
        if is_opening and not inbound.session:
            await self._open(inbound, queue)
            return
        session = await self._find(inbound, queue)
        if session is not None:
            await session.post(inbound, queue)

    async def listen(self, inbound: Inbound, queue: ReplyQueue) -> None:
        if inbound.is_modern:
            queue.status = 405
            return
        session = await self._find(inbound, queue)
        if session is not None:
            await session.listen(queue)

    async def leave(self, inbound: Inbound, queue: ReplyQueue) -> None:
        session = await self._find(inbound, queue)
        if session is not None:
            self._sessions.pop(inbound.session, None)
            await session.end()
            queue.status = 204

    async def close(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        ending: list[LegacySession | SharedProcess] = [
            *self._sessions.values(),
            *self._shared.values(),
        ]
        await asyncio.gather(*(item.end() for item in ending))
        await self._workshop.close()

    async def _find(self, inbound: Inbound, queue: ReplyQueue) -> LegacySession | None:
        session = self._sessions.get(inbound.session)
        if session is not None and not session.has_ended:
            return session
        key = inbound.message.key if inbound.message is not None else b""
        fault = self.session_fault(inbound) or _NO_SESSION
        queue.status = fault.status
        await queue.finish(Event(messages.failure(key, fault.code, fault.told)))
        return None

    async def _open(self, inbound: Inbound, queue: ReplyQueue) -> None:
        if not await self._make_room():
            queue.status = 503
            key = inbound.message.key if inbound.message is not None else b""
            told = f"All {MOST_SESSIONS} sessions are in use; try again later."
            await queue.finish(Event(messages.failure(key, UPSTREAM_GONE, told)))
            return
        session_id = secrets.token_urlsafe(24)
        connection = Connection(
            self._workshop.engine.gate,
            tally=self._workshop.engine.tally,
            principal=Principal(f"session:{session_id}"),
            server=self._target.server,
            legacy_session=session_id,
        )
        session = LegacySession(self._target, Session(connection), self._workshop)
        self._sessions[session_id] = session
        queue.session = session_id
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._keep_sweeping())
        await session.post(inbound, queue)

    def _shared_by(self, principal: Principal) -> SharedProcess:
        shared = self._shared.get(principal.id)
        if shared is None:
            shared = self._shared[principal.id] = SharedProcess(
                self._workshop, self._target, principal
            )
        return shared

    async def _keep_sweeping(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            now = time.monotonic()
            await self._end(
                name
                for name, session in list(self._sessions.items())
                if session.has_ended or (not session.is_busy and now - session.used > IDLE_SECONDS)
            )

    async def _make_room(self) -> bool:
        """Return whether a session may open. If all are taken, end the one that is idle longest."""
        if len(self._sessions) < MOST_SESSIONS:
            return True
        idle = [name for name, session in self._sessions.items() if not session.is_busy]
        if idle:
            await self._end([min(idle, key=lambda name: self._sessions[name].used)])
        return bool(idle)

    async def _end(self, names: Iterable[str]) -> None:
        for name in names:
            session = self._sessions.pop(name, None)
            if session is not None:
                logger().info(
                    "a session was removed: it had ended, was idle, or made room for another"
                )
                await session.end()
