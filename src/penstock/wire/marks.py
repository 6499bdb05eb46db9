"""Marks, by which a decorated function and the middleware of its server find each other.

A framework makes a tool of a function, but shows a middleware only messages. So a decorator puts a
mark into the input schema of its tool. The middleware finds the mark in the server's list, and
removes it.

A decorated function also has to know its caller. Under a middleware, the middleware holds the
result to the budget. Other Python code wants the plain result. If the caller is unknown, the
function holds its result to the budget itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec

KEYWORD: Final = "x-penstock"
# Marks a parameter that a first call must have. It is in the parameter's schema, so that a
# framework that renames the parameter keeps it.
REQUIRED: Final = "required"


class Mark(msgspec.Struct, frozen=True, weakref=True):
    """The facts that a middleware needs about a decorated function."""

    key: str
    added: tuple[str, ...] = ()  # the parameters that the decorator added to the schema
    settings: Mapping[str, Any] = {}  # for this tool, as in `Policy.tools`
    is_merged: bool = False  # the negotiation fields are among the added parameters
    has_link: bool = False  # a probe of the result links to the whole result
    is_for_apps: bool = False  # only an app may call the tool


# Tells our marks from those of other processes, whose tools a proxy may list here.
_nonce: Final = secrets.token_hex(4)
_serials: Final = count(1)
_known: Final[WeakValueDictionary[str, Mark]] = WeakValueDictionary()


def new_mark(**about: Any) -> Mark:
    """Make a mark. It can be found as long as its function keeps it."""
    mark = Mark(f"{_nonce}-{next(_serials)}", **about)
    _known[mark.key] = mark
    return mark


def find_mark(schema: Mapping[str, Any]) -> Mark | None:
    """Return the mark in an input schema, or None. Marks of other processes are ignored."""
    properties = schema.get("properties")
    for told in properties.values() if isinstance(properties, Mapping) else ():
        key = told.get(KEYWORD) if isinstance(told, Mapping) else None
        mark = _known.get(key) if isinstance(key, str) else None
        if mark is not None:
            return mark
    return None


def without_mark(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = {
        name: {key: value for key, value in told.items() if key != KEYWORD}
        if isinstance(told, Mapping)
        else told
        for name, told in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def unmerged(schema: Mapping[str, Any], mark: Mark) -> dict[str, Any]:
    """Return the input schema that the function had before it was decorated."""
    if not (mark.is_merged or mark.is_for_apps):
        return without_mark(schema)
    properties = {
        name: told for name, told in schema["properties"].items() if name not in mark.added
    }
    required = [name for name, told in properties.items() if told.get(KEYWORD) == REQUIRED]
    own = without_mark({**schema, "properties": properties})
    own.pop("required", None)
    return {**own, "required": required} if required else own


class ServedRequest:
    """A request that is being served."""

    def __init__(self, mark: str = "", request: object = None) -> None:
        self.mark = mark  # the function with this mark is the tool that the request calls
        self.request = request  # an object that identifies the request, if the adapter has one
        self.is_open = True  # a task that outlives the request sees False
        self.notices: list[str] = []


_current: Final[ContextVar[ServedRequest | None]] = ContextVar("penstock_serving", default=None)


@contextmanager
def serving(mark: str = "", request: object = None) -> Iterator[ServedRequest]:
    """Note that a middleware serves a request, or that the body of a decorated function runs. Other
    decorated functions that run meanwhile are plain Python calls, not tools."""
    served = ServedRequest(mark, request)
    reset = _current.set(served)
    try:
        yield served
    finally:
        served.is_open = False
        _current.reset(reset)


def current() -> ServedRequest | None:
    return _current.get()


@contextmanager
def running() -> Iterator[None]:
    """Note that the body of a decorated function runs, for the same request as before."""
    outer = current()
    with serving(request=None if outer is None else outer.request):
        yield


def is_served(request: object) -> bool:
    """Return whether an outer server is serving this same request already."""
    outer = current()
    return outer is not None and outer.is_open and outer.request is request
