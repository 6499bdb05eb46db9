"""Profiles of columns: their types, nulls, range and most common value.

Values are compared and shown exactly as in the document. No decoder rounds them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.outline import type_name
from penstock.core.views.pages import cut_text

_MOST_COLUMNS = 300
_MOST_DISTINCT = 1_000
_LONGEST_COMPARED = 100
_SHOWN_CHARS = 40
_NUMBERS = ("int", "float")


@dataclass(slots=True)
class ColumnProfile:
    types: dict[str, int] = field(default_factory=dict)
    counts: dict[bytes, int] = field(default_factory=dict)
    overflow: bool = False
    low: tuple[Any, bytes] | None = None
    high: tuple[Any, bytes] | None = None

    def add(self, raw: bytes) -> None:
        kind = type_name(raw)
        self.types[kind] = self.types.get(kind, 0) + 1
        if kind in ("dict", "list", "null") or len(raw) > _LONGEST_COMPARED:
            return
        self._count(raw)
        if kind in _NUMBERS:
            number = _exactly(raw, kind)
            if number is not None:
                self._extend((0, number), raw)
        elif kind == "str":
            self._extend((1, raw), raw)

    def _count(self, raw: bytes) -> None:
        if raw in self.counts or len(self.counts) < _MOST_DISTINCT:
            self.counts[raw] = self.counts.get(raw, 0) + 1
        else:
            self.overflow = True

    def _extend(self, order: tuple[int, Any], raw: bytes) -> None:
        if self.low is None or order < self.low[0]:
            self.low = (order, raw)
        if self.high is None or order > self.high[0]:
            self.high = (order, raw)

    def describe(self, total: int) -> dict[str, Any]:
        kinds = [kind for kind in self.types if kind != "null"]
        facts: dict[str, Any] = {"type": "|".join(kinds) or "null"}
        nulls = total - sum(self.types[kind] for kind in kinds)
        if nulls:
            facts["nulls"] = nulls
        if self.counts:
            facts["distinct"] = len(self.counts)
            if self.overflow:
                facts["distinct_is"] = "at least"
        if self.low is not None and self.high is not None and len(self.counts) > 1:
            facts["min"], facts["max"] = _shown(self.low[1]), _shown(self.high[1])
        commonest = max(self.counts, key=self.counts.__getitem__, default=None)
        if commonest is not None and self.counts[commonest] > 1:
            facts["commonest"] = [_shown(commonest), self.counts[commonest]]
        return facts


def _exactly(raw: bytes, kind: str) -> int | Decimal | None:
    """Return a number for exact comparison: as floats, 10**18 and 10**18 + 1 would be equal. Return
    None for a number that Decimal cannot hold, such as one with an exponent of twenty digits."""
    if kind == "int":
        return int(raw)  # `_LONGEST_COMPARED` is far below the limit of Python
    try:
        return Decimal(raw.decode())
    except InvalidOperation:
        return None


def _shown(raw: bytes) -> Any:
    if len(raw) <= _SHOWN_CHARS:
        return msgspec.Raw(raw)
    text = str(rawjson.decode(raw)) if raw[:1] == b'"' else rawjson.text(raw)
    return cut_text(text, _SHOWN_CHARS)


@dataclass(slots=True)
class TableProfile:
    """The profile of all columns. Rows that are not objects count as one column, `value`."""

    rows: int = 0
    columns: dict[str, ColumnProfile] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)

    def add(self, rows: Iterable[bytes]) -> None:
        for row in rows:
            self.rows += 1
            cells = rawjson.fields(row) if row[:1] == b"{" else {"value": row}
            for name, raw in cells.items():
                self._cell(name, raw)

    def _cell(self, name: str, raw: bytes) -> None:
        column = self.columns.get(name)
        if column is None:
            if len(self.columns) >= _MOST_COLUMNS:
                self.left_out.add(name)
                return
            column = self.columns[name] = ColumnProfile()
        column.add(raw)

    def describe(self) -> dict[str, dict[str, Any]]:
        return {name: column.describe(self.rows) for name, column in self.columns.items()}
