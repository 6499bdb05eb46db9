"""The cost of a call, and of each further server, behind one Penstock for several servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks import peers, process_tree
from benchmarks.lines import Line
from benchmarks.relay_calls import PERCENTILES, Rounds, added, in_rounds, percentile_of
from benchmarks.several import groups
from benchmarks.several.groups import Servers
from benchmarks.wire import WireClient

OF_ONE_SERVER: Final = 1.1
OF_PEERS: Final = 0.8  # with several servers, as with one in `relay_calls`
MEGABYTES_OF_A_SERVER: Final = 2.0
_CALLED: Final = "light0"


def measure() -> Iterator[Line]:
    with TemporaryDirectory() as place:
        folder = Path(place)
        yield from _calls(folder)
        yield from _memory(folder)


def _calls(folder: Path) -> Iterator[Line]:
    peers.install()
    one, ten = folder / "one.json", folder / "ten.json"
    ours_of_ten = replace(groups.together(groups.light(), ten), prefix=f"{_CALLED}_")
    times = in_rounds(
        {
            "direct": peers.direct(),
            "run": peers.penstock(peers.direct()),
            "a file of one server": groups.together(groups.light(1), one),
            "one server of ten": ours_of_ten,
            "mcp-compressor": peers.mcp_compressor_config(ten, _CALLED),
            "FastMCP": peers.fastmcp_config(ten, f"{_CALLED}_"),
        }
    )
    for percentile in PERCENTILES:
        yield from _beside_one_server(times, percentile)
        yield from _beside_peers(times, percentile)


def _beside_one_server(times: Mapping[str, Rounds], percentile: int) -> Iterator[Line]:
    """Compare whole calls. The server answers in some 30 us, so that every part of a call shows."""
    floor = _middle(times["run"], percentile)
    for name in ("a file of one server", "one server of ten"):
        what = f"a call of {name}, p{percentile}, beside run with one server"
        yield Line(what, _middle(times[name], percentile), floor, "us", OF_ONE_SERVER)


def _beside_peers(times: Mapping[str, Rounds], percentile: int) -> Iterator[Line]:
    direct = times["direct"]
    ours = added(times["one server of ten"], direct, percentile)
    for name in ("mcp-compressor", "FastMCP"):
        what = f"  added to a call of one server of ten, p{percentile}, beside {name}"
        yield Line(what, ours, added(times[name], direct, percentile), "us", OF_PEERS)


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
