"""One column of the table as a person sees it.

The table has 1 and 0 for true and false, and text for some numbers. What a person asks is about what
is shown: `true`, and numbers that are numbers.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from penstock.core.model.questions import Failure
from penstock.worker.sandbox.cells import KEY, LINE, TEXT, VALUE, Key
from penstock.worker.sandbox.comparison import Number, number_in, outsize_in, text_rank
from penstock.worker.sandbox.table import LABELS, Columns

NO_COLUMN = "There is no column {} to {} by."
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_ESCAPE_CHARS = 6
_HALVES = range(0xD800, 0xE000)  # of a pair, and no letters
_BOOLEANS = {1: "true", 0: "false"}


class RefusedQuestion(Exception):
    """What cannot be asked of this table."""

    def __init__(self, error: str, next_step: str) -> None:
        self.failure = Failure(error, next_step)
        super().__init__(error)


@dataclass(frozen=True, slots=True)
class Column:
    """`name` is quoted. `spells`: every text in it is a number. `kinds` are SQLite's."""

    name: str
    is_boolean: bool
    kinds: frozenset[str]
    spells: bool

    @property
    def is_plain(self) -> bool:
        """Whether its cells compare as SQLite and Python have them."""
        return "text" not in self.kinds

    @property
    def has_numbers(self) -> bool:
        return self.spells or bool(self.kinds & {"integer", "real"})

    def number(self, cell: Any) -> Number | None:
        """A text beside others is a text, unless it is too large for a number of SQLite's."""
        if isinstance(cell, str):
            return number_in(cell) if self.spells else outsize_in(cell)
        return cell if isinstance(cell, int | float) else None

    def rank(self, cell: Any) -> tuple[int, Any]:
        """Numbers go before texts."""
        number = self.number(cell)
        return (1, text_rank(str(cell))) if number is None else (0, number)

    def shown(self, cell: Any) -> str:
        return _BOOLEANS[cell] if self.is_boolean else str(cell)


def column_of(db: sqlite3.Connection, columns: Columns, asked: str, purpose: str) -> Column:
    """A column by its own key, or else by the name that SQL has for it."""
    key = _key(columns, asked)
    name = None if key is None else columns.name_of(key)
    if key is None or name is None:
        raise RefusedQuestion(
            NO_COLUMN.format(repr(asked[:60]), purpose),
            "Columns that hold nested values alone have no order; choose another.",
        )
    kinds = frozenset(kind for (kind,) in db.execute(_select(f"DISTINCT typeof({name})")))
    # A text that is no number mostly comes at once.
    spells = "text" in kinds and all(
        number_in(cell) is not None for cell in cells(db, name) if isinstance(cell, str)
    )
    return Column(name, columns.is_boolean(key), kinds, spells)


@contextmanager
def read_fast(db: sqlite3.Connection) -> Iterator[None]:
    """Cells are UTF-8 as they were put in; only what an agent's SQL computes may be none, and for that
    every text goes through a function."""
    careful = db.text_factory
    db.text_factory = str
    try:
        yield
    finally:
        db.text_factory = careful


def cells(db: sqlite3.Connection, name: str) -> Iterator[Any]:
    """One of each row, in the order of the rows."""
    return (cell for (cell,) in db.execute(_select(name)))


def _select(what: str) -> str:
    # Names are quoted where they are taken from the table, and the connection can only read.
    return f"SELECT {what} FROM result"  # noqa: S608 (see above)


def _key(columns: Columns, column: str) -> Key | None:
    """The key of an entry goes before a column `key` of its value; a column `value` of some rows
    before the rows that are single values."""
    made: list[Key] = [key for key in (KEY, LINE, TEXT) if LABELS[key] == column]
    single: list[Key] = [VALUE] if LABELS[VALUE] == column else []
    for key in [*made, column, *single]:
        if columns.name_of(key) is not None:
            return key
    return columns.keys[columns.names.index(column)] if column in columns.names else None


def unescaped(text: str) -> str | None:
    """A list as it reads where its letters were escaped; None where there is no such text."""
    return letters(text) if text[:1] in ("[", "{") and "\\u" in text else None


def letters(text: str) -> str:
    return _ESCAPE.sub(_letter, text)


def _letter(match: re.Match[str]) -> str:
    """Not by a codec: the child cannot load one."""
    escape = match[0]
    if escape[1] != "u":
        return escape
    unit = int(escape[2:6], 16)
    if len(escape) > _ESCAPE_CHARS:
        return chr(0x10000 + ((unit & 0x3FF) << 10) + (int(escape[8:], 16) & 0x3FF))
    return escape if unit in _HALVES else chr(unit)
