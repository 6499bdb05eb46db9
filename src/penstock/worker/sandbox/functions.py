"""The functions that SQL has here beyond SQLite's own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from penstock.worker.sandbox import dates, patterns
from penstock.worker.sandbox.aggregates import QUANTILES, SPREADS, Median, Quantile, Spread
from penstock.worker.sandbox.faults import Faults

# By name: the number of arguments (-1: the function itself counts them), and the function.
_SCALARS: dict[str, tuple[int, Callable[..., Any]]] = {
    "regexp": (2, patterns.regexp),
    "regexp_extract": (-1, patterns.regexp_extract),
    "regexp_replace": (3, patterns.regexp_replace),
    "date_trunc": (2, dates.date_trunc),
}
ADDED = ("median", "quantile", *SPREADS, "regexp_extract", "regexp_replace", "date_trunc")


def add_functions(db: sqlite3.Connection) -> Faults:
    """Add the functions to a connection, and return the record of their failures."""
    faults = Faults()
    for name, (arguments, function) in _SCALARS.items():
        db.create_function(name, arguments, faults.recorded(function), deterministic=True)
    for name, arguments, aggregate in _aggregates(faults):
        # A window function is an aggregate too.
        db.create_window_function(name, arguments, aggregate)
    return faults


def _aggregates(faults: Faults) -> Iterator[tuple[str, int, Callable[[], Any]]]:
    yield "median", 1, partial(Median, faults)
    for name in QUANTILES:
        yield name, 2, partial(Quantile, faults, name)
    for name, kind in SPREADS.items():
        yield name, 1, partial(Spread, faults, name, kind)
