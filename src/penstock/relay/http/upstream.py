"""An upstream behind a URL: one POST per message, and the streams that come back.

Every failure (no connection, an HTML page, a failed login) becomes a JSON-RPC error for the request
that waits. The error says what to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import cycle
from typing import Final

import httpx2
import msgspec

from penstock.log import logger
from penstock.relay.http.events import Event
from penstock.relay.secret_urls import shown_url
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.headers import EVENTS, JSON, LAST_EVENT, SESSION
from penstock.wire.unread import MOST_UPSTREAM, too_long

CONNECT_SECONDS: Final = 10.0
# Greetings, and messages without an answer, are quick. A tool may take any time.
QUICK_SECONDS: Final = 60.0
QUICK: Final = frozenset({"initialize", "server/discover", "ping"})
RETRY_SECONDS: Final = 1.0
MOST_RETRIES: Final = 3
_SHOWN: Final = 200
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
    """Upstream's answer to one HTTP request. `most` limits each event, and a body of one message."""

    def __init__(self, response: httpx2.Response, most: int) -> None:
        self._response = response
        self._most = most
        self._whole: bytes | None = None  # the body, once it is read
        self.status: int = response.status_code
        self.is_refusal = response.is_error
        # Headers that are passed on have one character for each byte: they need not be UTF-8.
        given = [
            (name.lower().decode("latin-1"), value.decode("latin-1"))
            for name, value in response.headers.raw
        ]
        self.session = dict(given).get(SESSION, "")
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self.is_stream = kind == EVENTS
        # Some servers send errors without a type; `events` checks the body.
        self.is_json = kind in (JSON, "")
        self.last_event = ""
        self.retry_seconds = RETRY_SECONDS
        # Headers with which upstream tells a client what to do next. One may occur several times.
        self.advice = tuple(pair for pair in given if pair[0] in _ADVICE)
        self.is_explained = False  # a refusal whose body is a JSON-RPC message
        self.told = ""  # the explanation of another refusal

    async def events(self) -> AsyncIterator[Event]:
        """Yield the messages as they arrive."""
        if self.is_stream:
            async for event in self._streamed():
                yield event
            return
        body = await self._body()
        if body and not (self.is_json and _may_be_mcp(body)):
            raise Unanswered(_not_mcp(self._response, body), self.status)
        if body:
            yield Event(body)

    async def _streamed(self) -> AsyncIterator[Event]:
        try:
            # One character for each byte, so that bytes which are not UTF-8 arrive as they are.
            self._response.encoding = "latin-1"
            async for event in httpx2.EventSource(self._response, max_event_size=self._most):
                name = event.id.encode("latin-1").decode("utf-8", "replace") if event.id else ""
                self.last_event = name or self.last_event
                if event.retry is not None:
                    self.retry_seconds = event.retry / 1_000
                yield Event(event.data.encode("latin-1"), name, event.retry)
        except httpx2.SSEError as error:
            raise TooLarge(self._most) from error

    async def _body(self) -> bytes:
        """Return the whole body. The parts that arrive here are decompressed, and each is small."""
        if self._whole is None:
            parts: list[bytes] = []
            size = 0
            async for part in self._response.aiter_bytes():
                size += len(part)
                if size > self._most:
                    parts.clear()
                    raise TooLarge(self._most)
                parts.append(part)
            self._whole = b"".join(parts)
        return self._whole

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
    """The HTTP client of one endpoint. Requests share its connections, which stay open.

    A pool checks each of its connections for each request. With hundreds of connections, several
    pools that take turns are several times as fast as one.
    """

    def __init__(self, target: Target, *, pools: int = 1, most: int = MOST_UPSTREAM) -> None:
        self.target = target
        self._most = most
        security = httpx2.create_ssl_context()
        self._clients = [
            httpx2.AsyncClient(
                headers=dict(target.headers),
                timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
                verify=security,
            )
            for _ in range(pools)
        ]
        self._turns = cycle(self._clients)

    @asynccontextmanager
    async def post(
        self, message: bytes, headers: Mapping[str, str], *, is_quick: bool = False
    ) -> AsyncIterator[HttpAnswer]:
        seconds = QUICK_SECONDS if is_quick else None
        sent = {"content-type": JSON, "accept": f"{JSON}, {EVENTS}", **headers}
        async with self._open("POST", sent, message, seconds) as answer:
            yield answer

    @asynccontextmanager
    async def listen(self, headers: Mapping[str, str]) -> AsyncIterator[HttpAnswer]:
        """Open the stream of unasked messages, or a broken stream after its `Last-Event-ID`."""
        async with self._open("GET", {"accept": EVENTS, **headers}) as answer:
            yield answer

    async def resume(self, after: str, headers: Mapping[str, str]) -> AsyncIterator[Event]:
        """Yield the rest of a stream that broke off."""
        for attempt in range(MOST_RETRIES):
            await asyncio.sleep(RETRY_SECONDS * attempt)
            try:
                place = after.encode("utf-8", "surrogatepass").decode("latin-1")
                async with self.listen({**headers, LAST_EVENT: place}) as answer:
                    if not answer.is_stream:
                        return
                    async for event in answer.events():
                        after = event.id or after
                        yield event
                    return
            except TooLarge:
                raise  # It would be as large again.
            except (Unanswered, httpx2.HTTPError) as error:
                logger().info("the stream could not be resumed: %s", error)

    async def leave(self, headers: Mapping[str, str]) -> HttpAnswer:
        """End a session, and return the answer: upstream may not support this."""
        async with self._open("DELETE", headers, seconds=CONNECT_SECONDS) as answer:
            return answer

    async def close(self) -> None:
        for client in self._clients:
            await client.aclose()

    @asynccontextmanager
    async def _open(
        self,
        method: str,
        headers: Mapping[str, str],
        content: bytes | None = None,
        seconds: float | None = None,
    ) -> AsyncIterator[HttpAnswer]:
        timeout = httpx2.Timeout(seconds, connect=CONNECT_SECONDS)
        client = next(self._turns)
        request = client.build_request(
            method, self.target.url, headers=dict(headers), content=content, timeout=timeout
        )
        try:
            response = await client.send(request, stream=True)
        except httpx2.HTTPError as error:
            was_sent = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
            told = _no_connection(error, self.target.shown, seconds)
            raise Unanswered(told, may_have_run=was_sent) from error
        except httpx2.InvalidURL as error:
            raise Unanswered(f"The URL {self.target.shown} is not valid.") from error
        try:
            if response.is_redirect:
                raise Unanswered(_redirected(response))
            yield HttpAnswer(response, self._most)
        finally:
            await response.aclose()


