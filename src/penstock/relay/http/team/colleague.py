"""Another member of the team, as a server that requests are passed on to."""

from __future__ import annotations

import asyncio
import sys
from typing import Final

from penstock.log import logger
from penstock.relay.http.admission import PATH, PEER
from penstock.relay.http.client import BrokenOff
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.upstream import HttpAnswer, HttpUpstream, Unanswered
from penstock.relay.http.upstream_refusals import BAD_GATEWAY
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.messages import MAY_HAVE_RUN, UPSTREAM_GONE, Message

# These belong to one connection.
_NOT_PASSED_ON: Final = frozenset(
    {"connection", "content-length", "expect", "keep-alive", "te", "trailer", "transfer-encoding",
     "upgrade", PEER}
)  # fmt: skip
_ENDED: Final = "The worker process that had this session ended before it answered."


class Colleague:
    def __init__(self, path: str) -> None:
        target = Target(url=f"http://colleague{PATH}")
        # What it sends is within the limits already.
        self._server = HttpUpstream(target, sys.maxsize, path=path)

    async def serve(self, method: str, inbound: Inbound, queue: ReplyQueue) -> None:
        """Let the colleague serve a request, and pass on its reply as it comes."""
        given = [pair for pair in inbound.headers if pair[0] not in _NOT_PASSED_ON]
        given.append((PEER, inbound.peer))
        try:
            asking = asyncio.ensure_future(
                self._server.request(method, given, inbound.body or None)
            )
            with await _passed_on(asking, is_modern=inbound.is_modern) as answer:
                await self._take(answer, queue)
        except (Unanswered, BrokenOff) as error:
            logger().error("a request could not be passed on: %s", error)
            is_known_unserved = isinstance(error, Unanswered) and not error.may_have_run
            await self._fail(inbound, queue, may_have_run=not is_known_unserved)

    async def _take(self, answer: HttpAnswer, queue: ReplyQueue) -> None:
        queue.session, queue.headers = answer.session, answer.advice
        if not answer.is_stream:
            queue.status = answer.status
            async for event in answer.events():
                await queue.finish(event)
            return
        queue.is_stream = True
        await queue.put(Event())  # The client learns at once that the stream is open.
        async for event in answer.events():
            await queue.put(event)

    async def _fail(self, inbound: Inbound, queue: ReplyQueue, *, may_have_run: bool) -> None:
        queue.status = BAD_GATEWAY
        errors = [_error(message, may_have_run=may_have_run) for message in inbound.requests()]
        if inbound.message is None and errors:
            await queue.finish(Event(b"[" + b",".join(errors) + b"]"))
        elif errors or inbound.body:
            await queue.finish(
                Event(errors[0] if errors else messages.failure(b"", UPSTREAM_GONE, _ENDED))
            )

    async def close(self) -> None:
        await self._server.close()


async def _passed_on(asking: asyncio.Future[HttpAnswer], *, is_modern: bool) -> HttpAnswer:
    """Return the answer. If the client leaves before, a modern request is cancelled. A legacy one is
    not: the colleague must get it, and its answer is dropped."""
    try:
        return await asyncio.shield(asking)
    except asyncio.CancelledError:
        if is_modern:
            asking.cancel()
        else:
            asking.add_done_callback(_drop)
        raise


def _drop(asked: asyncio.Future[HttpAnswer]) -> None:
    if not asked.cancelled() and asked.exception() is None:
        asked.result().close()


def _error(message: Message, *, may_have_run: bool) -> bytes:
    is_call = message.method == "tools/call"
    told = _ENDED + (MAY_HAVE_RUN if is_call and may_have_run else "")
    return messages.failure(message.key, UPSTREAM_GONE, told)
