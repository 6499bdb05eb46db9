"""The conversation with a server behind a URL: one POST per message."""

from __future__ import annotations

import asyncio
import contextlib
from itertools import count
from typing import Any, Final

import msgspec

from penstock.relay.http.client import BrokenOff
from penstock.relay.http.events import Event
from penstock.relay.http.exchange import Exchange
from penstock.relay.http.upstream import HttpAnswer, HttpUpstream, Unanswered
from penstock.relay.target import Target
from penstock.relay.tool_lists.conversation import (
    INITIALIZE,
    Ask,
    Listed,
    NotListed,
    Steps,
    Tell,
    messages_in,
    reply_to,
)
from penstock.wire import headers, messages
from penstock.wire.messages import Message

_REFUSES_ACCESS: Final = (401, 403)


def ask_url(target: Target, steps: Steps[Listed], seconds: float) -> Listed:
    return asyncio.run(_asked(target, steps, seconds))


async def _asked(target: Target, steps: Steps[Listed], seconds: float) -> Listed:
    talk = HttpTalk(HttpUpstream(target), seconds)
    try:
        return await talk.carry(steps)
    finally:
        await talk.leave()


class HttpTalk:
    """A carrier of one request at a time, in a session if the server opens one."""

    def __init__(self, upstream: HttpUpstream, seconds: float) -> None:
        self._upstream = upstream
        self._seconds = seconds
        self._ids = count(1)
        self._session: dict[str, str] = {}
        self._replies: list[asyncio.Task[None]] = []

    async def carry(self, steps: Steps[Listed]) -> Listed:
        answer: Message | None = None
        try:
            while True:
                answer = await self._done(steps.send(answer))
        except StopIteration as end:
            listed: Listed = end.value
            return listed

    async def leave(self) -> None:
        """End the session, if the server supports that, and close the connections."""
        for reply in self._replies:
            reply.cancel()
        await asyncio.gather(*self._replies, return_exceptions=True)
        if headers.SESSION in self._session:
            with contextlib.suppress(Unanswered, BrokenOff):
                await self._upstream.leave(self._session)
        await self._upstream.close()

    async def _done(self, step: Ask | Tell) -> Message | None:
        if isinstance(step, Tell):
            await self._post(messages.notification(step.method, step.params), b"")
            return None
        key = str(next(self._ids)).encode()
        answer = await self._post(messages.request(key, step.method, step.params), key)
        if answer is None:
            raise self._silent(step.name)
        if step.method == INITIALIZE and not isinstance(answer.result, msgspec.UnsetType):
            version = messages.text_of(answer.result, "protocolVersion")
            self._session |= {headers.VERSION: version} if version else {}
        return answer

    async def _post(self, message: bytes, key: bytes) -> Message | None:
        """Return the answer as soon as it arrives: the server may leave the stream open after it."""
        answered: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        exchange = Exchange(self._upstream, message, dict(self._session), None)

        async def receive(event: Event) -> None:
            for received in messages_in(event.message):
                if received.is_request:
                    self._reply(received)
                elif key and received.key == key and not answered.done():
                    answered.set_result(received)

        posting = asyncio.create_task(exchange.run(receive, self._opened))
        # A notification has no answer, so this waits only for the end of the exchange.
        waiting: set[asyncio.Future[Any]] = {posting, answered}
        await asyncio.wait(waiting, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
        posting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await posting
        return answered.result() if answered.done() else None

    def _reply(self, asked: Message) -> None:
        """Reply in a separate task: our answer may come before the server takes the reply."""
        reply = Exchange(self._upstream, reply_to(asked), dict(self._session), None)
        self._replies.append(asyncio.create_task(reply.run(_ignore)))

    def _opened(self, answer: HttpAnswer) -> None:
        if answer.status in _REFUSES_ACCESS:
            raise NotListed(
                f"The server refused access (HTTP {answer.status}).",
                next_step="Give credentials: PENSTOCK_BEARER, --bearer-env or --header.",
            )
        if answer.session:
            self._session[headers.SESSION] = answer.session

    def _silent(self, asked: str) -> NotListed:
        return NotListed(
            f"{self._upstream.target.shown} did not answer {asked} within {self._seconds:g} s.",
            next_step="Check the address. If it is only slow, raise --timeout.",
        )


async def _ignore(_event: Event) -> None:
    """Drop the event: a reply has no answer that matters."""
