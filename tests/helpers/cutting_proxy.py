"""A TCP proxy that cuts one connection when a given text has passed to the client."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class CuttingProxy:
    def __init__(self, url: str, text: bytes) -> None:
        self._parts = urlsplit(url)
        self._text = text
        self.url = ""
        self.has_cut = threading.Event()
        self.is_ready = threading.Event()
        self._end = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        self._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}{self._parts.path}"
        self.is_ready.set()
        await self._end.wait()
        server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.current_task()
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)
        host, port = self._parts.hostname, self._parts.port
        upstream_reader, upstream_writer = await asyncio.open_connection(host, port)
        copying = [
            asyncio.create_task(self._copy(reader, upstream_writer, cuts=False)),
            asyncio.create_task(self._copy(upstream_reader, writer, cuts=True)),
        ]
        try:
            await asyncio.wait(copying, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in copying:
                task.cancel()
            for opened in (writer, upstream_writer):
                opened.close()
                with suppress(OSError):
                    await opened.wait_closed()

    async def _copy(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, cuts: bool
    ) -> None:
        with suppress(OSError):
            while data := await source.read(1 << 16):
                target.write(data)
                await target.drain()
                if cuts and self._text in data and not self.has_cut.is_set():
                    self.has_cut.set()
                    return


@contextmanager
def cutting(url: str, text: bytes) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(url, text)
    running = threading.Thread(target=lambda: asyncio.run(proxy.run()))
    running.start()
    assert proxy.is_ready.wait(30)
    try:
        yield proxy
    finally:
        proxy.end()
        running.join(30)
