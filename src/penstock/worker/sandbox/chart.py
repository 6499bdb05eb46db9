"""The points of a chart of a table: a few, whatever the number of rows.

The question is a `Drawing` in JSON. The answer is one object. Its `kind` depends on what the
columns hold: a histogram of numbers, counts by category or by time (with the mean of `y` if there
is a `y`), or pairs of numbers. The app draws these points and decides nothing about them. So the
answer also says how long a bin is (`step`), whether its numbers are `whole`, where the rows
begin and end if they fill the first or the last bin only in part (`partial`), and what the
categories without a bar have together (`others`).
"""

# The names in these statements are quoted, and the connection can only read.
# ruff: noqa: S608 (see above)

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import msgspec

from penstock.core.model.column_names import name_of
from penstock.core.model.questions import (
    Arrangement,
    Axes,
    ColumnRef,
    Drawing,
    Failure,
    WorkerAnswer,
)
from penstock.core.model.times import is_time
from penstock.worker.sandbox.charts.categories import categories
from penstock.worker.sandbox.charts.chart_rows import ChartRows
from penstock.worker.sandbox.charts.histogram import histogram
from penstock.worker.sandbox.charts.pairs import pairs
from penstock.worker.sandbox.charts.timeline import timeline, unit_of_times
from penstock.worker.sandbox.column import (
    Column,
    RefusedQuestion,
    column_of,
    read_fast,
)
from penstock.worker.sandbox.row_order import kept_rows, read_question
from penstock.worker.sandbox.table import Columns

Holds = Literal["numbers", "dates", "texts", "nothing"]

_SAMPLE = 500
_MOSTLY = 0.9
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_NUMBERED = (
    "The rows cannot be numbered: columns called rowid, _rowid_ and oid are in the way.",
    "Draw all rows, without a filter.",
)
_NO_ROWS = Failure("No row is left by the filters.", "Loosen one of them, or remove it.")
_NOTHING = Failure("The column holds nothing that a chart could show.", "Choose another column.")


def chart(db: sqlite3.Connection, columns: Columns, program: str) -> WorkerAnswer | Failure:
    asked = read_question(program, Drawing)
    try:
        with read_fast(db):
            drawn = _drawn(_rows(db, columns, asked))
    except RefusedQuestion as refused:
        return refused.failure
    if isinstance(drawn, Failure):
        return drawn
    return WorkerAnswer((msgspec.json.encode(drawn),), single=True, truncated=False)


def _rows(db: sqlite3.Connection, columns: Columns, asked: Drawing) -> ChartRows:
    """Return the requested rows with the columns x and y."""
    axes: Axes = asked.chart
    x = column_of(db, columns, axes.x, "draw")
    y = None if axes.y is None else column_of(db, columns, axes.y, "draw")
    said = [f"{_cell(db, x, 'x')} AS x", *([f"{_cell(db, y, 'y')} AS y"] if y else [])]
    where = _only_kept(db, columns, asked.rows)
    # The LIMIT makes SQLite compute a cell once, not each time a statement names it.
    source = f"(SELECT {', '.join(said)} FROM result{where} LIMIT -1)"
    names = _name(axes.x, asked.names), _name(axes.y or "", asked.names)
    rows = ChartRows(db, *names, source, has_y=y is not None)
    return replace(rows, has_y=rows.has_y and _holds(rows, "y") == "numbers")


def _name(column: ColumnRef, names: Sequence[str]) -> str:
    return column if isinstance(column, str) else name_of(column, names)


def _cell(db: sqlite3.Connection, column: Column, axis: str) -> str:
    """Return the SQL of a cell as it is drawn: numbers stored as text become numbers."""
    if column.is_boolean and axis == "x":
        return f"CASE {column.name} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END"
    if column.is_plain or not column.has_numbers:
        return column.name
    function = f"penstock_{axis}"
    db.create_function(function, 1, _drawn_by(column), deterministic=True)
    return f"{function}({column.name})"


def _drawn(rows: ChartRows) -> dict[str, Any] | Failure:
    holds = _holds(rows, "x")
    if holds == "nothing":
        return _NOTHING if rows.select(f"SELECT 1 FROM {rows.source} LIMIT 1") else _NO_ROWS
    if holds == "numbers":
        unit = unit_of_times(rows)
        timed = None if unit is None else timeline(rows, unit)
        return timed or (pairs(rows) if rows.has_y else histogram(rows))
    # Texts may look like dates and be none.
    return (timeline(rows, None) if holds == "dates" else None) or categories(rows)


def _holds(rows: ChartRows, name: str) -> Holds:
    kinds = dict(rows.select(f"SELECT typeof({name}), count(*) FROM {rows.source} GROUP BY 1"))
    kinds.pop("null", None)
    total = sum(kinds.values())
    if not total:
        return "nothing"
    if kinds.get("integer", 0) + kinds.get("real", 0) >= _MOSTLY * total:
        return "numbers"
    sample = rows.select(
        f"SELECT {name} FROM {rows.source} WHERE trim({name}) <> '' LIMIT {_SAMPLE}"
    )
    dates = sum(1 for (value,) in sample if is_time(str(value)))
    return "dates" if sample and dates >= _MOSTLY * len(sample) else "texts"


def _only_kept(db: sqlite3.Connection, columns: Columns, asked: Arrangement) -> str:
    """Return the WHERE clause that selects the shown rows; empty if all rows are shown."""
    kept = kept_rows(db, columns, asked)
    if all(kept):
        return ""
    if columns.row_number is None:
        raise RefusedQuestion(*_NUMBERED)
    db.create_function("penstock_kept", 1, lambda number: kept[number - 1], deterministic=True)
    return f" WHERE penstock_kept({columns.row_number})"


def _drawn_by(column: Column) -> Callable[[Any], Any]:
    def drawn(cell: Any) -> Any:
        number = column.number(cell)
        if not isinstance(cell, str) or number is None:
            return cell
        if isinstance(number, int) and _SMALLEST <= number <= _LARGEST:
            return number
        try:
            nearest = float(number)
        except OverflowError:
            return cell
        return cell if math.isinf(nearest) else nearest

    return drawn
