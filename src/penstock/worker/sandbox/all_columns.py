"""All columns of the table, with what their cells are. Every row has its say.

The question is a `ColumnsOf` in JSON, and the answer a list of `KnownColumn`. The explorer guesses the
columns from a few rows until it asks here. Every column is in the answer. When the time is up, the
columns that were not looked at have no kinds: the explorer keeps its guess about them.
"""

# The names in these statements are quoted, and the connection can only read.
# ruff: noqa: S608 (see above)

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from time import monotonic

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
# SQLite compares a cell faster than it calls a function: numbers come before all texts, and texts are
# in the order of their first characters. A text that may be a time, a list, or a number that SQLite
# cannot hold comes as it is: Python looks at it. The table has such a number as a text.
_KINDS = {None: "null", 0: "int", 1: "float", 2: "str", 3: "dict"}
_LOOK = """CASE
WHEN {x} < '' THEN typeof({x}) = 'real'
WHEN {x} < '!' THEN {x}
WHEN {x} < ':' THEN CASE
  WHEN {x} GLOB '????[-/]*' THEN {x}
  WHEN {x} NOT GLOB '*[^-+.0-9eE]*' AND (length({x}) > 18 OR {x} LIKE '%e%') THEN {x}
  ELSE 2 END
WHEN {x} >= '[' AND {x} < '\\' AND substr({x}, -1) = ']' THEN {x}
WHEN {x} = '{{}}' THEN 3
WHEN {x} >= '' THEN 2 END"""
_BATCH = 100  # rows in Python at a time, because a row may be long
# A scan reads many columns, because each scan makes SQLite walk the headers of all rows again. It does
# not read all columns, because the columns of an unfinished scan stay unknown.
_MOST_SCANS = 8
_FEWEST_COLUMNS = 16
_LONGEST = 95_000  # characters of a statement: `lock_down` allows 100,000


def all_columns(
    db: sqlite3.Connection, columns: Columns, program: str, seconds: float
) -> WorkerAnswer:
    """Return all columns. Stop looking at them after so many seconds."""
    until = monotonic() + seconds
    asked = read_question(program, ColumnsOf)
    keys = [key for key in columns.keys if key not in _OURS]
    keys = [key for key in keys if key != VALUE or len(keys) == 1]
    known: list[KnownColumn] = []
    with read_fast(db):
        for scanned in _scans(columns, keys):
            known += _known(db, columns, scanned, asked, until) or map(_unknown, scanned)
    return WorkerAnswer((msgspec.json.encode(known),), single=True, truncated=False)


def _scans(columns: Columns, keys: Sequence[Key]) -> Iterator[list[Key]]:
    """Yield the columns of each scan, whose statement must not become too long."""
    most = max(_FEWEST_COLUMNS, math.ceil(len(keys) / _MOST_SCANS))
    scanned: list[Key] = []
    length = 0
    for key in keys:
        longer = len(_quoted(columns, key)) + len(_LOOK)
        if scanned and (len(scanned) == most or length + longer > _LONGEST):
            yield scanned
            scanned, length = [], 0
        scanned.append(key)
        length += longer
    if scanned:
        yield scanned


def _quoted(columns: Columns, key: Key) -> str:
    name = columns.name_of(key)
    assert name is not None  # noqa: S101 (a key of the table has a column)
    return name


def _unknown(key: Key) -> KnownColumn:
    return KnownColumn(_path(key), ())


def _known(
    db: sqlite3.Connection, columns: Columns, keys: Sequence[Key], asked: ColumnsOf, until: float
) -> list[KnownColumn] | None:
    """Return what some columns are, or None if the time is up."""
    names = [_quoted(columns, key) for key in keys]
    looked = _kinds(db, names, until)
    if looked is None:
        return None
    kinds = [
        ("bool",) if "int" in found and columns.is_boolean(key) else found
        for key, found in zip(keys, looked, strict=True)
    ]
    perhaps_times = [
        name
        for key, name, found in zip(keys, names, kinds, strict=True)
        if speaks_of_time(name_of(_path(key), asked.names)) and _may_be_times(db, name, found)
    ]
    units = _units(db, perhaps_times) if perhaps_times else {}
    return [
        KnownColumn(_path(key), found, units.get(name))
        for key, name, found in zip(keys, names, kinds, strict=True)
    ]


def _path(key: Key) -> ColumnPath:
    if isinstance(key, tuple):
        return key
    return () if key == VALUE else (key,)


def _kinds(
    db: sqlite3.Connection, names: Sequence[str], until: float
) -> list[tuple[str, ...]] | None:
    """Return what the cells of each column are, or None if the time is up."""
    looks = ", ".join(_LOOK.format(x=f"c{at}") for at in range(len(names)))
    kinds: list[dict[str, None]] = [{} for _ in names]
    scan = db.execute(f"SELECT {looks} FROM {_renamed(names)}")
    while monotonic() < until:
        rows = scan.fetchmany(_BATCH)
        if not rows:
            return [*map(tuple, kinds)]
        for found, cells_of_column in zip(kinds, zip(*rows, strict=True), strict=True):
            found.update(dict.fromkeys(map(_kind_of, dict.fromkeys(cells_of_column))))
    return None


def _renamed(names: Iterable[str]) -> str:
    """Return the table with the columns `c0`, `c1` and so on, as a name may have 10,000 letters."""
    return f"(SELECT {', '.join(f'{name} AS c{at}' for at, name in enumerate(names))} FROM result)"


def _kind_of(look: str | int | None) -> str:
    """Return the kind of a cell, given what `_LOOK` says about it."""
    return _kind_of_text(look) if isinstance(look, str) else _KINDS[look]


def _kind_of_text(text: str) -> str:
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


def _may_be_times(db: sqlite3.Connection, name: str, kinds: Iterable[str]) -> bool:
    """Return whether a column has only numbers, or only texts that are written like times since 1970."""
    plain = {*kinds} - {"null"}
    return plain <= _NUMBERS or (plain == {"str"} and _are_epochs(db, name))


def _are_epochs(db: sqlite3.Connection, name: str) -> bool:
    """Return whether all texts may be times since 1970. This stops at the first that may not."""
    return all(is_epoch_text(cell) for cell in cells(db, name) if isinstance(cell, str))


def _units(db: sqlite3.Connection, names: Sequence[str]) -> dict[str, EpochUnit | None]:
    """Return the unit in which nearly all numbers of each column are times, or None."""
    counts = ", ".join(f"count(c{at}), {_counts_in_spans(f'c{at}')}" for at in range(len(names)))
    [counted] = db.execute(f"SELECT {counts} FROM {_renamed(names)}")
    each = 1 + len(TIMES_IN)
    return {name: _unit(*counted[at * each :][:each]) for at, name in enumerate(names)}


def _counts_in_spans(name: str) -> str:
    number = f"CAST({name} AS REAL)"
    return ", ".join(
        f"total({number} >= {span.first} AND {number} < {span.last})" for span in TIMES_IN.values()
    )


def _unit(count: int, *times: float) -> EpochUnit | None:
    found = (unit for unit, those in zip(TIMES_IN, times, strict=True) if those >= MOSTLY * count)
    return next(found, None) if count else None
