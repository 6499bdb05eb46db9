"""A result of 10 MB through a relay with a budget, compared with the relay passing it untouched.

All are warm: started, greeted, and called once with a small result and once with the large one.
A time is the median of several calls, until the client has decoded the reply: bytes alone are of no
use to a client. The time until the bytes arrive is reported too. Peak memory is that of the relay's
process (VmHWM) from its start to the last call, with the results stored by then. The peers' time,
memory, and bytes that reach the client are reported as well.

Linux only, for the memory.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter_ns

import msgspec

from benchmarks import payloads, peers
from benchmarks.lines import Line
from benchmarks.peers import Contender
from benchmarks.wire import WireClient

ROUNDS = 9
PEER_ROUNDS = 3
BUDGET = "8000tok"
PEER_CHARS = 8_000
PEER_BYTES = 32_000
LIMIT = 1.5
MOST_MEGABYTES = 150
# The tools of the server. Each returns the same rows in another form.
TOOLS = {
    "text": "as text",
    "both": "as text and structuredContent",
}


class Outcome(msgspec.Struct, frozen=True):
    ms: float
    bytes_ms: float
    peak_megabytes: float
    reply_bytes: int


def measure() -> Iterator[Line]:
    if sys.platform != "linux":
        return
    peers.install()
    with TemporaryDirectory() as folder:
        _write_results(Path(folder))
        server = peers.direct(folder)
        ours = {
            "held": peers.penstock(server, "--budget", BUDGET),
            "untouched": peers.penstock(server, "--budget", BUDGET, "--except", *TOOLS),
        }
        others = {
            f"mcp-compressor --shrinkfit={PEER_CHARS}": peers.mcp_compressor(
                server, f"--shrinkfit={PEER_CHARS}"
            ),
            f"FastMCP limit of {PEER_BYTES:,} B": peers.fastmcp_proxy(server, PEER_BYTES),
        }
        for tool, how in TOOLS.items():
            outcomes = _outcomes(ours, tool, ROUNDS) | _outcomes(others, tool, PEER_ROUNDS)
            yield from _lines(how, outcomes, list(others))


def _write_results(folder: Path) -> None:
    rows = payloads.as_json(payloads.ordinary(payloads.TEN_MEGABYTES))
    content = msgspec.json.encode([{"type": "text", "text": rows.decode()}])
    parts = b'"content":%b' % content, b'"structuredContent":{"result":%b}' % rows
    (folder / "text.json").write_bytes(b"{%b}" % parts[0])
    (folder / "both.json").write_bytes(b"{%b,%b}" % parts)


def _outcomes(contenders: Mapping[str, Contender], tool: str, rounds: int) -> dict[str, Outcome]:
    """Measure all contenders in turns, while all are running."""
    with ExitStack() as running:
        clients = {
            name: running.enter_context(WireClient(contender.command))
            for name, contender in contenders.items()
        }
        calls = {name: contender.call(tool) for name, contender in contenders.items()}
        for name, client in clients.items():
            client.greet()
            client.ask("tools/call", contenders[name].call("echo", text="warm"))
            client.ask("tools/call", calls[name])
        times: dict[str, list[float]] = {name: [] for name in clients}
        bytes_times: dict[str, list[float]] = {name: [] for name in clients}
        sizes: dict[str, int] = {}
        for _ in range(rounds):
            for name, client in clients.items():
                ms, answer = client.timed("tools/call", calls[name])
                bytes_times[name].append(ms)
                times[name].append(ms + _decoding_ms(answer))
                sizes[name] = len(answer)
        return {
            name: Outcome(
                median(times[name]), median(bytes_times[name]), client.peak_megabytes, sizes[name]
            )
            for name, client in clients.items()
        }


def _decoding_ms(answer: bytes) -> float:
    """Return the time to decode an answer as a Python client does."""
    start = perf_counter_ns()
    json.loads(answer)
    return (perf_counter_ns() - start) / 1e6


def _lines(how: str, outcomes: Mapping[str, Outcome], others: list[str]) -> Iterator[Line]:
    held, untouched = outcomes["held"], outcomes["untouched"]
    what = f"10 MB {how}"
    yield Line(f"{what}: held to {BUDGET}, beside untouched", held.ms, untouched.ms, limit=LIMIT)
    yield Line("  until the bytes are there", held.bytes_ms, untouched.bytes_ms)
    yield Line(
        f"  peak memory, beside {MOST_MEGABYTES} MB",
        held.peak_megabytes,
        MOST_MEGABYTES,
        "MB",
        limit=1.0,
    )
    for name in others:
        peer = outcomes[name]
        yield Line(f"{what}: time, beside {name}", held.ms, peer.ms)
        yield Line("  peak memory", held.peak_megabytes, peer.peak_megabytes, "MB")
        yield Line("  bytes sent", held.reply_bytes, peer.reply_bytes, "B")
