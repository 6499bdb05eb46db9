"""Carries out what a session says, in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import assert_never

from penstock.wire.session import Session
from penstock.wire.state import Later, Outputs, ToClient, ToUpstream


class Carrier:
    """`up` and `down` send; what takes long is done in a thread meanwhile."""

    def __init__(
        self,
        session: Session,
        up: Callable[[bytes], Awaitable[None]],
        down: Callable[[ToClient], Awaitable[None]],
    ) -> None:
        self.session = session
        self._up = up
        self._down = down

    async def carry_out(self, outputs: Outputs) -> None:
        for output in outputs:
            match output:
                case ToClient():
                    await self._down(output)
                case ToUpstream():
                    await self._up(output.message)
                case Later():
                    await self.carry_out(await asyncio.to_thread(self.session.do, output))
                case _:
                    assert_never(output)
