"""The points of a chart of a table: a few, whatever the number of rows.

The question is a `Drawing` in JSON. The answer is one object. Its `kind` depends on what the
columns hold: a histogram of numbers, counts by category or by time (with the mean of `y` if there
is a `y`), or pairs of numbers.
"""

# The names in these statements are quoted, and the connection can only read.
# ruff: noqa: S608 (see above)

from __future__ import annotations

import math
import re
import sqlite3
import sys
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from penstock.core.model.questions import Arrangement, Drawing, Failure, WorkerAnswer
from penstock.worker.sandbox.column import (
    Column,
    RefusedQuestion,
    column_of,
    read_fast,
    spelled,
)
from penstock.worker.sandbox.row_order import kept_rows, read_question
from penstock.worker.sandbox.table import Columns

Holds = Literal["numbers", "dates", "texts", "nothing"]

BINS = 30
CATEGORIES = 30
PAIRS = 1_000
_OUTERMOST = 4  # the pairs with the least and the greatest x and y
MOST_TIMES = 400
_SAMPLE = 500
_MOSTLY = 0.9
_FINEST = 2.0**-40
_TINIEST = 1e-300
_LABEL_CHARS = 100
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")
# SQLite would also accept numbers, "now" and hours without a day as a time.
_STARTS_LIKE_A_DAY = "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'"
_LAST = "9999-12-31T23:59:59Z"
_DAY = 1.0
# The steps of a timeline: the most days it may span, the format of a start, the step to the end.
_STEPS = (
    (2 / 24, "%Y-%m-%dT%H:%M:00Z", "+1 minute"),
    (4 * _DAY, "%Y-%m-%dT%H:00:00Z", "+1 hour"),
    (200 * _DAY, "%Y-%m-%dT00:00:00Z", "+1 day"),
    (30 * 365 * _DAY, "%Y-%m-01T00:00:00Z", "+1 month"),
    (400 * 365 * _DAY, "%Y-01-01T00:00:00Z", "+1 year"),
)
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
            drawn = _Chart(db, columns, asked).drawn()
    except RefusedQuestion as refused:
        return refused.failure
    if drawn is None:
        return _NOTHING
    if not drawn:
        return _NO_ROWS
    return WorkerAnswer((msgspec.json.encode(drawn),), single=True, truncated=False)


