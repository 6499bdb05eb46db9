"""Tables in a dict of two lists: the names of the columns, and the rows.

    {"columns": ["id", "name"], "rows": [[1, "a"], [2, "b"]]}

Databases and data frames write such dicts (`data` in place of `rows`). Here they are read as rows,
like a dict with one list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer
from penstock.core.model.effects import Steps
from penstock.core.views.focus import Focus

_NAMES: Final = "columns"
_ROWS: Final = ("rows", "data", "values")
_NAME: Final = "name"
_MOST_MEMBERS: Final = 30
_SAMPLE: Final = 100


class NamedRows(NamedTuple):
    """Rows, and the names of their columns."""

    focus: Focus
    names: tuple[str, ...] = ()


def with_names(focus: Focus) -> Steps[NamedRows]:
    """Return the rows of a dict of columns and rows; anything else as it is."""
    if focus.shape != "members" or focus.count > _MOST_MEMBERS:
        return NamedRows(focus)
    members = [rawjson.split_member(row) for row in (yield from focus.read(0, focus.count))]
    keys = [member.name for member in members]
    lists = [key for key in _ROWS if keys.count(key) == 1]
    if keys.count(_NAMES) != 1 or len(lists) != 1:
        return NamedRows(focus)
    names = _names_in(members[keys.index(_NAMES)].value)
    number = keys.index(lists[0])
    if not names or members[number].value[:1] != b"[":
        return NamedRows(focus)
    rows = tuple(row for block in rawjson.row_blocks(members[number].value) for row in block)
    if not _are_of(rows[:_SAMPLE], names):
        return NamedRows(focus)
    return NamedRows(_read_as_rows(focus, members, number, rows), names)


def _names_in(raw: bytes) -> tuple[str, ...]:
    """Return the names of columns: texts, or objects with a `name`. Empty if these are none."""
    if raw[:1] != b"[":
        return ()
    items = [
        rawjson.fields(item).get(_NAME, b"") if item[:1] == b"{" else item
        for item in rawjson.elements(raw)
    ]
    if not all(item[:1] == b'"' for item in items):
        return ()
    return tuple(str(rawjson.decode(item)) for item in items)


def _are_of(rows: Sequence[bytes], names: Sequence[str]) -> bool:
    """Return whether rows are lists with a cell for each name, or objects."""
    if rows and all(row[:1] == b"{" for row in rows):
        return True
    return bool(rows) and all(
        row[:1] == b"[" and sum(1 for _ in rawjson.elements(row)) == len(names) for row in rows
    )


def _read_as_rows(
    focus: Focus, members: Sequence[rawjson.Member], number: int, rows: tuple[bytes, ...]
) -> Focus:
    key = members[number].key
    before = [member.key + b":" + member.value for member in members[:number]]
    after = [b"," + member.key + b":" + member.value for member in members[number + 1 :]]
    return replace(
        focus,
        shape="rows",
        count=len(rows),
        prefix=b"{" + b",".join([*before, key + b":["]),
        suffix=b"]" + b"".join(after) + b"}",
        list_path=pointer(members[number].name),
        rows=rows,
        entry=None,
        decode=None,
        in_text=None,
    )
