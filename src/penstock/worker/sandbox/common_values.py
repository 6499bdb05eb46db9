"""The values of a column, with the number of rows of each, if they are few.

The question is a `ValuesOf` in JSON, and the answer one object. Values that the filter `equals` takes
for the same are one value here: texts that differ only in case.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from penstock.core.model.questions import Failure, ValuesOf, WorkerAnswer
from penstock.worker.sandbox.column import (
    Column,
    RefusedQuestion,
    cells,
    column_of,
    read_fast,
)
from penstock.worker.sandbox.row_order import read_question
from penstock.worker.sandbox.table import Columns

FEW = 40
_LONGEST = 200
_SAFE = 2**53  # Beyond, JavaScript rounds whole numbers.


def values(db: sqlite3.Connection, columns: Columns, program: str) -> WorkerAnswer | Failure:
    asked = read_question(program, ValuesOf)
    try:
        with read_fast(db):
            column = column_of(db, columns, asked.column, "filter")
            told = _counted(db, column)
    except RefusedQuestion as refused:
        return refused.failure
    return WorkerAnswer((msgspec.json.encode(told),), single=True, truncated=False)


def _counted(db: sqlite3.Connection, column: Column) -> dict[str, Any]:
    """Return the values, commonest first. `few` is false, without items, if they are too many."""
    first: dict[Any, Any] = {}
    counts: dict[Any, int] = {}
    missing = 0
    for cell in cells(db, column.name):
        if cell is None:
            missing += 1
            continue
        key = _key(column, cell)
        first.setdefault(key, cell)
        counts[key] = counts.get(key, 0) + 1
        if len(counts) > FEW or (isinstance(cell, str) and len(cell) > _LONGEST):
            return {"few": False, "missing": 0, "items": []}
    items = [{"value": _value(column, first[key]), "count": counts[key]} for key in counts]
    items.sort(key=lambda item: (-item["count"], column.rank(item["value"])))
    return {"few": True, "missing": missing, "items": items}


def _key(column: Column, cell: Any) -> Any:
    number = column.number(cell)
    return column.shown(cell).casefold() if number is None else number


def _value(column: Column, cell: Any) -> Any:
    if column.is_boolean:
        return bool(cell)
    is_rounded = isinstance(cell, int) and abs(cell) > _SAFE
    return str(cell) if is_rounded else cell
