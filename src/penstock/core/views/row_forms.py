"""The forms of a page's rows: objects, or a table whose columns are named once.

    {"items": [{"id": 1, "city": "Oslo"}, …]}
    {"columns": ["id", "city"], "rows": [[1, "Oslo"], …]}

Rows can be a table if all of them have the same keys in the same order, so that the table says as
much as the objects do. A row that is too large for any page is a stub in both forms. In a table, a
row of cells is a list, so an object in `rows` is always a stub.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode


class ShownRows(msgspec.Struct, frozen=True):
    """The rows of a page in one form, as values that can be encoded, and the size of each."""

    rows: list[Any]
    sizes: list[int]
    columns: list[msgspec.Raw] | None = None  # None: the rows are objects or single values

    def first(self, count: int) -> dict[str, Any]:
        """Return the fields of a reply that shows the first `count` rows."""
        if self.columns is None:
            return {"items": self.rows[:count]}
        return {"columns": self.columns, "rows": self.rows[:count]}


def as_items(items: Sequence[Any], rows: Sequence[bytes], stubs: Mapping[int, Any]) -> ShownRows:
    """Return the rows as objects or single values. `stubs` replace some of them, by number."""
    shown, sizes = list(items), [*map(len, rows)]
    for number, stub in stubs.items():
        shown[number], sizes[number] = stub, len(encode(stub))
    return ShownRows(shown, sizes)


def as_table(rows: Sequence[bytes], stubs: Mapping[int, Any]) -> ShownRows | None:
    """Return the rows as a table, or None if they do not share their keys."""
    columns: list[bytes] = []
    cells = list(rows)
    for number, row in enumerate(rows):
        if number in stubs:
            continue
        members = list(rawjson.members(row)) if row[:1] == b"{" else []
        columns = columns or [member.key for member in members]
        if not members or columns != [member.key for member in members]:
            return None
        cells[number] = b"[" + b",".join(member.value for member in members) + b"]"
    if not columns:
        return None
    listed = as_items([*map(msgspec.Raw, cells)], cells, stubs)
    return msgspec.structs.replace(listed, columns=[*map(msgspec.Raw, columns)])
