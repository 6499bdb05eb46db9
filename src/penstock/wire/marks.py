"""How a decorated function and the middleware of its server find each other.

A framework makes a tool of a function and shows a middleware nothing but messages. So a decorator
puts a mark into the input schema of its tool, which the middleware reads in the server's own list and
takes out again. And a function has to know who calls it: a tool under a middleware, whose result will
be held to the budget there; other code, which wants what the function gives; or nobody that it knows
of, so that it has to answer for itself.
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
# Said of a parameter that a first call must have: there, for whoever renames it takes it along.
REQUIRED: Final = "required"


class Mark(msgspec.Struct, frozen=True, weakref=True):
    """What a middleware has to know of a decorated function.

    `added`: the parameters that the decorator put into its schema. `settings`: for this tool, as in
    `Policy.tools`. `is_for_apps`: only an app may call it.
    """

    key: str
    added: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}
    is_merged: bool = False
    has_link: bool = False
    is_for_apps: bool = False


# Other processes have marks too, and a proxy may list their tools here.
_nonce: Final = secrets.token_hex(4)
_serials: Final = count(1)
_known: Final[WeakValueDictionary[str, Mark]] = WeakValueDictionary()


def new_mark(**about: Any) -> Mark:
    """Known as long as its function is."""
    mark = Mark(f"{_nonce}-{next(_serials)}", **about)
    _known[mark.key] = mark
    return mark


def find_mark(schema: Mapping[str, Any]) -> Mark | None:
    """The mark in an input schema. One of another process's is nobody's here."""
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
    """The input schema that the function had by itself."""
    if not (mark.is_merged or mark.is_for_apps):
        return without_mark(schema)
    properties = {
        name: told for name, told in schema["properties"].items() if name not in mark.added
    }
    required = [name for name, told in properties.items() if told.get(KEYWORD) == REQUIRED]
    own = without_mark({**schema, "properties": properties})
    own.pop("required", None)
    return {**own, "required": required} if required else own


class Serving:
    """A request that is being served. `mark`: of the tool that is called by it; the function with
    that mark is the tool. `request`: what tells it from other requests, for whoever has a name for
    it. Tasks that outlive it still see it, closed."""

    def __init__(self, mark: str = "", request: object = None) -> None:
        self.mark = mark
        self.request = request
        self.is_open = True
        self.notices: list[str] = []


_current: Final[ContextVar[Serving | None]] = ContextVar("penstock_serving", default=None)


@contextmanager
def serving(mark: str = "", request: object = None) -> Iterator[Serving]:
    """While a request is served under a middleware, or the body of a decorated function runs: what
    that calls in turn is no tool, but Python."""
    served = Serving(mark, request)
    reset = _current.set(served)
    try:
        yield served
    finally:
        served.is_open = False
        _current.reset(reset)


def current() -> Serving | None:
    return _current.get()


@contextmanager
def running() -> Iterator[None]:
    """While the body of a decorated function runs, for the request it runs for."""
    outer = current()
    with serving(request=None if outer is None else outer.request):
        yield


def is_served(request: object) -> bool:
    """Whether this very request is being served already, by a server around this one."""
    outer = current()
    return outer is not None and outer.is_open and outer.request is request
