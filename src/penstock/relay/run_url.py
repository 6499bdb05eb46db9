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
from penstock.wire import eras, messages
from penstock.wire.messages import Message
from penstock.wire.outputs import ToClient
from penstock.wire.request import Connection
from penstock.wire.session import Session

try:
    from penstock.relay.http.carrier import Carrier, Workshop
    from penstock.relay.http.client import BrokenOff
    from penstock.relay.http.events import Event
    from penstock.relay.http.exchange import Exchange, SessionLost
    from penstock.relay.http.upstream import HttpAnswer, HttpUpstream, TooLarge, Unanswered
    from penstock.wire import headers
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
_GREETINGS = ("initialize", "notifications/initialized")
_LONGEST_PAUSE = 60.0


def run_remote(target: Target, policy: Policy, store: Store | None) -> int:
    """Run until the client leaves, and return the exit code."""
    with Gate(policy, store) as gate:
        engine = Engine(gate, tally_of(policy, target.name), called_before(policy, target.name))
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
        self._upstream = HttpUpstream(target, engine.gate.policy.max_upstream)
        self._session = session
        self._workshop = Workshop(engine)
        self._carrier = Carrier(self._workshop, session, self._to_upstream, self._to_client)
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(_WAITING)
        self._leaving = asyncio.Event()
        self._writing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._requests: set[asyncio.Task[None]] = set()
        self._posts: dict[bytes, asyncio.Task[None]] = {}
        self._session_id = ""
        self._greeting: list[bytes] = []
        self._greeting_again = asyncio.Lock()
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
        if message is not None and message.method in _GREETINGS:
            self._greeting.append(messages.one_line(line.rstrip(b"\r\n")))
        carrying = self._carrier.carry_out(outputs)
        if is_request:
            task = self._start(carrying)
            self._requests.add(task)
            task.add_done_callback(self._requests.discard)
        else:
            await carrying
        if message is not None and message.method == "notifications/initialized":
            self._start(self._listen())

    async def _to_client(self, output: ToClient) -> None:
        """Send to the client in a thread: a host that does not read must not stop all else."""
        try:
            async with self._writing:
                await asyncio.to_thread(self._client.send, messages.framed(output.message))
        except OSError:
            self._leaving.set()

    async def _to_upstream(self, message: bytes) -> None:
        read = messages.message_or_none(message)
        is_cancellation = read is not None and read.method == "notifications/cancelled"
        cancelled = self._named_by(read) if read is not None and is_cancellation else None
        if is_cancellation and self._session.known.era == "modern":
            if cancelled is not None:
                cancelled.cancel()  # Closing the stream is the modern way to say it.
            return
        post = self._start(self._post(message, read))
        if read is None or not read.key or read.method is msgspec.UNSET:
            await asyncio.wait({post})
            if cancelled is not None:
                cancelled.cancel()
            return
        self._posts[read.key] = post
        post.add_done_callback(lambda _: self._posts.pop(read.key, None))

    def _named_by(self, message: Message) -> asyncio.Task[None] | None:
        """Return the POST of the request that a cancellation names, if there is one."""
        named = messages.members_of(message.params).get("requestId")
        return None if named is None else self._posts.get(messages.id_key(named))

    async def _post(self, message: bytes, read: Message | None) -> None:
        try:
            await self._exchange(message, read)
        except SessionLost as lost:
            await self._greet_again(lost)
            await self._exchange(message, read, is_last=True)

    async def _exchange(
        self, message: bytes, read: Message | None, *, is_last: bool = False
    ) -> None:
        exchange = Exchange(
            self._upstream,
            message,
            self._headers(read),
            self._session.known.called_by(read),
            tells_loss=not is_last,
        )
        await exchange.run(self._receive, self._opened)

    async def _greet_again(self, lost: SessionLost) -> None:
        """Start a new session after upstream forgot the old one, perhaps by a restart. Repeat the
        host's own greeting, and do not show the host the answers."""
        async with self._greeting_again:
            if self._session_id != lost.session:
                return  # Another request has started one meanwhile.
            self._session_id = ""
            logger().info("upstream ended the session; starting a new one")
            for line in self._greeting:
                read = messages.message_or_none(line)
                exchange = Exchange(self._upstream, line, self._headers(read), None)
                await exchange.run(_unheard, self._opened)

    def _opened(self, answer: HttpAnswer) -> None:
        if answer.session:
            self._session_id = answer.session

    async def _receive(self, event: Event) -> None:
        if not event.message:
            return
        await self._carrier.carry_out(self._session.from_upstream(messages.one_line(event.message)))

    def _headers(self, message: Message | None) -> dict[str, str]:
        """Return the headers of the legacy session; a modern request brings its own."""
        if message is not None and (
            message.method == "initialize" or eras.is_modern(message.params)
        ):
            return {}
        made = {headers.SESSION: self._session_id, headers.VERSION: self._session.known.version}
        return {name: value for name, value in made.items() if value}

    async def _listen(self) -> None:
        """Receive the messages that a legacy upstream sends unasked, if it offers a stream."""
        last, pause = "", 1.0
        while True:
            resumed = {headers.LAST_EVENT: last} if last else {}
            try:
                with await self._upstream.listen({**self._headers(None), **resumed}) as answer:
                    if answer.is_refusal or not answer.is_stream:
                        return
                    pause = answer.retry_seconds
                    async for event in answer.events():
                        last = event.id or last
                        await self._receive(event)
            except TooLarge as error:
                logger().warning("lost what upstream sent unasked: %s", error)
                last, pause = "", min(2 * pause, _LONGEST_PAUSE)  # after what is too large
            except (Unanswered, BrokenOff) as error:
                logger().info("listening to upstream: %s", error)
                pause = min(2 * pause, _LONGEST_PAUSE)
            await asyncio.sleep(pause)

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
        if not self._leaving.is_set() and has_unanswered(self._session):
            await self._tell_too_late()
        if self._session_id:
            seconds = _FAREWELL_SECONDS if self._signal else None
            with contextlib.suppress(Unanswered, BrokenOff, TimeoutError):
                await asyncio.wait_for(self._upstream.leave(self._headers(None)), seconds)
        await self._upstream.close()
        await self._workshop.close()

    async def _tell_too_late(self) -> None:
        self._code = UPSTREAM_ENDED
        logger().error("the MCP server did not answer in time after the client left")
        for output in self._session.upstream_ended(_TOO_LATE):
            if isinstance(output, ToClient):
                await self._to_client(output)

    async def _finish_requests(self) -> None:
        while under_way := {*self._requests, *self._posts.values()}:
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


async def _unheard(_event: Event) -> None:
    """Drop an answer that the host has received before."""
