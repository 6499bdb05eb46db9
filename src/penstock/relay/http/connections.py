"""The connections of `penstock serve`: how many, and how long each may take for what it sends.

uvicorn's protocol on h11 serves them. h11 is strict where a faster parser is not: it takes no `Upgrade`
for a new request and no trailer for a header, and it limits a head. uvicorn has no limit on the time of
a head or a body, and none on the connections of one address. They are here.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from penstock.relay.http.far_end import FarEnd
from penstock.relay.http.limits import ServeLimits
from penstock.relay.http.peers import peer_of
from penstock.relay.http.places import PeerPlaces
from penstock.relay.http.refusals import RETRY_LATER, RETRY_SECONDS
from penstock.relay.http.strict_http import StrictHttp
from penstock.wire import messages
from penstock.wire.headers import JSON
from penstock.wire.messages import BUSY, INVALID_REQUEST

_AF_UNIX: Final = getattr(socket, "AF_UNIX", None)
_HEAD: Final = "head"
_BODY: Final = "body"
_NOTHING: Final = ""
_READ_BYTES: Final = 64_000
_MOST_TURNED_AWAY: Final = 200
_BAD_REQUEST: Final = 400
_HEAD_TOO_LARGE: Final = 431
_TIMEOUT: Final = 408
_BUSY: Final = 503


class Doors:
    """The places for connections, which all connections share."""

    def __init__(self, limits: ServeLimits, *, is_behind_proxy: bool) -> None:
        most = limits.connections
        per_address = limits.connections_per_address or limits.per_peer(most)
        self.limits = limits
        self.places = PeerPlaces(most, most if is_behind_proxy else per_address)
        self.turned_away = 0  # the connections that still read why they were refused


class ServeConnection(H11Protocol):
    """One connection."""

    doors: ClassVar[Doors]

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._limits = self.doors.limits
        self.conn = StrictHttp(self._limits.head)
        self._far_end = FarEnd()
        self.app_state = {**self.app_state, **self._far_end.in_state()}
        self._peer = ""
        self._has_place = self._is_turned_away = self._is_over = False
        self._awaited = _NOTHING
        self._timer: asyncio.TimerHandle | None = None
        self._received = self._received_before = 0

    # -- the beginning and the end -------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        # A connection may hold what is read ahead for as long as its request takes.
        vars(transport)["max_size"] = _READ_BYTES
        self._far_end.is_colleague = transport.get_extra_info("socket").family == _AF_UNIX
        self._peer = peer_of(self.client, (), trusts_proxy=False)
        self._has_place = not self._far_end.is_colleague and self.doors.places.take(self._peer)
        if self._has_place or self._far_end.is_colleague:
            self._await(_HEAD)
        else:
            self._turn_away()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        if self._has_place:
            self.doors.places.leave(self._peer)
        self.doors.turned_away -= self._is_turned_away
        self._has_place = self._is_turned_away = False
        super().connection_lost(exc)
        self._far_end.note_departure()

    def _turn_away(self) -> None:
        """Refuse a connection. It may read why, unless many others do."""
        if self.doors.turned_away >= _MOST_TURNED_AWAY:
            self._is_over = True
            self.transport.abort()
            return
        self._is_turned_away = True
        self.doors.turned_away += 1
        told = f"Too many connections are open. Try again in {RETRY_SECONDS} s."
        self._refuse(_BUSY, told, BUSY, RETRY_LATER)

    def shutdown(self) -> None:
        if self._is_over:
            self.transport.close()
        else:
            super().shutdown()

    def break_off_unread(self) -> None:
        """End the connection if its client does not read what is sent."""
        if self.flow.write_paused:
            self.transport.abort()

    # -- what arrives --------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        if self._is_over:
            return
        if self.conn.their_state is h11.IDLE:
            self._await(_HEAD)
        self._received += len(data)
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_over or self.transport.is_closing():
            return
        is_unread = self.conn.their_state is h11.SEND_BODY
        if is_unread and self.cycle.response_complete:
            self.transport.close()  # The client could send it for ever.
        elif self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._await(_HEAD)
        else:
            self._follow()

    def _follow(self) -> None:
        """Await the part of a request that the state of the connection says."""
        if self.conn.their_state is h11.SEND_BODY:
            self._await(_BODY)
        elif self.conn.their_state is not h11.IDLE:
            self._await(_NOTHING)

    def _await(self, what: str) -> None:
        if what == self._awaited or self._is_over:
            return
        self._stop_timer()
        self._awaited = what
        self._received_before = self._received
        seconds = {_HEAD: self._limits.head_seconds, _BODY: self._limits.body_seconds}
        if what:
            self._timer = self.loop.call_later(seconds[what], self._check_pace)

    def _check_pace(self) -> None:
        arrived = self._received - self._received_before
        # While Penstock itself does not read, the client is not too slow.
        is_in_time = arrived >= self._limits.body_pace or self.flow.read_paused
        if self._awaited == _BODY and is_in_time:
            self._awaited = _NOTHING
            self._await(_BODY)
        elif not self._received:
            self._is_over = True
            self.transport.close()  # It never asked.
        else:
            self._refuse(_TIMEOUT, f"The {self._awaited} of the request came too slowly.")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # -- refusals ------------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that is no valid HTTP. uvicorn calls this while it handles the error."""
        error = sys.exception()
        status = _BAD_REQUEST
        if isinstance(error, h11.RemoteProtocolError):
            status, msg = error.error_status_hint, f"This is no valid HTTP request: {error}."
        if status == _HEAD_TOO_LARGE:
            msg = f"The request line and headers exceed {self._limits.head:,} bytes. Send fewer."
        self._refuse(status, msg)

    def _refuse(
        self,
        status: int,
        told: str,
        code: int = INVALID_REQUEST,
        more: dict[str, str] | None = None,
    ) -> None:
        """Answer in place of the app, and end the connection. What the client still sends is
        discarded for a moment: if the connection were closed at once, the answer could be lost."""
        self._is_over = True
        self._stop_timer()
        self._unset_keepalive_if_required()
        if self.cycle and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self._far_end.note_departure()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._write(status, messages.failure(b"", code, told), more or {})
        if not self.transport.is_closing():
            self.flow.resume_reading()
            self.transport.write_eof()
            self._timer = self.loop.call_later(self._limits.linger_seconds, self.transport.abort)

    def _write(self, status: int, body: bytes, more: dict[str, str]) -> None:
        given = {"content-type": JSON, "content-length": str(len(body)), "connection": "close"}
        pairs = [(name.encode(), value.encode()) for name, value in (given | more).items()]
        parts = (
            h11.Response(status_code=status, headers=pairs),
            h11.Data(data=body),
            h11.EndOfMessage(),
        )
        self.transport.write(b"".join(self.conn.send(part) or b"" for part in parts))


def protocol(doors: Doors) -> type[ServeConnection]:
    """Return the protocol class of a server: uvicorn makes one object of it for each connection."""
    return type("OpenConnection", (ServeConnection,), {"doors": doors})
