"""The HTTP client of one endpoint, on aiohttp: it parses in C, and finds a free connection at once,
also among hundreds."""

from __future__ import annotations

import asyncio
import os
import ssl
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from yarl import URL

from penstock._version import __version__
from penstock.errors import InvalidSetting
from penstock.relay.secret_urls import shown_url
from penstock.relay.target import Target, check_url

CONNECT_SECONDS: Final = 10.0
# Many servers close a connection that was idle for five seconds. A request must not meet that.
_IDLE_SECONDS: Final = 4.0
_QUEUE_SECONDS: Final = 0.05
_MOST_HEAD_LINE: Final = 64_000
_MOST_HEADERS: Final = 500
_SHOWN: Final = 200
_PART: Final = 256_000  # Above that, a body is sent in parts, so that other requests go on.
_OF_ASYNCIO: Final = "Connect call failed"
_NOT_CONNECTED: Final = (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError)

Headers = Mapping[str, str] | Sequence[tuple[str, str]]


class NoAnswer(Exception):
    """A request got no answer, or only a part of its head. The text says why."""

    def __init__(self, told: str, *, was_sent: bool) -> None:
        super().__init__(told)
        self.was_sent = was_sent


class BrokenOff(Exception):
    """An answer ended before it was complete."""

    def __init__(self, error: Exception) -> None:
        is_silent = isinstance(error, TimeoutError)
        how = "was silent for too long" if is_silent else "broke off"
        super().__init__(f"The connection to the MCP server {how} in the middle of the answer.")


class Response:
    """The answer to a request: its head, and its body as it arrives, decompressed.

    `broke_off` is called when the connection breaks off.
    """

    def __init__(self, response: aiohttp.ClientResponse, broke_off: Callable[[], None]) -> None:
        self._response = response
        self._broke_off = broke_off
        self._broken: Exception | None = None
        self.status: int = response.status
        # Each character stands for a byte: headers that are passed on need not be UTF-8.
        self.headers = tuple(
            (name.lower().decode("latin-1"), value.decode("latin-1"))
            for name, value in response.raw_headers
        )

    def header(self, name: str) -> str:
        """Return the value of a header that may occur once, or ""."""
        return next((value for given, value in self.headers if given == name), "")

    async def part(self) -> bytes:
        """Return the next part of the body, or b"" at its end. No part has more than some 100 kB,
        however well it was compressed."""
        if self._broken is None:
            try:
                return await self._response.content.readany()
            except (aiohttp.ClientError, TimeoutError) as error:
                self._broken = error
                self._broke_off()
        if rest := _received_before_the_end(self._response.content):
            return rest
        raise BrokenOff(self._broken) from self._broken

    def close(self) -> None:
        """Give back the connection. If the body was not read whole, close it."""
        self._response.release()


def _received_before_the_end(content: aiohttp.StreamReader) -> bytes:
    """Return what has come before the connection broke off, which may be the whole answer of a tool.
    aiohttp would drop it."""
    content._exception = None  # noqa: SLF001 (nothing public gives the bytes after an error)
    return content.read_nowait()


class HttpClient:
    """The client. Requests share its connections, which stay open for a while."""

    def __init__(self, target: Target, path: str = "") -> None:
        """`path`: the Unix socket of a server on this machine, in place of the address in the URL."""
        self._target = target
        self._path = path
        self._url, self._authorization = _without_user(target.url)
        self._proxy = None if path else _proxy_of(self._url)
        self._connections: _UnixConnections | _TcpConnections | None = None
        self._session: aiohttp.ClientSession | None = None

    async def request(
        self,
        method: str,
        headers: Headers,
        content: bytes | None = None,
        seconds: float | None = None,
        written: asyncio.Event | None = None,
    ) -> Response:
        """Send a request, and return its answer. `seconds`: how long the server may be silent.
        `written` is set once the whole content was written."""
        session = self._session or self._opened()
        sent: dict[str, Any] = {"headers": headers, "data": content}
        if content is not None and (len(content) > _PART or written is not None):
            length = ("content-length", str(len(content)))
            pairs = headers.items() if isinstance(headers, Mapping) else headers
            sent = {"headers": [*pairs, length], "data": _parts_of(content, written)}
        try:
            response = await session.request(
                method,
                self._url,
                allow_redirects=False,
                proxy=self._proxy,
                timeout=aiohttp.ClientTimeout(connect=CONNECT_SECONDS, sock_read=seconds),
                **sent,
            )
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            self._distrust_idle()
            raise _no_answer(error, self._target.shown, seconds) from error
        return Response(response, self._distrust_idle)

    def _distrust_idle(self) -> None:
        """Use no connection again that is idle now. One has failed, perhaps because the server ended,
        and a request on another one would be lost."""
        if self._connections is not None:
            self._connections.close_idle()

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        """Open the session when it is first needed: it belongs to the event loop that runs then."""
        self._connections = self._opened_connections()
        self._session = aiohttp.ClientSession(
            connector=self._connections,
            cookie_jar=aiohttp.DummyCookieJar(),  # Clients must not share cookies.
            headers=self._own_headers(),
            max_line_size=_MOST_HEAD_LINE,
            max_field_size=_MOST_HEAD_LINE,
            max_headers=_MOST_HEADERS,
        )
        return self._session

    def _own_headers(self) -> dict[str, str]:
        made = {"user-agent": f"penstock/{__version__}", "authorization": self._authorization}
        made |= {name.lower(): value for name, value in self._target.headers}
        return {name: value for name, value in made.items() if value}

    def _opened_connections(self) -> _UnixConnections | _TcpConnections:
        if self._path:
            return _UnixConnections(self._path, limit=0, keepalive_timeout=_IDLE_SECONDS)
        trusted = _trusted(self._url)
        return _TcpConnections(limit=0, keepalive_timeout=_IDLE_SECONDS, ssl=trusted)


