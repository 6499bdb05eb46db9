"""The legacy requests in front of a URL whose clients left before the answer.

The client may resume the stream, and get the answer there. The session then knows which tool it comes
from. This is kept for the latest such requests. Any other answer is held to the budget all the same.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from penstock.relay.http.gateway import Inbound
from penstock.wire.request import Request
from penstock.wire.session import Session

MOST_KEPT: Final = 32_000_000
_EACH: Final = 32_768  # the memory that a request and its session take besides the body


class LeftRequests:
    """The requests of all sessions. The oldest are forgotten first."""

    def __init__(self) -> None:
        self._kept: deque[tuple[Session, Request, int]] = deque()
        self._size = 0

    def note(self, session: Session, inbound: Inbound) -> None:
        """Note those requests of a POST that have no answer, now that nobody waits for the POST."""
        size = len(inbound.body) + _EACH
        for message in inbound.requests():
            request = session.pending.get(message.key)
            if request is not None and request.inner_calls is None:  # A program ends by itself.
                self._kept.append((session, request, size))
                self._size += size
        while self._size > MOST_KEPT:
            session, request, size = self._kept.popleft()
            self._size -= size
            session.forget(request)
