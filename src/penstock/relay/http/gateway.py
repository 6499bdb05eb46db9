"""The interface between the HTTP app and a gateway: requests that passed the app's checks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable
from typing import Final, Protocol

import msgspec

from penstock.core.model.values import Principal
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.wire import messages
from penstock.wire.messages import MAY_HAVE_RUN, UPSTREAM_GONE, Message


class Inbound(msgspec.Struct, frozen=True):
    """A request over HTTP."""

    body: bytes = b""
    message: Message | None = None  # None for a batch
    is_modern: bool = False
    session: str = ""
    version: str = ""
    last_event: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    authorization: str = ""
    forwards_authorization: bool = False  # also where the client has sent none yet
    principal: Principal = Principal()
    peer: str = ""  # the address that the client calls from

    @property
    def key(self) -> bytes:
        """Return the key of the one message; b"" if it has no id, and for a batch."""
        return b"" if self.message is None else self.message.key

    @property
    def is_initialize(self) -> bool:
        """Return whether this asks for a session."""
        message = self.message
        return message is not None and message.is_request and message.method == "initialize"

    def requests(self) -> list[Message]:
        """Return the requests in the body."""
        found: Iterable[Message | None] = [self.message]
        if self.message is None:
            found = map(messages.message_or_none, messages.batch_of(self.body) or [])
        return [message for message in found if message is not None and message.is_request]


def answer_for_each(
    inbound: Inbound, answer: Callable[[Message], bytes], answered: Collection[bytes] = ()
) -> bytes:
    """Return an answer to each request in the body that is not answered yet; b"" if there is none."""
    made = [answer(message) for message in inbound.requests() if message.key not in answered]
    return b"[" + b",".join(made) + b"]" if made and inbound.message is None else b"".join(made)


def lost(message: Message, told: str, *, was_begun: bool = True) -> bytes:
    """Return the error for a request that gets no answer."""
    may_have_run = was_begun and message.method == "tools/call"
    return messages.failure(message.key, UPSTREAM_GONE, told + MAY_HAVE_RUN * may_have_run)


def principal_of(session: str, authorization: str, *, is_modern: bool) -> Principal:
    if authorization:
        digest = hashlib.sha256(authorization.encode()).hexdigest()
        return Principal(f"authorization:{digest}")
    # Modern requests have no session, despite a header.
    return Principal(f"session:{session}") if session and not is_modern else Principal()


class SessionFault(msgspec.Struct, frozen=True):
    """The refusal of a request for its session."""

    status: int
    code: int
    told: str


SESSION_NOT_FOUND: Final = SessionFault(404, -32001, "Session not found: initialize again.")


class HttpGateway(Protocol):
    """One kind of upstream behind the HTTP app, which cancels a call if its client disconnects."""

    # Whether the gateway knows all sessions. If it does, a legacy request without one can only be an
    # `initialize`.
    knows_sessions: bool

    async def session_fault(self, inbound: Inbound) -> SessionFault | None:
        """Return why a request is refused whose body was not read yet, as far as its session tells."""

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None: ...

    async def listen(self, inbound: Inbound, queue: ReplyQueue) -> None: ...

    async def leave(self, inbound: Inbound, queue: ReplyQueue) -> None: ...

    async def close(self) -> None: ...
