"""Many sessions at once through `penstock serve`, compared with a server on the official SDK alone.

The clients are legacy sessions (2025-11-25). All are open before the first call, and each calls as
soon as it has an answer, so a time is mostly a wait for the others. In front of a URL, upstream is
the very server that is measured alone. In front of a command, each session has a process of its
own, a server without an SDK.

Penstock is also compared with a bare echo server on asyncio. One of the two limits is enough.

The load generator shares the cores with the servers. Its CPU time is in the report, and theirs too:
that says more than calls per second if the machine is busy with something else.

Linux only, for the CPU time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from benchmarks import payloads, peers
from benchmarks.http_load import Load, Outcome, best_in_turn, run
from benchmarks.http_wire import Served, served
from benchmarks.lines import Line
from benchmarks.peers import Contender

ROUNDS = 2
TEXT = "fifty bytes of text, as a small tool would give it"
ECHO = {"name": "echo", "arguments": {"text": TEXT}}
WARM = Load(20, 5, ECHO, TEXT.encode())
MANY = Load(500, 20, ECHO, TEXT.encode())
# With two workers, half of the calls arrive at one that has to pass them on.
ANEW = replace(MANY, reconnects=True)
# FastMCP's proxy answers about 15 calls per second. With 500 sessions it would take many minutes.
FEW = Load(50, 4, ECHO, TEXT.encode())
STEADY = Load(48, 8, ECHO, TEXT.encode(), interval=1)
# Alone, the server answers with its rows. Penstock holds them, and answers with a probe.
ROWS = Load(500, 5, {"name": "rows", "arguments": {}}, b"Customer")
HELD = replace(ROWS, mark=b"continuation_token")
ROW_COUNT = 210  # 40 kB

OF_SDK = 0.35
OF_ECHO = 0.12
OF_SDK_IF_HELD = 0.25
P95 = 3.0
ADDED_MS = 2.0


class Servers:
    """The servers of a run. Each starts, and is warm, when it is first asked for."""

    def __init__(self, running: ExitStack, folder: Path) -> None:
        self._running = running
        self._folder = folder
        self._results = folder / "results"
        self._results.mkdir()
        (self._results / "rows.json").write_bytes(_rows())

    @cached_property
    def sdk(self) -> Served:
        return self.start(_server("sdk_http", self._results))

    @cached_property
    def echo(self) -> Served:
        return self.start(_server("light_http", self._results))

    @cached_property
    def fronts(self) -> dict[str, Served]:
        """Return Penstock in front of the SDK's server and of a command, under their names."""
        return self._before(self.sdk) | self.before_command

    @cached_property
    def before_command(self) -> dict[str, Served]:
        command = ("--", *peers.direct(str(self._results)).command)
        return {
            f"a command, workers: {workers}": self._penstock(workers, *command)
            for workers in worker_counts()
        }

    @cached_property
    def before_echo(self) -> dict[str, Served]:
        """Return Penstock in front of the bare echo server, under the names of `fronts`."""
        return self._before(self.echo)

    def start(self, contender: Contender) -> Served:
        server = self._running.enter_context(served(contender.command))
        run(server, of(contender, WARM))
        return server

    def _before(self, upstream: Served) -> dict[str, Served]:
        return {
            f"a URL, workers: {workers}": self._penstock(workers, "--url", upstream.url)
            for workers in worker_counts()
        }

    def _penstock(self, workers: int, *target: str) -> Served:
        if workers == 1:
            return self.start(peers.penstock_http(*target))
        file = Path(mkdtemp(dir=self._folder)) / "store.db"  # Workers cannot share memory.
        options = ("--workers", str(workers), "--store", f"sqlite:///{file}")
        return self.start(peers.penstock_http(*options, *target))


def many() -> Iterator[Line]:
    yield from _with_servers(_many)


def steady() -> Iterator[Line]:
    yield from _with_servers(_steady)


def held() -> Iterator[Line]:
    yield from _with_servers(_held)


def beside_peers() -> Iterator[Line]:
    peers.install()
    yield from _with_servers(_beside_peers)


def _with_servers(measure: Callable[[Servers], Iterator[Line]]) -> Iterator[Line]:
    if sys.platform != "linux":
        return
    with TemporaryDirectory() as folder, ExitStack() as running:
        yield from measure(Servers(running, Path(folder)))


@cache
def worker_counts() -> tuple[int, ...]:
    """Return one and two, or only one if this Penstock has no workers."""
    command = (sys.executable, "-m", "penstock", "serve", "--help")
    helped = subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    return (1, 2) if b"--workers" in helped.stdout else (1,)


def of(contender: Contender, load: Load) -> Load:
    """Return a load of `echo` as this server wants to be called."""
    return replace(load, params=contender.call("echo", text=TEXT))


def _server(name: str, results: Path) -> Contender:
    return Contender((sys.executable, "-m", f"benchmarks.servers.{name}", str(results)))


