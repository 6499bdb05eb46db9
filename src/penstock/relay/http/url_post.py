"""One POST of a client in front of a URL, and the POSTs to upstream that it causes."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import msgspec

from penstock.relay.http import large_bodies
from penstock.relay.http.carrier import Carrier, Workshop
from penstock.relay.http.events import Event
from penstock.relay.http.exchange import Exchange
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.upstream import HttpAnswer, HttpUpstream
from penstock.relay.http.upstream_refusals import pass_on_refusal
from penstock.relay.http.url_sessions import UrlSessions
from penstock.wire import headers, messages
from penstock.wire.messages import UPSTREAM_GONE, Message
from penstock.wire.outputs import ToClient
from penstock.wire.session import Session

_UNKNOWN_METHOD: Final = (400, 404)


class UrlPost:
    """One POST."""

    def __init__(
        self,
        upstream: HttpUpstream,
        sessions: UrlSessions,
        workshop: Workshop,
        inbound: Inbound,
        queue: ReplyQueue,
        session: Session,
    ) -> None:
        self._upstream = upstream
        self._sessions = sessions
        self._session = session
        self._inbound = inbound
        self._queue = queue
        self._event = Event(b"")
        self._key = inbound.key
        self._refusal: HttpAnswer | None = None  # if upstream refused the last message
        self._is_refusal_of_ours = False
        self._inner: dict[bytes, asyncio.Task[Any]] = {}  # the POSTs of a program's calls
        self._carrier = Carrier(workshop, session, self._up, self._down)

    async def run(self) -> None:
        inbound = self._inbound
        try:
            outputs = await large_bodies.apply(self._session.from_client, inbound.body)
            await self._carrier.carry_out(outputs)
            await self._carrier.finish()
            await self._tell_refusal()
        except asyncio.CancelledError:
            if inbound.is_modern:
                self._session.cancel(inbound.key)  # The client has hung up.
                self._carrier.stop()
            raise
        finally:
            self._carrier.end()
            if not inbound.is_modern:
                self._sessions.left.note(self._session, inbound)

    async def _up(self, message: bytes) -> None:
        read = None if message.startswith(b"[") else messages.read_message(message)
        if read is not None and self._is_hang_up(read):
            return
        if read is not None and read.key != self._key:
            self._note_inner(read.key)
        await self._exchange(message, read)

    def _note_inner(self, key: bytes) -> None:
        """Note the task of a program's call. `_up` must not name the task itself: if it were cancelled,
        its error would hold the frame that holds the task, and with it a large body."""
        task = asyncio.current_task()
        if task is not None:
            self._inner[key] = task

    def _is_hang_up(self, read: Message) -> bool:
        """Return whether this cancels a call of a program, after closing the stream of the call: that
        is how a modern client cancels a request."""
        if not self._inbound.is_modern or read.method != "notifications/cancelled":
            return False
        named = messages.members_of(read.params).get("requestId")
        task = None if named is None else self._inner.get(messages.id_key(named))
        if task is not None:
            task.cancel()
        return True

    async def _exchange(self, message: bytes, read: Message | None) -> None:
        exchange = Exchange(
            self._upstream,
            message,
            fixed_headers(self._inbound),
            self._session.known.called_by(read),
            resumes=self._inbound.is_modern,
        )
        is_clients = read is None or read.key == self._key or not read.key
        receive = self._received if is_clients else self._received_ours
        await exchange.run(receive, self._opened if is_clients else self._opened_ours)

    async def _received_ours(self, event: Event) -> None:
        """Take the answer to the relay's own request, whose stream is not for the client."""
        if event.message:
            self._event = Event(b"")
            await self._carrier.carry_out(self._session.from_upstream(event.message))

    async def _received(self, event: Event) -> None:
        if not event.message:
            await self._queue.put(event)
            return
        self._event = event
        await self._carrier.carry_out(self._session.from_upstream(event.message))

    async def _down(self, output: ToClient) -> None:
        event = msgspec.structs.replace(self._event, message=output.message)
        if output.answers or _is_response(output.message):
            if self._refusal is not None and _may_be_error(output.message):
                self._pass_on(self._refusal)
            await self._queue.finish(event)
        else:
            await self._queue.put(event)

    def _pass_on(self, refusal: HttpAnswer) -> None:
        """Give the client's error the status of upstream's refusal.

        But a legacy server refuses our `server/discover` with an error that tells its era. The client
        gets another error then, which has a status of its own.
        """
        tells_era = refusal.is_explained and refusal.status in _UNKNOWN_METHOD
        if not (self._is_refusal_of_ours and tells_era):
            pass_on_refusal(self._queue, refusal, self._inbound)

    async def _tell_refusal(self) -> None:
        """Tell why upstream refused a notification, which has no answer that could say it."""
        if self._refusal is not None and self._queue.is_open:
            pass_on_refusal(self._queue, self._refusal, self._inbound)
            told = self._refusal.told or "The server refused this message."
            await self._queue.finish(Event(messages.failure(b"", UPSTREAM_GONE, told)))

    def _opened(self, answer: HttpAnswer) -> None:
        self._opened_ours(answer)
        self._is_refusal_of_ours = False
        inbound = self._inbound
        self._queue.is_stream = self._queue.is_stream or answer.is_stream
        if answer.session:
            self._queue.session = answer.session
        if inbound.is_initialize:
            self._sessions.begin(self._session, answer.session, inbound)

    def _opened_ours(self, answer: HttpAnswer) -> None:
        """Note a refusal, also of the relay's own requests: the client's request fails with them."""
        self._refusal = answer if answer.is_refusal else None
        self._is_refusal_of_ours = True


def _is_response(message: bytes) -> bool:
    if message.startswith(b"["):
        return True
    return messages.read_message(message).method is msgspec.UNSET


def _may_be_error(message: bytes) -> bool:
    """Return whether a response is an error, or a batch, which upstream refuses as a whole."""
    if message.startswith(b"["):
        return True
    return messages.read_message(message).error is not msgspec.UNSET


def fixed_headers(inbound: Inbound) -> dict[str, str]:
    """Return the headers of a legacy session; those of a modern request come from its body."""
    made = {"authorization": inbound.authorization}
    if not inbound.is_modern:
        made |= {headers.SESSION: inbound.session, headers.VERSION: inbound.version}
    return {name: value for name, value in made.items() if value}
