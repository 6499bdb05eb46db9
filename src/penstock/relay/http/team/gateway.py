"""The gateway of a member of a team: it serves what is its own, and passes the rest on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from penstock.relay.http.gateway import HttpGateway, Inbound, SessionFault, principal_of
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.team.colleague import Colleague
from penstock.relay.http.team.team import Team
from penstock.wire import messages

_STATE: Final = "requestState"


class TeamGateway:
    """A gateway around the one that serves.

    A legacy session belongs to the member that its id names. A modern request belongs to the member
    whose program it continues. In front of a command it belongs to the member that has the process of
    its principal (`is_modern_shared`). Any member serves every other request.
    """

    def __init__(self, own: HttpGateway, team: Team, *, is_modern_shared: bool) -> None:
        self._own = own
        self._team = team
        self._is_modern_shared = is_modern_shared
        self._colleagues = {
            index: Colleague(path) for index, path in enumerate(team.paths) if index != team.index
        }
        self.knows_sessions = own.knows_sessions

    async def session_fault(self, inbound: Inbound) -> SessionFault | None:
        owner, own = self._owner_of(inbound)
        if owner == self._team.index or not self.knows_sessions:
            return await self._own.session_fault(own)
        return await self._colleagues[owner].session_fault(inbound)

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None:
        await self._serve("POST", self._own.post, inbound, queue)

    async def listen(self, inbound: Inbound, queue: ReplyQueue) -> None:
        await self._serve("GET", self._own.listen, inbound, queue)

    async def leave(self, inbound: Inbound, queue: ReplyQueue) -> None:
        await self._serve("DELETE", self._own.leave, inbound, queue)

    async def close(self) -> None:
        await self._own.close()
        for colleague in self._colleagues.values():
            await colleague.close()

    async def _serve(
        self,
        method: str,
        serve: Callable[[Inbound, ReplyQueue], Awaitable[None]],
        inbound: Inbound,
        queue: ReplyQueue,
    ) -> None:
        owner, own = self._owner_of(inbound)
        if owner == self._team.index:
            queue.session_mark = self._team.mark
            await serve(own, queue)
        else:
            await self._colleagues[owner].serve(method, inbound, queue)

    def _owner_of(self, inbound: Inbound) -> tuple[int, Inbound]:
        """Return the member that a request belongs to, and the request as this member knows it."""
        if inbound.is_modern:
            return self._owner_of_modern(inbound), inbound
        found = self._team.owner_of(inbound.session)
        if found is None:
            return self._team.index, inbound
        owner, session = found
        principal = principal_of(session, inbound.authorization, is_modern=False)
        return owner, msgspec.structs.replace(inbound, session=session, principal=principal)

    def _owner_of_modern(self, inbound: Inbound) -> int:
        if self._is_modern_shared:
            return self._team.place_of(inbound.principal.id)
        if inbound.message is not None:
            state = messages.text_of(messages.members_of(inbound.message.params), _STATE)
            found = self._team.owner_of(state or "")
            if found is not None:
                return found[0]
        return self._team.index
