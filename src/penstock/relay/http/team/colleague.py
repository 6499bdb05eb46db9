"""Another member of the team, as a server that requests are passed on to."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from penstock.log import logger
from penstock.relay.http.admission import ASKS_FOR_SESSION, PATH, PEER, is_read
from penstock.relay.http.client import BrokenOff
from penstock.relay.http.events import Event
from penstock.relay.http.exchange import messages_in
from penstock.relay.http.gateway import (
    SESSION_NOT_FOUND,
    Inbound,
    SessionFault,
    answer_for_each,
    lost,
)
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.upstream import HttpAnswer, HttpUpstream, Unanswered
from penstock.relay.http.upstream_refusals import BAD_GATEWAY
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.headers import EVENTS, JSON
from penstock.wire.messages import UPSTREAM_GONE

_ENDED: Final = "The worker process that served this request ended before it answered, or it hangs."
_UNREACHED: Final = "The worker process that serves such requests cannot be reached. Try again."
# Even while a tool runs for an hour, a colleague sends a ping every 15 seconds (`replying.py`).
_SILENCE_SECONDS: Final = 45.0
_TAKEN: Final = f"{JSON}, {EVENTS}"
_NOT_REACHED: Final = SessionFault(BAD_GATEWAY, UPSTREAM_GONE, _UNREACHED)
_VOUCHED_SECONDS: Final = 60.0
_MOST_VOUCHED: Final = 2_000  # A colleague in front of a command has half as many sessions.


class Colleague:
    def __init__(self, path: str, silence: float = _SILENCE_SECONDS) -> None:
        """`path`: its Unix socket. `silence`: the seconds after which it is taken to hang."""
        self._silence = silence
        self._name = Path(path).stem
        target = Target(url=f"http://worker-{self._name}{PATH}")
        # What it sends is within the limits already.
        self._server = HttpUpstream(target, sys.maxsize, path=path)
        self._ending: set[asyncio.Task[None]] = set()
        self._vouched: dict[str, float] = {}  # when it last knew a session, the oldest first

    async def session_fault(self, inbound: Inbound) -> SessionFault | None:
        """Ask the colleague whether it knows a session. Anyone can write an id that names the colleague,
        so the id alone must not let a body in."""
        session, now = inbound.session, time.monotonic()
        if now - self._vouched.get(session, -_VOUCHED_SECONDS) < _VOUCHED_SECONDS:
            return None
        try:
            asked = await self._server.request(
                ASKS_FOR_SESSION, _passed_on(inbound), seconds=self._silence
            )
        except Unanswered as error:
            logger().error(
                "worker %s did not say whether it knows a session: %s", self._name, error
            )
            return _NOT_REACHED
        asked.close()
        self._vouched.pop(session, None)
        if asked.is_refusal:
            return SESSION_NOT_FOUND if asked.status == SESSION_NOT_FOUND.status else _NOT_REACHED
        self._vouched[session] = now
        if len(self._vouched) > _MOST_VOUCHED:
            del self._vouched[next(iter(self._vouched))]
        return None

    async def serve(self, method: str, inbound: Inbound, queue: ReplyQueue) -> None:
        """Let the colleague serve a request, and pass on its reply as it comes."""
        answered: set[bytes] = set()
        try:
            with await self._asked(method, inbound) as answer:
                await _take(answer, inbound, queue, answered)
        except (Unanswered, BrokenOff) as error:
            why = "its reply broke off" if isinstance(error, BrokenOff) else error
            logger().error("worker %s did not answer what was passed on to it: %s", self._name, why)
            was_sent = isinstance(error, BrokenOff) or error.may_have_run
            told = _ENDED if was_sent else _UNREACHED
            errors = answer_for_each(
                inbound, lambda message: lost(message, told, was_begun=was_sent), answered
            )
            if not errors and inbound.body and not queue.is_stream:
                errors = messages.failure(b"", UPSTREAM_GONE, told)
            queue.status = BAD_GATEWAY
            if errors:
                await queue.finish(Event(errors))

    async def close(self) -> None:
        for task in self._ending:
            task.cancel()
        await self._server.close()

    async def _asked(self, method: str, inbound: Inbound) -> HttpAnswer:
        """Pass on a request, and return the answer."""
        written = asyncio.Event()
        given = _passed_on(inbound)
        asking = asyncio.create_task(
            self._server.request(method, given, inbound.body or None, self._silence, written)
        )
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:  # The client has left.
            asking.add_done_callback(_drop)
            if inbound.is_modern or method == "GET":
                asking.cancel()
            else:
                self._hang_up(asking, written)
            raise

    def _hang_up(self, asking: asyncio.Task[HttpAnswer], written: asyncio.Event) -> None:
        """End a legacy request whose client has left. The colleague must get all of it, and then see
        that nobody waits for the reply. A request without a body is over once it is answered."""
        asking.add_done_callback(lambda _asked: written.set())

        async def hang_up() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._silence):
                    await written.wait()
            asking.cancel()

        task = asyncio.create_task(hang_up())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


def _passed_on(inbound: Inbound) -> list[tuple[str, str]]:
    """Return the headers of a request that the colleague reads."""
    given = [pair for pair in inbound.headers if is_read(pair[0]) and pair[0] != "accept"]
    # A client may take no stream. The colleague sends one all the same: only a stream has pings.
    return [*given, (PEER, inbound.peer), ("accept", _TAKEN)]


def _drop(asked: asyncio.Task[HttpAnswer]) -> None:
    if not asked.cancelled() and asked.exception() is None:
        asked.result().close()


async def _take(
    answer: HttpAnswer, inbound: Inbound, queue: ReplyQueue, answered: set[bytes]
) -> None:
    """Pass on a reply, and note the requests that it answers."""
    queue.session, queue.headers = answer.session, answer.advice
    if not answer.is_stream:
        queue.status = answer.status
        async for event in answer.events():
            await queue.finish(_addressed(inbound, event) if answer.is_refusal else event)
        return
    queue.is_stream = True
    await queue.put(Event())  # The client learns at once that the stream is open.
    async for event in answer.events():
        await queue.put(event)
        read = messages_in(event.message) if event.message else []
        answered.update(one.key for one in read if one.method is msgspec.UNSET)


def _addressed(inbound: Inbound, event: Event) -> Event:
    """Give a refusal that names no request the ids of those that it refuses. The client may have a
    stream by now, which has no status that would tell it."""
    read = messages.message_or_none(event.message)
    if read is None or read.key not in (b"", b"null") or isinstance(read.error, msgspec.UnsetType):
        return event
    error = bytes(read.error)
    told = answer_for_each(inbound, lambda message: messages.error_response(message.key, error))
    return Event(told) if told else event
