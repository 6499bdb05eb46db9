"""Which rows of a table to show, and in which order.

The question is an `Arrangement` in JSON. The answer is one list: the numbers of the rows, from 0. Rows themselves stay where they are, exact to
the digit; a table rounds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from penstock.questions import Answer, Arrangement, Condition, Failure, Op, Sort, Value
from penstock.worker.cells import KEY, LINE, TEXT, VALUE, Key
from penstock.worker.table import LABELS, Columns

NO_COLUMN = "There is no column {} to {} by."
_NUMBERED = Failure(
    "The rows cannot be numbered: columns called rowid, _rowid_ and oid are in the way.",
    "Look at the rows as they are, without a filter or an order.",
)
_ARGUMENTS = 100  # SQLite takes 127 in a call
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1

Asked = TypeVar("Asked")


class Unknown(Exception):
    """A column that the table has not."""

    def __init__(self, column: str, purpose: str) -> None:
        self.failure = Failure(
            NO_COLUMN.format(repr(column[:60]), purpose),
            "Columns that hold nested values alone have no order; choose another.",
        )
        super().__init__(self.failure.error)


def add_functions(db: sqlite3.Connection) -> None:
    """SQLite itself folds the case of ASCII alone."""
    db.create_function("penstock_holds", -1, _holds, deterministic=True)
    db.create_function("penstock_folded", 1, _folded, deterministic=True)


def _holds(needle: str, *cells: Any) -> bool:
    """Whether any cell has the text in it, in any case."""
    return any(needle in str(cell).casefold() for cell in cells if cell is not None)


def _folded(cell: Any) -> Any:
    """A text without its case; anything else as it is."""
    return cell.casefold() if isinstance(cell, str) else cell


def read_question(program: str, kind: type[Asked]) -> Asked:
    """Half a surrogate pair is read as the text that stands for it in the table."""
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


def order(db: sqlite3.Connection, columns: Columns, program: str) -> Answer | Failure:
    number = columns.row_number
    if number is None:
        return _NUMBERED
    asked = read_question(program, Arrangement)
    try:
        where, by = conditions(columns, asked), _order(columns, asked.sort)
    except Unknown as unknown:
        return unknown.failure
    # Names and values are quoted where they are put in, and the connection can only read.
    statement = f"SELECT {number} - 1 FROM result{where} ORDER BY {by}{number}"  # noqa: S608 (see above)
    numbers = [row for (row,) in db.execute(statement)]
    return Answer((msgspec.json.encode(numbers),), single=True, truncated=False)


def _order(columns: Columns, sort: Sort | None) -> str:
    """What is missing comes last either way; equal rows stay in the order they had."""
    if sort is None:
        return ""
    name = column_name(columns, sort.column, "sort")
    way = "DESC" if sort.descending else "ASC"
    return f"{name} IS NULL, penstock_folded({name}) {way}, "


def conditions(columns: Columns, asked: Arrangement) -> str:
    """The WHERE of a statement; empty where every row is meant."""
    said = [_condition(columns, condition) for condition in asked.where]
    if asked.find:
        said.append(_found(columns, asked.find))
    return f" WHERE {' AND '.join(said)}" if said else ""


def _found(columns: Columns, text: str) -> str:
    names = [name for key in columns.keys if key != LINE and (name := columns.name_of(key))]
    needle = literal(text.casefold())
    groups = [names[start : start + _ARGUMENTS] for start in range(0, len(names), _ARGUMENTS)]
    return "(" + " OR ".join(f"penstock_holds({needle}, {', '.join(g)})" for g in groups) + ")"


def _condition(columns: Columns, condition: Condition) -> str:
    name = column_name(columns, condition.column, "filter")
    return _SAID[condition.op](name, condition.value)


def _compared(operator: str) -> Callable[[str, Value], str]:
    """A number is compared with numbers, a text with texts in any case: SQLite would put all texts
    after all numbers."""

    def say(name: str, value: Value) -> str:
        if isinstance(value, str):
            kinds, cell, value = "('text')", f"penstock_folded({name})", value.casefold()
        else:
            kinds, cell = "('integer', 'real')", name
        return f"(typeof({name}) IN {kinds} AND {cell} {operator} {literal(value)})"

    return say


def _equal(name: str, value: Value) -> str:
    if isinstance(value, int) and not _SMALLEST <= value <= _LARGEST:
        value = str(value)  # as the table has it, with all its digits
    if isinstance(value, str):
        return f"(penstock_folded(CAST({name} AS TEXT)) = {literal(value.casefold())})"
    return f"({name} IS {literal(value)})"


_SAID: Mapping[Op, Callable[[str, Value], str]] = {
    "contains": lambda name, value: f"penstock_holds({literal(str(value).casefold())}, {name})",
    "equals": _equal,
    "not_equals": lambda name, value: f"coalesce(NOT {_equal(name, value)}, 1)",
    "less": _compared("<"),
    "at_most": _compared("<="),
    "more": _compared(">"),
    "at_least": _compared(">="),
    "is_null": lambda name, _value: f"({name} IS NULL)",
    "not_null": lambda name, _value: f"({name} IS NOT NULL)",
    "matches": lambda name, value: f"regexp({literal(str(value))}, {name})",
}


def column_name(columns: Columns, column: str, purpose: str) -> str:
    """A column as the table calls it: by its own key, or else by the name that SQL has for it."""
    for key in _keys(columns, column):
        name = columns.name_of(key)
        if name is not None:
            return name
    if column in columns.names:
        return columns.name_of(columns.keys[columns.names.index(column)]) or ""
    raise Unknown(column, purpose)


def _keys(columns: Columns, column: str) -> list[Key]:
    """The key of an entry goes before a column `key` of its value; a column `value` of some rows
    before the rows that are single values."""
    made = [key for key in (KEY, LINE, TEXT) if LABELS[key] == column and key in columns.keys]
    return [*made, column, *([VALUE] if LABELS[VALUE] == column else [])]


def literal(value: Value) -> str:
    """A value as SQL spells it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str):
        # At NUL, SQLite would end the statement.
        return "('" + value.replace("'", "''").replace("\0", "'||char(0)||'") + "')"
    return json.dumps(value)
