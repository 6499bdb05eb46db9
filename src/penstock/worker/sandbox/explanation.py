"""The explanation of an error in SQL: what is wrong, and which tables and columns there are."""

from __future__ import annotations

import re
from collections.abc import Mapping

from penstock.core.model.questions import Failure
from penstock.worker.sandbox.functions import ADDED
from penstock.worker.sandbox.table import Columns, quoted

NAMES_SHOWN = 40
NAME_CHARS = 60
LIST_CHARS = 800
_TABLES_SHOWN = 8

QUOTING = (
    'A column whose name is not a plain word is written in double quotes ("a.b", or a_b if that is no column), '
    "a text in single quotes ('x')."
)
NO_FUNCTION = f"Beyond SQLite's own functions there are {', '.join(ADDED)}."
# Words by which SQLite or Python's module refuses anything but a SELECT.
_WRITE_SIGNS = (
    "not authorized",
    "one statement at a time",
    "attempt to write",
    "too many attached",
    "authorization denied",
)
_NO_COLUMN = "no such column: "
_NEAR = re.compile(r'near "(\w+)": syntax error')
_MESSAGE_CHARS = 500
_PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Plain words that SQLite takes for a name only in quotes.
_KEYWORDS = frozenset(
    [
        "add",
        "all",
        "alter",
        "and",
        "as",
        "autoincrement",
        "between",
        "case",
        "check",
        "collate",
        "commit",
        "constraint",
        "create",
        "default",
        "deferrable",
        "delete",
        "distinct",
        "drop",
        "else",
        "escape",
        "except",
        "exists",
        "foreign",
        "from",
        "group",
        "having",
        "in",
        "index",
        "insert",
        "intersect",
        "into",
        "is",
        "isnull",
        "join",
        "limit",
        "not",
        "nothing",
        "notnull",
        "null",
        "on",
        "or",
        "order",
        "primary",
        "references",
        "returning",
        "select",
        "set",
        "table",
        "then",
        "to",
        "transaction",
        "union",
        "unique",
        "update",
        "using",
        "values",
        "when",
        "where",
    ]
)
_NOT_A_LETTER = re.compile(r"[\W_]+")

Tables = Mapping[str, Columns]


def explain(message: str, tables: Tables) -> Failure:
    """Return the failure for an error message of SQLite."""
    told = f"SQLite: {message[:_MESSAGE_CHARS]}."
    if message.startswith("no such function"):
        return Failure(told, NO_FUNCTION)
    if "use function" in message:
        return Failure(told, "Leave the function out.")
    if any(sign in message for sign in _WRITE_SIGNS):
        return one_select(tables)
    if "prohibited" in message or message.startswith("no such table"):
        return Failure(f"{told} {_table_list(tables)}", _column_lists(tables))
    if message.startswith(_NO_COLUMN):
        return _no_column(message.removeprefix(_NO_COLUMN), told, tables)
    word = _NEAR.match(message)
    if word is not None and _is_name(word[1], tables):
        return Failure(told, f'{word[1]} is a word of SQL: write the name in quotes, "{word[1]}".')
    return Failure(told, f"Correct the statement. {QUOTING}")


def _is_name(word: str, tables: Tables) -> bool:
    """Return whether a column or a table has this name."""
    names = [*tables, *(name for columns in tables.values() for name in columns.names)]
    return word.lower() in map(str.lower, names)


def one_select(tables: Tables) -> Failure:
    return Failure(
        f"Only one SELECT is allowed. {_table_list(tables)}",
        f"Write a single statement that starts with SELECT or WITH. {_column_lists(tables)}",
    )


def name_taken(name: str) -> Failure:
    return Failure(
        f"Two tables are called {_written(name)}: a list of the result, and one of tables.",
        "Give the other result another name in tables.",
    )


def _no_column(asked: str, told: str, tables: Tables) -> Failure:
    for table, columns in tables.items():
        hidden = columns.hidden_name(asked) or columns.hidden_name(asked.partition(".")[2])
        if hidden is not None:
            # A path of json_extract could not name every key.
            key = hidden.replace("'", "''")
            return Failure(
                f"{told} It is one of those in the JSON column _rest of {table}.",
                f"Write (SELECT value FROM json_each(_rest) WHERE key = '{key}').",  # noqa: S608 - shown, not run
            )
    return Failure(told, f"{_column_lists(tables, asked)} {QUOTING}")


def _table_list(tables: Tables) -> str:
    if not tables:
        return "There is no table."
    names = ", ".join(map(_written, list(tables)[:NAMES_SHOWN]))
    return f"The only table is {names}." if len(tables) == 1 else f"The tables are {names}."


def _column_lists(tables: Tables, asked: str = "") -> str:
    """Return the columns of each table, those first that are like the one asked for."""
    room = LIST_CHARS // min(max(1, len(tables)), _TABLES_SHOWN)
    shown = list(tables.items())[:_TABLES_SHOWN]
    return " ".join(_column_list(name, columns.names, asked, room) for name, columns in shown)


def _column_list(table: str, names: list[str], asked: str, room: int) -> str:
    ordered = sorted(names, key=lambda name: not _alike(name, asked))  # keeps the order otherwise
    shown: list[str] = []
    for written in map(_written, ordered[:NAMES_SHOWN]):
        room -= len(written) + len(", ")
        if shown and room < 0:
            break
        shown.append(written)
    more = len(names) - len(shown)
    ending = f" and {more} more" if more else ""
    return f"Columns of {_written(table)}: {', '.join(shown)}{ending}."


def _alike(name: str, asked: str) -> bool:
    """Return whether one name holds the other, or its last part, regardless of case and dots."""
    one, other = _letters(name), _letters(asked.rpartition(".")[2])
    return bool(one and other) and (other in one or one in _letters(asked))


def _letters(name: str) -> str:
    return _NOT_A_LETTER.sub("", name).casefold()


def _written(name: str) -> str:
    """Return the name as a statement writes it, cut if it is long."""
    if len(name) > NAME_CHARS:
        return name[: NAME_CHARS - 1] + "…"
    is_plain = _PLAIN_WORD.fullmatch(name) and name.lower() not in _KEYWORDS
    return name if is_plain else quoted(name)
