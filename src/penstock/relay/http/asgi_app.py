"""The HTTP side of `penstock serve`: it admits requests, calls a gateway, and forms the replies."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from penstock.log import logger
from penstock.relay.http import bodies
from penstock.relay.http.admission import Admission
from penstock.relay.http.bodies import Incoming
from penstock.relay.http.drop_log import DropLog
from penstock.relay.http.events import Event
from penstock.relay.http.far_end import far_end_of
from penstock.relay.http.gateway import HttpGateway, Inbound
from penstock.relay.http.limits import ServeLimits
from penstock.relay.http.refusals import RefusedExchange, refused
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.replying import HttpReply
from penstock.wire import messages
from penstock.wire.messages import INTERNAL_ERROR, UPSTREAM_GONE

_REFUSED: Final = 400
_SHOWN: Final = 200
_ENDS: Final = "Penstock was told to end before this request was answered."

Step = Callable[[Inbound, ReplyQueue], Awaitable[None]]


class AsgiApp:
    """An ASGI application."""

    def __init__(self, gateway: HttpGateway, admission: Admission, limits: ServeLimits) -> None:
        self._gateway = gateway
        self._admission = admission
        self._limits = limits
        self._refused = DropLog("refused")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            with suppress(asyncio.CancelledError):  # A second Ctrl-C ends this without a shutdown.
                await self._live(receive, send)
            return
        request = Request(scope)
        incoming = Incoming(receive, request)
        try:
            await self._answer(request, incoming, send)
        except RefusedExchange as refusal:
            self._note(request, refusal.response)
            await bodies.refuse(request, refusal, incoming, send, self._limits.linger_seconds)
        except ClientDisconnect:
            logger().info("a client left before its request was complete")
        except asyncio.CancelledError:
            await refused(503, _ENDS, code=UPSTREAM_GONE).response(scope, receive, send)

    def _note(self, request: Request, response: Response) -> None:
        if response.status_code >= _REFUSED:  # /healthz is answered in the same way
            told = bytes(response.body[:_SHOWN]).decode("utf-8", "replace")
            self._refused.note(f"{request.method}: {response.status_code}", told)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            stage = (await receive())["type"]
            if stage == "lifespan.shutdown":
                await self._gateway.close()
            await send({"type": f"{stage}.complete"})
            if stage == "lifespan.shutdown":
                return

    async def _answer(self, request: Request, incoming: Incoming, send: Send) -> None:
        inbound = await self._admission.admit(request, incoming)
        steps: dict[str, Step] = {"GET": self._gateway.listen, "DELETE": self._gateway.leave}
        with self._admission.memory.share(inbound.peer) as share:
            if request.method == "POST":
                inbound = await self._admission.with_body(incoming, inbound, share)
            step = steps.get(request.method, self._gateway.post)
            await self._reply(request, send, inbound, step)

    async def _reply(self, request: Request, send: Send, inbound: Inbound, step: Step) -> None:
        queue = ReplyQueue()
        reply = HttpReply(request, send, inbound, queue)
        work = asyncio.create_task(self._work(inbound, queue, step))
        try:
            with far_end_of(request).departure_told_to(queue.break_off):
                await reply.write()
        except asyncio.CancelledError:  # The server ends, and has waited long enough.
            await reply.break_off(_ENDS)
        finally:
            queue.break_off()
            work.cancel()
            with suppress(asyncio.CancelledError):  # The reply has ended. It must get no other one.
                await asyncio.wait({work})

    async def _work(self, inbound: Inbound, queue: ReplyQueue, step: Step) -> None:
        try:
            await step(inbound, queue)
        except Exception:  # noqa: BLE001 (the client gets an error in any case)
            logger().exception("a request could not be handled")
            told = "Penstock failed on this request; its log says why."
            queue.status = queue.status or 500
            await queue.finish(Event(messages.failure(inbound.key, INTERNAL_ERROR, told)))
        finally:
            await queue.close()
