"""One session, and many at once, through `penstock serve`, compared with the server without it.

A call in a single session waits for no other, so the extra time is what the relay adds. Many
sessions are all open before the first call, and each calls as soon as it has an answer. So a time
is mostly a wait for the others, and the number of sessions over p50 is about the calls per second.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from statistics import quantiles

from benchmarks.http_wire import HttpSession, served
from benchmarks.lines import Line

# The number of sessions at once, and of calls.
LOADS = {1: 10, 200: 2}
CALLS = 20
WARM_SESSIONS = 10
PERCENTILES = (50, 95)
TEXT = "fifty bytes of text, as a small tool would give it"
LIGHT = (sys.executable, "-m", "benchmarks.servers.light_http")


class Outcome:
    def __init__(self) -> None:
        self.times: list[float] = []
        self.failures = 0

    def percentile(self, percentile: int) -> float:
        return quantiles(self.times, n=100)[percentile - 1]


def measure() -> Iterator[Line]:
    with served(LIGHT) as direct, served(_penstock(direct)) as ours:
        for url in (direct, ours):
            asyncio.run(_sessions(url, WARM_SESSIONS, Outcome()))
        for count, rounds in LOADS.items():
            without, through = Outcome(), Outcome()
            for _ in range(rounds):
                asyncio.run(_sessions(direct, count, without))
                asyncio.run(_sessions(ours, count, through))
            yield from _lines(f"HTTP sessions: {count}, {CALLS} calls each", through, without)


def _lines(what: str, through: Outcome, without: Outcome) -> Iterator[Line]:
    yield Line(f"{what}: failures", through.failures, without.failures, "", 0, difference=True)
    for percentile in PERCENTILES:
        slower, faster = through.percentile(percentile), without.percentile(percentile)
        yield Line(f"{what}: p{percentile}", slower, faster)


def _penstock(url: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "penstock", "serve", "--port", "0", "--url", url)


async def _sessions(url: str, count: int, outcome: Outcome) -> None:
    sessions = await asyncio.gather(*(HttpSession.begin(url) for _ in range(count)))
    await asyncio.gather(*(_calls(session, outcome) for session in sessions))
    await asyncio.gather(*(session.end() for session in sessions))


async def _calls(session: HttpSession, outcome: Outcome) -> None:
    params = {"name": "echo", "arguments": {"text": TEXT}}
    for _ in range(CALLS):
        try:
            ms, answer = await session.timed("tools/call", params)
        except (OSError, EOFError, RuntimeError) as error:
            print(f"failed: {error!r}", file=sys.stderr)
            outcome.failures += 1
            return
        outcome.times.append(ms)
        outcome.failures += TEXT.encode() not in answer
