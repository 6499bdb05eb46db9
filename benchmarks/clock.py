"""Times that are comparable although the machine is shared.

The functions to compare run in turns, in one loop, so that a busy moment hits all of them. The best
of many runs counts, because other processes can only make a run slower.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter

Runs = dict[str, list[float]]


def in_turns(
    functions: Mapping[str, Callable[[], object]],
    rounds: int,
    timer: Callable[[], float] = perf_counter,
) -> Runs:
    """Return the seconds of every run of each function. The first run warms up."""
    for function in functions.values():
        function()
    runs: Runs = {name: [] for name in functions}
    gc.collect()
    gc.disable()  # otherwise a collection would hit a turn by chance
    try:
        for _ in range(rounds):
            for name, function in functions.items():
                start = timer()
                function()
                runs[name].append(timer() - start)
    finally:
        gc.enable()
    return runs


def best(runs: Runs) -> dict[str, float]:
    """Return the milliseconds of the fastest run."""
    return {name: 1_000 * min(times) for name, times in runs.items()}


def middle(runs: Runs) -> dict[str, float]:
    """Return the milliseconds of the median run."""
    return {name: 1_000 * median(times) for name, times in runs.items()}
