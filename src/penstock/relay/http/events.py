"""An event of a stream, on the client's or upstream's side of the relay."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True):
    """A message of a stream, or its id or retry time alone. An empty event opens the stream."""

    message: bytes = b""
    id: str = ""  # A broken stream can be resumed after this id.
    retry: int | None = None  # the milliseconds after which a client may reconnect
