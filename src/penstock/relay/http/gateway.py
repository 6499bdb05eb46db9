"""The interface between the HTTP app and a gateway: requests that passed the app's checks."""

from __future__ import annotations

from typing import Protocol

import msgspec

from penstock.core.model.values import Principal
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.wire.messages import Message


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
    def expects_answer(self) -> bool:
        """Return whether the body is a JSON-RPC request, or a batch, which may hold one."""
        if self.message is None:
            return True
        return bool(self.message.key) and self.message.method is not msgspec.UNSET


class SessionFault(msgspec.Struct, frozen=True):
    """The refusal of a request for its session."""

    status: int
    code: int
    told: str


class HttpGateway(Protocol):
    """One kind of upstream behind the HTTP app, which cancels a call if its client disconnects."""

    # Whether the gateway knows all sessions. If it does, a legacy request without one can only be an
    # `initialize`.
    knows_sessions: bool

    def session_fault(self, inbound: Inbound) -> SessionFault | None:
        """Return why a request is refused whose body was not read yet, as far as its session tells."""

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None: ...

    async def listen(self, inbound: Inbound, queue: ReplyQueue) -> None: ...

    async def leave(self, inbound: Inbound, queue: ReplyQueue) -> None: ...

    async def close(self) -> None: ...
