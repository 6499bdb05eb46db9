"""An upstream behind a URL: one POST per message, and the streams that come back.

Every failure (no connection, an HTML page, a failed login) becomes a JSON-RPC error for the request
that waits. The error says what to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final, Self

import msgspec

from penstock.log import logger
from penstock.relay.http.client import (
    CONNECT_SECONDS,
    BrokenOff,
    Headers,
    HttpClient,
    NoAnswer,
    Response,
)
from penstock.relay.http.event_reader import EventReader, EventTooLarge
from penstock.relay.http.events import Event
from penstock.relay.secret_urls import shown_url
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.headers import EVENTS, JSON, LAST_EVENT, SESSION
from penstock.wire.unread import MOST_UPSTREAM, too_long

# Greetings, and messages without an answer, are quick. A tool may take any time.
QUICK_SECONDS: Final = 60.0
QUICK: Final = frozenset({"initialize", "server/discover", "ping"})
RETRY_SECONDS: Final = 1.0
MOST_RETRIES: Final = 3
_SHOWN: Final = 200
_LEAST_REFUSAL: Final = 400
_BAD_REQUEST: Final = 400
_NOT_FOUND: Final = 404
# No other words will do: the request is sent again, and its tool must not run twice.
_LOST: Final = "no valid session id"
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_LEGACY_SSE: Final = (404, 405)
_ADVICE: Final = frozenset({"www-authenticate", "retry-after"})


class Unanswered(Exception):
    """Upstream did not answer like an MCP server. The text is for the client."""

    def __init__(self, told: str, status: int = 502, *, may_have_run: bool = False) -> None:
        super().__init__(told)
        self.status = status
        self.may_have_run = may_have_run


class TooLarge(Unanswered):
    """A body or an event of upstream's is over the limit."""

    def __init__(self, most: int) -> None:
        super().__init__(too_long(most).told)


