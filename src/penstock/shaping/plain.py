"""The JSON form of cells, entries and labels: one way for both outputs, so that they agree.

A value is encoded as every result of Penstock is, and decoded again. What comes out is plain:
NaN is None, a Decimal is text, an int of thirty digits is still that int.
"""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from typing import Any

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.errors import InvalidResult
from penstock.shaping import arrays


def json_bytes(value: Any) -> bytes:
    """Compact JSON, also of values that have numpy's numbers, dates and arrays inside."""
    try:
        return encode(value)
    except InvalidResult:
        opened = arrays.opened(_as_dict(value))
        return encode(opened)


def _as_dict(value: Any) -> Any:
    """One level of an object: the numbers of numpy are mostly there."""
    if callable(getattr(value, "model_dump", None)):
        return value.model_dump()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclass_fields(value)}
    kind = type(value)
    names = getattr(kind, "__struct_fields__", None) or [
        attribute.name for attribute in getattr(kind, "__attrs_attrs__", ())
    ]
    return {name: getattr(value, name) for name in names} if names else value


def plain(value: Any) -> Any:
    """A value as the reader of the JSON gets it."""
    raw = json_bytes(value)
    try:
        rawjson.require_shallow(raw)
    except rawjson.TooDeep:
        return _shallow(raw)
    return rawjson.decode(raw)


def _shallow(raw: bytes) -> Any:
    """A field that nests too deep for decoders is shown as its JSON text, as in all of Penstock."""
    if raw[:1] != b"{":
        return rawjson.text(raw)
    return {member.name: _decoded(member.value) for member in rawjson.members(raw)}


def _decoded(raw: bytes) -> Any:
    try:
        rawjson.require_shallow(b"{" + raw + b"}")
    except rawjson.TooDeep:
        return rawjson.text(raw)
    return rawjson.decode(raw)
