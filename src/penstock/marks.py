"""How a decorated function and the middleware of its server find each other.

A framework makes a tool of a function and shows a middleware nothing but messages. So a decorator
puts a mark into the input schema of its tool, which the middleware reads in the server's own list and
takes out again; and what a function gives is handed over as it is, beside the framework, which would
turn rows into blocks of text first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, Final

import msgspec

from penstock.model import ABSENT

KEYWORD: Final = "x-penstock"


class Mark(msgspec.Struct, frozen=True):
    """What a middleware has to know of a decorated function.

    `own`: parameters of the function, of which those in `required` must be given on a first call;
    whatever else its schema has was added. `settings`: for this tool, as in `Policy.tools`.
    """

    key: str
    own: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}
    is_merged: bool = False
    has_link: bool = False


_serials: Final = count(1)
_known: Final[dict[str, Mark]] = {}


def new_mark(**about: Any) -> Mark:
    mark = Mark(f"{next(_serials)}", **about)
    _known[mark.key] = mark
    return mark


def find_mark(schema: Mapping[str, Any]) -> Mark | None:
    """The mark in an input schema. One of another process's is nobody's here."""
    properties = schema.get("properties")
    for told in properties.values() if isinstance(properties, Mapping) else ():
        key = told.get(KEYWORD) if isinstance(told, Mapping) else None
        if isinstance(key, str) and key in _known:
            return _known[key]
    return None


def without_mark(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = {
        name: {key: value for key, value in told.items() if key != KEYWORD}
        if isinstance(told, Mapping)
        else told
        for name, told in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties}


def unmerged(schema: Mapping[str, Any], mark: Mark) -> dict[str, Any]:
    """The input schema that the function had by itself."""
    properties = {name: told for name, told in schema["properties"].items() if name in mark.own}
    own = {**without_mark({**schema, "properties": properties})}
    own.pop("required", None)
    return {**own, "required": list(mark.required)} if mark.required else own


class Handover:
    """Where the function behind one call of a tool leaves what it gives."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.value: Any = ABSENT

    @property
    def is_filled(self) -> bool:
        return self.value is not ABSENT


_open: Final[ContextVar[Handover | None]] = ContextVar("penstock_handover", default=None)
_inner: Final = Handover("")


@contextmanager
def handover(mark: str) -> Iterator[Handover]:
    """While a tool runs under a middleware."""
    receiver = Handover(mark)
    reset = _open.set(receiver)
    try:
        yield receiver
    finally:
        _open.reset(reset)


@contextmanager
def running() -> Iterator[None]:
    """While the body of a decorated function runs: what it calls in turn is plain Python."""
    reset = _open.set(_inner)
    try:
        yield
    finally:
        _open.reset(reset)


def current() -> Handover | None:
    return _open.get()
