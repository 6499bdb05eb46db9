"""The choice and order of the rows that the explorer shows.

The question is an `Arrangement` in JSON. The answer is a list of row numbers, from 0, and not the
rows: the parent has them exact to the digit, while a table rounds.

Python compares the cells, because SQLite knows no case or accent beyond ASCII, no integer beyond
64 bits, and no true or false.
"""

from __future__ import annotations

import json
import operator
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from itertools import compress
from typing import Any, TypeVar

import msgspec

from penstock.core.model.questions import (
    Arrangement,
    Condition,
    Failure,
    Op,
    Sort,
    Value,
    WorkerAnswer,
)
from penstock.worker.sandbox.cells import LINE
from penstock.worker.sandbox.column import (
    Column,
    RefusedQuestion,
    cells,
    column_of,
    letters,
    read_fast,
    unescaped,
)
from penstock.worker.sandbox.comparison import number_in, text_rank
from penstock.worker.sandbox.table import Columns

Asked = TypeVar("Asked")
Test = Callable[[Any], bool]  # of a cell that is not NULL
Kept = bytearray  # One byte for each row: 1 if the row is kept.

_PATTERN_CHARS = 60
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
    held = cells(db, column.name)
    if column.is_plain:
        ranks = list(held)
    else:
        ranks = [None if cell is None else column.rank(cell) for cell in held]
    there = [number for number in numbers if ranks[number] is not None]
    missing = [number for number in numbers if ranks[number] is None]
    there.sort(key=ranks.__getitem__, reverse=sort.descending)
    return there + missing


def kept_rows(db: sqlite3.Connection, columns: Columns, asked: Arrangement) -> Kept:
    """Mark the rows for which every condition holds and in which the text is found."""
    [(count,)] = db.execute("SELECT count(*) FROM result")
    kept = Kept(b"\1" * count)
    for condition in asked.where:
        column = column_of(db, columns, condition.column, "filter")
        _keep(kept, _holding(column, condition, cells(db, column.name)))
    if asked.find:
        _keep(kept, _finding(db, columns, asked.find))
    return kept


def _keep(kept: Kept, holding: Iterable[bool]) -> None:
    kept[:] = bytes(map(operator.and_, kept, holding))


# -- conditions


def _holding(column: Column, condition: Condition, held: Iterable[Any]) -> Iterable[bool]:
    op, value = condition.op, condition.value
    if op == "is_null" or (op == "equals" and value is None):
        return (cell is None for cell in held)
    if op == "not_null" or (op == "not_equals" and value is None):
        return (cell is not None for cell in held)
    holds = _TESTS[op](column, value)
    if op == "not_equals":
        return (cell is None or not holds(cell) for cell in held)
    return (cell is not None and holds(cell) for cell in held)


def _contains(column: Column, value: Value) -> Test:
    needle = str(value).casefold()

    def holds(cell: Any) -> bool:
        text = column.shown(cell)
        plain = unescaped(text)
        return needle in text.casefold() or (plain is not None and needle in plain.casefold())

    return holds


def _equals(column: Column, value: Value) -> Test:
    """Test for equality: texts regardless of case, and a text that is a number as that number."""
    if not isinstance(value, str):
        return lambda cell: column.number(cell) == value
    number, folded = number_in(value), value.casefold()

    def holds(cell: Any) -> bool:
        if number is not None and column.number(cell) == number:
            return True
        return column.shown(cell).casefold() == folded

    return holds


def _compared(compare: Callable[[Any, Any], bool]) -> Callable[[Column, Value], Test]:
    """Compare numbers with numbers and texts with texts; a text that is a number, with both."""

    def test(column: Column, value: Value) -> Test:
        number = number_in(value) if isinstance(value, str) else value
        rank = text_rank(value) if isinstance(value, str) else None

        def holds(cell: Any) -> bool:
            held = column.number(cell)
            if held is not None:
                return number is not None and compare(held, number)
            return rank is not None and compare(text_rank(str(cell)), rank)

        return holds

    return test


def _matches(column: Column, value: Value) -> Test:
    try:
        search = re.compile(str(value)).search
    except (re.error, RecursionError, OverflowError) as error:
        pattern = repr(str(value)[:_PATTERN_CHARS])
        raise RefusedQuestion(
            f"{pattern} is not a regular expression: {error}.",
            "Correct the pattern, or filter for a text that the cells contain.",
        ) from None
    return lambda cell: search(column.shown(cell)) is not None


_TESTS: Mapping[Op, Callable[[Column, Value], Test]] = {
    "contains": _contains,
    "equals": _equals,
    "not_equals": _equals,
    "less": _compared(operator.lt),
    "at_most": _compared(operator.le),
    "more": _compared(operator.gt),
    "at_least": _compared(operator.ge),
    "matches": _matches,
}


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
        joined = between.join([str(cell) for cell in shown if cell is not None])
        yield needle in joined.casefold() or (
            "\\u" in joined
            and needle in letters(joined).casefold()
            and _found_escaped(needle, shown)
        )


def _found_escaped(needle: str, row: list[Any]) -> bool:
    """Search the decoded letters of lists only: in a text, `\\u` is no escape."""
    texts = (unescaped(cell) for cell in row if isinstance(cell, str))
    return any(needle in text.casefold() for text in texts if text is not None)
