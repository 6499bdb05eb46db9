"""The time from the start of a relay to its first list of tools, for which a host waits.

Byte code is cached for all, as in an installation. The best of many starts in turns counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks import clock, peers
from benchmarks.clock import Runs
from benchmarks.lines import Line
from benchmarks.peers import Contender
from benchmarks.wire import WireClient

ROUNDS = 15
LIMIT = 1.0


def measure() -> Iterator[Line]:
    peers.install()
    server = peers.direct()
    contenders = {
        "direct": server,
        "ours": peers.penstock(server),
        "mcp-compressor": peers.mcp_compressor(server),
        "FastMCP proxy": peers.fastmcp_proxy(server),
    }
    with TemporaryDirectory() as byte_code:
        ms = clock.best(_in_turns(contenders, with_byte_code(Path(byte_code))))
    yield _line("start to tools/list, beside mcp-compressor", ms, "mcp-compressor", LIMIT)
    yield _line("start to tools/list, beside FastMCP proxy", ms, "FastMCP proxy", LIMIT)
    yield _line("start to tools/list, beside no relay", ms, "direct")


def _line(what: str, ms: Mapping[str, float], floor: str, limit: float | None = None) -> Line:
    return Line(what, ms["ours"], ms[floor], limit=limit)


def with_byte_code(folder: Path) -> dict[str, str]:
    """Return an environment in which Python caches byte code in the folder, as in an installation."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def _in_turns(contenders: Mapping[str, Contender], environment: Mapping[str, str]) -> Runs:
    """Return the seconds of every start. The first start warms up."""
    runs: Runs = {name: [] for name in contenders}
    for turn in range(ROUNDS + 1):
        for name, contender in contenders.items():
            seconds = _start(contender, environment)
            if turn:
                runs[name].append(seconds)
    return runs


def _start(contender: Contender, environment: Mapping[str, str]) -> float:
    start = perf_counter()
    with WireClient(contender.command, environment) as client:
        client.greet()
        return perf_counter() - start