class _Chart:
    """One chart, drawn from a subquery that gives the requested rows the columns x and y."""

    def __init__(self, db: sqlite3.Connection, columns: Columns, asked: Drawing) -> None:
        self._db = db
        self._asked = asked.chart
        x = column_of(db, columns, asked.chart.x, "draw")
        y = None if asked.chart.y is None else column_of(db, columns, asked.chart.y, "draw")
        said = [f"{self._cell(x, 'x')} AS x", *([f"{self._cell(y, 'y')} AS y"] if y else [])]
        where = _only_kept(db, columns, asked.rows)
        # The LIMIT makes SQLite compute a cell once, not each time a statement names it.
        self._source = f"(SELECT {', '.join(said)} FROM result{where} LIMIT -1)"
        self._x = "x"
        self._y = "y" if y else None

    def _cell(self, column: Column, axis: str) -> str:
        """Return the SQL of a cell as it is drawn: numbers stored as text become numbers."""
        if column.is_boolean and axis == "x":
            return f"CASE {column.name} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END"
        if column.is_plain or not column.has_numbers:
            return column.name
        function = f"penstock_{axis}"
        self._db.create_function(function, 1, _drawn_by(column), deterministic=True)
        return f"{function}({column.name})"

    def drawn(self) -> dict[str, Any] | None:
        """Return the chart, None if the column holds nothing, or {} if there are no rows."""
        holds = self._holds(self._x)
        if holds == "nothing":
            return None if self._rows(f"SELECT 1 FROM {self._source} LIMIT 1") else {}
        if self._y is not None and self._holds(self._y) != "numbers":
            self._y = None
        if holds == "numbers":
            return self._pairs() if self._y else self._histogram()
        return self._timeline() if holds == "dates" else self._categories()

    def _holds(self, name: str) -> Holds:
        kinds = dict(self._rows(f"SELECT typeof({name}), count(*) FROM {self._source} GROUP BY 1"))
        kinds.pop("null", None)
        total = sum(kinds.values())
        if not total:
            return "nothing"
        if kinds.get("integer", 0) + kinds.get("real", 0) >= _MOSTLY * total:
            return "numbers"
        sample = [
            str(value)
            for (value,) in self._rows(
                f"SELECT {name} FROM {self._source} WHERE {name} IS NOT NULL LIMIT {_SAMPLE}"
            )
        ]
        dates = sum(1 for value in sample if _DATE.fullmatch(value))
        return "dates" if dates >= _MOSTLY * len(sample) else "texts"

    def _histogram(self) -> dict[str, Any]:
        x, numbers = self._x, _numbers(self._x)
        [(low, high, whole)] = self._rows(
            f"SELECT min({x}), max({x}), min(typeof({x}) = 'integer') "
            f"FROM {self._source} WHERE {numbers}"
        )
        step = _step(high / BINS - low / BINS, max(-low, high), whole=bool(whole))
        first = math.floor(low / step)
        counted = self._rows(
            f"SELECT CAST({x} / {step!r} - {first} AS INTEGER) AS bin, count(*) "
            f"FROM {self._source} WHERE {numbers} GROUP BY bin ORDER BY bin"
        )
        points = [
            {"x": _edge(first + bin_, step), "x2": _edge(first + bin_ + 1, step), "count": count}
            for bin_, count in counted
        ]
        return self._told("histogram", points)

    @property
    def _mean(self) -> str:
        return f", avg({self._y})" if self._y else ""

    @property
    def _with_value(self) -> str:
        """Return the SQL that leaves out rows whose `y` is no number: SQLite's mean takes texts
        for 0, and rows without a share in the mean are not counted either."""
        return f" AND {_numbers(self._y)}" if self._y else ""

    def _categories(self) -> dict[str, Any]:
        found = self._rows(
            f"SELECT {self._x} AS x, count(*) AS n{self._mean} FROM {self._source} "
            f"WHERE {self._x} IS NOT NULL{self._with_value} GROUP BY 1 ORDER BY n DESC, x LIMIT {CATEGORIES}"
        )
        labels = _labels([str(x) for x, *_ in found])
        points = [_point(label, *rest) for label, (_, *rest) in zip(labels, found, strict=True)]
        return self._told("categories", points)

    def _timeline(self) -> dict[str, Any]:
        day = f"CASE WHEN {self._x} GLOB {_STARTS_LIKE_A_DAY} THEN julianday({self._x}) END"
        [(low, high)] = self._rows(f"SELECT min({day}), max({day}) FROM {self._source}")
        if low is None:
            return self._categories()  # The texts look like dates but are not.
        steps = ((shape, step) for most, shape, step in _STEPS if high - low <= most)
        shape, step = next(steps, _STEPS[-1][1:])
        found = self._rows(
            f"SELECT strftime('{shape}', {self._x}) AS x, count(*){self._mean} FROM {self._source} "
            f"WHERE {day} IS NOT NULL{self._with_value} GROUP BY 1 ORDER BY 1 LIMIT {MOST_TIMES}"
        )
        ends = dict(self._ends([x for x, *_ in found], shape, step))
        points = [{**_point(x, *rest), "x2": ends[x]} for x, *rest in found]
        return self._told("timeline", points)

    def _ends(self, starts: list[str], shape: str, step: str) -> list[tuple[str, str]]:
        return [
            (start, self._rows(f"SELECT strftime('{shape}', '{start}', '{step}')")[0][0] or _LAST)
            for start in starts
        ]

    def _pairs(self) -> dict[str, Any]:
        """Return pairs spaced evenly over the rows, to keep their shape, and always the extremes."""
        assert self._y is not None  # noqa: S101 (the caller checks it)
        held = f"{_numbers(self._x)} AND {_numbers(self._y)}"
        [(total,)] = self._rows(f"SELECT count(*) FROM {self._source} WHERE {held}")
        every = 1 if total <= PAIRS else -(-total // (PAIRS - _OUTERMOST))
        numbered = (
            f"(SELECT {self._x} AS x, {self._y} AS y, row_number() OVER () - 1 AS n "
            f"FROM {self._source} WHERE {held})"
        )
        # Beside max() or min(), SQLite takes the other cells from the row with that value.
        ends = [
            self._rows(f"SELECT {function}({name}), n FROM {numbered}")[0][1]
            for function in ("min", "max")
            for name in ("x", "y")
        ]
        outermost = ", ".join(str(number) for number in ends if number is not None)
        found = self._rows(
            f"SELECT x, y FROM {numbered} WHERE n % {every} = 0 OR n IN ({outermost}) ORDER BY n"
        )
        points = [{"x": x, "y": y} for x, y in found]
        return self._told("scatter", points, len(points))

    def _told(
        self, kind: str, points: list[dict[str, Any]], counted: int | None = None
    ) -> dict[str, Any]:
        [(total,)] = self._rows(f"SELECT count(*) FROM {self._source}")
        counted = sum(point["count"] for point in points) if counted is None else counted
        return {
            "kind": kind,
            "x": spelled(self._asked.x),
            "y": spelled(self._asked.y) if self._y and self._asked.y else None,
            "rows": counted,
            "left_out": total - counted,
            "points": points,
        }

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self._db.execute(statement).fetchall()


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


def _labels(texts: list[str]) -> list[str]:
    """Return the beginnings of the texts, numbered where two are alike."""
    labels: dict[str, None] = {}
    for text in texts:
        label, number = text[:_LABEL_CHARS], 2
        while label in labels:
            mark = f"… ({number})"
            label, number = text[: _LABEL_CHARS - len(mark)] + mark, number + 1
        labels[label] = None
    return list(labels)


def _step(least: float, largest: float, *, whole: bool) -> float:
    """Return a round number, not below `least`: 1, 2 or 5 times a power of ten. It is large enough
    for a float to tell `largest` from its neighbours."""
    least = max(least or 1.0, largest * _FINEST, _TINIEST)
    magnitude = 10.0 ** math.floor(math.log10(least))
    step = next(times * magnitude for times in (1, 2, 5, 10, 20) if times * magnitude >= least)
    return max(step, 1.0) if whole else step


def _edge(number: int, step: float) -> float:
    """Return where a bin begins, without the rounding error of the multiplication."""
    most = sys.float_info.max
    edge = round(number * step, max(0, -math.floor(math.log10(step))))
    return max(-most, min(edge, most))


def _numbers(name: str) -> str:
    return f"typeof({name}) IN ('integer', 'real')"


def _point(x: str, count: int, mean: float | None = None) -> dict[str, Any]:
    point: dict[str, Any] = {"x": x, "count": count}
    return point if mean is None else {**point, "mean": mean}
