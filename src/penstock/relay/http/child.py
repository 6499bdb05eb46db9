"""The process of an upstream server, used from an event loop.

A thread reads its output, because pipes cannot be awaited on every platform. The thread waits until
each message has been taken. The server then waits too, once its pipe is full.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from penstock.log import logger
from penstock.relay.http.to_its_end import to_its_end
from penstock.relay.process import Process
from penstock.relay.target import Target
from penstock.wire import messages
from penstock.wire.unread import MOST_UPSTREAM, Unread, unhandled

_GRACE_SECONDS: Final = 1.0


class AsyncProcess:
    def __init__(
        self,
        target: Target,
        receive: Callable[[bytes], Awaitable[None]],
        unread: Callable[[Unread], Awaitable[None]],
        ended: Callable[[str], Awaitable[None]],
        most: int = MOST_UPSTREAM,
    ) -> None:
        self._process = Process(target.command, most=most)
        self._receive = receive
        self._unread = unread
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._writer = ThreadPoolExecutor(1, "penstock-write")  # One thread keeps the order.
        threading.Thread(target=self._read, daemon=True).start()

    async def send(self, message: bytes) -> None:
        line = messages.one_line(message)
        with suppress(OSError, RuntimeError):  # The process ended; `_ended` tells who waits.
            await self._loop.run_in_executor(self._writer, self._process.send, line)

    async def end(self) -> None:
        """End the process, also if the caller is cancelled. Each has a thread of its own, since an end
        may take seconds."""
        thread = ThreadPoolExecutor(1, "penstock-end")
        ending = self._loop.run_in_executor(thread, self._process.end, _GRACE_SECONDS)
        thread.shutdown(wait=False)
        await to_its_end(ending)
        self._writer.shutdown(wait=False)

    def _read(self) -> None:
        with suppress(RuntimeError, CancelledError):  # The loop has ended.
            try:
                for line in self._process.output:
                    self._received(line)
                    del line  # It may hold megabytes, and the next line may take long to come.
            except OSError as error:
                logger().info("reading from upstream: %s", error)
            except Exception:  # whatever it is, the requests that wait must be answered
                if self._loop.is_closed():
                    raise
                logger().exception("reading from upstream failed")
            how = self._process.how_it_ended()
            self._process.end(grace=0)
            self._in_loop(self._ended(how))

    def _received(self, line: bytes | Unread) -> None:
        """Handle one line of upstream's. If that fails, answer the request that it was for."""
        if isinstance(line, Unread):
            self._in_loop(self._unread(line))
            return
        try:
            if not line.isspace():
                self._in_loop(self._receive(line.rstrip(b"\r\n")))
        except CancelledError:
            raise
        except Exception as error:
            if self._loop.is_closed():
                raise
            logger().exception("a message from upstream could not be handled")
            self._in_loop(self._unread(unhandled(line, error)))

    def _in_loop(self, doing: Awaitable[None]) -> None:
        async def do() -> None:
            await doing

        asyncio.run_coroutine_threadsafe(do(), self._loop).result()
