"""The result of a heavy function, in a form that can be stored.

A value with a JSON form keeps that form. A part without one gets the form that the frameworks send:
both use pydantic, and `str` for types that pydantic does not know. So Penstock accepts every value
that a framework accepts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from penstock.core.json.encoding import opened
from penstock.core.model.values import Result
from penstock.core.results.document import Tally
from penstock.wire.marks import current

_FRAMEWORKS: Final = frozenset({"mcp", "mcp_types", "fastmcp"})


def as_text(value: Any) -> Any:
    """Return a result as one JSON text, which frameworks pass on unchanged, and which other
    middlewares can read. A framework's own types are left to the framework."""
    if isinstance(value, str) or is_frameworks(value):
        return value
    tally = Tally(_Forms())
    encoded = tally.encoded(opened(value))
    served = current()
    if tally.non_finite and served is not None:
        served.notices.append(f"{tally.non_finite} NaN or infinite values became null.")
    return encoded.decode()


def storable(value: Any) -> Result:
    """Return a result that is never refused. The gate encodes it, once and row by row."""
    given = Result.of(value)
    return given if given.content else Result(structured=given.structured, fallback=_Forms())


def is_frameworks(value: Any) -> bool:
    items = value if isinstance(value, list | tuple) else [value]
    kinds = set(map(type, items))  # few types, however many items
    return any(kind.__module__.partition(".")[0] in _FRAMEWORKS for kind in kinds)


class _Forms:
    """The forms of the parts of one value that have no JSON form. An iterator is read once, however
    often its form is needed."""

    def __init__(self) -> None:
        self._read: dict[int, tuple[Iterator[Any], list[Any]]] = {}

    def __call__(self, item: Any) -> Any:
        if not isinstance(item, Iterator):
            return _as_frameworks_send(item)
        if id(item) not in self._read:
            self._read[id(item)] = (item, list(item))
        return self._read[id(item)][1]


def _as_frameworks_send(item: Any) -> Any:
    with suppress(ImportError, TypeError, ValueError):
        from pydantic_core import to_jsonable_python

        return to_jsonable_python(item, fallback=str)
    return str(item)
