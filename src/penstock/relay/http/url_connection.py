"""One client's connection to a server behind a URL: its POSTs, its session, and the stream of what the
server sends unasked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Protocol

from penstock.log import logger
from penstock.relay.http.client import BrokenOff
from penstock.relay.http.events import Event
from penstock.relay.http.exchange import Exchange, SessionLost
from penstock.relay.http.upstream import HttpAnswer, HttpUpstream, TooLarge, Unanswered
from penstock.relay.target import Target
from penstock.wire import eras, headers, messages
from penstock.wire.messages import Message
from penstock.wire.toolbox import UpstreamTool

_GREETINGS: Final = ("initialize", "notifications/initialized")
_LONGEST_PAUSE: Final = 60.0


class RevisionInUse(Protocol):
    """The revision of MCP that a server speaks, as far as it is known."""

    @property
    def era(self) -> str: ...

    @property
    def version(self) -> str: ...


class UrlConnection:
    """Each request has its own task; all other messages are sent in the order of their arrival."""

    def __init__(
        self,
        target: Target,
        most: int,
        facts: RevisionInUse,
        receive: Callable[[bytes], Awaitable[None]],
        renewed: Callable[[], object] = lambda: None,
    ) -> None:
        """`renewed` is called when a new session has taken the place of one that the server forgot."""
        self._upstream = HttpUpstream(target, most)
        self._facts = facts
        self._receive = receive
        self._renewed = renewed
        self._tasks: set[asyncio.Task[None]] = set()
        self._posts: dict[bytes, asyncio.Task[None]] = {}
        self._session = ""
        self._greeting: list[bytes] = []
        self._greeting_again = asyncio.Lock()
        self._listening: asyncio.Task[None] | None = None

    @property
    def posts(self) -> list[asyncio.Task[None]]:
        """The requests in progress."""
        return list(self._posts.values())

    async def send(self, message: bytes, called: UpstreamTool | None = None) -> None:
        """Send a message. `called`: the tool that it calls, whose arguments headers may repeat."""
        read = messages.message_or_none(message)
        method = None if read is None else read.method
        if method in _GREETINGS:
            self._greeting.append(message)
        cancelled = None
        if read is not None and method == "notifications/cancelled":
            cancelled = self._named_by(read)
            if self._facts.era == "modern":
                if cancelled is not None:
                    cancelled.cancel()  # Closing the stream is the modern way to say it.
                return
        post = self._start(self._post(message, read, called))
        if read is not None and read.is_request:
            self._posts[read.key] = post
            post.add_done_callback(lambda _: self._posts.pop(read.key, None))
            return
        await asyncio.wait({post})
        if cancelled is not None:
            cancelled.cancel()
        if method == "notifications/initialized":
            self._listening = self._start(self._listen())

    def _named_by(self, message: Message) -> asyncio.Task[None] | None:
        """Return the POST of the request that a cancellation names, if there is one."""
        named = messages.members_of(message.params).get("requestId")
        return None if named is None else self._posts.get(messages.id_key(named))

    async def _post(
        self, message: bytes, read: Message | None, called: UpstreamTool | None
    ) -> None:
        try:
            await self._exchange(message, read, called)
        except SessionLost as lost:
            await self._greet_again(lost)
            await self._exchange(message, read, called, is_last=True)

    async def _exchange(
        self,
        message: bytes,
        read: Message | None,
        called: UpstreamTool | None,
        *,
        is_last: bool = False,
    ) -> None:
        exchange = Exchange(
            self._upstream, message, self._headers(read), called, tells_loss=not is_last
        )
        await exchange.run(self._received, self._opened)

    async def _greet_again(self, lost: SessionLost) -> None:
        """Start a new session after the server forgot the old one, perhaps by a restart. Repeat the
        client's own greeting, and do not show the client the answers."""
        async with self._greeting_again:
            if self._session != lost.session:
                return  # Another request has started one meanwhile.
            self._session = ""
            logger().info("upstream ended the session; starting a new one")
            for line in self._greeting:
                read = messages.message_or_none(line)
                exchange = Exchange(self._upstream, line, self._headers(read), None)
                await exchange.run(_unheard, self._opened)
            if self._listening is not None:  # to the session that has ended
                self._listening.cancel()
                self._listening = self._start(self._listen())
            self._renewed()

    def _opened(self, answer: HttpAnswer) -> None:
        if answer.session:
            self._session = answer.session

    async def _received(self, event: Event) -> None:
        if event.message:
            await self._receive(messages.one_line(event.message))

    def _headers(self, message: Message | None) -> dict[str, str]:
        """Return the headers of the legacy session; a modern request brings its own."""
        if message is not None and (
            message.method == "initialize" or eras.is_modern(message.params)
        ):
            return {}
        made = {headers.SESSION: self._session, headers.VERSION: self._facts.version}
        return {name: value for name, value in made.items() if value}

    async def _listen(self) -> None:
        """Receive the messages that a legacy server sends unasked, if it offers a stream."""
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
                        await self._received(event)
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

    async def break_off(self) -> None:
        """Give up all requests in progress, and the stream."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def close(self, seconds: float | None = None) -> None:
        """End the session, within so many seconds, and close the connections."""
        if self._session:
            with contextlib.suppress(Unanswered, BrokenOff, TimeoutError):
                await asyncio.wait_for(self._upstream.leave(self._headers(None)), seconds)
        await self._upstream.close()


async def _unheard(_event: Event) -> None:
    """Drop an answer that the client has received before."""
