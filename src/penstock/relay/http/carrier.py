"""Carries out what a session says, in an event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, assert_never

from penstock.engine.engine import Engine
from penstock.gate.threads import Threads
from penstock.wire.outputs import Outputs, Perform, ToClient, ToUpstream
from penstock.wire.session import Session

# Of their own: whoever writes to a client in a thread is not to wait for a slow store.
_THREADS: Final = Threads("penstock-work", 32)


class Carrier:
    """`up` and `down` send; what takes long is done in a thread meanwhile."""

    def __init__(
        self,
        engine: Engine,
        session: Session,
        up: Callable[[bytes], Awaitable[None]],
        down: Callable[[ToClient], Awaitable[None]],
    ) -> None:
        self._engine = engine
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
                    doing = _THREADS.run(self._engine.carry_out, self._session, output)
                    await self.carry_out(await doing)
                case _:
                    assert_never(output)
