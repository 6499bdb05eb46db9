"""The part of the HTTP carriers that carries out a session's outputs in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, assert_never

from penstock.core.model.cancellation import Cancellation
from penstock.engine.engine import Engine
from penstock.wire.outputs import Outputs, Perform, ToClient, ToUpstream
from penstock.wire.session import Session

_THREADS: Final = 32
_LAST_SECONDS: Final = 3.0


class Workshop:
    """An engine with its own threads, so that a slow store delays no other use of threads."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._threads = ThreadPoolExecutor(_THREADS, "penstock-work")
        self._underway: dict[Future[Outputs], Cancellation] = {}

    async def carry_out(self, session: Session, output: Perform) -> Outputs:
        work = self._threads.submit(self.engine.carry_out, session, output)
        self._underway[work] = output.request.cancellation
        work.add_done_callback(lambda work: self._underway.pop(work, None))
        return await asyncio.wrap_future(work)

    async def close(self) -> None:
        """Stop the work in progress, and wait a while: it needs the store, which is closed next."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        underway = dict(self._underway)
        for cancellation in underway.values():
            cancellation.request()
        if underway:
            await asyncio.wait(map(asyncio.wrap_future, underway), timeout=_LAST_SECONDS)
        if self.engine.tally is not None:  # A server that a signal ends runs no exit functions.
            await asyncio.to_thread(self.engine.tally.close)


class Carrier:
    """A carrier that sends by `up` and `down`, and leaves long work to threads."""

    def __init__(
        self,
        workshop: Workshop,
        session: Session,
        up: Callable[[bytes], Awaitable[None]],
        down: Callable[[ToClient], Awaitable[None]],
    ) -> None:
        self._workshop = workshop
        self._session = session
        self._up = up
        self._down = down

    async def carry_out(self, outputs: Outputs) -> None:
        work: list[Awaitable[None]] = []
        for output in outputs:
            match output:
                case ToClient():
                    await self._down(output)
                case ToUpstream():
                    await self._up(output.message)
                case Perform():
                    work.append(self._perform(output))
                case _:
                    assert_never(output)
        await asyncio.gather(*work)  # Last and concurrent: no request waits for another's work.

    async def _perform(self, output: Perform) -> None:
        await self.carry_out(await self._workshop.carry_out(self._session, output))
