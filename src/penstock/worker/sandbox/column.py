"""A column of the table as the explorer shows it to a user.

The table has 1 and 0 for true and false, and text for some numbers. Users ask about what they see:
`true`, and numbers.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from penstock.core.json.js_numbers import in_javascript
from penstock.core.model.questions import ColumnRef, Failure, Value
from penstock.worker.sandbox.cells import KEY, LINE, TEXT, VALUE, Key
from penstock.worker.sandbox.comparison import (
    Number,
    number_typed,
    number_written,
    outsize_in,
    text_rank,
)
from penstock.worker.sandbox.table import LABELS, Columns

NO_COLUMN = "There is no column {} to {} by."
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_ESCAPE_CHARS = 6
_MEMBERS_NAMED = 5
_HALVES = range(0xD800, 0xE000)  # of surrogate pairs, which are not letters
_BOOLEANS = {1: "true", 0: "false"}


class RefusedQuestion(Exception):
    """A question that this table cannot answer."""

    def __init__(self, error: str, next_step: str) -> None:
        self.failure = Failure(error, next_step)
        super().__init__(error)


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a question names.

    `has_objects` is true if some rows have an object in its place. The members of the object have
    columns of their own, and this column has NULL in those rows."""

    name: str  # quoted
    is_boolean: bool
    kinds: frozenset[str]  # the types that SQLite's `typeof` gives its cells
    spells: bool  # It has texts, and every one of them is a number.
    has_objects: bool = False

    @property
    def is_plain(self) -> bool:
        """Return whether the cells compare correctly as SQLite and Python hold them."""
        return "text" not in self.kinds

    @property
    def has_numbers(self) -> bool:
        return self.spells or bool(self.kinds & {"integer", "real"})

    def number(self, cell: Any) -> Number | None:
        """Return the number in a cell, or None. If the column has other texts too, a text is a
        number only if SQLite cannot hold that number."""
        if isinstance(cell, str):
            return number_written(cell) if self.spells else outsize_in(cell)
        return cell if isinstance(cell, int | float) else None

    def asked_number(self, value: Value) -> Number | None:
        """Return the number that a user asks for, or None."""
        return number_typed(value) if isinstance(value, str) else value

    def rank(self, cell: Any) -> tuple[int, Any]:
        """Return the sort key of a cell: numbers come before texts."""
        number = self.number(cell)
        return (1, text_rank(str(cell))) if number is None else (0, number)

    def shown(self, cell: Any) -> str:
        return _BOOLEANS[cell] if self.is_boolean else printed(cell)


def printed(cell: Any) -> str:
    """Return a cell as the explorer prints it, so that users find what they see."""
    return in_javascript(cell) if isinstance(cell, float) else str(cell)


def column_of(db: sqlite3.Connection, columns: Columns, asked: ColumnRef, purpose: str) -> Column:
    """Find a column by its path, by its key, or else by its name in SQL."""
    key = _key(columns, asked)
    name = None if key is None else columns.name_of(key)
    members = columns.members_of(_key_of_path(asked) if key is None else key)
    statement = _select(f"DISTINCT typeof({name})")
    kinds = frozenset(() if name is None else (kind for (kind,) in db.execute(statement)))
    if members and kinds <= {"null"}:
        raise _is_object(asked, purpose, members)
    if key is None or name is None:
        raise RefusedQuestion(
            NO_COLUMN.format(repr(spelled(asked)[:60]), purpose), "Choose another column."
        )
    # This stops early: a text that is not a number is mostly among the first.
    spells = "text" in kinds and all(
        number_written(cell) is not None for cell in cells(db, name) if isinstance(cell, str)
    )
    return Column(name, columns.is_boolean(key), kinds, spells, bool(members))


def _is_object(asked: ColumnRef, purpose: str, members: list[str]) -> RefusedQuestion:
    """Return the refusal of a column whose only values are objects, which have columns of their own."""
    more = ", …" if len(members) > _MEMBERS_NAMED else ""
    return RefusedQuestion(
        f"There is no column {spelled(asked)[:60]!r} to {purpose} by: it holds objects.",
        f"Choose one of their members: {', '.join(members[:_MEMBERS_NAMED])}{more}.",
    )


@contextmanager
def read_fast(db: sqlite3.Connection) -> Iterator[None]:
    """Read texts without the lenient decoder, which calls a function for every text. All cells are
    UTF-8; only an agent's SQL can compute other text."""
    careful = db.text_factory
    db.text_factory = str
    try:
        yield
    finally:
        db.text_factory = careful


def cells(db: sqlite3.Connection, name: str) -> Iterator[Any]:
    """Yield the column's cell of every row, in the order of the rows."""
    return (cell for (cell,) in db.execute(_select(name)))


def _select(what: str) -> str:
    # The names are quoted, and the connection can only read.
    return f"SELECT {what} FROM result"  # noqa: S608 (see above)


def spelled(asked: ColumnRef) -> str:
    """Return the name of a column for the user."""
    return asked if isinstance(asked, str) else ".".join(map(str, asked))


def _key(columns: Columns, column: ColumnRef) -> Key | None:
    """Return the key of a column. A path has only one. Of several columns with the same name, `key`,
    `line` and `text` that we add win over the rows' own; the rows' own `value` wins over ours, which
    holds rows of single values."""
    if not isinstance(column, str):
        return _key_of_path(column)
    made: list[Key] = [key for key in (KEY, LINE, TEXT) if LABELS[key] == column]
    single: list[Key] = [VALUE] if LABELS[VALUE] == column else []
    for key in [*made, column, *single]:
        if columns.name_of(key) is not None:
            return key
    return columns.keys[columns.names.index(column)] if column in columns.names else None


def _key_of_path(path: ColumnRef) -> Key:
    return path[0] if len(path) == 1 and not isinstance(path, str) else path


def unescaped(text: str) -> str | None:
    """Return the JSON text of a list with its escaped letters decoded, or None without such."""
    return letters(text) if text[:1] in ("[", "{") and "\\u" in text else None


def letters(text: str) -> str:
    return _ESCAPE.sub(_letter, text)


def _letter(match: re.Match[str]) -> str:
    """Decode one escape, without a codec: the child cannot load one."""
    escape = match[0]
    if escape[1] != "u":
        return escape
    unit = int(escape[2:6], 16)
    if len(escape) > _ESCAPE_CHARS:
        return chr(0x10000 + ((unit & 0x3FF) << 10) + (int(escape[8:], 16) & 0x3FF))
    return escape if unit in _HALVES else chr(unit)
