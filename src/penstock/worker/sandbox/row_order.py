"""The choice and order of the rows that the explorer shows.

The question is an `Arrangement` in JSON. The answer is a list of row numbers, from 0, and not the
rows: the parent has them exact to the digit, while a table rounds.
"""

from __future__ import annotations

import json
import operator
import sqlite3
from collections.abc import Iterable
from itertools import compress
from typing import Any, TypeVar

import msgspec

from penstock.core.model.questions import (
    Arrangement,
    Failure,
    Sort,
    WorkerAnswer,
)
from penstock.worker.sandbox.cells import LINE
from penstock.worker.sandbox.column import (
    Column,
    RefusedQuestion,
    cells,
    column_of,
    letters,
    printed,
    read_fast,
    unescaped,
)
from penstock.worker.sandbox.conditions import holding
from penstock.worker.sandbox.instants import moments_in_zones
from penstock.worker.sandbox.table import Columns

Asked = TypeVar("Asked")
Kept = bytearray  # One byte for each row: 1 if the row is kept.

# Separators of cells: control and private-use characters, more of them than a text has letters.
_MARKS = (*range(0x20), *range(0xF0000, 0xF4000))


def read_question(program: str, kind: type[Asked]) -> Asked:
    """Decode the question. A lone surrogate becomes the visible text that the table has for it."""
    try:
        return msgspec.json.decode(program, type=kind)
    except msgspec.DecodeError:
        return msgspec.convert(_visible(json.loads(program)), kind)


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {name: _visible(item) for name, item in value.items()}
    return [_visible(item) for item in value] if isinstance(value, list) else value


def order(db: sqlite3.Connection, columns: Columns, program: str) -> WorkerAnswer | Failure:
    asked = read_question(program, Arrangement)
    try:
        with read_fast(db):
            kept = kept_rows(db, columns, asked)
            numbers = _sorted(db, columns, asked.sort, list(compress(range(len(kept)), kept)))
    except RefusedQuestion as refused:
        return refused.failure
    return WorkerAnswer((msgspec.json.encode(numbers),), single=True, truncated=False)


def _sorted(
    db: sqlite3.Connection, columns: Columns, sort: Sort | None, numbers: list[int]
) -> list[int]:
    """Sort the rows. Missing cells come last in both directions; equal rows keep their order."""
    if sort is None:
        return numbers
    column = column_of(db, columns, sort.column, "sort")
    ranks = _ranks(column, list(cells(db, column.name)))
    there = [number for number in numbers if ranks[number] is not None]
    missing = [number for number in numbers if ranks[number] is None]
    there.sort(key=ranks.__getitem__, reverse=sort.descending)
    return there + missing


def _ranks(column: Column, held: list[Any]) -> list[Any]:
    """Return the sort keys of cells. Times with different zones are sorted as moments."""
    if column.is_plain:
        return held
    ranks = [None if cell is None else column.rank(cell) for cell in held]
    moments = moments_in_zones(held)
    if moments is None:
        return ranks
    # Cells that hold no time come after the times.
    return [
        rank and (2, rank) if moment is None else (1, moment)
        for rank, moment in zip(ranks, moments, strict=True)
    ]


def kept_rows(db: sqlite3.Connection, columns: Columns, asked: Arrangement) -> Kept:
    """Mark the rows for which every condition holds and in which the text is found."""
    [(count,)] = db.execute("SELECT count(*) FROM result")
    kept = Kept(b"\1" * count)
    for condition in asked.where:
        column = column_of(db, columns, condition.column, "filter")
        _keep(kept, holding(column, condition, cells(db, column.name)))
    if asked.find:
        _keep(kept, _finding(db, columns, asked.find))
    return kept


def _keep(kept: Kept, holding: Iterable[bool]) -> None:
    kept[:] = bytes(map(operator.and_, kept, holding))


# -- find

_BOOLEANS = {1: "true", 0: "false", None: None}


def _finding(db: sqlite3.Connection, columns: Columns, text: str) -> Iterable[bool]:
    """Join the cells of each row, and search each row once."""
    needle = text.casefold()
    between = next(mark for mark in map(chr, _MARKS) if mark not in needle)
    booleans = [at for at, key in enumerate(columns.keys) if columns.is_boolean(key)]
    line = columns.keys.index(LINE) if LINE in columns.keys else None
    for row in db.execute("SELECT * FROM result"):
        shown = list(row)
        for at in booleans:
            shown[at] = _BOOLEANS[row[at]]
        if line is not None:
            shown[line] = None  # The number of a line is not part of the line.
        joined = between.join([printed(cell) for cell in shown if cell is not None])
        yield needle in joined.casefold() or (
            "\\u" in joined
            and needle in letters(joined).casefold()
            and _found_escaped(needle, shown)
        )


def _found_escaped(needle: str, row: list[Any]) -> bool:
    """Search the decoded letters of lists only: in a text, `\\u` is no escape."""
    texts = (unescaped(cell) for cell in row if isinstance(cell, str))
    return any(needle in text.casefold() for text in texts if text is not None)
