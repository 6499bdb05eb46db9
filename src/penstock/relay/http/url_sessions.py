"""The sessions in front of a URL. Upstream has the real ones; Penstock keeps what it knows of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from penstock.core.model.values import Principal
from penstock.engine.engine import Engine
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.left_requests import LeftRequests
from penstock.relay.http.session_table import SweptTable
from penstock.relay.target import Target
from penstock.wire.headers import RepeatedArguments
from penstock.wire.request import Connection
from penstock.wire.session import Session
from penstock.wire.upstream_state import UpstreamState

_MOST_KEPT: Final = 10_000


class UrlSessions:
    """Legacy sessions by id, and the state of upstream without sessions by era and principal.

    They all end after an idle hour. A session that comes back after that is known anew.
    """

    def __init__(self, engine: Engine, target: Target) -> None:
        self._engine = engine
        self._target = target
        self._in_use: Counter[Session] = Counter()
        self._sessions: SweptTable[Session] = SweptTable(_MOST_KEPT, self._in_use.__contains__)
        self.left = LeftRequests()
        self._known: SweptTable[UpstreamState] = SweptTable(_MOST_KEPT)

    @contextmanager
    def using(self, inbound: Inbound) -> Iterator[Session]:
        """Give the session of a request, which is kept at least until the request has ended."""
        session = self._session(inbound)
        self._in_use[session] += 1
        try:
            yield session
        finally:
            self._in_use[session] -= 1
            if not self._in_use[session]:
                del self._in_use[session]

    def begin(self, session: Session, session_id: str, inbound: Inbound) -> None:
        """Keep the session that upstream opened, or its state if it opens none for anyone."""
        if not session_id:
            self._known.keep(f"legacy {inbound.principal.id}", session.known, inbound.peer)
            return
        connection = session.connection
        connection.legacy_session = session_id
        if connection.principal.is_bearer:
            connection.principal = Principal(f"session:{session_id}")
        self._sessions.keep(_key(inbound, session_id), session, inbound.peer)

    def end(self, inbound: Inbound) -> None:
        self._sessions.pop(_key(inbound, inbound.session))

    def _session(self, inbound: Inbound) -> Session:
        if inbound.is_modern:
            # Each client chooses its own ids, so requests share only the state of upstream.
            return self._new(inbound, self._known_to(inbound, "modern"), _repeated(inbound))
        if inbound.session:
            key = _key(inbound, inbound.session)
            return self._sessions.get_or_keep(key, partial(self._resumed, inbound), inbound.peer)
        if inbound.is_initialize:
            return self._new(inbound)
        known = self._known_to(inbound, "legacy")
        known.is_initialized = True  # through another process, perhaps, or before a restart
        return self._new(inbound, known)

    def _known_to(self, inbound: Inbound, era: str) -> UpstreamState:
        key = f"{era} {inbound.principal.id}"
        return self._known.get_or_keep(key, UpstreamState, inbound.peer)

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
                self._engine.gate,
                tally=self._engine.tally,
                toolboxes=self._engine.toolboxes,
                principal=inbound.principal,
                server=self._target.server,
                legacy_session=inbound.session,
                peer=inbound.peer,
                known=known or UpstreamState(),
                repeated=repeated,
            )
        )


def _key(inbound: Inbound, session_id: str) -> str:
    """Return the key of a session. With another authorization, the same id is another session."""
    return f"{session_id} {inbound.principal.id if inbound.authorization else ''}"


def _repeated(inbound: Inbound) -> RepeatedArguments | None:
    """Return the headers to check against the arguments. Upstream's headers are made anew from the
    tool's schema, which would otherwise silently correct wrong or missing ones."""
    message = inbound.message
    return None if message is None else RepeatedArguments(message, inbound.headers)
