"""A client that speaks MCP over HTTP as plain bytes, with one connection per session."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter, sleep
from typing import Any
from urllib.parse import urlsplit

from benchmarks.wire import HELLO

_SECONDS_TO_START = 20
_SECONDS_TO_LEAVE = 20


@contextmanager
def served(command: Sequence[str]) -> Iterator[str]:
    """Start a server, and yield the URL that it prints on stderr."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            threading.Thread(target=process.stderr.read, daemon=True).start()
            if "http://" not in said:
                raise RuntimeError(f"{command!r} did not say where it is: {said!r}")
            url = said[said.index("http://") :].strip()
            _wait_for(url)
            yield url
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


class HttpSession:
    """A session with its own connection."""

    def __init__(self, reader: StreamReader, writer: StreamWriter, url: str) -> None:
        self._reader = reader
        self._writer = writer
        parts = urlsplit(url)
        self._start = f"POST {parts.path} HTTP/1.1\r\nhost: {parts.netloc}\r\n"
        self._session = ""
        self._last_id = 0

    @classmethod
    async def begin(cls, url: str) -> HttpSession:
        parts = urlsplit(url)
        session = cls(*await asyncio.open_connection(parts.hostname, parts.port), url)
        await session.ask("initialize", HELLO)
        await session._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        await session.ask("tools/list", {})
        return session

    async def ask(self, method: str, params: dict[str, Any]) -> bytes:
        return (await self.timed(method, params))[1]

    async def timed(self, method: str, params: dict[str, Any]) -> tuple[float, bytes]:
        """Return the milliseconds until the whole answer is here, and the answer."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        start = perf_counter()
        answer = await self._post(message)
        return 1_000 * (perf_counter() - start), answer

    async def _post(self, message: dict[str, Any]) -> bytes:
        body = json.dumps(message, separators=(",", ":")).encode()
        head = (
            f"{self._start}content-type: application/json\r\n"
            "accept: application/json, text/event-stream\r\n"
            f"{self._session}content-length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        status, *lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines if line)
        answer = await self._body(headers)
        if status.split()[1] not in ("200", "202"):
            raise RuntimeError(f"{status}: {answer.decode()}")
        if "mcp-session-id" in headers:
            self._session = f"mcp-session-id: {headers['mcp-session-id']}\r\n"
        return answer

    async def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return await self._reader.readexactly(int(headers["content-length"]))
        body = b""
        while size := int(await self._reader.readline(), 16):
            body += await self._reader.readexactly(size)
            await self._reader.readline()
        await self._reader.readline()
        return body

    async def end(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()
