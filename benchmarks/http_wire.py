"""A client that speaks MCP over HTTP as prepared bytes, with one connection at a time per session.

It shares the cores with the servers that it measures, so it does little: a request is made once
and sent with a new id each time, and an answer is not decoded.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, sleep
from typing import Any, Self
from urllib.parse import urlsplit

from benchmarks.wire import HELLO

VERSION = "2025-11-25"
_SECONDS_TO_START = 30
_SECONDS_TO_LEAVE = 60
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S+")
_SESSION = re.compile(rb"\r\nmcp-session-id: ?(\S+)", re.IGNORECASE)
_FIRST_ID = 100_000  # Ids with as many digits as this one leave the length of a request as it is.
_SESSION_LINES = b"mcp-session-id: %%b\r\nmcp-protocol-version: %b\r\n" % VERSION.encode()
_FINE = (b"200", b"202", b"204")


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs."""

    url: str
    pid: int


@contextmanager
def served(command: Sequence[str]) -> Iterator[Served]:
    """Start a server that prints its URL on stderr, and stop it after the block."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stderr is not None
        try:
            said = []
            for line in process.stderr:
                said.append(line)
                if found := _ADDRESS.search(line):
                    break
            else:
                raise RuntimeError(f"{command!r} did not say where it is: {''.join(said)}")
            threading.Thread(target=process.stderr.read, daemon=True).start()
            _wait_for(found[0])
            yield Served(found[0], process.pid)
        finally:
            process.terminate()
            process.wait(_SECONDS_TO_LEAVE)


def _wait_for(url: str) -> None:
    """Wait until a server listens: it may print its URL earlier."""
    parts = urlsplit(url)
    deadline = perf_counter() + _SECONDS_TO_START
    while True:
        try:
            socket.create_connection((parts.hostname, parts.port)).close()
        except ConnectionRefusedError:
            if perf_counter() > deadline:
                raise
            sleep(0.02)
        else:
            return


class Failed(Exception):
    """A request had no answer, or got an HTTP error."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request in two parts; its id comes between them."""

    before: bytes
    after: bytes


class HttpSession(asyncio.Protocol):
    """A session with its own connection, which sends one request at a time."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = parts.hostname or "", parts.port or 80
        self._target = f"{parts.path} HTTP/1.1\r\nhost: {parts.netloc}\r\n".encode()
        self._session = b""
        self._last_id = _FIRST_ID
        self._transport: asyncio.Transport
        self._received = b""
        self._answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    @classmethod
    async def begin(cls, url: str) -> Self:
        session = cls(url)
        await session.connect()
        await session.greet()
        return session

    async def connect(self) -> None:
        await asyncio.get_running_loop().create_connection(lambda: self, *self._address)

    async def reconnect(self) -> None:
        """Go on over a new connection, which may be to another worker of the server."""
        self._transport.close()
        await self.connect()

    async def greet(self) -> None:
        hello = {**HELLO, "protocolVersion": VERSION}
        answer = await self.ask(self.prepared("initialize", hello))
        if found := _SESSION.search(answer):
            self._session = _SESSION_LINES % found[1]
        ready = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
        await self._exchange(self._request(ready))
        await self.ask(self.prepared("tools/list", {}))

    async def end(self) -> None:
        try:
            if self._session:
                await self._exchange(b"DELETE %b%b\r\n" % (self._target, self._session))
        finally:
            self._transport.close()

    def prepared(self, method: str, params: dict[str, Any]) -> Prepared:
        message = {"jsonrpc": "2.0", "id": _FIRST_ID, "method": method, "params": params}
        request = self._request(json.dumps(message, separators=(",", ":")).encode())
        before, _, after = request.rpartition(b'"id":%d,' % _FIRST_ID)
        return Prepared(before + b'"id":', b"," + after)

    async def ask(self, request: Prepared) -> bytes:
        """Return the whole answer as it came: its head and, if it is chunked, its chunks."""
        self._last_id += 1
        return await self._exchange(b"%b%d%b" % (request.before, self._last_id, request.after))

    def _request(self, body: bytes) -> bytes:
        return (
            b"POST %b%bcontent-type: application/json\r\n"
            b"accept: application/json, text/event-stream\r\ncontent-length: %d\r\n\r\n%b"
        ) % (self._target, self._session, len(body), body)

    async def _exchange(self, request: bytes) -> bytes:
        self._answer = asyncio.get_running_loop().create_future()
        if self._transport.is_closing():
            raise Failed("The server closed the connection.")
        self._transport.write(request)
        answer = await self._answer
        if answer[9:12] not in _FINE:
            raise Failed(answer.decode(errors="replace"))
        return answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        if _is_whole(self._received):
            answer, self._received = self._received, b""
            if not self._answer.done():  # by the end of the benchmark
                self._answer.set_result(answer)

    def connection_lost(self, error: Exception | None) -> None:
        if not self._answer.done():
            self._answer.set_exception(Failed(f"The server closed the connection: {error!r}"))


def _is_whole(answer: bytes) -> bool:
    end = answer.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = answer[: end + 2].lower()
    if b"\r\ntransfer-encoding: chunked\r\n" in head:
        return answer.endswith(b"\r\n0\r\n\r\n")
    length = head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0]
    return len(answer) >= end + 4 + int(length or 0)
