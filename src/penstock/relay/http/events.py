"""A message of a stream, on either side of the relay."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True):
    """A message, and the id from which a broken stream can be resumed. One without a message only
    tells the id, or after how many milliseconds to come back; one without anything, that the
    stream is open."""

    message: bytes = b""
    id: str = ""
    retry: int | None = None
