"""The checks of a request, in the order of their cost: a stranger's request is refused early.

1. The server below has limited connections and heads (`connections.py`).
2. The headers must be readable, and `Host` and `Origin` allowed.
3. There is such an endpoint, and it has such a method.
4. The session is known, as far as the gateway can tell. Another worker of the team tells of its own.
5. The body has an allowed length: first the declared one, then the bytes that come.
6. The body is JSON of limited depth, one message or a small batch, and agrees with the headers.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from penstock._version import __version__
from penstock.relay.http import bodies, large_bodies
from penstock.relay.http.allowed_hosts import AllowedHosts
from penstock.relay.http.bodies import Allowance, Incoming
from penstock.relay.http.far_end import far_end_of
from penstock.relay.http.gateway import HttpGateway, Inbound, principal_of
from penstock.relay.http.limits import ServeLimits
from penstock.relay.http.peers import peer_of
from penstock.relay.http.places import PeerPlaces, Share
from penstock.relay.http.refusals import RefusedExchange, refused, with_error
from penstock.wire import eras, headers, messages, strict_reading
from penstock.wire.headers import EVENTS, JSON
from penstock.wire.strict_reading import Unacceptable

PATH: Final = "/mcp"
HEALTH: Final = "/healthz"
PEER: Final = "penstock-peer"  # A colleague names the peer of the request that it passes on.
ASKS_FOR_SESSION: Final = "HEAD"  # the method with which a colleague asks whether one is known
_METHODS: Final = ("POST", "GET", "DELETE")
_READ: Final = ("host", "origin", "accept", "content-type", "authorization", "last-event-id")


class Admission:
    """The checks that all requests share."""

    def __init__(
        self,
        gateway: HttpGateway,
        guard: AllowedHosts,
        limits: ServeLimits,
        *,
        forwards_authorization: bool = False,
        trusts_proxy: bool = False,
    ) -> None:
        self._gateway = gateway
        self._guard = guard
        self._limits = limits
        self._forwards_authorization = forwards_authorization
        self._trusts_proxy = trusts_proxy
        self.memory = PeerPlaces(limits.bodies, limits.per_peer(limits.bodies))

    async def admit(self, request: Request, incoming: Incoming) -> Inbound:
        """Return a request whose body was not read, or raise `RefusedExchange`."""
        _require_readable(request)
        given = request.headers
        why = self._guard.refuses(given.get("host", ""), given.get("origin", ""))
        if why:
            raise refused(403, why)
        path = request.scope["path"].rstrip("/")
        if path == HEALTH:
            raise RefusedExchange(JSONResponse({"status": "ok", "version": __version__}))
        if path != PATH:
            raise refused(404, f"The MCP endpoint is {PATH}.")
        if request.method == ASKS_FOR_SESSION and far_end_of(request).is_colleague:
            await self._require_session(self._inbound(request))
            raise RefusedExchange(Response())
        if request.method not in _METHODS:
            allowed = ", ".join(_METHODS)
            raise refused(405, f"The methods are {allowed}.", more={"allow": allowed})
        _require_kinds(request)
        inbound = self._inbound(request)
        if request.method == "POST":
            await self._require_session(inbound)
            return inbound
        if inbound.is_modern and request.method == "GET":
            raise refused(405, "This protocol has no GET.", more={"allow": "POST"})
        self._require_no_body(incoming)
        return inbound

    def _inbound(self, request: Request) -> Inbound:
        given = request.headers
        session = given.get(headers.SESSION, "")
        authorization = given.get("authorization", "") if self._forwards_authorization else ""
        is_modern = given.get(headers.VERSION, "") in eras.MODERN_VERSIONS
        return Inbound(
            is_modern=is_modern,
            session=session,
            version=given.get(headers.VERSION, ""),
            last_event=given.get(headers.LAST_EVENT, ""),
            headers=tuple(given.items()),
            authorization=authorization,
            forwards_authorization=self._forwards_authorization,
            principal=principal_of(session, authorization, is_modern=is_modern),
            peer=self._peer(request),
        )

    def _peer(self, request: Request) -> str:
        if far_end_of(request).is_colleague:
            return request.headers.get(PEER, "")
        scope = request.scope
        return peer_of(scope.get("client"), scope["headers"], trusts_proxy=self._trusts_proxy)

    async def _require_session(self, inbound: Inbound) -> None:
        fault = None if inbound.is_modern else await self._gateway.session_fault(inbound)
        if fault is not None:
            raise refused(fault.status, fault.told, code=fault.code)

    def _require_no_body(self, incoming: Incoming) -> None:
        if not incoming.is_complete and not 0 < incoming.declared <= self._limits.head:
            raise refused(400, "Only POST takes a body.")

    # -- bodies --------------------------------------------------------------------------------

    async def with_body(self, incoming: Incoming, inbound: Inbound, share: Share) -> Inbound:
        """Read the body of a request, and return the request with it."""
        body = await bodies.read(incoming, self._allowance(inbound), share)
        try:
            message = await large_bodies.apply(strict_reading.read_body, body)
        except Unacceptable as error:
            raise with_error(400, error.error, error.key) from error
        is_modern = headers.is_modern(message, inbound.version)
        fault = headers.disagreement(message, inbound.headers) if is_modern else None
        if fault is not None:
            raise with_error(400, fault, b"" if message is None else message.key)
        changes: dict[str, Any] = {
            "body": messages.one_line(body),
            "message": message,
            "is_modern": is_modern,
        }
        principal = principal_of(inbound.session, inbound.authorization, is_modern=is_modern)
        return msgspec.structs.replace(inbound, principal=principal, **changes)

    def _allowance(self, inbound: Inbound) -> Allowance:
        most = self._limits.body_without_session
        if inbound.is_modern or inbound.session or not self._gateway.knows_sessions:
            most = self._limits.body
            told = f"The body is larger than {most:,} bytes. Send less, or raise --max-body."
            return Allowance(most, refused(413, told))
        told = f"Mcp-Session-Id is missing: without it, a body may have {most:,} bytes."
        return Allowance(most, refused(400, f"{told} Send initialize first."))


def is_read(header: str) -> bool:
    """Return whether Penstock reads this header, or sends it on."""
    return header in _READ or header.startswith("mcp-")


def _require_readable(request: Request) -> None:
    """Refuse headers that are not printable ASCII. They have no one meaning, and cannot be sent on."""
    for name, value in request.headers.items():
        if is_read(name) and not (value.isascii() and value.replace("\t", " ").isprintable()):
            raise refused(400, f"The header {name} is not printable ASCII.")


def _require_kinds(request: Request) -> None:
    # A missing type is refused too: a web page could send it without a CORS preflight.
    is_post = request.method == "POST"
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if is_post and kind != JSON:
        raise refused(415, f"The body must be {JSON}.")
    wanted = {"POST": JSON, "GET": EVENTS}.get(request.method)
    if wanted is not None and not accepts(request, wanted):
        raise refused(406, f"This endpoint answers with {JSON} and {EVENTS}: accept both.")


def accepts(request: Request, kind: str) -> bool:
    takes_json, takes_events = headers.accepts(request.headers.get("accept", "*/*"))
    return takes_json if kind == JSON else takes_events
