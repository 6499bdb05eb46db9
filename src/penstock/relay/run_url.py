"""The carrier of `penstock run --url`: the client is on stdio, upstream behind HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Coroutine
from functools import partial
from typing import Any

import msgspec

from penstock.engine.engine import Engine
from penstock.errors import MissingExtra
from penstock.figures.keeping import called_before, tally_of
from penstock.gate.gate import Gate
from penstock.gate.identity import new_session_name, os_user
from penstock.log import logger
from penstock.relay.signals import ending_signals
from penstock.relay.stdio import UPSTREAM_ENDED, Client, has_unanswered
from penstock.relay.target import Target
from penstock.settings.policy import Policy
from penstock.stores import Store
from penstock.wire import messages
from penstock.wire.outputs import ToClient
from penstock.wire.request import Connection
from penstock.wire.session import Session

try:
    from penstock.relay.http.carrier import Carrier, Workshop
    from penstock.relay.http.url_connection import UrlConnection
except ModuleNotFoundError as error:
    raise MissingExtra("serve", "--url") from error

_WAITING = 16
_GRACE_SECONDS = 5.0
_LAST_SECONDS = 1.0  # Hosts give a program two seconds from the signal to its end.
_FAREWELL_SECONDS = 0.4  # for a server that does not answer the end of its session
_TOO_LATE = (
    f"The MCP server behind Penstock did not answer within {_GRACE_SECONDS:.0f} seconds after the "
    "client left."
)


def run_remote(target: Target, policy: Policy, store: Store | None) -> int:
    """Run until the client leaves, and return the exit code."""
    with Gate(policy, store) as gate:
        engine = Engine(
            gate, tally_of(policy, target.name), called_before(policy, lambda: [target.name()])
        )
        session = Session(
            Connection(
                gate,
                principal=os_user(policy.store),
                server=target.server,
                legacy_session=new_session_name(),
                tally=engine.tally,
            )
        )
        return asyncio.run(RemoteRelay(Client(), target, session, engine).run())


class RemoteRelay:
    """The carrier, which runs until the client leaves. Each request has its own task; all other
    messages are sent in the order of their arrival."""

    def __init__(self, client: Client, target: Target, session: Session, engine: Engine) -> None:
        self._client = client
        most = engine.gate.policy.max_upstream
        self._upstream = UrlConnection(target, most, session.known, self._receive)
        self._session = session
        self._workshop = Workshop(engine)
        self._carrier = Carrier(self._workshop, session, self._to_upstream, self._to_client)
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(_WAITING)
        self._leaving = asyncio.Event()
        self._writing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._requests: set[asyncio.Task[None]] = set()
        self._signal = 0
        self._code = 0

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        self._watch_signals(loop)
        threading.Thread(target=self._read_client, args=(loop,), daemon=True).start()
        reading = self._start(self._take_lines())
        leaving = self._start(self._wait_to_leave())
        await asyncio.wait({reading, leaving}, return_when=asyncio.FIRST_COMPLETED)
        await self._finish()
        return 128 + self._signal if self._signal else self._code

    async def _take_lines(self) -> None:
        while (line := await self._lines.get()) is not None:
            await self._from_client(line)

    async def _wait_to_leave(self) -> None:
        await self._leaving.wait()

    def _read_client(self, loop: asyncio.AbstractEventLoop) -> None:
        """Queue the client's lines. A thread does this: not every platform can await stdin."""
        put = self._lines.put
        with contextlib.suppress(RuntimeError):  # The loop has ended meanwhile.
            with contextlib.suppress(OSError):
                for line in self._client.input:
                    if not line.isspace():
                        asyncio.run_coroutine_threadsafe(put(line), loop).result()
            asyncio.run_coroutine_threadsafe(put(None), loop).result()

    async def _from_client(self, line: bytes) -> None:
        outputs = self._session.from_client(messages.one_line(line.rstrip(b"\r\n")))
        message = messages.message_or_none(line)
        is_request = message is None or bool(message.key and message.method is not msgspec.UNSET)
        carrying = self._carrier.carry_out(outputs)
        if is_request:
            task = self._start(carrying)
            self._requests.add(task)
            task.add_done_callback(self._requests.discard)
        else:
            await carrying

    async def _to_client(self, output: ToClient) -> None:
        """Send to the client in a thread: a host that does not read must not stop all else."""
        try:
            async with self._writing:
                await asyncio.to_thread(self._client.send, messages.framed(output.message))
        except OSError:
            self._leaving.set()

    async def _to_upstream(self, message: bytes) -> None:
        called = self._session.known.called_by(messages.message_or_none(message))
        await self._upstream.send(message, called)

    async def _receive(self, message: bytes) -> None:
        await self._carrier.carry_out(self._session.from_upstream(message))

    def _start(self, doing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _finish(self) -> None:
        """Give the requests in progress a short time to end after the client has left."""
        if not self._leaving.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._finish_requests(), _GRACE_SECONDS)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._upstream.break_off()
        if not self._leaving.is_set() and has_unanswered(self._session):
            await self._tell_too_late()
        await self._upstream.close(_FAREWELL_SECONDS if self._signal else None)
        await self._workshop.close()

    async def _tell_too_late(self) -> None:
        self._code = UPSTREAM_ENDED
        logger().error("the MCP server did not answer in time after the client left")
        for output in self._session.upstream_ended(_TOO_LATE):
            if isinstance(output, ToClient):
                await self._to_client(output)

    async def _finish_requests(self) -> None:
        while under_way := {*self._requests, *self._upstream.posts}:
            await asyncio.wait(under_way)

    def _watch_signals(self, loop: asyncio.AbstractEventLoop) -> None:
        def leave(number: int) -> None:
            self._signal = number
            self._leaving.set()
            for request in list(self._session.pending.values()):
                request.cancellation.request()  # the process of a query would live on
            # Exit even if the host does not read and a write to it hangs.
            last = threading.Timer(_LAST_SECONDS, os._exit, (128 + number,))
            last.daemon = True  # Otherwise the process would always wait for the timer.
            last.start()

        if sys.platform == "win32":
            return  # Windows' loop takes no signal handlers; Ctrl-C raises KeyboardInterrupt.
        for number in ending_signals():
            loop.add_signal_handler(number, partial(leave, number))
