"""HTTP/1.1 as h11 reads and writes it, with limits on a whole head and on the number of chunks."""

from __future__ import annotations

from typing import Any, Final

import h11

_FREE_CHUNKS: Final = 1_000
_CHUNK_BYTES: Final = 64  # Chunks that are smaller on average cost more to read than to send.
_BAD_REQUEST: Final = 400
_HEAD_TOO_LARGE: Final = 431
_FRAMES: Final = frozenset({b"content-length", b"transfer-encoding"})


class StrictHttp(h11.Connection):
    """The server's end of a connection."""

    def __init__(self, most_head: int) -> None:
        super().__init__(h11.SERVER, most_head)
        self._most_head = most_head
        self._chunks = self._body = 0
        self._held = b""

    def send(self, event: Any) -> Any:
        """Return the bytes of an event. The head of a reply is held until something follows, so that
        a small reply is one write to the network, not two."""
        made = super().send(event)
        if isinstance(event, h11.Response):
            self._held = made or b""
            return b""
        if self._held and made is not None:
            made, self._held = self._held + made, b""
        return made

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            self._chunks = self._body = 0
            self._check_head(event)
        elif isinstance(event, h11.Data):
            self._chunks += event.chunk_start
            self._body += len(event.data)
            if self._chunks > _FREE_CHUNKS + self._body // _CHUNK_BYTES:
                raise h11.RemoteProtocolError(
                    "the chunks are too small, send larger ones", _BAD_REQUEST
                )
        return event

    def _check_head(self, request: h11.Request) -> None:
        """Refuse a large head. h11 limits only one that comes in several parts."""
        size = sum(len(name) + len(value) for name, value in request.headers)
        if size + len(request.target) > self._most_head:
            raise h11.RemoteProtocolError("the head is too large", _HEAD_TOO_LARGE)
        frames = {name for name, _ in request.headers if name in _FRAMES}
        if len(frames) > 1:  # A proxy may have believed the other one.
            told = "it has both Content-Length and Transfer-Encoding"
            raise h11.RemoteProtocolError(told, _BAD_REQUEST)
