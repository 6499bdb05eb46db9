"""The shaping of a grid or a series, compared with finding the best cells in one pass.

The time includes the building of the `Grid`, which makes the pass over the cells.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

from benchmarks import clock
from benchmarks.lines import Line
from penstock.shaping import Grid, Series

ROUNDS = 7
SIDE = 1_000
LIMIT = 3
BEST = 5


@dataclass(slots=True)
class Transfer:
    dv: float
    days: float


def measure() -> Iterator[Line]:
    yield from _objects()
    yield from _arrays()
    yield from _series()


def _objects() -> Iterator[Line]:
    draw = random.Random(7).random
    numbers = [[draw() for _ in range(SIDE)] for _ in range(SIDE)]
    dicts = [[{"dv": dv, "days": 200.0} for dv in row] for row in numbers]
    yield _grid("dicts", dicts, partial(_smallest, dicts, itemgetter("dv")), rank_by="dv")
    holes = [[None if cell["dv"] > 0.7 else cell for cell in row] for row in dicts]
    yield _grid(
        "dicts, 30 % infeasible",
        holes,
        partial(_smallest, holes, itemgetter("dv"), some=True),
        rank_by="dv",
    )
    objects = [[Transfer(dv, 200.0) for dv in row] for row in numbers]
    yield _grid("dataclasses", objects, partial(_smallest, objects, attrgetter("dv")), rank_by="dv")
    yield _grid("numbers", numbers, partial(_smallest, numbers, None), limit=None)
    tall = [[number] for number in chain.from_iterable(numbers)]
    yield _grid("numbers, in one column", tall, partial(_smallest, tall, None), limit=None)


def _smallest(rows: Any, key: Any, *, some: bool = False) -> list[Any]:
    cells = chain.from_iterable(rows)
    return heapq.nsmallest(BEST, filter(None, cells) if some else cells, key=key)


def _arrays() -> Iterator[Line]:
    import numpy as np

    for side in (SIDE, 2 * SIDE):
        array = np.random.default_rng(7).random((side, side))

        def floor(array: Any = array) -> Any:
            return array.argmin(), np.argpartition(array, BEST, axis=None)[:BEST]

        yield _grid(f"numpy {side} x {side}", array, floor)


def _grid(
    what: str,
    cells: Any,
    floor: Callable[[], object],
    *,
    rank_by: str | None = None,
    limit: float | None = LIMIT,
) -> Line:
    def ours() -> object:
        return Grid(cells, rank_by=rank_by).summary()

    ms = clock.best(clock.in_turns({"ours": ours, "floor": floor}, ROUNDS))
    return Line(f"summary of a grid: {what}", ms["ours"], ms["floor"], limit=limit)


def _series() -> Iterator[Line]:
    import numpy as np

    count = 10_000_000
    heights = np.sin(np.arange(count) / 1e5)
    fields = {"t": np.arange(count) * 0.1, "height": heights}
    for sampling in ("even", "lttb", "minmax"):
        yield _ten_million(f"numpy, {sampling}", fields, sampling, heights.argmin)
    numbers = heights.tolist()
    yield _ten_million("a list, even", numbers, "even", lambda: (min(numbers), max(numbers)))


def _ten_million(what: str, entries: Any, sampling: Any, floor: Callable[[], object]) -> Line:
    def ours() -> object:
        return Series(entries, sampling=sampling).summary()

    ms = clock.best(clock.in_turns({"ours": ours, "floor": floor}, 3))
    return Line(f"summary of 10 million entries: {what}", ms["ours"], ms["floor"])
