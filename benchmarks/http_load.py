"""Many sessions that call at once, or at a steady rate, and the times of their calls."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from statistics import quantiles
from time import perf_counter, process_time
from typing import Any

from benchmarks import process_tree
from benchmarks.http_wire import Failed, HttpSession, Prepared, Served

# Opening is not timed. It may start a process for each session.
_OPENED_AT_ONCE = 20
# A server that leaves a call without an answer ends the benchmark.
_MOST_SECONDS = 900
_MOST_TOLD = 300


@dataclass(frozen=True, slots=True)
class Load:
    """Sessions, all open before the first call, and the calls of each.

    A session calls as soon as it has an answer, or at its next tick if there is an interval. The
    ticks of the sessions are spread over the interval. A session that reconnects before its first call
    may meet another worker of a server, which has to pass its calls on.
    """

    sessions: int
    calls: int
    params: dict[str, Any]
    mark: bytes  # in every right answer
    interval: float = 0
    reconnects: bool = False

    def __str__(self) -> str:
        how = ", connected anew" if self.reconnects else ""
        return f"{self.sessions} sessions x {self.calls} calls{how}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The milliseconds of each call, the seconds of all, and the seconds of CPU that they took."""

    times: list[float]
    failures: int
    seconds: float
    server_cpu: float
    own_cpu: float

    @property
    def per_second(self) -> float:
        return len(self.times) / self.seconds

    @property
    def server_ms(self) -> float:
        """Return the milliseconds of CPU per call of the server and the processes below it."""
        return self._ms_per_call(self.server_cpu)

    @property
    def own_ms(self) -> float:
        """Return the milliseconds of CPU per call of this load generator."""
        return self._ms_per_call(self.own_cpu)

    def _ms_per_call(self, seconds: float) -> float:
        return 1_000 * seconds / len(self.times) if self.times else inf

    def percentile(self, percentile: int) -> float:
        return quantiles(self.times, n=100)[percentile - 1] if len(self.times) > 1 else inf


def best_in_turn(loads: Mapping[Served, Load], rounds: int) -> dict[Served, Outcome]:
    """Put each server under its load in every round, and return its best round, with all failures."""
    outcomes: dict[Served, list[Outcome]] = {server: [] for server in loads}
    for _ in range(rounds):
        for server, load in loads.items():
            outcomes[server].append(run(server, load))
    return {server: _best(of_server) for server, of_server in outcomes.items()}


def _best(outcomes: list[Outcome]) -> Outcome:
    best = min(outcomes, key=lambda outcome: outcome.percentile(50))
    return replace(best, failures=sum(outcome.failures for outcome in outcomes))


def run(server: Served, load: Load) -> Outcome:
    return asyncio.run(asyncio.wait_for(_run(server, load), _MOST_SECONDS))


async def _run(server: Served, load: Load) -> Outcome:
    opening = asyncio.Semaphore(_OPENED_AT_ONCE)
    beginning = (_begin(server.url, opening, load) for _ in range(load.sessions))
    sessions = await asyncio.gather(*beginning)
    server_cpu, own_cpu = process_tree.cpu_seconds(server.pid), process_time()
    start = perf_counter()
    ticks = (start + load.interval * at / load.sessions for at in range(load.sessions))
    times = await asyncio.gather(*map(_calls, sessions, [load] * load.sessions, ticks))
    seconds = perf_counter() - start
    own_cpu = process_time() - own_cpu
    server_cpu = process_tree.cpu_seconds(server.pid) - server_cpu
    await asyncio.gather(*(_end(session, opening) for session in sessions))
    good = [time for of_session in times for time in of_session]
    failures = load.sessions * load.calls - len(good)
    return Outcome(good, failures, seconds, server_cpu, own_cpu)


async def _begin(url: str, opening: asyncio.Semaphore, load: Load) -> HttpSession:
    async with opening:
        session = await HttpSession.begin(url)
        if load.reconnects:
            await session.reconnect()
        return session


async def _end(session: HttpSession, ending: asyncio.Semaphore) -> None:
    async with ending:
        with suppress(Failed):  # If the connection is gone, its calls have failed and are counted.
            await session.end()


async def _calls(session: HttpSession, load: Load, tick: float) -> list[float]:
    """Return the milliseconds of each right answer, from the moment when the call was due."""
    request = session.prepared("tools/call", load.params)
    times = []
    for number in range(load.calls):
        due = perf_counter()
        if load.interval:
            due = tick + number * load.interval
            await asyncio.sleep(due - perf_counter())
        if await _succeeds(session, request, load.mark):
            times.append(1_000 * (perf_counter() - due))
    return times


async def _succeeds(session: HttpSession, request: Prepared, mark: bytes) -> bool:
    try:
        answer = await session.ask(request)
    except Failed as error:
        print(f"failed: {error}"[:_MOST_TOLD], file=sys.stderr)
        return False
    return mark in answer
