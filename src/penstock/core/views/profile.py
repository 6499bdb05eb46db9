"""Profiles of columns: their types, nulls, range and most common value.

Values are compared and shown as in the document. Integers keep all their digits, and a float stays the
text that the document has: no decoder rounds it.

A column of a thousand rows is looked at as a whole, by functions of Python that are written in C. To
look at one value after another would take ten times as long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from math import inf
from operator import itemgetter
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.alike_rows import decode_alike
from penstock.core.results.outline import type_name
from penstock.core.views.pages import cut_text

_MOST_COLUMNS = 300
_MOST_DISTINCT = 1_000
_LONGEST_COMPARED = 100
_MOST_BITS = 330  # of an integer of about that many digits
_SHOWN_CHARS = 40
# Decoded values take several times the memory of their bytes, so only so many bytes are decoded at once.
_BYTES_AT_ONCE = 1_000_000
_LARGEST_ROW = 50_000

# A float, as its text. Any other value is decoded.
Cell = str | int | bool | bytes | dict[str, Any] | list[Any] | None
_NAMES: dict[type, str] = {
    str: "str", int: "int", bytes: "float", bool: "bool", dict: "dict", list: "list",
    type(None): "null",
}  # fmt: skip
_UNCOUNTED = (dict, list, type(None))
_ROWS = msgspec.json.Decoder(list[Any], float_hook=str.encode)


@dataclass(slots=True)
class ColumnProfile:
    types: dict[str, int] = field(default_factory=dict)
    # By type, because True and 1 are the same key.
    counts: dict[type, Counter[Any]] = field(default_factory=dict)
    overflow: bool = False
    # The order of a value and the value.
    low: tuple[tuple[int, Any], Cell] | None = None
    high: tuple[tuple[int, Any], Cell] | None = None

    def add(self, cells: Sequence[Cell]) -> None:
        kinds = {*map(type, cells)}
        if len(kinds) == 1:
            self._add_kind(kinds.pop(), cells)
            return
        for kind in dict.fromkeys(map(type, cells)):
            self._add_kind(kind, [cell for cell in cells if type(cell) is kind])

    def _add_kind(self, kind: type, cells: Sequence[Any]) -> None:
        name = _NAMES[kind]
        self.types[name] = self.types.get(name, 0) + len(cells)
        if kind in _UNCOUNTED:
            return
        if kind is bytes:
            if max(map(len, cells)) > _LONGEST_COMPARED:
                cells = [cell for cell in cells if len(cell) <= _LONGEST_COMPARED]
            self._extend_by_floats(cells)
        elif kind is int:
            if max(map(int.bit_length, cells)) > _MOST_BITS:
                cells = [cell for cell in cells if cell.bit_length() <= _MOST_BITS]
            for cell in {min(cells), max(cells)} if cells else ():
                self._extend((0, cell), cell)
        elif kind is str:
            for cell in (min(cells), max(cells)):
                self._extend((1, cell), cell)
        self._count(kind, cells)

    def _count(self, kind: type, cells: Sequence[Any]) -> None:
        counts = self.counts.setdefault(kind, Counter())
        room = _MOST_DISTINCT - sum(map(len, self.counts.values()))
        if room > 0:
            found = Counter(cells)
            new = [cell for cell in found if cell not in counts]
            kept = [*filter(_is_short, new[:room])]
            if len(kept) == len(new):
                counts.update(found)
                return
            counts.update(dict.fromkeys(kept, 0))
        known = [*filter(counts.__contains__, cells)]
        counts.update(known)
        self.overflow = self.overflow or len(known) < len(cells)

    def _extend_by_floats(self, cells: Sequence[bytes]) -> None:
        rounded = [*map(float, cells)]
        for end in {min(rounded), max(rounded)} if rounded else ():
            if not self._is_between(end):
                for cell in _exact_floats(end, cells, rounded):
                    self._extend((0, Decimal(cell.decode())), cell)

    def _is_between(self, rounded: float) -> bool:
        """Return whether numbers that are rounded to this one are surely between low and high."""
        low, high = self.low, self.high
        if low is None or high is None or low[0][0] or high[0][0] or abs(rounded) in (0, inf):
            return False
        return float(low[0][1]) < rounded < float(high[0][1])

    def _extend(self, order: tuple[int, Any], cell: Cell) -> None:
        if self.low is None or order < self.low[0]:
            self.low = (order, cell)
        if self.high is None or order > self.high[0]:
            self.high = (order, cell)

    def describe(self, total: int) -> dict[str, Any]:
        kinds = [kind for kind in self.types if kind != "null"]
        facts: dict[str, Any] = {"type": "|".join(kinds) or "null"}
        nulls = total - sum(self.types[kind] for kind in kinds)
        if nulls:
            facts["nulls"] = nulls
        counted = [item for counts in self.counts.values() for item in counts.items()]
        if counted:
            facts["distinct"] = len(counted)
            if self.overflow:
                facts["distinct_is"] = "at least"
        if self.low is not None and self.high is not None and len(counted) > 1:
            facts["min"], facts["max"] = _shown(self.low[1]), _shown(self.high[1])
        commonest, count = max(counted, key=itemgetter(1), default=(None, 0))
        if count > 1:
            facts["commonest"] = [_shown(commonest), count]
        return facts


def _is_short(cell: Any) -> bool:
    return not isinstance(cell, str) or len(cell) <= _LONGEST_COMPARED


def _exact_floats(end: float, cells: Sequence[bytes], rounded: list[float]) -> Iterator[bytes]:
    """Yield the smallest and the largest of the floats that are rounded to `end`. Rounding keeps the
    order of numbers, so the exact extremes are among those of the rounded extremes."""
    among: Iterable[bytes] = cells
    if abs(end) not in (0, inf):  # These may stand for numbers that Decimal cannot hold.
        among = (cell for cell, of in zip(cells, rounded, strict=True) if of == end)
    exact = [(number, cell) for cell in {*among} if (number := _exactly(cell)) is not None]
    yield from {min(exact)[1], max(exact)[1]} if exact else ()


def _exactly(cell: bytes) -> Decimal | None:
    """Return a float for exact comparison, or None if Decimal cannot hold it, such as one with an
    exponent of twenty digits."""
    try:
        return Decimal(cell.decode())
    except InvalidOperation:
        return None


def _shown(cell: Cell) -> Any:
    raw = _literal(cell)
    if len(raw) <= _SHOWN_CHARS:
        return msgspec.Raw(raw)
    return cut_text(cell if isinstance(cell, str) else rawjson.text(raw), _SHOWN_CHARS)


def _literal(cell: Cell) -> bytes:
    """Return a value as JSON."""
    if isinstance(cell, bytes):
        return cell
    return rawjson.string(cell) if isinstance(cell, str) else msgspec.json.encode(cell)


@dataclass(slots=True)
class TableProfile:
    """The profile of all columns. Rows that are not objects count as one column, `value`."""

    rows: int = 0
    columns: dict[str, ColumnProfile] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)

    def add(self, rows: Sequence[bytes]) -> None:
        self.rows += len(rows)
        for some in _portions(rows):
            for name, cells in _columns(some).items():
                self._add(name, cells)

    def _add(self, name: str, cells: Sequence[Cell]) -> None:
        column = self.columns.get(name)
        if column is None:
            if len(self.columns) >= _MOST_COLUMNS:
                self.left_out.add(name)
                return
            column = self.columns[name] = ColumnProfile()
        column.add(cells)

    def describe(self) -> dict[str, dict[str, Any]]:
        return {name: column.describe(self.rows) for name, column in self.columns.items()}


def _portions(rows: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    size = sum(map(len, rows))
    count = max(1, len(rows) * _BYTES_AT_ONCE // (size + 1))
    for start in range(0, len(rows), count):
        yield rows[start : start + count]


def _columns(rows: Sequence[bytes]) -> dict[str, Sequence[Cell]]:
    """Return the cells of each column."""
    if max(map(len, rows)) <= _LARGEST_ROW:
        joined = b",".join(rows)
        alike = decode_alike(rows[0], joined, str.encode) if rows[0][:1] == b"{" else None
        if alike is not None:
            return dict(zip(alike[0], zip(*alike[1], strict=True), strict=True))
        try:
            return _gathered(_ROWS.decode(b"[" + joined + b"]"))
        # Half of a surrogate pair, an integer of 5,000 digits, or too deep a nesting.
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
    return _gathered(map(_carefully, rows))


def _carefully(row: bytes) -> Any:
    if row[:1] != b"{":
        return _cell(row)
    return {name: _cell(raw) for name, raw in rawjson.fields(row).items()}


def _cell(raw: bytes) -> Cell:
    match type_name(raw):
        case "str":
            return str(rawjson.decode(raw))
        case "int":
            return int(raw) if len(raw) <= _LONGEST_COMPARED else 1 << (_MOST_BITS + 1)
        case "float":
            return raw
        case "dict":
            return {}
        case "list":
            return []
        case "null":
            return None
        case _:
            return raw == b"true"


def _gathered(rows: Iterable[Any]) -> dict[str, Sequence[Cell]]:
    columns: dict[str, list[Cell]] = {}
    for row in rows:
        for name, cell in row.items() if isinstance(row, dict) else [("value", row)]:
            columns.setdefault(name, []).append(cell)
    return dict(columns)