def _rows() -> bytes:
    text = payloads.as_json(payloads.ordinary(ROW_COUNT)).decode()
    return json.dumps({"content": [{"type": "text", "text": text}]}).encode()


def _many(servers: Servers) -> Iterator[Line]:
    yield from _compared(servers, MANY, servers.fronts)
    most = f"a URL, workers: {worker_counts()[-1]}"
    yield from _compared(servers, ANEW, {most: servers.fronts[most]})


def _compared(servers: Servers, load: Load, fronts: Mapping[str, Served]) -> Iterator[Line]:
    before_echo = {**fronts, **servers.before_echo}
    measured = [servers.sdk, servers.echo, *fronts.values(), *map(before_echo.__getitem__, fronts)]
    outcomes = best_in_turn(dict.fromkeys(measured, load), ROUNDS)
    sdk, echo = outcomes[servers.sdk], outcomes[servers.echo]
    for name, front in fronts.items():
        ours, ours_before_echo = outcomes[front], outcomes[before_echo[name]]
        what = f"{load}, {name}"
        yield from _either(
            _rate(f"{what}: calls per second, SDK", ours, sdk, OF_SDK),
            _rate(f"{what}: calls per second, bare echo", ours_before_echo, echo, OF_ECHO),
        )
        yield Line(f"{what}: p95, SDK", ours.percentile(95), sdk.percentile(95), limit=P95)
        yield Line(f"  {what}: CPU of a call, SDK", ours.server_ms, sdk.server_ms)
        yield Line(
            f"  {what}: CPU of a call, bare echo", ours_before_echo.server_ms, echo.server_ms
        )
    yield Line(f"  {load}: CPU of the load generator, of a call", sdk.own_ms, echo.own_ms)
    yield _failures(load, outcomes)


def _steady(servers: Servers) -> Iterator[Line]:
    measured = [servers.sdk, *servers.fronts.values()]
    outcomes = best_in_turn(dict.fromkeys(measured, STEADY), ROUNDS)
    alone = outcomes[servers.sdk].percentile(50)
    load = f"{STEADY.sessions} calls per second"
    for name, front in servers.fronts.items():
        ours = outcomes[front].percentile(50)
        yield Line(f"{load}, {name}: p50", ours, alone, limit=ADDED_MS, difference=True)
    yield _failures(load, outcomes)


def _held(servers: Servers) -> Iterator[Line]:
    loads = {servers.sdk: ROWS} | dict.fromkeys(servers.fronts.values(), HELD)
    outcomes = best_in_turn(loads, ROUNDS)
    alone = outcomes[servers.sdk]
    load = f"{HELD} of 40 kB, held"
    for name, front in servers.fronts.items():
        ours = outcomes[front]
        yield _rate(f"{load}, {name}: calls per second", ours, alone, OF_SDK_IF_HELD)
        yield Line(f"  {load}, {name}: CPU of a call", ours.server_ms, alone.server_ms)
    yield _failures(load, outcomes)


def _beside_peers(servers: Servers) -> Iterator[Line]:
    ours = next(iter(servers.fronts.values()))
    url = servers.sdk.url
    yield from _beside("mcp-compressor", peers.mcp_compressor_http(url), MANY, ours, servers.start)
    yield from _beside("FastMCP's proxy", peers.fastmcp_proxy_http(url), FEW, ours, servers.start)


def _beside(
    name: str, peer: Contender, load: Load, ours: Served, start: Callable[[Contender], Served]
) -> Iterator[Line]:
    theirs = start(peer)
    outcomes = best_in_turn({ours: load, theirs: of(peer, load)}, 1)
    what = f"{load}, a URL, beside {name}"
    yield _rate(f"{what}: calls per second", outcomes[ours], outcomes[theirs])
    yield Line(f"{what}: p95", outcomes[ours].percentile(95), outcomes[theirs].percentile(95))
    yield Line(f"  {what}: CPU of a call", outcomes[ours].server_ms, outcomes[theirs].server_ms)
    yield _failures(f"{load}, {name}", {theirs: outcomes[theirs]}, may_be=True)


def _rate(what: str, ours: Outcome, floor: Outcome, least: float | None = None) -> Line:
    return Line(what, ours.per_second, floor.per_second, "/s", least, at_least=True)


def _either(*lines: Line) -> Iterable[Line]:
    """Take the limit from the others if one line is within its own."""
    if all(line.is_over for line in lines):
        return lines
    return [replace(line, limit=None) if line.is_over else line for line in lines]


def _failures(load: object, outcomes: Mapping[Served, Outcome], *, may_be: bool = False) -> Line:
    failed = sum(outcome.failures for outcome in outcomes.values())
    limit = None if may_be else 0
    return Line(f"  {load}: failed calls", failed, 0, "", limit, difference=True)
