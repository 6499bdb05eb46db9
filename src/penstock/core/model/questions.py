"""Questions in SQL and jq, what they are asked about, and what comes back.

Two more languages are for the explorer, whose questions are JSON: "order" asks which rows to show and
in which order, "chart" for what a chart is drawn from. See `worker.sandbox.row_order` and
`worker.sandbox.chart`.

Both sides of `penstock.worker` import this, so it imports nothing that is not cheap.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import Literal

import msgspec

Language = Literal["sql", "jq", "order", "chart"]
# How a material is divided into rows. "value" is one row: a number, say, or a text.
Shape = Literal["rows", "members", "lines", "value"]


class Limits(msgspec.Struct, frozen=True):
    """`memory` is the child's. `rows` and `answer_bytes` bound what an answer carries to the parent,
    which holds all of it: what goes beyond them is cut, and the answer says so."""

    seconds: float = 5.0
    memory: int = 256_000_000
    rows: int = 100_000
    answer_bytes: int = 64_000_000


class Material(msgspec.Struct, frozen=True):
    """What a question is asked about: rows of JSON or text, many of them in a block.

    Rows in a block are joined with a newline. A row of shape "members" is `"key":value`. The JSON
    document is the prefix, the rows joined with commas, and the suffix.
    """

    shape: Shape
    prefix: bytes
    suffix: bytes
    blocks: Iterable[bytes]


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
]
Value = str | int | float | bool | None


class Sort(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    column: str
    descending: bool = False


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    column: str
    op: Op
    value: Value = None


class Arrangement(msgspec.Struct, frozen=True):
    """Which rows are shown, and in which order. Every condition holds; `find` is in any cell."""

    sort: Sort | None = None
    where: tuple[Condition, ...] = ()
    find: str = ""


class Axes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The columns of a chart."""

    x: str
    y: str | None = None


class Drawing(msgspec.Struct, frozen=True):
    """A chart, of the rows that are shown."""

    chart: Axes
    rows: Arrangement = Arrangement()


class WorkerAnswer(msgspec.Struct, frozen=True):
    """`single`: the program gave one value, and not a list of rows that happens to have one."""

    rows: tuple[bytes, ...]
    single: bool
    truncated: bool


class Failure(msgspec.Struct, frozen=True):
    error: str
    next_step: str


@cache
def jq_installed() -> bool:
    """Can questions in jq be asked? SQL always can."""
    return find_spec("jq") is not None
