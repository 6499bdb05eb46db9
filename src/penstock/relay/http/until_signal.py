"""The server of `penstock serve`, which ends at a signal, its processes first."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any, Final

import uvicorn

from penstock.relay.http.connections import ServeConnection
from penstock.relay.http.descriptors import FailedAccepts
from penstock.relay.signals import on_signals

# Requests in progress are many objects, and few of them are garbage. By default, the collector would
# search them after every 700.
_OBJECTS_BETWEEN_COLLECTIONS: Final = 10_000

Begun = Callable[[Callable[[int], None]], None]


class _SignalledServer(uvicorn.Server):
    """A server with Penstock's signals in place of uvicorn's.

    After its end uvicorn raises the signal once more. Then nothing else would be closed, and SIGHUP
    and SIGQUIT would end the process at once.
    """

    number = 0

    def __init__(self, config: uvicorn.Config, begun: Begun | None) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(FailedAccepts())
        await super().startup(sockets)
        gc.freeze()  # What was made so far stays. The collector need not search it.
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        if self._begun is not None:
            self._begun(self._leave)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End as uvicorn does. Then break off the connections of clients that do not read: a reply that
        waits to be sent would keep the process from ending."""
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            if isinstance(connection, ServeConnection):
                connection.break_off_unread()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        on_signals(self._leave)
        yield

    def _leave(self, number: int) -> None:
        # A second Ctrl-C means that the user does not want to wait for requests.
        self.force_exit = self.should_exit and number == signal.SIGINT
        self.number = self.number or number
        self.should_exit = True


def run_until_signal(
    config: Any, listening: list[socket.socket], begun: Begun | None = None
) -> int:
    """Serve until a signal comes, and return the exit code. `begun` is called in the event loop once
    the server serves, with a function that ends it like a signal."""
    server = _SignalledServer(config, begun)
    server.run(listening)
    return 128 + server.number if server.number else 0