class _Connections(aiohttp.BaseConnector):
    """The connections to a server. One on which bytes came that no request had asked for is not used
    again: each answer on it would go to the request after its own, which may be another client's."""

    async def _get(self, *given: Any) -> Connection | None:
        found = await super()._get(*given)
        while found is not None and found.protocol is not None and found.protocol.should_close:
            found.close()
            found = await super()._get(*given)
        return found

    def close_idle(self) -> None:
        while self._conns:
            _, idle = self._conns.popitem()
            for protocol, _ in idle:
                protocol.close()


class _TcpConnections(_Connections, aiohttp.TCPConnector):
    pass


class _UnixConnections(_Connections, aiohttp.UnixConnector):
    """The connections to a Unix socket. While its queue is full, the system refuses a connection at once
    with EAGAIN. asyncio reports such a connection as made. It has no name of the other end."""

    async def _create_connection(self, *given: Any) -> ResponseHandler:
        while True:  # The caller has a timeout.
            made = await super()._create_connection(*given)
            if made.transport is not None and made.transport.get_extra_info("peername") is not None:
                return made
            made.close()
            await asyncio.sleep(_QUEUE_SECONDS)


def _without_user(url: str) -> tuple[URL, str]:
    """Return the URL without a user and a password in it, and the header that says them."""
    # A URL that is encoded stays as it is: a signature may depend on it.
    is_encoded = url.isascii() and url.isprintable() and " " not in url
    found = URL(url, encoded=is_encoded)
    if found.user is None:
        return found, ""
    pair = f"{found.user}:{found.password or ''}".encode()
    return found.with_user(None), f"Basic {b64encode(pair).decode()}"


def _trusted(url: URL) -> ssl.SSLContext | bool:
    """Return what the system trusts, where Python alone does not know all of it."""
    if url.scheme != "https" or os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR"):
        return True
    paths = ssl.get_default_verify_paths()
    if sys.platform in ("win32", "darwin") or not (paths.cafile or paths.capath):
        import truststore

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return True


def _proxy_of(url: URL) -> str | None:
    """Return the proxy that the environment names for a URL. It is looked up once: that is slow."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(f"{url.host}:{url.port}"):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not proxy.startswith(("http://", "https://")):
        why = "is not supported. Only http and https are; NO_PROXY excludes a host."
        raise InvalidSetting("proxy", shown_url(proxy), why)
    check_url("proxy", proxy)
    return proxy


async def _parts_of(content: bytes, written: asyncio.Event | None) -> AsyncIterator[memoryview]:
    whole = memoryview(content)
    for start in range(0, len(whole), _PART):
        yield whole[start : start + _PART]
        await asyncio.sleep(0)
    if written is not None:  # The last part is taken for good only when the next one is asked for.
        written.set()


def _no_answer(error: Exception, url: str, seconds: float | None) -> NoAnswer:
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        told = f"{url} did not accept a connection within {CONNECT_SECONDS:.0f} s. Is it the right address?"
        return NoAnswer(told, was_sent=False)
    if isinstance(error, _NOT_CONNECTED):
        told = f"Cannot connect to {url}: {_reason(error)}. Is the server running, and the address right?"
        return NoAnswer(told, was_sent=False)
    if isinstance(error, aiohttp.InvalidURL):
        return NoAnswer(f"The URL {url} is not valid.", was_sent=False)
    if isinstance(error, TimeoutError) and seconds is not None:
        told = f"{url} accepted the request but did not answer within {seconds:.0f} s."
        return NoAnswer(told, was_sent=True)
    told = f"The request to {url} failed: {type(error).__name__} {_reason(error)}".rstrip(" .")
    return NoAnswer(f"{told}.", was_sent=not isinstance(error, ValueError))


def _reason(error: Exception) -> str:
    """Return what is wrong, without the URL, which some errors show with all its secrets."""
    if isinstance(error, aiohttp.ClientResponseError):
        return f"{error.status} {error.message[:_SHOWN]}"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return _words_of(error.certificate_error)
    if isinstance(error, aiohttp.ClientConnectorError):
        via = f"its proxy {error.host}:{error.port}: " if _is_of_proxy(error) else ""
        return via + _words_of(error.os_error)
    return str(error)


def _is_of_proxy(error: aiohttp.ClientConnectorError) -> bool:
    return isinstance(error, aiohttp.ClientProxyConnectionError)


def _words_of(error: Exception) -> str:
    """Return the words of the system. Those of aiohttp and asyncio name the address again."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError) and error.reason:
        return f"TLS: {error.reason.lower().replace('_', ' ')}"
    if not isinstance(error, OSError):
        return str(error)
    told = error.strerror or str(error)
    return os.strerror(error.errno) if error.errno and _OF_ASYNCIO in told else told
