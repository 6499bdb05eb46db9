"""One message to an HTTP upstream, and everything that comes back for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from penstock.core.json.rawjson import NotJson
from penstock.errors import PenstockError
from penstock.log import logger
from penstock.relay.http.client import BrokenOff
from penstock.relay.http.events import Event
from penstock.relay.http.upstream import QUICK, HttpAnswer, HttpUpstream, Unanswered
from penstock.wire import headers, messages
from penstock.wire.messages import MAY_HAVE_RUN, UPSTREAM_GONE, Message
from penstock.wire.toolbox import UpstreamTool

Receive = Callable[[Event], Awaitable[None]]
_NO_ANSWER = "The MCP server ended its reply without an answer."
_FAILED = (
    "Penstock could not handle the MCP server's answer; its log says why. The tool may have run, so do "
    "not simply repeat a call that writes."
)


class SessionLost(Exception):
    """Upstream no longer knows the session, and did not process the request."""

    def __init__(self, session: str) -> None:
        super().__init__()
        self.session = session


class Exchange:
    """One POST. Its request always gets an answer: from upstream, or an error that explains."""

    def __init__(
        self,
        upstream: HttpUpstream,
        message: bytes,
        fixed: dict[str, str],
        tool: UpstreamTool | None,
        *,
        resumes: bool = True,  # Otherwise the client resumes a broken stream.
        tells_loss: bool = False,  # Raise `SessionLost` if the session has ended.
    ) -> None:
        self._upstream = upstream
        self._message = message
        self._resumes = resumes
        self._tells_loss = tells_loss
        self._read = messages.message_or_none(message)
        self._fixed = fixed
        self._tool = tool
        self._open = _requests(message, self._read)
        self.answer: HttpAnswer | None = None

    async def run(
        self, receive: Receive, opened: Callable[[HttpAnswer], None] | None = None
    ) -> None:
        """Pass each event to `receive`. Before the first one, pass the HTTP answer to `opened`."""

        async def got(event: Event) -> None:
            await receive(event)
            self._note(event.message)  # Last: if it was not taken, its request needs an error.

        may_have_run = True
        try:
            told = await self._carry_out(got, opened)
        except (SessionLost, PenstockError):
            raise
        except Unanswered as error:
            told, may_have_run = str(error), error.may_have_run
        except Exception:  # noqa: BLE001 (whatever it is, the request must be answered)
            logger().exception("an answer from upstream could not be handled")
            told, may_have_run = _FAILED, False  # It says so already.
        await self._give_up(receive, told, may_have_run=may_have_run)

    async def _carry_out(self, got: Receive, opened: Callable[[HttpAnswer], None] | None) -> str:
        """Make the exchange, and return the error for a request that is still open."""
        told = _NO_ANSWER
        try:
            await self._post(got, opened)
        except BrokenOff as error:
            told = str(error)
        await self._resume(got)
        return told

    async def _post(self, got: Receive, opened: Callable[[HttpAnswer], None] | None) -> None:
        made = headers.for_message(self._read, self._tool) if self._read is not None else {}
        is_quick = not self._open or (self._read is not None and self._read.method in QUICK)
        sent = {**self._fixed, **made}
        with await self._upstream.post(self._message, sent, is_quick=is_quick) as answer:
            self.answer = answer
            session = self._fixed.get(headers.SESSION, "")
            if self._tells_loss and session and await answer.has_lost_session():
                raise SessionLost(session)
            if opened is not None:
                opened(answer)
            await answer.refuse(self._upstream.target)
            async for event in answer.events():
                await got(self._addressed(answer, event))

    def _addressed(self, answer: HttpAnswer, event: Event) -> Event:
        """Give our request's id to an error that came with an error status and names no request."""
        if not answer.is_refusal or len(self._open) != 1:
            return event
        error = messages.message_or_none(event.message)
        if error is None or isinstance(error.error, msgspec.UnsetType):
            return event
        (key,) = self._open
        return Event(messages.error_response(key, bytes(error.error)), event.id)

    async def _resume(self, got: Receive) -> None:
        """Resume a stream that broke off, if upstream numbered its events."""
        if not self._open or self.answer is None or not self.answer.last_event:
            return
        if not self._resumes:
            self._open.clear()
            return
        async for event in self._upstream.resume(self.answer.last_event, self._fixed):
            await got(event)
            if not self._open:
                return

    async def _give_up(self, receive: Receive, told: str, *, may_have_run: bool = True) -> None:
        is_call = self._read is not None and self._read.method == "tools/call"
        told += MAY_HAVE_RUN if is_call and may_have_run else ""
        for key in list(self._open):
            self._open.discard(key)
            await receive(Event(messages.failure(key, UPSTREAM_GONE, told)))

    def _note(self, message: bytes) -> None:
        for item in messages_in(message) if message else ():
            if item.method is msgspec.UNSET:
                self._open.discard(item.key)


def messages_in(message: bytes) -> list[Message]:
    """Return the messages of a batch, or the one message."""
    try:
        batch = messages.batch_of(message)
    except NotJson:
        return []
    found = [messages.message_or_none(item) for item in ([message] if batch is None else batch)]
    return [item for item in found if item is not None]


def _requests(message: bytes, read: Message | None) -> set[bytes]:
    items = [read] if read is not None else messages_in(message)
    return {item.key for item in items if item.key and item.method is not msgspec.UNSET}
