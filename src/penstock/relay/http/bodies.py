"""The bodies of requests: read within the limits, or left unread by a refusal."""

from __future__ import annotations

import asyncio
import contextlib

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive, Send

from penstock.relay.http.places import Share
from penstock.relay.http.refusals import RefusedExchange, busy


class Incoming:
    """The messages from the server below, which say when the body is complete."""

    def __init__(self, receive: Receive, request: Request) -> None:
        given = request.headers
        self._receive = receive
        self._awaits_permission = "expect" in given
        self.declared = declared_length(request)
        self.is_complete = "transfer-encoding" not in given and not self.declared

    async def __call__(self) -> Message:
        self._awaits_permission = False
        message = await self._receive()
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            self.is_complete = True
        return message

    @property
    def has_more(self) -> bool:
        """Return whether a client is still sending: it may not read a reply before it is done."""
        return not self.is_complete and not self._awaits_permission


def declared_length(request: Request) -> int:
    given = request.headers.get("content-length", "")
    return int(given) if given else 0  # The server below refuses anything but up to 20 digits.


class Allowance(msgspec.Struct, frozen=True):
    """The size that a body may have, and the refusal of a larger one."""

    most: int
    refusal: RefusedExchange


async def read(incoming: Incoming, allowed: Allowance, share: Share) -> bytes:
    """Read a body. One that says that it is too large is refused before any of it is read."""
    body = bytearray()
    if incoming.declared > allowed.most:
        raise allowed.refusal
    while not incoming.is_complete:
        message = await incoming()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part = message.get("body", b"")
        if len(body) + len(part) > allowed.most:
            raise allowed.refusal
        if not share.grow(len(part)):
            raise busy("The bodies of all requests together take too much memory.")
        body += part
    return bytes(body)


async def refuse(
    request: Request, refusal: RefusedExchange, incoming: Incoming, send: Send, seconds: float
) -> None:
    """Send a refusal, and discard what the client sends meanwhile.

    Most clients read the reply only once they have sent all. If the connection were closed before, the
    reply would be lost.
    """
    response = refusal.response
    if incoming.is_complete:
        await response(request.scope, incoming, send)
        return
    response.headers["connection"] = "close"

    async def send_open(message: Message) -> None:
        await send({**message, "more_body": True} if "body" in message else message)

    await response(request.scope, incoming, send_open)
    with contextlib.suppress(TimeoutError, asyncio.CancelledError):  # or the server ends
        async with asyncio.timeout(seconds):
            while incoming.has_more:
                await incoming()
    await send({"type": "http.response.body", "body": b"", "more_body": False})
