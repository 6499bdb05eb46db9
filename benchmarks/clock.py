"""Times that can be compared although the machine is shared.

What is compared runs in turns, in one loop, so that a busy moment hits all of it; and the best of
many runs is taken, because others can only make a run slower.
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
    """Seconds of every run of each function, after one that does not count."""
    for function in functions.values():
        function()
    runs: Runs = {name: [] for name in functions}
    gc.collect()
    gc.disable()  # whose turn it falls into is chance
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
    """Milliseconds of the fastest run."""
    return {name: 1_000 * min(times) for name, times in runs.items()}


def middle(runs: Runs) -> dict[str, float]:
    """Milliseconds of the median run."""
    return {name: 1_000 * median(times) for name, times in runs.items()}
