"""The `sql` view: one SELECT over the rows of a result, in an in-memory SQLite.

This module runs in the child process of `penstock.workers`; the time limit and the memory limit
are kept there. What is kept here is that a statement can read the table `result` and do nothing
else. Three things see to that, each enough for most attempts: the authorizer, `query_only`, and
the child's own limits (no file can be opened or written).

Values keep the type they have in JSON, so no column declares one. SQLite has 64-bit integers and
doubles: an integer or a float beyond them is kept as TEXT with all its digits, and a float of more
than 17 digits is rounded. Lists are JSON text, with the bytes they came with; `json_each` reads
them.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from math import isinf
from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Shape = Literal["rows", "members", "lines", "value"]
Cell = str | int | float | None

# A key of an object, the position in a list, or the path to a nested value. A path is a tuple, so
# {"a": {"b": 1}} and {"a.b": 1} stay two columns. Negative positions are the columns made here.
Path = tuple[str | int, ...]
Key = str | int | Path
Row = dict[Key, Cell]

KEY, VALUE, LINE, TEXT, REST = -1, -2, -3, -4, -5
LABELS = {KEY: "key", VALUE: "value", LINE: "line", TEXT: "text", REST: "_rest"}
FIRST_COLUMNS: dict[Shape, tuple[int, ...]] = {"members": (KEY,), "lines": (LINE, TEXT)}

MAX_COLUMNS = 1_900  # SQLite takes 2,000 in a table, and as many in what a SELECT returns.
MAX_DEPTH = 16  # Each level is parsed once more than the one above it.
BATCH = 1_000
NAMES_SHOWN = 40
NAME_CHARS = 60


@dataclass(frozen=True, slots=True)
class SqlRows:
    rows: tuple[bytes, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class SqlRefusal:
    error: str
    next_step: str


def limit_memory(size: int) -> None:
    """Makes SQLite fail with MemoryError beyond `size`, in this process, on any platform."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"PRAGMA hard_heap_limit={size:d}")


class Table:
    """The table `result`, loaded once, then read by any number of statements."""

    def __init__(self) -> None:
        # Without an isolation level the module starts no transaction of its own.
        self._db = sqlite3.connect(":memory:", isolation_level=None)
        # Text made by CAST(x'ff' AS TEXT) is not UTF-8, and is no reason to fail.
        self._db.text_factory = _decode_leniently
        self._columns = _Columns()
        self._fault = ""
        self.size = 0

    @classmethod
    def load(cls, rows: Iterable[bytes], shape: Shape) -> Table:
        table = cls()
        table._fill(_READERS[shape](rows), FIRST_COLUMNS.get(shape, ()))
        table._lock_down()
        return table

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns.names)

    def select(self, statement: str, max_rows: int) -> SqlRows | SqlRefusal:
        self._fault = ""
        try:
            return self._run(statement, max_rows)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return self._explain(str(error))

    def close(self) -> None:
        self._db.close()

    def _run(self, statement: str, max_rows: int) -> SqlRows | SqlRefusal:
        cursor = self._db.execute(statement)
        if cursor.description is None:
            return self._one_select()
        names = _unique(column[0] for column in cursor.description)
        encode = msgspec.json.Encoder().encode  # bytes become base64, infinities null
        rows = tuple(encode(dict(zip(names, row, strict=True))) for row in islice(cursor, max_rows))
        truncated = next(cursor, None) is not None
        cursor.close()
        return SqlRows(rows, truncated)

    # Loading

    def _fill(self, rows: Iterator[Row], first: Sequence[Key]) -> None:
        # Nothing here survives the process, so nothing is written twice.
        self._db.executescript("PRAGMA journal_mode=OFF; PRAGMA temp_store=MEMORY; BEGIN")
        self._widen(self._columns.admit_all(first))
        while batch := list(islice(rows, BATCH)):
            self._insert(batch)
        if not self._columns.keys:
            self._widen(self._columns.admit_all((VALUE,)))
        self._db.execute("COMMIT")

    def _insert(self, batch: list[Row]) -> None:
        self._widen(self._columns.admit_rows(batch))
        if not self._columns.keys:  # Rows that are all {}: they still count.
            self._widen(self._columns.admit_all((VALUE,)))
        keys = self._columns.keys
        marks = ",".join("?" * len(keys))
        values = (tuple(map(row.get, keys)) for row in batch)
        self._db.executemany(f"INSERT INTO result VALUES ({marks})", values)  # noqa: S608 - only "?"

    def _widen(self, names: list[str]) -> None:
        if names and len(names) == len(self._columns.names):
            self._db.execute(f"CREATE TABLE result ({','.join(map(_quoted, names))})")
            return
        for name in names:
            self._db.execute(f"ALTER TABLE result ADD COLUMN {_quoted(name)}")

    # Reading only

    def _lock_down(self) -> None:
        db = self._db
        self.size = self._pragma("page_count") * self._pragma("page_size")
        db.executescript(
            "PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; PRAGMA cell_size_check=ON"
        )
        db.create_function("regexp", 2, self._regexp, deterministic=True)
        # A table-valued function declares itself when it is first named, which the authorizer
        # would refuse.
        for name in TABLE_FUNCTIONS:
            db.execute(f"SELECT 1 FROM {name}('[]')")  # noqa: S608 - our own two names
        _forbid_quoted_texts(db)
        for category, limit in LIMITS.items():
            db.setlimit(category, limit)
        db.set_authorizer(_authorize)

    def _pragma(self, name: str) -> int:
        return int(self._db.execute(f"PRAGMA {name}").fetchone()[0])

    def _regexp(self, pattern: object, text: object) -> bool | None:
        if pattern is None or text is None:
            return None
        try:
            return re.search(str(pattern), str(text)) is not None
        except (re.error, RecursionError, OverflowError) as error:
            # SQLite reports only that some function failed.
            self._fault = f"{str(pattern)[:NAME_CHARS]!r} is not a regular expression: {error}"
            raise

    # What to say when it fails

    def _explain(self, message: str) -> SqlRefusal:
        if self._fault:
            return SqlRefusal(
                self._fault, "Correct the pattern; its syntax is that of Python's re."
            )
        if "use function" in message:
            return SqlRefusal(f"SQLite: {message}.", "Leave the function out.")
        if any(sign in message for sign in WRITE_SIGNS):
            return self._one_select()
        if "prohibited" in message or message.startswith("no such table"):
            error = f"SQLite: {message}. The only table is `result`."
            return SqlRefusal(error, f"Read from result. {self._column_list()}")
        if message.startswith("no such column"):
            return SqlRefusal(f"SQLite: {message}.", f"{self._column_list()} {QUOTING}")
        return SqlRefusal(f"SQLite: {message[:500]}.", f"Correct the statement. {QUOTING}")

    def _one_select(self) -> SqlRefusal:
        return SqlRefusal(
            "Only one SELECT over the table `result` is allowed.",
            f"Write a single statement that starts with SELECT or WITH. {self._column_list()}",
        )

    def _column_list(self) -> str:
        shown = ", ".join(_shortened(name) for name in self._columns.names[:NAMES_SHOWN])
        more = len(self._columns.names) - NAMES_SHOWN
        return f"Columns: {shown}{f' and {more} more' if more > 0 else ''}."


