"""The cost of a call, and of each further server, behind one Penstock for several servers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks import peers, process_tree
from benchmarks.lines import Line
from benchmarks.relay_calls import PERCENTILES, Rounds, in_rounds, percentile_of
from benchmarks.several import groups
from benchmarks.several.groups import Servers
from benchmarks.wire import WireClient

OF_ONE_SERVER: Final = 1.1
MEGABYTES_OF_A_SERVER: Final = 2.0


def measure() -> Iterator[Line]:
    with TemporaryDirectory() as place:
        folder = Path(place)
        yield from _calls(folder)
        yield from _memory(folder)


def _calls(folder: Path) -> Iterator[Line]:
    one, many = groups.light(1), groups.light()
    names = {f"one server of {len(many)}": "light0_"}
    contenders = {
        "run": peers.penstock(peers.direct()),
        "a file of one server": groups.together(one, folder / "one.json"),
        **{
            name: replace(groups.together(many, folder / "many.json"), prefix=prefix)
            for name, prefix in names.items()
        },
    }
    times = in_rounds(contenders)
    alone = times.pop("run")
    for percentile in PERCENTILES:
        floor = _middle(alone, percentile)
        for name, rounds in times.items():
            what = f"a call of {name}, p{percentile}, beside run with one server"
            yield Line(what, _middle(rounds, percentile), floor, "us", OF_ONE_SERVER)


def _middle(rounds: Rounds, percentile: int) -> float:
    return median(percentile_of(calls, percentile) for calls in rounds)


def _memory(folder: Path) -> Iterator[Line]:
    """Compare Penstock's own process in front of all servers with that in front of the first."""
    for kind, servers in (("light", groups.light()), ("real", groups.real(folder))):
        (first, *others) = servers.items()
        alone = _own_megabytes(dict([first]), folder / f"{kind}-1.json")
        all_of_them = _own_megabytes(servers, folder / f"{kind}-{len(servers)}.json")
        added = (all_of_them - alone) / len(others)
        yield Line(
            f"memory of each further {kind} server, beside the server itself", added, 0, "MB",
            MEGABYTES_OF_A_SERVER, difference=True,
        )  # fmt: skip
        yield Line(f"  in front of {len(servers)}, beside one", all_of_them, alone, "MB")


def _own_megabytes(servers: Servers, file: Path) -> float:
    """Return the memory of Penstock's process after the first list, for which all servers start."""
    with WireClient(groups.together(servers, file).command) as client:
        client.greet()
        return process_tree.own_megabytes(client.pid)
