"""What a heavy function gives, in a form that can be stored.

A value with a JSON form has that form. Any other has the one that the frameworks send: both leave it
to pydantic, with `str` for what pydantic does not know. So no value is refused that a framework takes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.json.encoding import count_non_finite, encode
from penstock.errors import InvalidResult
from penstock.wire.marks import current

_FRAMEWORKS: Final = frozenset({"mcp", "mcp_types", "fastmcp"})


def as_text(value: Any) -> Any:
    """Return a result as one JSON text, which frameworks pass on as it is, and other middlewares can
    read. What is made of a framework's own parts is its business."""
    if isinstance(value, str) or is_frameworks(value):
        return value
    try:
        encoded = encode(value)
    except InvalidResult:
        value = _as_frameworks_send(value)
        encoded = encode(value)
    lost = count_non_finite(value, encoded)
    served = current()
    if lost and served is not None:
        served.notices.append(f"{lost} NaN or infinite values became null.")
    return encoded.decode()


def storable(value: Any) -> Any:
    """Return a result as it is, if it has a JSON form; else as the frameworks send it."""
    try:
        encode(value)
    except InvalidResult:
        return _as_frameworks_send(value)
    return value


def is_frameworks(value: Any) -> bool:
    items = value if isinstance(value, list | tuple) else [value]
    return any(type(item).__module__.partition(".")[0] in _FRAMEWORKS for item in items)


def _as_frameworks_send(value: Any) -> Any:
    """Return the value itself where a framework would fail too, to be refused in clearer words."""
    with suppress(ImportError, TypeError, ValueError):
        from pydantic_core import to_jsonable_python

        return to_jsonable_python(value, fallback=_shown)
    return value


def _shown(item: Any) -> Any:
    """Show what pydantic does not know: numpy's values and the like as everywhere, else as text."""
    try:
        return rawjson.decode(encode(item))
    except InvalidResult:
        return str(item)
