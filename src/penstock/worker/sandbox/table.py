"""A table of SQL: its columns, their names, and the insertion of rows.

Columns have no declared type, so that every value keeps its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import msgspec

from penstock.core.model.questions import RESULT_TABLE, SQL_COLUMNS, Shape
from penstock.worker.sandbox.cells import (
    KEY,
    LINE,
    READERS,
    REST,
    TEXT,
    VALUE,
    Cell,
    Key,
    PlainRows,
    Row,
    read_plain,
)

LABELS = {KEY: "key", VALUE: "value", LINE: "line", TEXT: "text", REST: "_rest"}
FIRST_COLUMNS: dict[Shape, tuple[int, ...]] = {"members": (KEY,), "lines": (LINE, TEXT)}

BATCH = 1_000
_PERHAPS_PLAIN: tuple[Shape, ...] = ("rows", "sections")
HIDDEN_NAMES = 20_000  # Beyond so many names of the rest, further ones are not remembered.
_BOOLEAN_OR_NULL = frozenset({bool, type(None)})


def fill(
    db: sqlite3.Connection, rows: Iterable[bytes], shape: Shape, table: str = RESULT_TABLE
) -> Columns:
    """Make the table of these rows, and return its columns."""
    columns = Columns(table)
    # Nothing here outlives the process, so no journal is needed.
    db.executescript("PRAGMA journal_mode=OFF; PRAGMA temp_store=MEMORY; BEGIN")
    _widen(db, columns, columns.admit_all(FIRST_COLUMNS.get(shape, ())))
    if shape in _PERHAPS_PLAIN:
        _insert_json(db, columns, iter(rows))
    else:
        cells = READERS[shape](rows)
        while batch := list(islice(cells, BATCH)):
            _insert(db, columns, batch)
    _ensure_a_column(db, columns)
    db.execute("COMMIT")
    return columns


def _insert_json(db: sqlite3.Connection, columns: Columns, rows: Iterator[bytes]) -> None:
    while batch := list(islice(rows, BATCH)):
        plain = read_plain(batch)
        if plain is None or not columns.has_room_for(plain.names):
            _insert(db, columns, list(READERS["rows"](batch)))
            continue
        _widen(db, columns, columns.admit_new(plain.names))
        columns.note_kinds(plain)
        _insert_values(db, columns, columns.ordered(plain))


def _insert(db: sqlite3.Connection, columns: Columns, batch: list[Row]) -> None:
    _widen(db, columns, columns.admit_rows(batch))
    _ensure_a_column(db, columns)  # Even if all rows are {}, they count as rows.
    values = [tuple(map(row.get, columns.keys)) for row in batch]
    columns.note_booleans(values)
    _insert_values(db, columns, values)


def _insert_values(
    db: sqlite3.Connection, columns: Columns, values: Iterable[tuple[Cell, ...]]
) -> None:
    marks = ",".join("?" * len(columns.keys))
    db.executemany(f"INSERT INTO {columns.table} VALUES ({marks})", values)  # noqa: S608 - quoted


def _ensure_a_column(db: sqlite3.Connection, columns: Columns) -> None:
    if not columns.keys:
        _widen(db, columns, columns.admit_all((VALUE,)))


def _widen(db: sqlite3.Connection, columns: Columns, names: list[str]) -> None:
    if names and len(names) == len(columns.names):
        db.execute(f"CREATE TABLE {columns.table} ({','.join(map(quoted, names))})")
        return
    for name in names:
        db.execute(f"ALTER TABLE {columns.table} ADD COLUMN {quoted(name)}")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Columns:
    """The columns, in the order in which the rows first showed them."""

    def __init__(self, table: str = RESULT_TABLE) -> None:
        self.table = quoted(table)
        self.keys: list[Key] = []
        self.names: list[str] = []
        self._known: set[Key] = set()
        self._others: set[Key] = set()
        self._hidden: dict[str, str] = {}  # by lower case: the names in the column of the rest
        self._taken = _Names(fold=str.lower)  # SQLite considers a and A the same column.

    def name_of(self, key: Key) -> str | None:
        """Return the quoted name of the key's column, or None if there is no such column."""
        return quoted(self.names[self.keys.index(key)]) if key in self._known else None

    def members_of(self, key: Key) -> list[str]:
        """Return the names of the columns that objects in this place have."""
        path = key if isinstance(key, tuple) else (key,)
        size = len(path)
        return [
            name
            for name, other in zip(self.names, self.keys, strict=True)
            if isinstance(other, tuple) and len(other) > size and other[:size] == path
        ]

    def hidden_name(self, name: str) -> str | None:
        """Return the name as the column of the rest has it, or None if it is not known there."""
        return self._hidden.get(name.lower())

    def is_boolean(self, key: Key) -> bool:
        """Return whether the column holds only true and false, which the table has as 1 and 0."""
        return key not in self._others

    def note_booleans(self, rows: list[tuple[Cell, ...]]) -> None:
        if len(self._others) == len(self.keys):
            return
        for key, cells in zip(self.keys, zip(*rows, strict=True), strict=True):
            if key not in self._others and not _BOOLEAN_OR_NULL.issuperset(map(type, cells)):
                self._others.add(key)

    def note_kinds(self, plain: PlainRows) -> None:
        for name, kinds in zip(plain.names, plain.kinds, strict=True):
            if not _BOOLEAN_OR_NULL.issuperset(kinds):
                self._others.add(name)

    def ordered(self, plain: PlainRows) -> Iterable[tuple[Cell, ...]]:
        """Return rows with their cells in the order of the columns."""
        if self.keys == list(plain.names):
            return plain.rows
        known: dict[Key, tuple[Cell, ...]] = dict(zip(plain.names, plain.columns, strict=True))
        nothing: tuple[Cell, ...] = (None,) * len(plain.rows)
        return zip(*(known.get(key, nothing) for key in self.keys), strict=True)

    def has_room_for(self, names: Iterable[str]) -> bool:
        return sum(name not in self._known for name in names) <= self._room

    def admit_new(self, names: Iterable[str]) -> list[str]:
        """Add the columns that are new, and return their names in SQL."""
        return self.admit_all([name for name in names if name not in self._known])

    @property
    def row_number(self) -> str | None:
        """SQLite's name for the row number, from 1; None if columns use up all of its names."""
        free = (name for name in ("rowid", "_rowid_", "oid") if not self._taken.has(name))
        return next(free, None)

    def admit_rows(self, rows: Iterable[Row]) -> list[str]:
        """Add the new columns of these rows, and return their names."""
        added: list[str] = []
        for row in rows:
            if not row.keys() <= self._known:
                added += self.admit_all(
                    [key for key in row if key not in self._known][: self._room]
                )
                added += self._move_rest(row)
        return added

    def admit_all(self, keys: Iterable[Key]) -> list[str]:
        return [self._admit(key) for key in keys]

    @property
    def _room(self) -> int:
        return max(0, SQL_COLUMNS - len(self.keys))

    def _admit(self, key: Key) -> str:
        name = self._taken.take(_label(key))
        self.keys.append(key)
        self.names.append(name)
        self._known.add(key)
        return name

    def _move_rest(self, row: Row) -> list[str]:
        over = [key for key in row if key not in self._known]
        if not over:
            return []
        added = [] if REST in self._known else [self._admit(REST)]
        names = unique(map(_label, over))
        if len(self._hidden) < HIDDEN_NAMES:
            self._hidden |= {name.lower(): name for name in names}
        rest = dict(zip(names, (row.pop(key) for key in over), strict=True))
        row[REST] = msgspec.json.encode(rest).decode()
        return added


def _label(key: Key) -> str:
    if isinstance(key, tuple):
        return ".".join(map(_label, key))
    if isinstance(key, int):
        return LABELS.get(key) or f"c{key + 1}"
    return key.replace("\0", "\\u0000")  # For SQLite, a name ends at NUL.


class _Names:
    """The names in use. A name that is taken gets `_2`, `_3` and so on."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        self._fold = fold
        self._taken: set[str] = set()

    def has(self, name: str) -> bool:
        return self._fold(name) in self._taken

    def take(self, name: str) -> str:
        chosen, number = name, 2
        while self.has(chosen):
            chosen, number = f"{name}_{number}", number + 1
        self._taken.add(self._fold(chosen))
        return chosen


def unique(names: Iterable[str]) -> list[str]:
    taken = _Names(fold=str)
    return [taken.take(name) for name in names]
