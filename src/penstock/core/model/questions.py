"""Questions to the worker, the material that they are about, and the answers.

Agents ask in SQL and jq. The explorer asks in four more languages, all JSON: "order" for the rows
to show and their order, "chart" for the data of a chart, "values" for the values of a column,
"columns" for all columns. See `row_order`, `chart`, `common_values` and `all_columns` in
`worker.sandbox`.

Both sides of `penstock.worker` import this module, so it must import fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import Annotated, Literal

import msgspec

from penstock.core.model.epochs import EpochUnit

# A nested object deeper than this is JSON text in its column: each level is parsed once more than the
# level above it.
SQL_DEPTH = 16
SQL_COLUMNS = 1_900  # SQLite allows 2,000 in a table and in the output of a SELECT.

Language = Literal["sql", "jq", "order", "chart", "values", "columns"]
EXPLORER_LANGUAGES = ("order", "chart", "values", "columns")
# The kind of rows that a material has. "value" is a single row, such as a number. "tables" are
# members of a dict, each list of which is a table of its own. "sections" are rows of a document, whose
# tables are tables of their own beside that of the sections.
Shape = Literal["rows", "members", "lines", "value", "tables", "sections"]

RESULT_TABLE = "result"
TABLE_FUNCTIONS = ("json_each", "json_tree")
MOST_TABLES = 100
MOST_SECTION_TABLES = 1_000
LONGEST_TABLE_NAME = 60
_RESERVED_TABLES = (RESULT_TABLE, *TABLE_FUNCTIONS)
_RESERVED_STARTS = ("sqlite_", "pragma_")


def table_names(lists: Iterable[str]) -> list[str]:
    """Return the keys whose lists are tables of SQL, given the keys of all lists of a dict.

    SQL ignores the case of names. If two keys differ only in case, neither is a table, because the
    rows of one could pass for those of the other.
    """
    keys = list(lists)
    uses = Counter(map(str.lower, keys))
    return [key for key in keys if uses[key.lower()] == 1 and is_table_name(key)][:MOST_TABLES]


def is_table_name(name: str) -> bool:
    return not is_reserved(name) and 0 < len(name) <= LONGEST_TABLE_NAME and name.isprintable()


def is_reserved(name: str) -> bool:
    lower = name.lower()
    return lower in _RESERVED_TABLES or lower.startswith(_RESERVED_STARTS)


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names under which SQL has the tables of a document, in their order. A name that comes
    again gets `_2`, `_3` and so on."""
    found: list[str] = []
    used: set[str] = set()
    numbers: dict[str, int] = {}  # by name: the last number, because thousands may have one name
    for name in names:
        number, unused = numbers.get(name, 1), name
        while unused.lower() in used:
            number += 1
            unused = f"{name}_{number}"
        numbers[name] = number
        used.add(unused.lower())
        found.append(unused)
    return found


class Limits(msgspec.Struct, frozen=True):
    """The limits of one question. The parent process holds the whole answer, so an answer beyond
    `rows` or `answer_bytes` is cut, and marked as truncated."""

    seconds: float = 5.0
    memory: int = 256_000_000  # of the child process, in bytes
    rows: int = 100_000
    answer_bytes: int = 64_000_000


class Material(msgspec.Struct, frozen=True):
    """The rows that a question is about, as JSON or text.

    The JSON document is the prefix, the rows joined with commas, and the suffix.
    """

    shape: Shape  # a row of shape "members" is `"key":value`
    prefix: bytes
    suffix: bytes
    blocks: Iterable[bytes]  # each holds many rows, joined with newlines
    table: str = RESULT_TABLE  # the name that SQL has for the rows
    beside: tuple[Material, ...] = ()  # further tables, for a join


class Question(msgspec.Struct, frozen=True):
    key: str
    language: Language
    program: str


Op = Literal[
    "contains",
    "equals",
    "not_equals",
    "less",
    "at_most",
    "more",
    "at_least",
    "is_null",
    "not_null",
    "matches",
    "between",
    "one_of",
]
Value = str | int | float | bool | None

# The path from a row to a cell: keys of objects, and places in lists. The name of a nested column is
# its path with dots, and may be the name of another column too.
ColumnPath = tuple[str | Annotated[int, msgspec.Meta(ge=0)], ...]
ColumnRef = str | ColumnPath
# What a condition takes the cells for: what they are in the table, or times. Times are ISO texts, or
# numbers of seconds or milliseconds since 1970.
CellKind = Literal["plain", "time", "seconds", "milliseconds"]


class Sort(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    column: ColumnRef
    descending: bool = False


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A condition on the cells of a column. `between` has two `values`, `one_of` any number.

    `texts`: the times as they were typed, for cells that hold no time: `2023` may be a text too."""

    column: ColumnRef
    op: Op
    value: Value = None
    values: tuple[Value, ...] = ()
    kind: CellKind = "plain"
    texts: tuple[str, ...] = ()


class Arrangement(msgspec.Struct, frozen=True):
    """The choice and the order of the rows that the explorer shows."""

    sort: Sort | None = None
    where: tuple[Condition, ...] = ()  # a row must meet all of them
    find: str = ""  # a text that some cell of a row must contain


class Axes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The columns of a chart."""

    x: ColumnRef
    y: ColumnRef | None = None


class ValuesOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question for the values of a column, with the number of rows of each."""

    column: ColumnRef


class ColumnsOf(msgspec.Struct, frozen=True):
    """A question for all columns. If rows are lists, their places may have `names`."""

    names: tuple[str, ...] = ()


class KnownColumn(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column as all rows of a table have it.

    `kinds` has "int", "float", "bool", "str", "date", "list", "dict" or "null". It is empty if there
    was no time to look at the column."""

    path: ColumnPath
    kinds: tuple[str, ...]
    epoch: EpochUnit | None = None  # set if the numbers are times


class Drawing(msgspec.Struct, frozen=True):
    """A chart of the rows that the explorer shows. If rows are lists, their places may have `names`."""

    chart: Axes
    rows: Arrangement = Arrangement()
    names: tuple[str, ...] = ()


class WorkerAnswer(msgspec.Struct, frozen=True):
    """The rows that a program gave."""

    rows: tuple[bytes, ...]
    single: bool  # the program gave one value, as opposed to a list of one row
    truncated: bool


class Failure(msgspec.Struct, frozen=True):
    error: str
    next_step: str


@cache
def jq_installed() -> bool:
    """Return whether jq is available. SQL always is."""
    return find_spec("jq") is not None
