"""Lanes: the threads for each kind of work, which parties share by turns.

All methods run in the event loop. Only the work itself runs in threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Final, Generic, TypeVar

import msgspec

from penstock.core.model.cancellation import Cancellation
from penstock.core.model.turns import Party, Places, Turns
from penstock.wire.kinds_of_work import KINDS, Kind

Done = TypeVar("Done")

# Lists need the processor alone, results wait for the store. Two children of the worker answer
# queries; with more threads, the rows for the next queries are collected meanwhile.
_THREADS: Final[Mapping[Kind, int]] = {"lists": 8, "results": 16, "queries": 8, "programs": 32}
# Queries and programs take seconds. Others of one party may all wait: `OpenRequests` bounds their number.
_MOST_WAITING: Final[Mapping[Kind, int]] = {"queries": 16, "programs": 16}


class LaneLimits(msgspec.Struct, frozen=True):
    """The threads of a lane, and how much work of one party may wait for them."""

    places: Places
    most_waiting: int | None = None


def limits_for_one() -> dict[Kind, LaneLimits]:
    """Return limits for a relay that has one user."""
    return {kind: LaneLimits(Places.for_anyone(_THREADS[kind])) for kind in KINDS}


def limits_for_many() -> dict[Kind, LaneLimits]:
    """Return limits under which one party leaves threads for others, and one peer does so too."""
    return {
        kind: LaneLimits(Places(count, count * 5 // 8, count * 7 // 8), _MOST_WAITING.get(kind))
        for kind, count in _THREADS.items()
    }


class Lane(Generic[Done]):
    """The threads for one kind of work, and the work that waits for them."""

    def __init__(self, kind: Kind, limits: LaneLimits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.places.count, f"penstock-{kind}")
        # Each future is given True with a thread, or False if its work shall not be done.
        self._turns: Turns[asyncio.Future[bool]] = Turns(limits.places)
        self._underway: dict[Future[Done], Cancellation] = {}

    def has_room(self, party: Party) -> bool:
        """Return whether more work of a party may wait."""
        most = self._limits.most_waiting
        return most is None or self._turns.waiting(party) < most

    async def do(
        self, party: Party, cancellation: Cancellation, work: Callable[[], Done]
    ) -> Done | None:
        """Do the work on a thread when it is the party's turn. Return None if it was cancelled
        before. If the task that waits is cancelled, the thread still ends its work."""
        if not await self._wait(party, cancellation):
            return None
        loop = asyncio.get_running_loop()
        underway = self._threads.submit(work)
        self._underway[underway] = cancellation
        underway.add_done_callback(partial(_call, loop, self._ended, party))
        return await asyncio.wrap_future(underway)

    async def _wait(self, party: Party, cancellation: Cancellation) -> bool:
        """Wait for a thread. Return False if the work is cancelled first."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[bool] = loop.create_future()
        self._turns.add(party, turn)
        self._give_threads()
        leave = partial(_call, loop, _decide, turn, False)
        try:
            with cancellation.bound_to(leave):
                has_thread = await turn
        except asyncio.CancelledError:
            self._leave(party, turn)
            raise
        if not has_thread:
            self._leave(party, turn)
        return has_thread

    def _leave(self, party: Party, turn: asyncio.Future[bool]) -> None:
        if not self._turns.remove(party, turn):  # it has been given a thread meanwhile
            self._turns.release(party)
            self._give_threads()

    def _ended(self, party: Party, underway: Future[Done]) -> None:
        del self._underway[underway]
        self._turns.release(party)
        self._give_threads()

    def _give_threads(self) -> None:
        while (turn := self._turns.take()) is not None:
            _decide(turn, True)

    def close(self) -> list[Future[Done]]:
        """Let nothing wait any longer, and stop the work in progress. Return this work."""
        for turn in self._turns:
            _decide(turn, False)
        self._threads.shutdown(wait=False, cancel_futures=True)
        underway = dict(self._underway)
        for cancellation in underway.values():
            cancellation.request()
        return list(underway)


def _decide(turn: asyncio.Future[bool], has_thread: bool) -> None:
    if not turn.done():
        turn.set_result(has_thread)


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *given: object) -> None:
    """Call a function in the event loop, from any thread."""
    with suppress(RuntimeError):  # The loop has ended, and nothing waits any more.
        loop.call_soon_threadsafe(function, *given)
