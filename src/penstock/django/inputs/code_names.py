"""The names in the code behind an endpoint, which tell what the code does with a request."""

from __future__ import annotations

import dis
import inspect
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from types import CodeType, FunctionType
from typing import Any, Final

from penstock.django.endpoints import Endpoint

_FRAMEWORK: Final = "rest_framework."
# The methods of REST framework's mixins, which its handlers call.
MIXED_IN: Final = frozenset({"list", "retrieve", "create", "update", "partial_update", "destroy"})
QUERIED: Final = ("get_queryset", "filter_queryset", "get_object")
READS_QUERY: Final = frozenset({"query_params", "GET"})
_LOOKUPS: Final = ("LOAD_ATTR", "LOAD_METHOD")
_REFUSED: Final = (401, 403, 404)
_REFUSING: Final = re.compile(
    "40[134]|permission|has_perm|not_?found|forbidden|authenticat", re.IGNORECASE
)


def unwrapped(function: Any) -> Any:
    found: Any = inspect.unwrap(function) if function is not None else None
    if getattr(found, "__qualname__", "").startswith("api_view."):
        return inspect.getclosurevars(found).nonlocals.get("func", found)
    return found


def is_frameworks(function: Any) -> bool:
    """Return whether a function is REST framework's own, so that its behaviour is known."""
    return (getattr(function, "__module__", None) or "").startswith(_FRAMEWORK)


def overrides(kind: type, name: str) -> bool:
    """Return whether a site's class overrides what REST framework defines under this name."""
    owner = next((base for base in kind.__mro__ if name in vars(base)), None)
    return owner is not None and not is_frameworks(owner)


def extends_framework(view: type, name: str) -> bool:
    """Return whether a site's class overrides a method of REST framework's, and calls it by `super`
    from each override."""
    functions = [*_extended(view, name)]
    return len(functions) > 1 and is_frameworks(functions[-1])


def names_behind(endpoint: Endpoint) -> frozenset[str]:
    """Return the names in the code that answers: in the handler, in what it extends, and in the
    methods and functions of the site that these call. `get_queryset`, `filter_queryset` and
    `get_object` are not looked into."""
    view: Any = endpoint.view_class
    return _names_reached(view, endpoint.action)


def may_refuse(view: type, method: str) -> bool:
    """Return whether the code of a method looks up objects or refuses callers by itself."""
    return any(map(_REFUSING.search, _names_reached(view, method)))


@lru_cache(4_096)
def _names_reached(view: Any, method: str) -> frozenset[str]:
    names, seen, waiting = set[str](), set(QUERIED), [method]
    while waiting:
        for function in _extended(view, waiting.pop()):
            names |= _all_names(function)
            called = {name for name in _own_names(function) - seen if _is_looked_into(view, name)}
            seen |= called
            waiting += called
    return frozenset(names)


def _is_looked_into(view: type, name: str) -> bool:
    return name in MIXED_IN or overrides(view, name)


def _extended(view: type, name: str) -> Iterator[FunctionType]:
    """Yield a method of a class, and the methods that it extends by `super`."""
    for base in view.__mro__:
        if name not in vars(base):
            continue
        found = vars(base)[name]
        # A property keeps its function here, a cached one there.
        function = unwrapped(getattr(found, "fget", None) or getattr(found, "func", found))
        if not inspect.isfunction(function):
            return
        yield function
        if "super" not in names_in(function):
            return


@lru_cache(4_096)
def _own_names(function: FunctionType) -> frozenset[str]:
    """Return the attributes of `self` that a function uses."""
    code, steps = function.__code__, list(dis.get_instructions(function))
    own = code.co_varnames[0] if code.co_argcount else ""
    names = (
        step.argval
        for before, step in pairwise(steps)
        if step.opname in _LOOKUPS and own in (before.argval, *_last(before.argval))
    )
    return frozenset(names)


def _last(loaded: Any) -> tuple[Any, ...]:
    """Return the last of the variables that one instruction of a later Python loads."""
    return loaded[-1:] if isinstance(loaded, tuple) else ()


@lru_cache(4_096)
def _all_names(function: FunctionType) -> frozenset[str]:
    """Return the names in a function, and in the functions of the site that it calls."""
    names = _names_in_code(function.__code__)
    called = (function.__globals__.get(name) for name in names)
    own = [one for one in called if inspect.isfunction(one) and not is_frameworks(one)]
    return frozenset(names.union(*(_names_in_code(one.__code__) for one in own)))


def _names_in_code(code: CodeType) -> set[str]:
    """Return the names in code, and in the functions within it. A status with which a view refuses
    counts as a name."""
    inner = (_names_in_code(item) for item in code.co_consts if isinstance(item, CodeType))
    refused = {f"HTTP_{item}" for item in code.co_consts if item in _REFUSED}
    return {*code.co_names, *refused}.union(*inner)


@lru_cache(4_096)
def names_in(function: Callable[..., Any] | None) -> tuple[str, ...]:
    """Return the names that a function uses, in the order of their first use."""
    code = getattr(inspect.unwrap(function), "__code__", None) if function is not None else None
    return code.co_names if code is not None else ()
