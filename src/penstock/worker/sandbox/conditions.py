"""The conditions of a filter: which cells of a column hold them.

Python compares the cells, because SQLite knows no case or accent beyond ASCII, no integer beyond
64 bits, and no true or false.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from penstock.core.model.questions import Condition, Op, Value
from penstock.worker.sandbox.column import Column, RefusedQuestion, unescaped
from penstock.worker.sandbox.comparison import text_rank
from penstock.worker.sandbox.instants import TypedTime, moment, span

Test = Callable[[Any], bool]  # of a cell that is not NULL

_PATTERN_CHARS = 60


def holding(column: Column, condition: Condition, held: Iterable[Any]) -> Iterable[bool]:
    """Yield for each cell whether the condition holds."""
    op, value = condition.op, condition.value
    if column.has_objects and op in ("is_null", "not_null"):
        raise RefusedQuestion(
            "Some rows have objects in this column.", "Ask for one of their members."
        )
    if op == "is_null" or (op == "equals" and value is None):
        return (cell is None for cell in held)
    if op == "not_null" or (op == "not_equals" and value is None):
        return (cell is not None for cell in held)
    holds = _test_of(column, condition)
    if op == "not_equals":
        return (cell is None or not holds(cell) for cell in held)
    return (cell is not None and holds(cell) for cell in held)


def _test_of(column: Column, condition: Condition) -> Test:
    op = condition.op
    if condition.kind != "plain" and op not in _OF_TEXTS:
        return _of_times(column, condition)
    if op == "between":
        lowest, highest = condition.values
        at_least, at_most = _TESTS["at_least"](column, lowest), _TESTS["at_most"](column, highest)
        return lambda cell: at_least(cell) and at_most(cell)
    if op == "one_of":
        return _one_of(column, condition.values)
    return _TESTS[op](column, condition.value)


def _of_times(column: Column, condition: Condition) -> Test:
    """Test times. A cell is read once, however many times it is compared with."""
    asked = [span(value) for value in condition.values or (condition.value,)]
    are_shown = {time.is_shown for time in asked}
    texts = {text.casefold() for text in condition.texts}
    compare = _COMPARED[condition.op]

    def holds(cell: Any) -> bool:
        whens: dict[bool, int] = {}
        for is_shown in are_shown:
            when = moment(cell, condition.kind, is_shown=is_shown)
            if when is None:
                return bool(texts) and column.shown(cell).casefold() in texts
            whens[is_shown] = when
        return compare([(whens[time.is_shown], time) for time in asked])

    return holds


_OF_TEXTS = ("contains", "matches")
Whens = list[tuple[int, TypedTime]]
_COMPARED: Mapping[Op, Callable[[Whens], bool]] = {
    "equals": lambda whens: _is_in(*whens[0]),
    "not_equals": lambda whens: _is_in(*whens[0]),
    "less": lambda whens: whens[0][0] < whens[0][1].start,
    "at_most": lambda whens: whens[0][0] < whens[0][1].end,
    "more": lambda whens: whens[0][0] >= whens[0][1].end,
    "at_least": lambda whens: whens[0][0] >= whens[0][1].start,
    "between": lambda whens: whens[0][0] >= whens[0][1].start and whens[1][0] < whens[1][1].end,
    "one_of": lambda whens: any(_is_in(*when) for when in whens),
}


def _is_in(when: int, asked: TypedTime) -> bool:
    return asked.start <= when < asked.end


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
