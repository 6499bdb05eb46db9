"""The JSON form of cells, entries and labels: one way for both outputs, so that they agree.

A value is encoded as every result of Penstock is, and decoded again. What comes out is plain:
NaN is None, a Decimal is text, an int of thirty digits is still that int.
"""

from __future__ import annotations

from typing import Any

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode, opened


def plain(value: Any) -> Any:
    """A value as the reader of the JSON gets it."""
    raw = encode(opened(value))
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
