"""HTTP in front of a command: a process for each legacy session; in the new era, where there are
no sessions, one for each principal."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Iterable
from typing import Final

from penstock.core.model.values import Principal
from penstock.engine.engine import Engine
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.relay.http.carrier import Workshop
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.outlet import Outlet
from penstock.relay.http.seated import LegacySession
from penstock.relay.http.shared import Shared
from penstock.relay.process import CannotStart
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.messages import INVALID_REQUEST, UPSTREAM_GONE
from penstock.wire.request import Connection
from penstock.wire.session import Session

IDLE_SECONDS: Final = 3_600.0
MOST_SESSIONS: Final = 1_000
_SWEEP_SECONDS: Final = 60.0
_SESSION_NOT_FOUND: Final = -32001


class Hosted:
    def __init__(self, gate: Gate, target: Target) -> None:
        self._workshop = Workshop(Engine(gate))
        self._target = target
        self._seated: dict[str, LegacySession] = {}
        self._shared: dict[str, Shared] = {}
        self._sweeper: asyncio.Task[None] | None = None

    async def post(self, inbound: Inbound, outlet: Outlet) -> None:
        try:
            await self._post(inbound, outlet)
        except CannotStart as error:
            key = inbound.message.key if inbound.message is not None else b""
            outlet.status = 500
            told = f"{error.message} {error.next_step}"
            await outlet.finish(Event(messages.failure(key, UPSTREAM_GONE, told)))

    async def _post(self, inbound: Inbound, outlet: Outlet) -> None:
        if inbound.is_modern:
            await self._shared_by(inbound.principal).post(inbound, outlet)
            return
        is_opening = inbound.message is not None and inbound.message.method == "initialize"
        if is_opening and not inbound.session:
            await self._open(inbound, outlet)
            return
        seated = await self._find(inbound, outlet)
        if seated is not None:
            await seated.post(inbound, outlet)

    async def listen(self, inbound: Inbound, outlet: Outlet) -> None:
        if inbound.is_modern:
            outlet.status = 405
            return
        seated = await self._find(inbound, outlet)
        if seated is not None:
            await seated.listen(outlet)

    async def leave(self, inbound: Inbound, outlet: Outlet) -> None:
        seated = await self._find(inbound, outlet)
        if seated is not None:
            self._seated.pop(inbound.session, None)
            await seated.end()
            outlet.status = 204

    async def close(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        ending: list[LegacySession | Shared] = [*self._seated.values(), *self._shared.values()]
        await asyncio.gather(*(item.end() for item in ending))
        await self._workshop.close()

    async def _find(self, inbound: Inbound, outlet: Outlet) -> LegacySession | None:
        seated = self._seated.get(inbound.session)
        if seated is not None and not seated.has_ended:
            return seated
        key = inbound.message.key if inbound.message is not None else b""
        if inbound.session:
            outlet.status, code, told = (
                404,
                _SESSION_NOT_FOUND,
                "Session not found: initialize again.",
            )
        else:
            outlet.status, code, told = 400, INVALID_REQUEST, "Mcp-Session-Id is missing."
        await outlet.finish(Event(messages.failure(key, code, told)))
        return None

    async def _open(self, inbound: Inbound, outlet: Outlet) -> None:
        if not await self._make_room():
            outlet.status = 503
            key = inbound.message.key if inbound.message is not None else b""
            told = f"All {MOST_SESSIONS} sessions are in use; try again later."
            await outlet.finish(Event(messages.failure(key, UPSTREAM_GONE, told)))
            return
        session_id = secrets.token_urlsafe(24)
        connection = Connection(
            self._workshop.engine.gate,
            principal=Principal(f"session:{session_id}"),
            server=self._target.server,
            seat=session_id,
        )
        seated = LegacySession(self._target, Session(connection), self._workshop)
        self._seated[session_id] = seated
        outlet.session = session_id
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._keep_sweeping())
        await seated.post(inbound, outlet)

    def _shared_by(self, principal: Principal) -> Shared:
        shared = self._shared.get(principal.id)
        if shared is None:
            shared = self._shared[principal.id] = Shared(self._workshop, self._target, principal)
        return shared

    async def _keep_sweeping(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            now = time.monotonic()
            await self._end(
                name
                for name, seated in list(self._seated.items())
                if seated.has_ended or (not seated.is_busy and now - seated.used > IDLE_SECONDS)
            )

    async def _make_room(self) -> bool:
        """Ends the session that nobody has used for the longest, if all are taken."""
        if len(self._seated) < MOST_SESSIONS:
            return True
        idle = [name for name, seated in self._seated.items() if not seated.is_busy]
        if idle:
            await self._end([min(idle, key=lambda name: self._seated[name].used)])
        return bool(idle)

    async def _end(self, names: Iterable[str]) -> None:
        for name in names:
            seated = self._seated.pop(name, None)
            if seated is not None:
                logger().info("a session was ended: it was idle, or too many were open")
                await seated.end()
