"""The fitting of 100,000 rows of 20 columns to a widget's cap, compared with encoding them once.

The floor is orjson, over the same list of dicts. Frames and rows that nearly fit are for
information. The floor of a frame is its own library making rows, and orjson encoding them.

Times are processor time: both sides run in one thread and do not wait, and other processes on the
machine disturb it less. Frames may use several threads, so the clock times them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from time import process_time
from typing import Any

import orjson

from benchmarks import clock
from benchmarks.lines import Line
from penstock.widgets import fit_rows

ROUNDS = 7
FRAME_ROUNDS = 3
COUNT = 100_000
LIMIT = 2.0
BUDGET = 130_000
SPEC = {
    "mark": "point",
    "encoding": {"x": {"field": "amount 1"}, "y": {"field": "number 1"}},
}
CHOICES: dict[str, dict[str, Any]] = {
    "first": {},
    "spread": {"choose": "spread"},
    "largest by number": {"choose": "largest", "by": "amount 1"},
    "largest by text": {"choose": "largest", "by": "text 1"},
}

Row = dict[str, Any]


def measure() -> Iterator[Line]:
    rows = list(_rows())
    for what, options in CHOICES.items():
        for columns, spec in {"no spec": None, "two columns in the spec": SPEC}.items():
            ours = partial(fit_rows, rows, BUDGET, spec, **options)
            yield _line(f"{what}, {columns}", ours, partial(orjson.dumps, rows), LIMIT)
    yield from _shapes(rows)
    yield from _sizes(rows)
    yield from _frames(rows)


def _shapes(rows: list[Row]) -> Iterator[Line]:
    """Measure rows whose first row is not typical of the others."""
    giant = [*rows[: COUNT // 2], {"text 1": "x" * 5_000_000}, *rows[COUNT // 2 :]]
    uneven = [
        row if number % 3 else row | {f"odd {number % 99}": 1} for number, row in enumerate(rows)
    ]
    cjk = [row | {"text 1": "水は門で止まる" * 3} for row in rows]
    gaps = [row | {"amount 1": None} if number % 7 == 0 else row for number, row in enumerate(rows)]
    own = [{f"{name} ".rstrip(): value for name, value in row.items()} for row in rows]
    shapes = {
        "a giant in the middle": giant,
        "different keys": uneven,
        "keys that each row has its own copy of": own,
        "CJK": cjk,
        "gaps": gaps,
    }
    for shape, some in shapes.items():
        for what, options in CHOICES.items():
            ours = partial(fit_rows, some, BUDGET, **options)
            yield _line(f"{what}, {shape}", ours, partial(orjson.dumps, some), LIMIT)


def _sizes(rows: list[Row]) -> Iterator[Line]:
    size = len(orjson.dumps(rows))
    for what, budget in {"all of them fit": 2 * size, "nearly all": size * 99 // 100}.items():
        ours = partial(fit_rows, rows, budget)
        yield _line(f"first, {what}", ours, partial(orjson.dumps, rows), None)


def _frames(rows: list[Row]) -> Iterator[Line]:
    pandas, polars = (import_module(name).DataFrame(rows) for name in ("pandas", "polars"))
    floors: dict[str, tuple[Any, Callable[[], object]]] = {
        "pandas": (pandas, lambda: orjson.dumps(pandas.to_dict("records"))),
        "polars": (polars, lambda: orjson.dumps(polars.to_dicts())),
    }
    for library, (frame, floor) in floors.items():
        for what, options in CHOICES.items():
            ours = partial(fit_rows, frame, BUDGET, SPEC, **options)
            ms = clock.best(clock.in_turns({"ours": ours, "floor": floor}, FRAME_ROUNDS))
            text = f"fit_rows: {what}, a frame of {library}, with a spec"
            yield Line(text, ms["ours"], ms["floor"])


def _line(
    what: str, ours: Callable[[], object], floor: Callable[[], object], limit: float | None
) -> Line:
    ms = clock.best(clock.in_turns({"ours": ours, "floor": floor}, ROUNDS, process_time))
    return Line(f"fit_rows: {what}", ms["ours"], ms["floor"], limit=limit)


def _rows() -> Iterator[Row]:
    """Yield rows that share their key objects, like rows from a parser or a database."""
    chance = random.Random(COUNT)
    kinds: dict[str, Callable[[], object]] = {
        "amount": lambda: round(1_000 * chance.random(), 3),
        "number": lambda: chance.randrange(10_000),
        "text": lambda: f"some words {chance.randrange(10**6)}",
        "day": lambda: f"2026-0{chance.randrange(1, 9)}-1{chance.randrange(10)}T09:12:45Z",
    }
    columns = {f"{kind} {at}": make for at in range(1, 6) for kind, make in kinds.items()}
    for _ in range(COUNT):
        yield {name: make() for name, make in columns.items()}
