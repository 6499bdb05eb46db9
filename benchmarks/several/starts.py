"""The time until one Penstock lists the tools of ten servers, for which a host waits.

Servers that only wait show how much Penstock adds to the slowest of them. Real servers compute while
they start, and a machine has fewer cores than servers. So these are compared with the same servers,
all started at once, with nothing in front of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from benchmarks import clock, peers
from benchmarks.clock import Runs
from benchmarks.lines import Line
from benchmarks.relay_start import with_byte_code
from benchmarks.several import groups
from benchmarks.wire import WireClient

ROUNDS: Final = 5
SECONDS_OF_THE_SLOWEST: Final = 3.0
BESIDE_THE_SLOWEST: Final = 1.2
MS_IF_KNOWN: Final = 300

Environment = Mapping[str, str]
Start = Callable[[], float]  # gives the seconds


def measure() -> Iterator[Line]:
    # The process that counts tokens may write byte code for a moment after Penstock has ended.
    with TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        environment = with_byte_code(folder / "byte-code")
        yield from _late(folder, environment)
        yield from _real(folder, environment)


def _late(folder: Path, environment: Environment) -> Iterator[Line]:
    servers = groups.slow(SECONDS_OF_THE_SLOWEST)
    ours = groups.together(servers, folder / "slow.json")
    marks = [f"{name}_echo" for name in servers]
    slowest = [*servers.values()][-1]
    ms = _in_turns(
        {
            "ours": lambda: _start_without_memory(ours.command, environment, folder, marks),
            "slowest": lambda: _start(slowest.command, {**environment, **slowest.environment}),
        }
    )
    what = "ten servers that start late: to tools/list, beside the slowest alone"
    yield Line(what, ms["ours"], ms["slowest"], limit=BESIDE_THE_SLOWEST)


def _real(folder: Path, environment: Environment) -> Iterator[Line]:
    servers = groups.real(folder)
    ours = groups.together(servers, folder / "real.json")
    first, *_ = servers.values()
    alone = peers.penstock(peers.Contender(first.command))
    commands = [one.command for one in servers.values()]
    variables = {key: value for one in servers.values() for key, value in one.environment.items()}
    around = {**environment, **variables}
    kept = _with_state(environment, folder / "kept")
    starts: dict[str, Start] = {
        "ours": lambda: _start_without_memory(ours.command, environment, folder, [*servers]),
        "known": lambda: _start(ours.command, kept, [*servers]),
        "at once": lambda: _all_at_once(commands, around),
        "run": lambda: _start(alone.command, around),
    }
    for number, command in enumerate(commands):
        starts[f"alone {number}"] = partial(_start, command, around)
    ms = _in_turns(starts)
    slowest = max(value for name, value in ms.items() if name.startswith("alone"))
    what = "ten real servers: to tools/list"
    yield Line(
        f"{what}, beside all of them at once", ms["ours"], ms["at once"], limit=BESIDE_THE_SLOWEST
    )
    yield Line(f"{what}, beside the slowest alone", ms["ours"], slowest)
    yield Line(
        f"{what}, if the lists are known", ms["known"], 0, limit=MS_IF_KNOWN, difference=True
    )
    yield Line("  beside run with the first server alone", ms["known"], ms["run"])


def _in_turns(starts: Mapping[str, Start]) -> dict[str, float]:
    """Return the milliseconds of the best start of each. The first warms up."""
    runs: Runs = {name: [] for name in starts}
    for turn in range(ROUNDS + 1):
        for name, start in starts.items():
            seconds = start()
            if turn:
                runs[name].append(seconds)
    return clock.best(runs)


def _start(command: Sequence[str], environment: Environment, marks: Sequence[str] = ()) -> float:
    start = perf_counter()
    with WireClient(command, environment) as client:
        listed = client.greet()
        seconds = perf_counter() - start
    # A list that lacks a server would be fast.
    missing = [mark for mark in marks if mark.encode() not in listed]
    assert not missing, missing
    return seconds


def _start_without_memory(
    command: Sequence[str], environment: Environment, folder: Path, marks: Sequence[str]
) -> float:
    """Start with an empty state folder, in which no list is known."""
    with TemporaryDirectory(dir=folder) as state:
        return _start(command, _with_state(environment, Path(state)), marks)


def _with_state(environment: Environment, state: Path) -> Environment:
    return {**environment, "XDG_STATE_HOME": str(state), "LOCALAPPDATA": str(state)}


def _all_at_once(commands: Sequence[Sequence[str]], environment: Environment) -> float:
    with ThreadPoolExecutor(len(commands)) as pool:
        return max(pool.map(lambda command: _start(command, environment), commands))
