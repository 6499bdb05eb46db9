"""The time of `find_tools` over 1,800 tools: the search and its reply, within the default budget.

The tools are taken evenly from all available servers, and repeated under other names if there are
too few. The index is made once for a catalogue, and is measured separately. The questions are those
of `requests.toml`, in the users' words and in an agent's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import quantiles
from time import perf_counter_ns
from typing import Final

from benchmarks import clock
from benchmarks.catalogues import collected
from benchmarks.choosing import requests
from benchmarks.lines import Line
from penstock import Policy
from penstock.core.budget.measure import default_meter
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.search.find_tools import Finder

TOOLS: Final = 1_800
MOST_MS: Final = 3.0
PERCENTILES: Final = (50, 95)
ROUNDS: Final = 20
BUILDING_ROUNDS: Final = 5
_NS_PER_MS: Final = 1_000_000


def measure() -> Iterator[Line]:
    collection = collected()
    yield from collection.lines()
    catalogue = many_tools(collection.catalogues, TOOLS)
    building = clock.in_turns({"index": lambda: Finder(catalogue)}, BUILDING_ROUNDS)
    times = _times(Finder(catalogue))
    for percentile in PERCENTILES:
        found = quantiles(times, n=100)[percentile - 1]
        limit = MOST_MS if percentile == 50 else None
        what = f"find_tools over {len(catalogue):,} tools, p{percentile}"
        yield Line(what, found, 0, limit=limit, difference=True)
    yield Line("  its index, made once", clock.middle(building)["index"])


def many_tools(catalogues: Mapping[str, Catalogue], count: int) -> Catalogue:
    """Return this many tools of all servers, each under a unique name."""
    tools = [
        (f"{server}__{tool.name}", tool)
        for server, catalogue in catalogues.items()
        for tool in catalogue
    ]
    rounds = -(-count // len(tools))
    named = [
        {**tool.listed, "name": f"{name}_{turn}" if turn else name}
        for turn in range(rounds)
        for name, tool in tools
    ]
    # Take tools evenly: the first ones would all be from the first servers.
    return Catalogue.from_tools(named[number * len(named) // count] for number in range(count))


def _times(finder: Finder) -> list[float]:
    """Return the milliseconds of each search."""
    budget, meter = Policy().budget, default_meter()
    queries = [words for request in requests() for words in (request.find, request.asked)]
    times = []
    for turn in range(ROUNDS + 1):
        for query in queries:
            start = perf_counter_ns()
            finder.found(query, lambda reply: budget.admits(reply, meter))
            taken = (perf_counter_ns() - start) / _NS_PER_MS
            if turn:  # the first turn warms up
                times.append(taken)
    return times
