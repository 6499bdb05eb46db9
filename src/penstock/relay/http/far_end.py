"""The far end of a connection: what the server below tells the app about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from starlette.requests import Request

_STATE: Final = "far_end"


class FarEnd:
    """The far end of one connection."""

    def __init__(self) -> None:
        self.is_colleague = False  # another worker of the team, which passes on a client's request
        self._has_left = False
        self._hears: Callable[[], None] | None = None  # A connection has one request at a time.

    def in_state(self) -> dict[str, FarEnd]:
        """Return the part of the state of requests in which `far_end_of` finds this."""
        return {_STATE: self}

    def note_departure(self) -> None:
        self._has_left = True
        if self._hears is not None:
            self._hears()

    @contextmanager
    def departure_told_to(self, hears: Callable[[], None]) -> Iterator[None]:
        """Call a function if the client leaves in this block, or has left before.

        With ASGI alone, each request would need one more task that waits for this.
        """
        if self._has_left:  # Soon, not now: what was started for the request must begin.
            asyncio.get_running_loop().call_soon(hears)
        self._hears = hears
        try:
            yield
        finally:
            self._hears = None


def far_end_of(request: Request) -> FarEnd:
    found: FarEnd = request.scope["state"][_STATE]
    return found
