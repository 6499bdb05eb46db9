"""The outline of a value: names and types, which show an agent where to look.

{"name": "str", "limits": {"cpu": "int"}, "endpoints": "{899 × {rate_limit, auth}}"}
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from penstock.core.budget.fitting import clip
from penstock.core.json import rawjson
from penstock.core.model.questions import table_names

_NAMED_KEYS = 12
_ALIKE_FROM = 4
_SAMPLE = 100
_NAME_CHARS = 60


def type_name(raw: bytes) -> str:
    """Return the JSON type of a value, under its Python name."""
    first = raw[:1]
    if first in b"-0123456789":
        return "float" if any(mark in raw for mark in (b".", b"e", b"E")) else "int"
    return {b'"': "str", b"{": "dict", b"[": "list", b"n": "null"}.get(first, "bool")


def outline(raw: bytes, depth: int = 2) -> Any:
    """Return names and types, `depth` levels deep. Show alike members once, with their count."""
    if raw[:1] == b"[":
        return _array(raw)
    if raw[:1] != b"{":
        return type_name(raw)
    members = rawjson.members(raw)
    entries = list(islice(members, _SAMPLE))
    return outline_members(entries, len(entries) + sum(1 for _ in members), depth)


def outline_members(entries: Sequence[rawjson.Member], count: int, depth: int = 2) -> Any:
    """Return the outline of a dict with `count` members, given the first of them."""
    if len(entries) >= _ALIKE_FROM and alike([entry.value for entry in entries]):
        return f"{{{count} × {_key_list(entries[0].value)}}}"
    if depth == 0:
        return _listed([entry.name for entry in entries], count)
    named = {
        clip(entry.name, _NAME_CHARS): outline(entry.value, depth - 1)
        for entry in entries[:_NAMED_KEYS]
    }
    left_out = count - len(named)
    return {**named, "…": f"{left_out} more"} if left_out > 0 else named


def outline_rows(first: bytes | None, count: int) -> str:
    """Return the outline of a list, given its first element."""
    if first is None:
        return "[]"
    return f"[{count} × {_key_list(first) if first[:1] == b'{' else type_name(first)}]"


def alike(values: list[bytes]) -> bool:
    """Return whether all values are objects that share most of their keys."""
    if not values or any(value[:1] != b"{" for value in values):
        return False
    key_sets = [set(rawjson.fields(value)) for value in values]
    shared = set.intersection(*key_sets)
    return bool(shared) and 2 * len(shared) >= max(map(len, key_sets))


def list_tables(members: Sequence[bytes]) -> list[str]:
    """Return the keys of the members that are lists and that SQL can read as tables."""
    entries = map(rawjson.split_member, members)
    return table_names(entry.name for entry in entries if entry.value[:1] == b"[")


def _array(raw: bytes) -> str:
    count = sum(len(block) for block in rawjson.row_blocks(raw))
    return outline_rows(next(rawjson.elements(raw), None), count)


def _key_list(raw: bytes) -> str:
    names = [entry.name for entry in rawjson.members(raw)]
    return _listed(names, len(names))


def _listed(names: Sequence[str], count: int) -> str:
    shown = [clip(name, _NAME_CHARS) for name in names[:_NAMED_KEYS]]
    more = [f"… {count - len(shown)} more"] if count > len(shown) else []
    return "{" + ", ".join(shown + more) + "}"
