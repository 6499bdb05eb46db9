"""The conditions of a filter: which cells of a column hold them.

Python compares the cells, because SQLite knows no case or accent beyond ASCII, no integer beyond
64 bits, and no true or false.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from penstock.core.model.questions import CellKind, Condition, Op, Value
from penstock.worker.sandbox.column import Column, RefusedQuestion, unescaped
from penstock.worker.sandbox.comparison import text_rank
from penstock.worker.sandbox.instants import TypedTime, moment, span

Test = Callable[[Any], bool]  # of a cell that is not NULL

_PATTERN_CHARS = 60


def holding(column: Column, condition: Condition, held: Iterable[Any]) -> Iterable[bool]:
    """Yield for each cell whether the condition holds."""
    op, value = condition.op, condition.value
    if op == "is_null" or (op == "equals" and value is None):
        return (cell is None for cell in held)
    if op == "not_null" or (op == "not_equals" and value is None):
        return (cell is not None for cell in held)
    holds = _test_of(column, condition)
    if op == "not_equals":
        return (cell is None or not holds(cell) for cell in held)
    return (cell is not None and holds(cell) for cell in held)


def _test_of(column: Column, condition: Condition) -> Test:
    op, kind = condition.op, condition.kind
    if op == "between":
        lowest, highest = condition.values
        at_least = _single(column, "at_least", lowest, kind)
        at_most = _single(column, "at_most", highest, kind)
        return lambda cell: at_least(cell) and at_most(cell)
    if op == "one_of" and kind == "plain":
        return _one_of(column, condition.values)
    if op == "one_of":
        tests = [_single(column, "equals", value, kind) for value in condition.values]
        return lambda cell: any(test(cell) for test in tests)
    return _single(column, op, condition.value, kind)


def _single(column: Column, op: Op, value: Value, kind: CellKind) -> Test:
    """Return the test for one value."""
    if kind == "plain" or op in _OF_TEXTS:
        return _TESTS[op](column, value)
    asked = span(value)
    holds = _OF_TIMES[op]

    def test(cell: Any) -> bool:
        when = moment(cell, kind, is_shown=asked.is_shown)
        return when is not None and holds(when, asked)

    return test


_OF_TEXTS = ("contains", "matches")
_OF_TIMES: Mapping[Op, Callable[[int, TypedTime], bool]] = {
    "equals": lambda when, asked: asked.start <= when < asked.end,
    "not_equals": lambda when, asked: asked.start <= when < asked.end,
    "less": lambda when, asked: when < asked.start,
    "at_most": lambda when, asked: when < asked.end,
    "more": lambda when, asked: when >= asked.end,
    "at_least": lambda when, asked: when >= asked.start,
}


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
    number, folded = column.asked_number(value), value.casefold()

    def holds(cell: Any) -> bool:
        if number is not None and column.number(cell) == number:
            return True
        return column.shown(cell).casefold() == folded

    return holds


def _one_of(column: Column, values: Iterable[Value]) -> Test:
    """Test for equality with any of the values, by looking a cell up."""
    numbers = {column.asked_number(value) for value in values} - {None}
    texts = {value.casefold() for value in values if isinstance(value, str)}

    def holds(cell: Any) -> bool:
        number = column.number(cell)
        return (number is not None and number in numbers) or column.shown(cell).casefold() in texts

    return holds


def _compared(compare: Callable[[Any, Any], bool]) -> Callable[[Column, Value], Test]:
    """Compare numbers with numbers and texts with texts; a text that is a number, with both."""

    def test(column: Column, value: Value) -> Test:
        number = column.asked_number(value)
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
