"""The restriction of statements: they may read the tables of the result, and nothing else.

Three barriers enforce this, and each alone stops most attempts: the authorizer, `query_only`, and
the limits of the child process, which cannot open or write files.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from penstock.core.model.questions import TABLE_FUNCTIONS

HIDDEN = ("sqlite_", "pragma_")
# SQLite's shell and extensions define these. None is present today, and none may become so.
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


def lock_down(db: sqlite3.Connection, tables: Iterable[str]) -> None:
    """Make the connection read-only for good, and readable only in these tables."""
    db.executescript("PRAGMA trusted_schema=OFF; PRAGMA query_only=ON; PRAGMA cell_size_check=ON")
    # The first use of a table-valued function declares it, and the authorizer would refuse that.
    for name in TABLE_FUNCTIONS:
        db.execute(f"SELECT 1 FROM {name}('[]')")  # noqa: S608 - our own two names
    for category, limit in LIMITS.items():
        db.setlimit(category, limit)
    readable = frozenset({*tables, *TABLE_FUNCTIONS})

    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        is_allowed = _allowed(readable, action, first, second)
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY

    db.set_authorizer(authorize)


def _allowed(readable: frozenset[str], action: int, first: str | None, second: str | None) -> bool:
    if action == sqlite3.SQLITE_READ:
        # count(*) reads no column, and names its table, which may be a WITH of the statement.
        return first in readable or (second == "" and not str(first).startswith(HIDDEN))
    if action == sqlite3.SQLITE_FUNCTION:
        return _harmless(second or "")
    return action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE)


def _harmless(function: str) -> bool:
    name = function.lower()
    return name not in FORBIDDEN_FUNCTIONS and not name.startswith(("fts", "rtree"))


# A text, a name in double quotes, a comment, or a name in brackets or backticks.
_QUOTED = re.compile(
    r"""'(?:[^']|'')*'|"((?:[^"]|"")*)"|--[^\n]*|/\*.*?\*/|\[[^\]]*\]|`(?:[^`]|``)*`""", re.DOTALL
)


def names_only(statement: str) -> str:
    """Return the statement with backticks instead of double quotes around names.

    SQLite takes "typo" for the text 'typo' if there is no such column, and the answer is wrong.
    Backticks can only hold a name.
    """
    return _QUOTED.sub(_as_name, statement)


def _as_name(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[0]
    return "`" + match[1].replace('""', '"').replace("`", "``") + "`"
