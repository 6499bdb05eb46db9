"""Another member of the team, as a server that requests are passed on to."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import Final

import msgspec

from penstock.log import logger
from penstock.relay.http.admission import PATH, PEER, is_read
from penstock.relay.http.client import BrokenOff
from penstock.relay.http.events import Event
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.upstream import HttpAnswer, HttpUpstream, Unanswered
from penstock.relay.http.upstream_refusals import BAD_GATEWAY
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.messages import MAY_HAVE_RUN, UPSTREAM_GONE, Message

_ENDED: Final = "The worker process that had this session ended before it answered."
_UNREACHED: Final = "The worker process that has this session cannot be reached. Try again."
_WRITING_SECONDS: Final = 5.0


class Colleague:
    def __init__(self, path: str) -> None:
        target = Target(url=f"http://colleague{PATH}")
        # What it sends is within the limits already.
        self._server = HttpUpstream(target, sys.maxsize, path=path)
        self._ending: set[asyncio.Task[None]] = set()

    async def serve(self, method: str, inbound: Inbound, queue: ReplyQueue) -> None:
        """Let the colleague serve a request, and pass on its reply as it comes."""
        answered: set[bytes] = set()
        try:
            with await self._asked(method, inbound) as answer:
                await _take(answer, queue, answered)
        except (Unanswered, BrokenOff) as error:
            logger().error("a request could not be passed on: %s", error)
            was_sent = isinstance(error, BrokenOff) or error.may_have_run
            left = [one for one in inbound.requests() if one.key not in answered]
            await _fail(inbound, left, queue, was_sent=was_sent)

    async def close(self) -> None:
        for task in self._ending:
            task.cancel()
        await self._server.close()

    async def _asked(self, method: str, inbound: Inbound) -> HttpAnswer:
        """Pass on a request, and return the answer."""
        given = [pair for pair in inbound.headers if is_read(pair[0])]
        given.append((PEER, inbound.peer))
        written = asyncio.Event()
        asking = asyncio.create_task(
            self._server.request(method, given, inbound.body or None, written=written)
        )
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:  # The client has left.
            asking.add_done_callback(_drop)
            if inbound.is_modern:
                asking.cancel()
            else:
                self._hang_up(asking, written)
            raise

    def _hang_up(self, asking: asyncio.Task[HttpAnswer], written: asyncio.Event) -> None:
        """End a legacy request whose client has left. The colleague must get all of it, and then see
        that nobody waits for the reply."""

        async def hang_up() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_WRITING_SECONDS):
                    await written.wait()
            asking.cancel()

        task = asyncio.create_task(hang_up())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _drop(asked: asyncio.Task[HttpAnswer]) -> None:
    if not asked.cancelled() and asked.exception() is None:
        asked.result().close()


async def _take(answer: HttpAnswer, queue: ReplyQueue, answered: set[bytes]) -> None:
    """Pass on a reply, and note the requests that it answers."""
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
        read = messages.message_or_none(event.message) if event.message else None
        if read is not None and read.method is msgspec.UNSET:
            answered.add(read.key)


async def _fail(
    inbound: Inbound, left: list[Message], queue: ReplyQueue, *, was_sent: bool
) -> None:
    """Answer the requests that are left with an error."""
    queue.status = BAD_GATEWAY
    told = _ENDED if was_sent else _UNREACHED
    errors = [_error(message, told, was_sent=was_sent) for message in left]
    if inbound.message is None and errors:
        await queue.finish(Event(b"[" + b",".join(errors) + b"]"))
    elif errors:
        await queue.finish(Event(errors[0]))
    elif inbound.body and not queue.is_stream:
        await queue.finish(Event(messages.failure(b"", UPSTREAM_GONE, told)))


def _error(message: Message, told: str, *, was_sent: bool) -> bytes:
    is_call = message.method == "tools/call"
    return messages.failure(
        message.key, UPSTREAM_GONE, told + (MAY_HAVE_RUN if is_call and was_sent else "")
    )
