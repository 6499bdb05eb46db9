"""All columns of the table, with what their cells are. Every row has its say.

The question is a `ColumnsOf` in JSON, and the answer a list of `KnownColumn`. The explorer guesses the
columns from a few rows until it asks here.
"""

# The names in these statements are quoted, and the connection can only read.
# ruff: noqa: S608 (see above)

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from penstock.core.model.column_names import name_of
from penstock.core.model.epochs import MOSTLY, TIMES_IN, EpochUnit, is_epoch_text, speaks_of_time
from penstock.core.model.questions import ColumnPath, ColumnsOf, KnownColumn, WorkerAnswer
from penstock.core.model.times import is_time
from penstock.worker.sandbox.cells import KEY, LINE, REST, TEXT, VALUE, Key
from penstock.worker.sandbox.column import cells, read_fast
from penstock.worker.sandbox.comparison import outsize_in
from penstock.worker.sandbox.row_order import read_question
from penstock.worker.sandbox.table import Columns

_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_OURS = (KEY, LINE, TEXT, REST)
_NUMBERS = {"int", "float"}
_PLAIN = {"integer": "int", "real": "float", "null": "null"}
# SQLite sorts texts quickly by their first characters. Python looks only at those that may be times,
# lists, or numbers that SQLite cannot hold: all of these are texts in the table.
_LOOK = (
    "CASE WHEN typeof({x}) <> 'text' THEN typeof({x}) WHEN {x} = '{{}}' THEN 'dict' "
    "WHEN {perhaps} THEN 'perhaps' ELSE 'str' END"
)
_PERHAPS = (
    "(unicode({x}) <= 57 AND (substr(ltrim({x}), 5, 1) IN ('-', '/') OR "
    "length({x}) > 18 OR {x} LIKE '%e%') OR unicode({x}) = 91 AND substr({x}, -1) = ']')"
)
_MOST_KINDS = 5  # of texts: date, int, float, list, str


def all_columns(db: sqlite3.Connection, columns: Columns, program: str) -> WorkerAnswer:
    asked = read_question(program, ColumnsOf)
    keys = [key for key in columns.keys if key not in _OURS]
    with read_fast(db):
        known = [_known(db, columns, key, asked) for key in keys if key != VALUE or len(keys) == 1]
    return WorkerAnswer((msgspec.json.encode(known),), single=True, truncated=False)


def _known(db: sqlite3.Connection, columns: Columns, key: Key, asked: ColumnsOf) -> KnownColumn:
    path, name = _path(key), columns.name_of(key)
    assert name is not None  # noqa: S101 (a key of the table has a column)
    kinds = ("bool",) if columns.is_boolean(key) and _has_any(db, name) else _kinds(db, name)
    is_time = speaks_of_time(name_of(path, asked.names))
    return KnownColumn(path, kinds, _unit(db, name, {*kinds} - {"null"}) if is_time else None)


def _path(key: Key) -> ColumnPath:
    if isinstance(key, tuple):
        return key
    return () if key == VALUE else (key,)


def _has_any(db: sqlite3.Connection, name: str) -> bool:
    return bool(db.execute(f"SELECT 1 FROM result WHERE {name} IS NOT NULL LIMIT 1").fetchall())


def _kinds(db: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Return what the cells of a column are."""
    perhaps = _PERHAPS.format(x=name)
    look = _LOOK.format(x=name, perhaps=perhaps)
    looks = [look for (look,) in db.execute(f"SELECT DISTINCT {look} FROM result")]
    kinds = {_PLAIN.get(look, look): None for look in looks if look != "perhaps"}
    if "perhaps" in looks:
        where = f"typeof({name}) = 'text' AND {perhaps}"
        kinds |= _kinds_of(db.execute(f"SELECT {name} FROM result WHERE {where}"))
    return tuple(kinds)


def _kinds_of(texts: Iterable[tuple[str]]) -> dict[str, None]:
    """Return the kinds of texts. A number that SQLite cannot hold is a text in the table."""
    kinds: dict[str, None] = {}
    for (text,) in texts:
        kinds[_kind_of(text)] = None
        if len(kinds) == _MOST_KINDS:
            break
    return kinds


def _kind_of(text: str) -> str:
    if is_time(text):
        return "date"
    if text[:1] == "[":
        return "list" if _is_list(text) else "str"
    number = outsize_in(text)
    return "str" if number is None else "int" if isinstance(number, int) else "float"


def _is_list(text: str) -> bool:
    """Return whether a text is a list in JSON. It may still be the text of a list: the explorer knows
    from the rows that it has."""
    try:
        _LIST.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _unit(db: sqlite3.Connection, name: str, kinds: set[str]) -> EpochUnit | None:
    """Return the unit in which nearly all numbers of a column are times, or None."""
    if not kinds <= _NUMBERS and not (kinds == {"str"} and _are_epochs(db, name)):
        return None
    spans = ", ".join(
        f"total(number >= {span.first} AND number < {span.last})" for span in TIMES_IN.values()
    )
    number = f"SELECT CAST({name} AS REAL) AS number FROM result WHERE {name} IS NOT NULL"
    [(count, *times)] = db.execute(f"SELECT count(*), {spans} FROM ({number})")
    found = (unit for unit, those in zip(TIMES_IN, times, strict=True) if those >= MOSTLY * count)
    return next(found, None) if count else None


def _are_epochs(db: sqlite3.Connection, name: str) -> bool:
    """Return whether all texts may be times since 1970. This stops at the first that may not."""
    return all(is_epoch_text(cell) for cell in cells(db, name) if isinstance(cell, str))
