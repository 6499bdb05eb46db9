"""The JSON form of cells, entries and labels, the same for both outputs, so that they agree.

A value is encoded like every result of Penstock, and decoded again. The outcome is plain: NaN
becomes None, a Decimal becomes text, and an int of thirty digits stays that int.
"""

from __future__ import annotations

from typing import Any

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode, opened


def plain(value: Any) -> Any:
    """Return a value as a reader of the JSON gets it."""
    raw = encode(opened(value))
    try:
        rawjson.require_shallow(raw)
    except rawjson.TooDeep:
        return _shallow(raw)
    return rawjson.decode(raw)


def _shallow(raw: bytes) -> Any:
    """Decode a value, but keep fields that nest too deep as JSON text, as all of Penstock does."""
    if raw[:1] != b"{":
        return rawjson.text(raw)
    return {member.name: _decoded(member.value) for member in rawjson.members(raw)}


def _decoded(raw: bytes) -> Any:
    try:
        rawjson.require_shallow(b"{" + raw + b"}")
    except rawjson.TooDeep:
        return rawjson.text(raw)
    return rawjson.decode(raw)