QUOTING = (
    'A column whose name is not a plain word is written in double quotes ("a.b"), '
    "a text in single quotes ('x')."
)
# How SQLite, or Python's module, words the refusal of anything else.
WRITE_SIGNS = (
    "not authorized",
    "one statement at a time",
    "attempt to write",
    "too many attached",
    "authorization denied",
)


# The guard

TABLE_FUNCTIONS = ("json_each", "json_tree")
HIDDEN = ("sqlite_", "pragma_")
READABLE = frozenset({"result", *TABLE_FUNCTIONS})
# SQLite's shell and its extensions define these; none is there today, and none may come in.
FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fsdir"})
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 50_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 500,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if _allowed(action, first, second) else sqlite3.SQLITE_DENY


def _allowed(action: int, first: str | None, second: str | None) -> bool:
    if action == sqlite3.SQLITE_READ:
        # count(*) reads no column. It names what it counts, which may be a WITH of the statement.
        return first in READABLE or (second == "" and not str(first).startswith(HIDDEN))
    if action == sqlite3.SQLITE_FUNCTION:
        return _harmless(second or "")
    return action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE)


def _harmless(function: str) -> bool:
    name = function.lower()
    return name not in FORBIDDEN_FUNCTIONS and not name.startswith(("fts", "rtree"))


def _forbid_quoted_texts(db: sqlite3.Connection) -> None:
    """Makes SELECT "typo" an error. SQLite would take it for the text 'typo', and answer wrongly.

    Python 3.11 has no way to say so; there the column is silently a text, as in SQLite's shell.
    """
    if sys.version_info >= (3, 12):
        db.setconfig(sqlite3.SQLITE_DBCONFIG_DQS_DML, False)


# Names


