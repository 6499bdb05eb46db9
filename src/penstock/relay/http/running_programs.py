"""The programs that run: each has a process of the sandbox, also while it waits for tools.

The sandbox has a limited number of processes. So one party, and one peer, gets only a part of them.
"""

from __future__ import annotations

from typing import Final

from penstock.wire.request import Request
from penstock.wire.session import Session

# The sandbox has 128 processes. One party and one peer may hold so many of them.
MOST_OF_PARTY: Final = 16
MOST_OF_PEER: Final = 96


class RunningPrograms:
    """The requests whose programs run. All methods run in the event loop."""

    def __init__(self) -> None:
        self._running: list[tuple[Session, Request]] = []

    def admits(self, session: Session, request: Request) -> bool:
        """Note the program of a request, unless too many of its party run."""
        self._running = [one for one in self._running if _runs(*one)]
        own = request.connection.party_at_peer
        parties = [other.connection.party_at_peer for _, other in self._running]
        of_peer = sum(party.peer == own.peer for party in parties)
        if parties.count(own) >= MOST_OF_PARTY or of_peer >= MOST_OF_PEER:
            return False
        self._running.append((session, request))
        return True


def _runs(session: Session, request: Request) -> bool:
    is_stopped = request.cancellation.requested or request.lateness.requested
    return session.pending.get(request.key) is request and not is_stopped
