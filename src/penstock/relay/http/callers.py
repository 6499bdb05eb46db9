"""The callers of the app: what the server below knows about the other end of a connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from starlette.requests import Request

_STATE: Final = "caller"


class Caller:
    """The other end of one connection."""

    def __init__(self) -> None:
        self.is_colleague = False  # another worker of the team, which passes on a client's request
        self._has_left = False
        self._hears: Callable[[], None] | None = None  # A connection has one request at a time.

    def in_state(self) -> dict[str, Caller]:
        """Return the part of the state of requests in which `caller_of` finds this."""
        return {_STATE: self}

    def note_departure(self) -> None:
        self._has_left = True
        if self._hears is not None:
            self._hears()

    @contextmanager
    def departure_told_to(self, hears: Callable[[], None]) -> Iterator[None]:
        """Call a function if the caller leaves in this block, or has left before.

        With ASGI alone, each request would need one more task that waits for this.
        """
        if self._has_left:
            hears()
        self._hears = hears
        try:
            yield
        finally:
            self._hears = None


def caller_of(request: Request) -> Caller:
    found: Caller = request.scope["state"][_STATE]
    return found
