"""The part of the HTTP carriers that carries out a session's outputs in an event loop."""

from __future__ import annotations

import asyncio
import math
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final, assert_never

from penstock.core.model.values import Refusal
from penstock.engine.engine import Engine
from penstock.relay.http.lanes import Lane, LaneLimits, limits_for_one
from penstock.relay.http.running_programs import RunningPrograms
from penstock.wire.effects import StartProgram
from penstock.wire.kinds_of_work import Kind, kind_of, may_be_refused
from penstock.wire.outputs import Outputs, Perform, Ring, ToClient, ToUpstream
from penstock.wire.request import Request
from penstock.wire.session import Session

_LAST_SECONDS: Final = 3.0


class Workshop:
    """An engine with its own threads, so that slow work delays only work of its kind, and one party
    delays no other. Without `limits`, it serves one party."""

    def __init__(self, engine: Engine, limits: Mapping[Kind, LaneLimits] | None = None) -> None:
        self.engine = engine
        self._programs = None if limits is None else RunningPrograms()
        self._lanes: dict[Kind, Lane[Outputs]] = {
            kind: Lane(kind, of_kind) for kind, of_kind in (limits or limits_for_one()).items()
        }

    async def carry_out(self, session: Session, output: Perform) -> Outputs:
        request, kind = output.request, kind_of(output.work)
        lane, party = self._lanes[kind], request.connection.party_at_peer
        may_refuse = may_be_refused(output.work) and not request.is_answered
        if may_refuse and not (lane.has_room(party) and self._may_run(session, output)):
            return session.turn_away(request, self._too_much(kind))
        work = partial(self.engine.carry_out, session, output, (kind,))
        outputs = await lane.do(party, request.cancellation, work)
        return session.drop(request) if outputs is None else outputs

    def _may_run(self, session: Session, output: Perform) -> bool:
        """Return whether the work starts no program, or one that may run."""
        if self._programs is None or not isinstance(output.work, StartProgram):
            return True
        return self._programs.admits(session, output.request)

    def _too_much(self, kind: Kind) -> Refusal:
        policy = self.engine.gate.policy
        seconds = policy.program_seconds if kind == "programs" else policy.query_seconds
        return Refusal(
            f"Too many of your {kind} are in progress already.",
            f"Try again in {math.ceil(seconds)} s, with fewer at once.",
        )

    async def close(self) -> None:
        """Stop the work in progress, and wait a while: it needs the store, which is closed next."""
        underway = [work for lane in self._lanes.values() for work in lane.close()]
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

    def end(self) -> None:
        """Forget the ways up and down after all work. Their owners hold this carrier: such a cycle
        would keep a large body until the garbage collector comes."""
        if not self._tasks:
            self._up = self._down = _nowhere

    def stop(self) -> None:
        """End the calls of programs, because nobody waits for the answer."""
        for task in self._tasks:
            task.cancel()


async def _nowhere(_output: object) -> None:
    """Send nothing."""
