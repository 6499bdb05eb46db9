"""The file with the figures of this machine, to which many processes add.

The file holds counts by day, server and tool, and neither contents nor arguments. It stays small:
figures are kept for 90 days, and tools beyond a day's limit share one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from penstock.figures.rows import (
    CALL_FIELDS,
    LAST_FIELDS,
    LIST_FIELDS,
    OTHER,
    UNKNOWN,
    CallFigures,
    ListFigures,
)
from penstock.stores.sqlite_file import SQLiteFile
from penstock.stores.sqlite_schema import FileKind

if TYPE_CHECKING:
    import sqlite3

DAYS_KEPT: Final = 90
MOST_SERVERS: Final = 100  # in one day
MOST_TOOLS: Final = 200  # of one server in one day
START_ANEW: Final = "Start a new file: penstock stats --reset."
_KIND: Final = FileKind(0x50454E46, 2, "penstock.figures", other_file=START_ANEW)  # "PENF"

Calls = Mapping[tuple[str, str], CallFigures]  # by server and tool
Lists = Mapping[str, ListFigures]  # by server

_TABLES: Final = ("calls", "lists", "members")


class FiguresFile:
    """The open file. Its methods raise `StoreError` if the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self._file = SQLiteFile(path, _KIND)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, calls: Calls, lists: Lists, today: date, front: str = "") -> None:
        """Add figures to those of a day. Delete figures that are too old. `front` is the name of the
        one list that all other servers in `calls` share, or "" for a server that runs alone."""
        day, first = today.isoformat(), (today - timedelta(DAYS_KEPT - 1)).isoformat()
        with self._file.writing() as connection:
            for table in _TABLES:
                connection.execute(f"DELETE FROM {table} WHERE day < ?", (first,))  # noqa: S608 (a name from here)
            for name, listed in lists.items():
                server = _server_row(connection, day, name)
                _upsert(connection, "lists", {"day": day, "server": server}, listed)
            for (name, tool), called in calls.items():
                server = _server_row(connection, day, name)
                keys = {
                    "day": day,
                    "server": server,
                    "tool": _tool_row(connection, day, server, tool),
                }
                _upsert(connection, "calls", keys, called)
                if front and name != front:
                    _add_member(connection, day, front, server)

    def calls(self, since: date) -> dict[tuple[str, str], CallFigures]:
        """Return the calls from a day on, by server and tool."""
        sums = ", ".join(f"sum({name})" for name in CALL_FIELDS)
        rows = self._select(
            f"SELECT server, tool, {sums} FROM calls WHERE day >= ? GROUP BY server, tool",  # noqa: S608 (as above)
            since.isoformat(),
        )
        return {(server, tool): CallFigures(*counts) for server, tool, *counts in rows}

    def lists(self, since: date) -> dict[str, ListFigures]:
        """Return the lists from a day on, by server. The last list is that of the last day."""
        rows = self._select(
            f"SELECT server, {', '.join(LIST_FIELDS)} FROM lists WHERE day >= ? ORDER BY day",  # noqa: S608 (as above)
            since.isoformat(),
        )
        found: dict[str, ListFigures] = {}
        for server, *values in rows:
            _added(found.setdefault(server, ListFigures()), ListFigures(*values))
        return found

    def members(self, since: date) -> set[tuple[str, str]]:
        """Return each front with each server that was behind it from a day on."""
        statement = "SELECT DISTINCT front, server FROM members WHERE day >= ?"
        return set(self._select(statement, since.isoformat()))

    def called_tools(self, server: str) -> frozenset[str]:
        """Return the tools of a server whose calls worked at least once."""
        rows = self._select(
            "SELECT DISTINCT tool FROM calls WHERE server = ? AND calls > errors", server
        )
        return frozenset(tool for (tool,) in rows) - {OTHER, UNKNOWN}

    def clear(self) -> None:
        """Delete all figures, and leave no trace of their names in the file."""
        with self._file.writing() as connection:
            for table in _TABLES:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 (a name from here)
        self._file.shrink()

    def _select(self, statement: str, value: str) -> Iterable[Any]:
        with self._file.reading() as connection:
            return connection.execute(statement, (value,)).fetchall()


def _added(total: ListFigures, more: ListFigures) -> None:
    """Add the lists of a later day. The last list is that of the later day, if it has one."""
    for name in LIST_FIELDS:
        if name not in LAST_FIELDS:
            setattr(total, name, getattr(total, name) + getattr(more, name))
        elif more.listed:
            setattr(total, name, getattr(more, name))


def _upsert(
    connection: sqlite3.Connection,
    table: str,
    keys: Mapping[str, str],
    more: CallFigures | ListFigures,
) -> None:
    fields = more.__struct_fields__
    columns = [*keys, *fields]
    is_listed = isinstance(more, ListFigures) and more.listed
    kept = LAST_FIELDS if not is_listed else ()
    changes = ", ".join(
        f"{name} = excluded.{name}" if name in LAST_FIELDS else f"{name} = {name} + excluded.{name}"
        for name in fields
        if name not in kept
    )
    connection.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "  # noqa: S608 (names from here)
        f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {changes}",
        (*keys.values(), *msgspec.structs.astuple(more)),
    )


def _add_member(connection: sqlite3.Connection, day: str, front: str, server: str) -> None:
    row = (day, _server_row(connection, day, front), server)
    connection.execute("INSERT OR IGNORE INTO members (day, front, server) VALUES (?, ?, ?)", row)


def _server_row(connection: sqlite3.Connection, day: str, server: str) -> str:
    """Return the name under which a server is counted."""
    names = (
        "SELECT server FROM lists WHERE day = :day UNION SELECT server FROM calls WHERE day = :day"
    )
    found = {name for (name,) in connection.execute(names, {"day": day})}
    return server if server in found or len(found) < MOST_SERVERS else OTHER


def _tool_row(connection: sqlite3.Connection, day: str, server: str, tool: str) -> str:
    """Return the name under which a tool is counted."""
    names = "SELECT tool FROM calls WHERE day = ? AND server = ?"
    found = {name for (name,) in connection.execute(names, (day, server))}
    return tool if tool in found or len(found) < MOST_TOOLS else OTHER
