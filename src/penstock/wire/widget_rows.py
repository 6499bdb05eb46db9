"""The rows in a widget's structured content, and how to shorten them: first drop the columns that
its chart does not need, then rows from the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.errors import InvalidSetting
from penstock.wire import messages

TRUNCATED: Final = "truncated"
COLUMNS_DROPPED: Final = "columns_dropped"


class Rows(msgspec.Struct, frozen=True):
    """The longest list in structured content."""

    fields: Mapping[str, bytes]  # all members of the structured content
    name: str  # the member that holds the list
    rows: Sequence[bytes]
    dropped: int = 0  # columns

    def left_out(self, count: int) -> dict[str, int]:
        """Return how much is left out if `count` rows stay, under the names from `fit_rows`."""
        told = {TRUNCATED: len(self.rows) - count, COLUMNS_DROPPED: self.dropped}
        return {name: number for name, number in told.items() if number}

    def structure(self, count: int, *, has_counts: bool) -> bytes:
        """Return the structured content with `count` rows. `has_counts`: it says what was left out."""
        cut = {**self.fields, self.name: b"[" + b",".join(self.rows[:count]) + b"]"}
        told = self.left_out(count) if has_counts else {}
        return messages.object_from({**cut, **dict(self._added(told))})

    def _added(self, told: Mapping[str, int]) -> Iterator[tuple[str, bytes]]:
        """Yield the numbers, added to those that the tool itself gives. A member of the same name
        that is no number keeps its value."""
        for name, number in told.items():
            before = self.fields.get(name, b"0")
            if before.isdigit():
                yield name, str(int(before) + number).encode()


def find_rows(structured: bytes) -> Rows | None:
    """Return the rows that can be shortened, or None if there is no list."""
    if structured[:1] != b"{":
        return None
    fields = rawjson.fields(structured)
    lists = [name for name, value in fields.items() if value[:1] == b"["]
    if not lists:
        return None
    name = max(lists, key=lambda name: len(fields[name]))
    return _pruned(Rows(fields, name, list(rawjson.elements(fields[name]))))


def _pruned(found: Rows) -> Rows:
    """Drop the columns that a Vega-Lite chart beside the rows does not refer to."""
    others = (value for name, value in found.fields.items() if name != found.name)
    chart = next((value for value in others if _is_chart(value)), None)
    if chart is None:
        return found
    from penstock.widgets import referenced_fields

    try:
        needed = referenced_fields(rawjson.decode(chart))
    except InvalidSetting:
        return found  # it only looks like a chart
    dropped: set[str] = set()
    rows = [_picked(row, needed, dropped) for row in found.rows]
    if all(row == b"{}" for row in rows):
        return found
    return msgspec.structs.replace(found, rows=rows, dropped=len(dropped))


def _picked(row: bytes, needed: Any, dropped: set[str]) -> bytes:
    if row[:1] != b"{":
        return row
    cells = rawjson.fields(row)
    kept = {name: value for name, value in cells.items() if name in needed}
    dropped.update(cells.keys() - kept.keys())
    return messages.object_from(kept)


def _is_chart(value: bytes) -> bool:
    if value[:1] != b"{":
        return False
    said = rawjson.fields(value)
    return b"vega" in said.get("$schema", b"") or ("mark" in said and "encoding" in said)
