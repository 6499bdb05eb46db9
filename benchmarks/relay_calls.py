"""The time that a relay adds to a small call.

All relays start first and are then called in rounds, so that a busy moment hits each of them. The
added time is the percentile of a round through the relay, less that of the same round without it.
The median of the rounds counts, because at the 95th percentile one bad round would decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from statistics import median, quantiles

from benchmarks import peers
from benchmarks.lines import Line
from benchmarks.peers import Contender
from benchmarks.wire import WireClient

ROUNDS = 15
CALLS = 200
PERCENTILES = (50, 95)
TEXT = "fifty bytes of text, as a small tool would give it"
LIMIT = 0.8

Rounds = list[list[float]]


def measure() -> Iterator[Line]:
    peers.install()
    server = peers.direct()
    relays = {
        "mcp-compressor": peers.mcp_compressor(server),
        "FastMCP proxy": peers.fastmcp_proxy(server),
    }
    times = in_rounds({"direct": server, "ours": peers.penstock(server), **relays})
    floor = times.pop("direct")
    for percentile in PERCENTILES:
        added = {name: added(rounds, floor, percentile) for name, rounds in times.items()}
        for name in relays:
            what = f"added to a call, p{percentile}, beside {name}"
            yield Line(what, added["ours"], added[name], "us", LIMIT)
        without = median(percentile_of(calls, percentile) for calls in floor)
        yield Line(f"  a call without a relay, p{percentile}", without, unit="us")


def in_rounds(contenders: Mapping[str, Contender]) -> dict[str, Rounds]:
    """Return the microseconds of each call."""
    times: dict[str, Rounds] = {name: [] for name in contenders}
    with ExitStack() as running:
        clients = {
            name: running.enter_context(WireClient(contender.command))
            for name, contender in contenders.items()
        }
        for name, client in clients.items():
            client.greet()
            _calls(client, contenders[name])
        for _ in range(ROUNDS):
            for name, client in clients.items():
                times[name].append(_calls(client, contenders[name]))
    return times


def _calls(client: WireClient, contender: Contender) -> list[float]:
    params = contender.call("echo", text=TEXT)
    timed = [client.timed("tools/call", params) for _ in range(CALLS)]
    assert all(TEXT.encode() in answer for _, answer in timed)
    return [1_000 * ms for ms, _ in timed]


def added(rounds: Rounds, floor: Rounds, percentile: int) -> float:
    return median(
        percentile_of(through, percentile) - percentile_of(without, percentile)
        for through, without in zip(rounds, floor, strict=True)
    )


def percentile_of(times: list[float], percentile: int) -> float:
    return quantiles(times, n=100)[percentile - 1]
