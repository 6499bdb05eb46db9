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
from penstock.relay.upstream import Upstream
from penstock.wire import messages
from penstock.wire.unread import Unread, unhandled

_GRACE_SECONDS: Final = 1.0


class AsyncProcess:
    def __init__(
        self,
        upstream: Upstream,
        receive: Callable[[bytes], Awaitable[None]],
        unread: Callable[[Unread], Awaitable[None]],
        ended: Callable[[str], Awaitable[None]],
    ) -> None:
        self._upstream: Upstream | None = upstream
        self._receive = receive
        self._unread = unread
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._writer = ThreadPoolExecutor(1, "penstock-write")  # One thread keeps the order.
        threading.Thread(target=self._read, args=(upstream,), daemon=True).start()

    async def send(self, message: bytes) -> None:
        upstream = self._upstream
        if upstream is None:
            return
        line = messages.one_line(message)
        with suppress(OSError, RuntimeError):  # The process ended; `_ended` tells who waits.
            await self._loop.run_in_executor(self._writer, upstream.send, line)

    async def end(self) -> None:
        """End the process, also if the caller is cancelled. Each has a thread of its own, since an end
        may take seconds."""
        upstream = self._upstream
        if upstream is None:
            return
        thread = ThreadPoolExecutor(1, "penstock-end")
        ending = self._loop.run_in_executor(thread, upstream.end, _GRACE_SECONDS)
        thread.shutdown(wait=False)
        await to_its_end(ending)
        self._let_go()

    def _let_go(self) -> None:
        """Forget upstream, which then closes its pipes. The collector would find it much later: this
        object and its session refer to each other."""
        self._upstream = None
        self._writer.shutdown(wait=False)

    def _read(self, upstream: Upstream) -> None:
        with suppress(RuntimeError, CancelledError):  # The loop has ended.
            try:
                upstream.receive(self._received)
            except CancelledError:  # The loop ends now: nobody waits for an answer.
                raise
            except OSError as error:
                logger().info("reading from upstream: %s", error)
            except Exception:  # whatever it is, the requests that wait must be answered
                if self._loop.is_closed():
                    raise
                logger().exception("reading from upstream failed")
            how = upstream.how_it_ended()
            upstream.end(grace=0)
            self._let_go()
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
