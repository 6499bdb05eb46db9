"""The departure of a client: the end of its connection, while it waits for a reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from starlette.requests import Request

_STATE: Final = "departure"


class Departure:
    """A connection's own departure. The server below notes it, and the app hears of it.

    ASGI would need one more task for each request, which does nothing but wait for this.
    """

    def __init__(self) -> None:
        self._has_left = False
        self._hears: Callable[[], None] | None = None  # A connection has one request at a time.

    def in_state(self) -> dict[str, Departure]:
        """Return the part of the state of requests in which `departure_of` finds this."""
        return {_STATE: self}

    def note(self) -> None:
        self._has_left = True
        if self._hears is not None:
            self._hears()

    @contextmanager
    def told_to(self, hears: Callable[[], None]) -> Iterator[None]:
        """Call a function if the client leaves in this block, or has left before."""
        if self._has_left:
            hears()
        self._hears = hears
        try:
            yield
        finally:
            self._hears = None


def departure_of(request: Request) -> Departure:
    found: Departure = request.scope["state"][_STATE]
    return found
