"""The names in the code behind an endpoint, which tell what the code does with a request."""

from __future__ import annotations

import dis
import inspect
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


def names_behind(endpoint: Endpoint) -> frozenset[str]:
    """Return the names in the code that answers: in the handler and the `methods_behind` it, and in
    the functions of the site that these call."""
    view: Any = endpoint.view_class
    return names_reached(view, endpoint.action)


@lru_cache(4_096)
def names_reached(view: Any, method: str) -> frozenset[str]:
    """Return the names in the code of `methods_behind`."""
    functions = map(unwrapped_method, methods_behind(view, method))
    return frozenset[str]().union(*map(all_names, filter(inspect.isfunction, functions)))


@lru_cache(4_096)
def methods_behind(view: Any, method: str) -> tuple[Any, ...]:
    """Return a method, as its class holds it, with the methods that it extends by `super`, and those
    of the site that these call. `get_queryset`, `filter_queryset` and `get_object` are left out."""
    found, seen, waiting = list[Any](), set(QUERIED), [method]
    while waiting:
        for held in extended(view, waiting.pop()):
            found.append(held)
            function = unwrapped_method(held)
            names = _own_names(function) if inspect.isfunction(function) else set[str]()
            called = {name for name in names - seen if _is_looked_into(view, name)}
            seen |= called
            waiting += called
    return tuple(found)


def _is_looked_into(view: type, name: str) -> bool:
    return name in MIXED_IN or overrides(view, name)


def extended(view: type, name: str) -> Iterator[Any]:
    """Yield a method, as its class holds it, and the methods that it extends by `super`."""
    for base in view.__mro__:
        if name not in vars(base):
            continue
        held = vars(base)[name]
        function = unwrapped_method(held)
        if not callable(function):
            return
        yield held
        if "super" not in names_in(function):
            return


def unwrapped_method(held: Any) -> Any:
    """Return the function of a method, without its decorators."""
    # A property keeps its function here, a cached one there.
    return unwrapped(getattr(held, "fget", None) or getattr(held, "func", held))


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
def all_names(function: FunctionType) -> frozenset[str]:
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