def broken(error: Exception) -> str:
    return f"The connection to the MCP server broke off ({type(error).__name__})."


def _no_connection(error: Exception, url: str, seconds: float | None) -> str:
    if isinstance(error, httpx2.ConnectTimeout):
        return f"{url} did not accept a connection within {CONNECT_SECONDS:.0f} s. Is it the right address?"
    if isinstance(error, httpx2.ConnectError):
        return f"Cannot connect to {url}: {error}. Is the server running, and the address right?"
    if isinstance(error, httpx2.TimeoutException) and seconds is not None:
        return f"{url} accepted the request but did not answer within {seconds:.0f} s."
    return f"The request to {url} failed: {type(error).__name__} {error}".rstrip(" .") + "."


def _redirected(response: httpx2.Response) -> str:
    location = shown_url(response.headers.get("location", "elsewhere"))
    return (
        f"The server redirects to {location}. Penstock does not follow, to keep the credentials "
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


def _not_mcp(response: httpx2.Response, body: bytes) -> str:
    kind = response.headers.get("content-type", "no content type")
    return (
        f"The server answered with {kind} instead of JSON: {_excerpt(body)} "
        "Check that the URL is that of an MCP endpoint."
    )


def _excerpt(body: bytes) -> str:
    text = " ".join(body[: 4 * _SHOWN].decode("utf-8", "replace").split())
    return f"{text[:_SHOWN]!r}." if text else "(empty)."
