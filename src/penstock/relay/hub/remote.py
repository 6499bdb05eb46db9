"""A server behind a hub that is a URL. One thread with an event loop serves all of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Final

from penstock.errors import MissingExtra
from penstock.log import logger
from penstock.relay.target import Target
from penstock.relay.upstream import Take
from penstock.wire import messages
from penstock.wire.toolbox import UpstreamTool

try:
    from penstock.relay.http.url_connection import RevisionInUse, UrlConnection
except ModuleNotFoundError as error:
    raise MissingExtra("serve", "a server with a URL") from error

_FAREWELL_SECONDS: Final = 0.4
_LAST_SECONDS: Final = 1.0
_MOST_WAITING: Final = 1_000
_TOO_MANY: Final = f"it does not answer: {_MOST_WAITING:,} messages wait to be sent"


class _Loop:
    """The event loop of this process for such servers, which starts with the first one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True).start()
            return self._loop


_LOOP: Final = _Loop()
_Waiting = tuple[bytes, UpstreamTool | None] | None


def _aside(do: Callable[[], None]) -> None:
    """Do something on another thread, because it may have to wait for the hub."""
    threading.Thread(target=do, daemon=True).start()


class RemoteMember:
    """One connection to a URL."""

    def __init__(
        self,
        target: Target,
        facts: RevisionInUse,
        most: int,
        take: Take,
        ended: Callable[[str], None],
        renewed: Callable[[], None],
    ) -> None:
        self._take = take
        self._ended = ended
        self._loop = _LOOP.get()
        self._is_stopped = False
        self._seconds = 0.0
        self._waiting: asyncio.Queue[_Waiting] = asyncio.Queue()
        # What a client does not read holds up this thread, and no other server.
        self._thread = ThreadPoolExecutor(1, "penstock-url")
        connection = UrlConnection(target, most, facts, self._receive, partial(_aside, renewed))
        self._done = asyncio.run_coroutine_threadsafe(self._run(connection), self._loop)

    def send(self, message: bytes, called: UpstreamTool | None = None) -> None:
        if self._waiting.qsize() >= _MOST_WAITING and not self._is_stopped:
            self._is_stopped = True
            self._done.cancel()
            _aside(partial(self._ended, _TOO_MANY))
        self._put((messages.one_line(message), called))

    def stop(self, grace: float = 0) -> None:
        self._is_stopped = True
        self._seconds = grace
        self._put(None)
        wait([self._done], grace + _FAREWELL_SECONDS + _LAST_SECONDS)
        self._done.cancel()  # The server may never take what was sent to it before.

    def _put(self, item: _Waiting) -> None:
        self._loop.call_soon_threadsafe(self._waiting.put_nowait, item)

    async def _run(self, connection: UrlConnection) -> None:
        try:
            while (item := await self._waiting.get()) is not None:
                await connection.send(*item)
            if connection.posts and self._seconds:
                await asyncio.wait(connection.posts, timeout=self._seconds)
        except Exception as error:  # noqa: BLE001 (whatever it is, the requests must be answered)
            logger().exception("sending to a server failed")
            told = f"Penstock could not send to it: {error}"
            await self._loop.run_in_executor(self._thread, self._ended, told)
        finally:
            await connection.break_off()
            await connection.close(_FAREWELL_SECONDS)
            self._thread.shutdown(wait=False)

    async def _receive(self, message: bytes) -> None:
        """Hand over a message on the thread of this connection."""
        await self._loop.run_in_executor(self._thread, self._take, message)
