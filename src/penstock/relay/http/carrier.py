"""The part of the HTTP carriers that carries out a session's outputs in an event loop."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, assert_never

from penstock.core.model.cancellation import Cancellation
from penstock.engine.engine import Engine
from penstock.wire.effects import is_of_program
from penstock.wire.outputs import Outputs, Perform, Ring, ToClient, ToUpstream
from penstock.wire.request import Request
from penstock.wire.session import Session

_THREADS: Final = 32
_LAST_SECONDS: Final = 3.0


class Workshop:
    """An engine with its own threads, so that a slow store delays no other use of threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._threads = ThreadPoolExecutor(_THREADS, "penstock-work")
        # A program may run for a minute, and no other work may wait for it.
        self._programs = ThreadPoolExecutor(_THREADS, "penstock-program")
        self._underway: dict[Future[Outputs], Cancellation] = {}

    async def carry_out(self, session: Session, output: Perform) -> Outputs:
        threads = self._programs if is_of_program(output.work) else self._threads
        work = threads.submit(self.engine.carry_out, session, output)
        self._underway[work] = output.request.cancellation
        work.add_done_callback(lambda work: self._underway.pop(work, None))
        return await asyncio.wrap_future(work)

    async def close(self) -> None:
        """Stop the work in progress, and wait a while: it needs the store, which is closed next."""
        for threads in (self._threads, self._programs):
            threads.shutdown(wait=False, cancel_futures=True)
        underway = dict(self._underway)
        for cancellation in underway.values():
            cancellation.request()
        if underway:
            await asyncio.wait(map(asyncio.wrap_future, underway), timeout=_LAST_SECONDS)
        self.engine.close()
        if self.engine.tally is not None:  # A server that a signal ends runs no exit functions.
            await asyncio.to_thread(self.engine.tally.close)


class Carrier:
    """A carrier that sends by `up` and `down`, and leaves long work to threads.

    The calls of a program, and its alarm, have tasks of their own, because the answer to one call
    makes the program send the next. `finish` waits for these tasks.
    """

    def __init__(
        self,
        workshop: Workshop,
        session: Session,
        up: Callable[[bytes], Coroutine[Any, Any, None]],
        down: Callable[[ToClient], Awaitable[None]],
    ) -> None:
        self._workshop = workshop
        self._session = session
        self._up = up
        self._down = down
        self._tasks: set[asyncio.Task[None]] = set()

    async def carry_out(self, outputs: Outputs) -> None:
        work: list[Awaitable[None]] = []
        for output in outputs:
            match output:
                case ToClient():
                    await self._down(output)
                case ToUpstream() if output.is_inner:
                    self._start(self._up(output.message))
                case ToUpstream():
                    await self._up(output.message)
                case Perform():
                    work.append(self._perform(output))
                case Ring():
                    self._set_alarm(output)
                case _:
                    assert_never(output)
        await asyncio.gather(*work)  # Last and concurrent: no request waits for another's work.

    async def _perform(self, output: Perform) -> None:
        await self.carry_out(await self._workshop.carry_out(self._session, output))

    def _set_alarm(self, alarm: Ring) -> None:
        # A request that is answered must not stay until then, nor its session.
        asked, carrier = weakref.ref(alarm.request), weakref.ref(self)

        def ring() -> None:
            request, alive = asked(), carrier()
            if request is not None and alive is not None:
                alive._ring(request)  # noqa: SLF001 (this very class)

        asyncio.get_running_loop().call_later(alarm.seconds, ring)

    def _ring(self, request: Request) -> None:
        outputs = self._session.rang(request)
        if outputs:
            self._start(self.carry_out(outputs))

    def _start(self, doing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        """Wait for the calls of programs, also for those that other calls cause."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def stop(self) -> None:
        """End the calls of programs, because nobody waits for the answer."""
        for task in self._tasks:
            task.cancel()
