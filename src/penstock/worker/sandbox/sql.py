"""Questions about a result as an in-memory SQLite table: an agent's SELECT, or the explorer's.

This runs in the child process, which has limits on time and memory.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterable
from contextlib import closing
from itertools import chain
from typing import NamedTuple

import msgspec

from penstock.core.model.questions import (
    RESULT_TABLE,
    Failure,
    Language,
    Limits,
    Shape,
    WorkerAnswer,
    table_names,
)
from penstock.worker.sandbox import chart, common_values, row_order
from penstock.worker.sandbox.aliases import Spelling, aliases_of
from penstock.worker.sandbox.all_columns import all_columns
from penstock.worker.sandbox.authorizer import lock_down, names_only
from penstock.worker.sandbox.bounds import bounded
from penstock.worker.sandbox.cells import read_lists
from penstock.worker.sandbox.explanation import explain, name_taken, one_select
from penstock.worker.sandbox.functions import add_functions
from penstock.worker.sandbox.section_tables import read_sections
from penstock.worker.sandbox.table import Columns, fill, unique

# The share of a question's time in which columns are looked at. The rest covers the last scan on a busy
# machine: a question that is stopped loses the loaded table.
_COLUMNS_SHARE = 0.4


def limit_memory(size: int) -> None:
    """Make SQLite raise MemoryError beyond `size` bytes, in this process, on any platform."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"PRAGMA hard_heap_limit={size:d}")


class TableRows(NamedTuple):
    """The rows of one table; of several, if they are members of a dict of lists."""

    rows: Iterable[bytes]  # can be read once
    shape: Shape
    table: str = RESULT_TABLE


class Table:
    """The table `result`, the tables of a dict, and those to join with, loaded once, then read by any
    number of statements."""

    def __init__(
        self, rows: Iterable[bytes], shape: Shape, beside: Iterable[TableRows] = ()
    ) -> None:
        # Without an isolation level, sqlite3 does not start transactions itself.
        self._db = sqlite3.connect(":memory:", isolation_level=None)
        # Text such as CAST(x'ff' AS TEXT) is not UTF-8, but must not make the question fail.
        self._db.text_factory = _decode_leniently
        self._tables: dict[str, Columns] = {}
        self._collision: Failure | None = None
        for given in chain([TableRows(rows, shape)], beside):
            self._add(given)
        self._columns = self._tables.get(RESULT_TABLE, Columns())
        self.size = self._pragma("page_count") * self._pragma("page_size")
        self._aliases = aliases_of(self._tables.values())
        self._faults = add_functions(self._db)
        lock_down(self._db, self._tables)

    def _add(self, given: TableRows) -> None:
        taken = {name.lower() for name in self._tables}
        if given.table.lower() in taken:  # by a list of the dict, as only the child knows
            self._collision = self._collision or name_taken(given.table)
            deque(given.rows, maxlen=0)
        else:
            self._tables |= _filled(self._db, given)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns.names)

    def answer(
        self, program: str, limits: Limits, language: Language = "sql", /
    ) -> WorkerAnswer | Failure:
        self._faults.last = None
        try:
            if language == "order":
                return row_order.order(self._db, self._columns, program)
            if language == "chart":
                return chart.chart(self._db, self._columns, program)
            if language == "values":
                return common_values.values(self._db, self._columns, program)
            if language == "columns":
                seconds = limits.seconds * _COLUMNS_SHARE
                return all_columns(self._db, self._columns, program, seconds)
            return self._collision or self._select(program, limits)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return self._explained(str(error)) if language == "sql" else _untold(str(error))

    def _explained(self, message: str) -> Failure:
        return self._faults.last or explain(message, self._tables)

    def close(self) -> None:
        self._db.close()

    def _select(self, statement: str, limits: Limits) -> WorkerAnswer | Failure:
        spelling = Spelling(names_only(statement), self._aliases)
        cursor = self._run(spelling)
        if cursor.description is None:
            return one_select(self._tables)
        names = unique(spelling.label(column[0]) for column in cursor.description)
        encode = msgspec.json.Encoder().encode  # bytes become base64, infinities null
        with closing(cursor):
            answer = bounded((encode(dict(zip(names, row, strict=True))) for row in cursor), limits)
        if isinstance(answer, Failure):
            return answer
        return WorkerAnswer(answer.rows, single=False, truncated=answer.truncated)

    def _run(self, spelling: Spelling) -> sqlite3.Cursor:
        while True:
            try:
                return self._db.execute(spelling.statement)
            except sqlite3.OperationalError as error:
                if not spelling.corrected(str(error)):
                    raise

    def _pragma(self, name: str) -> int:
        return int(self._db.execute(f"PRAGMA {name}").fetchone()[0])


def _filled(db: sqlite3.Connection, given: TableRows) -> dict[str, Columns]:
    if given.shape == "sections":
        return _filled_document(db, given)
    if given.shape != "tables":
        return {given.table: fill(db, given.rows, given.shape, given.table)}
    lists = list(read_lists(given.rows))
    names = table_names(name for name, _ in lists)
    elements = {name: elements for name, elements in lists if name in names}
    return {name: fill(db, map(bytes, found), "rows", name) for name, found in elements.items()}


def _filled_document(db: sqlite3.Connection, given: TableRows) -> dict[str, Columns]:
    document = read_sections(given.rows)
    filled = {given.table: fill(db, document.sections, "sections", given.table)}
    if given.table != RESULT_TABLE:  # A document to join with is one table, as its name says.
        return filled
    tables = document.tables.items()
    return filled | {name: fill(db, map(bytes, rows), "rows", name) for name, rows in tables}


def _untold(message: str) -> Failure:
    """Return the failure for a user, who wrote no statement and can correct none."""
    return Failure(
        f"The rows could not be put together (SQLite: {message[:500]}).",
        "Choose fewer filters or other columns, or look at the rows as they are.",
    )


def _decode_leniently(text: bytes) -> str:
    return text.decode(errors="replace")
