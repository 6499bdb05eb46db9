"""Carries out what a session says, in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, assert_never

from penstock.engine.engine import Engine
from penstock.wire.outputs import Outputs, Perform, ToClient, ToUpstream
from penstock.wire.session import Session

_THREADS: Final = 32


class Workshop:
    """An engine, with threads of its own. A slow store holds up nothing else that needs a thread."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._threads = ThreadPoolExecutor(_THREADS, "penstock-work")

    async def carry_out(self, session: Session, output: Perform) -> Outputs:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self.engine.carry_out, session, output)

    async def close(self) -> None:
        """Wait for what is under way: it needs the store, which is closed next."""
        await asyncio.to_thread(self._threads.shutdown)


class Carrier:
    """`up` and `down` send; what takes long is done in a thread meanwhile."""

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
        for output in outputs:
            match output:
                case ToClient():
                    await self._down(output)
                case ToUpstream():
                    await self._up(output.message)
                case Perform():
                    await self.carry_out(await self._workshop.carry_out(self._session, output))
                case _:
                    assert_never(output)
