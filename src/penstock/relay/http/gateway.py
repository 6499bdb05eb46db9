"""What the HTTP front hands on: a request that passed its checks."""

from __future__ import annotations

from typing import Protocol

import msgspec

from penstock.core.model.values import Principal
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.wire.messages import Message


class Inbound(msgspec.Struct, frozen=True):
    """A request over HTTP. `message` is None for a batch."""

    body: bytes = b""
    message: Message | None = None
    is_modern: bool = False
    session: str = ""
    version: str = ""
    last_event: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    authorization: str = ""
    principal: Principal = Principal()

    @property
    def expects_answer(self) -> bool:
        """Whether it is, or holds, a request."""
        if self.message is None:
            return True
        return bool(self.message.key) and self.message.method is not msgspec.UNSET


class HttpGateway(Protocol):
    """One kind of upstream, behind the front. Each method returns when its queue is closed, and
    is cancelled when the client goes."""

    async def post(self, inbound: Inbound, queue: ReplyQueue) -> None: ...

    async def listen(self, inbound: Inbound, queue: ReplyQueue) -> None: ...

    async def leave(self, inbound: Inbound, queue: ReplyQueue) -> None: ...

    async def close(self) -> None: ...