class HttpAnswer:
    """Upstream's answer to one HTTP request, which is closed after a `with` block.

    `most` limits each event, and a body of one message.
    """

    def __init__(self, response: Response, most: int) -> None:
        self._response = response
        self._most = most
        self._whole: bytes | None = None  # the body, once it is read
        self.status = response.status
        self.is_refusal = response.status >= _LEAST_REFUSAL
        self.kind = response.header("content-type")
        self.session = response.header(SESSION)
        kind = self.kind.partition(";")[0].strip().lower()
        self.is_stream = kind == EVENTS
        # Some servers send errors without a type; `events` checks the body.
        self.is_json = kind in (JSON, "")
        self.last_event = ""
        self.retry_seconds = RETRY_SECONDS
        self.is_explained = False  # a refusal whose body is a JSON-RPC message
        self.told = ""  # the explanation of another refusal

    @property
    def advice(self) -> tuple[tuple[str, str], ...]:
        """The headers with which upstream tells a client what to do next. One may occur several
        times."""
        return tuple(pair for pair in self._response.headers if pair[0] in _ADVICE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._response.close()

    async def events(self) -> AsyncIterator[Event]:
        """Yield the messages as they arrive."""
        if not self.is_stream:
            body = await self._body()
            if body and not (self.is_json and _may_be_mcp(body)):
                raise Unanswered(_not_mcp(self.kind, body), self.status)
            if body:
                yield Event(body)
            return
        reader = EventReader(self._most)
        try:
            while part := await self._response.part():
                for event in reader.feed(part):
                    self.last_event = event.id or self.last_event
                    if event.retry is not None:
                        self.retry_seconds = event.retry / 1_000
                    yield event
        except EventTooLarge as error:
            raise TooLarge(self._most) from error

    async def _body(self) -> bytes:
        if self._whole is None:
            parts: list[bytes] = []
            size = 0
            while part := await self._response.part():
                size += len(part)
                if size > self._most:
                    parts.clear()
                    raise TooLarge(self._most)
                parts.append(part)
            self._whole = b"".join(parts)
        return self._whole

    async def has_lost_session(self) -> bool:
        """Return whether upstream does not know the session that the request named, and has not
        processed it. The status for this is 404. Servers made after the examples of the TypeScript SDK
        answer 400 with certain words."""
        if self.status != _BAD_REQUEST or self.is_stream:
            return self.status == _NOT_FOUND
        message = messages.message_or_none(await self._body())
        error = {} if message is None else messages.members_of(message.error)
        return _LOST in (messages.text_of(error, "message") or "").lower()

    async def refuse(self, target: Target) -> None:
        """Raise an explanation of an error status, unless the body is JSON-RPC and explains it."""
        if not self.is_refusal:
            return
        body = await self._body()
        self.is_explained = bool(body) and self.is_json and _may_be_mcp(body)
        if not self.is_explained:
            self.told = _status_told(self.status, target, body)
            raise Unanswered(self.told, self.status)


class HttpUpstream:
    """An endpoint."""

    def __init__(self, target: Target, most: int = MOST_UPSTREAM, *, path: str = "") -> None:
        self.target = target
        self._most = most
        self._client = HttpClient(target, path)

    async def post(
        self, message: bytes, headers: Mapping[str, str], *, is_quick: bool = False
    ) -> HttpAnswer:
        seconds = QUICK_SECONDS if is_quick else None
        sent = {"content-type": JSON, "accept": f"{JSON}, {EVENTS}", **headers}
        return await self.request("POST", sent, message, seconds)

    async def listen(self, headers: Mapping[str, str]) -> HttpAnswer:
        """Open the stream of unasked messages, or a broken stream after its `Last-Event-ID`."""
        return await self.request("GET", {"accept": EVENTS, **headers})

    async def resume(self, after: str, headers: Mapping[str, str]) -> AsyncIterator[Event]:
        """Yield the rest of a stream that broke off."""
        for attempt in range(MOST_RETRIES):
            await asyncio.sleep(RETRY_SECONDS * attempt)
            try:
                with await self.listen({**headers, LAST_EVENT: after}) as answer:
                    if not answer.is_stream:
                        return
                    async for event in answer.events():
                        after = event.id or after
                        yield event
                    return
            except TooLarge:
                raise  # It would be as large again.
            except (Unanswered, BrokenOff) as error:
                logger().info("the stream could not be resumed: %s", error)

    async def leave(self, headers: Mapping[str, str]) -> HttpAnswer:
        """End a session, and return the answer: upstream may not support this."""
        with await self.request("DELETE", headers, seconds=CONNECT_SECONDS) as answer:
            return answer

    async def close(self) -> None:
        await self._client.close()

    async def request(
        self,
        method: str,
        headers: Headers,
        content: bytes | None = None,
        seconds: float | None = None,
        written: asyncio.Event | None = None,
    ) -> HttpAnswer:
        try:
            response = await self._client.request(method, headers, content, seconds, written)
        except NoAnswer as error:
            raise Unanswered(str(error), may_have_run=error.was_sent) from error
        if response.status in _REDIRECTS:
            response.close()
            raise Unanswered(_redirected(response.header("location")))
        return HttpAnswer(response, self._most)


def _redirected(location: str) -> str:
    elsewhere = shown_url(location) if location else "elsewhere"
    return (
        f"The server redirects to {elsewhere}. Penstock does not follow, to keep the credentials "
        "from that address. If it is right, give it with --url."
    )


def _status_told(status: int, target: Target, body: bytes) -> str:
    if status in (401, 403):
        has = any(name.lower() == "authorization" for name, _ in target.headers)
        step = "Check the credentials." if has else "Give credentials: PENSTOCK_BEARER or --header."
        return f"The server refused access (HTTP {status}): {_excerpt(body)} {step}"
    if status in _LEGACY_SSE:
        return (
            f"There is no streamable-HTTP MCP endpoint at {target.shown} (HTTP {status}). It often "
            "ends in /mcp; the older HTTP+SSE transport is not supported."
        )
    return f"The server answered HTTP {status}: {_excerpt(body)}"


def _may_be_mcp(body: bytes) -> bool:
    """Return whether a body could hold messages. JSON of another kind, such as the errors of OAuth,
    could not. JSON that only the session may be able to repair could."""
    if body.lstrip()[:1] not in (b"{", b"["):
        return False
    message = messages.message_or_none(body)
    if message is None:
        return True
    has_error = messages.code_of(message) is not None
    is_response = not isinstance(message.result, msgspec.UnsetType) or has_error
    return is_response or not isinstance(message.method, msgspec.UnsetType)


def _not_mcp(kind: str, body: bytes) -> str:
    return (
        f"The server answered with {kind or 'no content type'} instead of JSON: {_excerpt(body)} "
        "Check that the URL is that of an MCP endpoint."
    )


def _excerpt(body: bytes) -> str:
    text = " ".join(body[: 4 * _SHOWN].decode("utf-8", "replace").split())
    return f"{text[:_SHOWN]!r}." if text else "(empty)."
