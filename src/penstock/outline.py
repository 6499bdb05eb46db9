"""The shape of a value in a few words: what an agent needs to know where to look.

{"name": "str", "limits": {"cpu": "int"}, "endpoints": "{899 × {rate_limit, auth}}"}
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from penstock import rawjson

_NAMED_KEYS = 12
_ALIKE_FROM = 4
_SAMPLE = 100
_NAME_CHARS = 60


def type_name(raw: bytes) -> str:
    """The JSON type of a value, in Python's words."""
    first = raw[:1]
    if first in b"-0123456789":
        return "float" if any(mark in raw for mark in (b".", b"e", b"E")) else "int"
    return {b'"': "str", b"{": "dict", b"[": "list", b"n": "null"}.get(first, "bool")


def outline(raw: bytes, depth: int = 2) -> Any:
    """Names and types, `depth` levels deep; many alike entries are shown once."""
    if raw[:1] == b"[":
        return _array(raw)
    if raw[:1] != b"{":
        return type_name(raw)
    entries = list(islice(rawjson.members(raw), _SAMPLE))
    if len(entries) >= _ALIKE_FROM and alike([entry.value for entry in entries]):
        return _many_alike(raw, entries[0].value)
    if depth == 0:
        return _key_list(raw)
    named = {
        clip(entry.name, _NAME_CHARS): outline(entry.value, depth - 1)
        for entry in entries[:_NAMED_KEYS]
    }
    left_out = sum(1 for _ in rawjson.members(raw)) - len(named)
    return {**named, "…": f"{left_out} more"} if left_out > 0 else named


def alike(values: list[bytes]) -> bool:
    """Whether all are objects that share most of their keys."""
    if not values or any(value[:1] != b"{" for value in values):
        return False
    key_sets = [set(rawjson.fields(value)) for value in values]
    shared = set.intersection(*key_sets)
    return bool(shared) and 2 * len(shared) >= max(map(len, key_sets))


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, with a mark where something was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _many_alike(raw: bytes, example: bytes) -> str:
    return f"{{{sum(1 for _ in rawjson.members(raw))} × {_key_list(example)}}}"


def _array(raw: bytes) -> str:
    count = sum(len(block) for block in rawjson.row_blocks(raw))
    if not count:
        return "[]"
    first = next(rawjson.elements(raw))
    return f"[{count} × {_key_list(first) if first[:1] == b'{' else type_name(first)}]"


def _key_list(raw: bytes) -> str:
    names = [clip(entry.name, _NAME_CHARS) for entry in rawjson.members(raw)]
    shown = names[:_NAMED_KEYS]
    more = [f"… {len(names) - len(shown)} more"] if len(names) > len(shown) else []
    return "{" + ", ".join(shown + more) + "}"