class _Names:
    """Gives every column a name of its own, `_2` and so on where it is taken."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        self._fold = fold
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        chosen, number = name, 2
        while self._fold(chosen) in self._taken:
            chosen, number = f"{name}_{number}", number + 1
        self._taken.add(self._fold(chosen))
        return chosen


def _unique(names: Iterable[str]) -> list[str]:
    taken = _Names(fold=str)
    return [taken.take(name) for name in names]


class _Columns:
    """The columns, in the order in which the rows first showed them."""

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.names: list[str] = []
        self._known: set[Key] = set()
        self._taken = _Names(fold=str.lower)  # SQLite takes a and A for one column.

    def admit_rows(self, rows: Iterable[Row]) -> list[str]:
        """Takes in the new columns of these rows, and returns their names."""
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
        return max(0, MAX_COLUMNS - len(self.keys))

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
        names = _unique(map(_label, over))
        rest = dict(zip(names, (row.pop(key) for key in over), strict=True))
        row[REST] = msgspec.json.encode(rest).decode()
        return added


def _label(key: Key) -> str:
    if isinstance(key, tuple):
        return ".".join(map(_label, key))
    if isinstance(key, int):
        return LABELS.get(key) or f"c{key + 1}"
    return key.replace("\0", "\\u0000")  # SQLite ends a name at NUL.


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _shortened(name: str) -> str:
    return name if len(name) <= NAME_CHARS else name[: NAME_CHARS - 1] + "…"


# Rows

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_LONE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE_CHARS = 6
_NAME = re.compile(rb'("(?:[^"\\]|\\.)*"):', re.DOTALL)
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_INTEGER_DIGITS = 20  # "-9223372036854775808" has as many characters.

_DECODED = msgspec.json.Decoder(dict[str, Any])
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_STRING = msgspec.json.Decoder(str)
_LITERALS: dict[bytes, int | None] = {b"true": 1, b"false": 0, b"null": None}


def _read_rows(rows: Iterable[bytes]) -> Iterator[Row]:
    return (_cells(row) for row in rows)


def _read_members(rows: Iterable[bytes]) -> Iterator[Row]:
    for row in map(_mended, rows):
        name = _NAME.match(row)
        if name is None:
            raise ValueError(f"not a member of an object: {row[:NAME_CHARS]!r}")
        cells: Row = {KEY: _STRING.decode(name[1])}
        cells.update(_cells(row[name.end() :]))
        yield cells


def _read_lines(rows: Iterable[bytes]) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        yield {LINE: number, TEXT: row.decode(errors="backslashreplace")}


_READERS: dict[Shape, Callable[[Iterable[bytes]], Iterator[Row]]] = {
    "rows": _read_rows,
    "members": _read_members,
    "lines": _read_lines,
    "value": _read_rows,
}


def _cells(row: bytes) -> Row:
    if row[:1] == b"{" and not _LONE.search(row):
        try:
            return _cells_of_decoded(_DECODED.decode(row), row)
        # A number beyond Python's (1e400, or 5,000 digits), or a nesting beyond its stack.
        except (msgspec.ValidationError, RecursionError):
            pass
    try:
        return _cells_of_raw(_mended(row))
    except RecursionError:
        return {VALUE: row.decode()}


def _cells_of_decoded(row: dict[str, Any], raw: bytes) -> Row:
    """The fast way: decoded at once, and again only where a list's own bytes are wanted."""
    cells: Row = {}
    _spread_decoded(cells, (), row, raw)
    return cells


def _spread_decoded(cells: Row, above: Path, row: dict[str, Any], raw: bytes) -> None:
    raws: dict[str, msgspec.Raw] = {}
    for name, value in row.items():
        key = (*above, name) if above else name
        kind = type(value)
        if kind is dict or kind is list:
            raws = raws or _OBJECT.decode(raw)
            _put(cells, (*above, name), bytes(raws[name]), value)
        elif kind is int and not _SMALLEST <= value <= _LARGEST:
            cells[key] = str(value)
        else:
            cells[key] = value  # True and False bind as 1 and 0.


def _cells_of_raw(row: bytes) -> Row:
    """The careful way: every value from its own bytes."""
    cells: Row = {}
    if row[:1] == b"{":
        _spread(cells, (), row)
    elif row[:1] == b"[":
        for position, item in enumerate(_LIST.decode(row)):
            _put(cells, (position,), bytes(item))
    else:
        cells[VALUE] = _scalar(row)
    return cells


def _spread(cells: Row, above: Path, raw: bytes) -> None:
    for name, value in _OBJECT.decode(raw).items():
        _put(cells, (*above, name), bytes(value))


def _put(cells: Row, path: Path, raw: bytes, decoded: dict[str, Any] | None = None) -> None:
    if raw[:1] != b"{" or raw == b"{}" or len(path) > MAX_DEPTH:
        cells[path if len(path) > 1 else path[0]] = _scalar(raw)
    elif decoded is None:
        _spread(cells, path, raw)
    else:
        _spread_decoded(cells, path, decoded, raw)


def _scalar(raw: bytes) -> Cell:
    head = raw[:1]
    if head == b'"':
        return _STRING.decode(raw)
    if head in b"[{":
        return raw.decode()
    if raw in _LITERALS:
        return _LITERALS[raw]
    return _number(raw)


def _number(raw: bytes) -> Cell:
    text = raw.decode()
    if text.lstrip("-").isdigit():
        return _integer(text)
    value = float(text)
    return text if isinf(value) else value


def _integer(text: str) -> int | str:
    # The length first: Python refuses to parse an integer of more than 4,300 digits.
    if len(text) > _INTEGER_DIGITS or not _SMALLEST <= int(text) <= _LARGEST:
        return text
    return int(text)


def _mended(row: bytes) -> bytes:
    r"""The row with half surrogate pairs as visible text (\ud800), which SQLite can hold."""
    return _ESCAPE.sub(_mended_escape, row) if _LONE.search(row) else row


def _mended_escape(match: re.Match[bytes]) -> bytes:
    escape = match[0]
    lone = len(escape) == _ESCAPE_CHARS and _LONE.match(escape)
    return b"\\" + escape if lone else escape


def _decode_leniently(text: bytes) -> str:
    return text.decode(errors="replace")
