"""Times that are comparable although the machine is shared.

The functions to compare run in turns, in one loop, so that a busy moment hits all of them. The best
of many runs counts, because other processes can only make a run slower.

Each round starts at another depth of the stack. CPython keeps its frames in chunks of 16 kB, and a
loop that calls from one chunk into the next maps and frees memory at every call. This can double
the time of a function, at one depth and not at the next.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Final

# A frame has some 100 bytes or more, so this is more than a chunk.
_DEPTHS: Final = 100
_STRIDE: Final = 37  # so that a few rounds are spread over all depths
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
        for turn in range(rounds):
            for name, function in functions.items():
                runs[name].append(_seconds(function, timer, depth=turn * _STRIDE % _DEPTHS))
    finally:
        gc.enable()
    return runs


def _seconds(function: Callable[[], object], timer: Callable[[], float], depth: int) -> float:
    if depth:
        return _seconds(function, timer, depth - 1)
    start = timer()
    function()
    return timer() - start


def best(runs: Runs) -> dict[str, float]:
    """Return the milliseconds of the fastest run."""
    return {name: 1_000 * min(times) for name, times in runs.items()}


def middle(runs: Runs) -> dict[str, float]:
    """Return the milliseconds of the median run."""
    return {name: 1_000 * median(times) for name, times in runs.items()}
