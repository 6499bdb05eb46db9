"""The code of a view that decides who gets in, as far as it is known without calling it.

Checks of access rest on this module. Code is known if it is REST framework's own, or does nothing but
call that. Any other code may refuse a caller, in more ways than its names tell. So unknown code means
"ask the view", and never "the view lets the caller in".
"""

from __future__ import annotations

import re
from inspect import isfunction
from itertools import chain
from types import CodeType
from typing import Any, Final

from django.db.models import Model

from penstock.django.inputs.code_names import (
    all_names,
    extended,
    is_frameworks,
    methods_behind,
    names_in,
    names_reached,
    unwrapped_method,
)

_FRAMEWORK: Final = "rest_framework."
# Modules whose decorators call what they decorate, and change nothing.
_PASS_ON: Final = ("penstock.django.decorators", "drf_spectacular.drainage")
_REFUSING: Final = re.compile(
    "40[134]|permission|has_perm|not_?found|forbidden|authenticat", re.IGNORECASE
)
_OF_ROWS: Final = frozenset(
    {"get_queryset", "_queryset", "queryset", "objects", "filter", "exists"}
)


def is_known(view: type, method: str) -> bool:
    """Return whether a method answers as REST framework's does, apart from the queryset, the object
    and the serializer of the view, which can be asked for alone."""
    behind = methods_behind(view, method)
    return bool(behind) and all(map(_is_known, behind))


def _is_known(held: Any) -> bool:
    function = _without_ours(held)
    if not isfunction(function) or hasattr(function, "__wrapped__"):
        return False
    # Under `@api_view`, the framework's function has the site's in a variable.
    if {*function.__code__.co_freevars} - {"__class__"}:
        return False
    # The name of a module in `__module__` may be copied by a decorator.
    is_own = function.__globals__.get("__name__", "").startswith(_FRAMEWORK)
    return is_own or _only_calls_super(function.__code__)


def is_decorated(view: type, method: str) -> bool:
    """Return whether a decorator of the site is around a method, or around one that it leads to. It
    may keep answers for other clients."""
    held = (*methods_behind(view, method), *extended(view, "dispatch"))
    return any(hasattr(_without_ours(one), "__wrapped__") for one in held)


def _only_calls_super(code: CodeType) -> bool:
    """Return whether a function can do nothing but call the one that it overrides."""
    has_functions = any(isinstance(item, CodeType) for item in code.co_consts)
    return {*code.co_names} == {"super", code.co_name} and not has_functions


def _without_ours(held: Any) -> Any:
    """Return a method without the decorators that change nothing."""
    while hasattr(held, "__wrapped__") and _module_of(held) in _PASS_ON:
        held = held.__wrapped__
    return held


def _module_of(function: Any) -> Any:
    return getattr(function, "__globals__", {}).get("__name__")


# -- hints for lists of tools ------------------------------------------------------------------


def extends_framework(view: type, name: str) -> bool:
    """Return whether a site's class overrides a method of REST framework's, and calls it by `super`
    from each override."""
    functions = [*map(unwrapped_method, extended(view, name))]
    return len(functions) > 1 and is_frameworks(functions[-1])


def may_refuse(view: type, method: str) -> bool:
    """Return whether names in the code of a method say that it looks up objects or refuses callers.
    This is only a hint: it decides which tools are shown, and not whether a call is let in."""
    return any(map(_REFUSING.search, names_reached(view, method)))


def names_model(view: type, method: str) -> bool:
    """Return whether the code of a method names another model than the class declares, whose rows
    it may return. Methods that it calls are not looked into: they serve other purposes too."""
    declared = getattr(getattr(view, "queryset", None), "model", None)
    return any(_names_other(held, declared) for held in extended(view, method))


def _names_other(held: Any, declared: Any) -> bool:
    function = unwrapped_method(held)
    known, names = getattr(function, "__globals__", {}), names_in(function)
    values = map(known.get, names)
    models = [one for one in values if isinstance(one, type) and issubclass(one, Model)]
    return any(one is not declared for one in models) if models else "objects" in names


def reads_rows(kind: type, method: str) -> bool:
    """Return whether the code of a site's permission looks at a queryset, and not only REST
    framework's code that it extends."""
    behind = filter(isfunction, map(unwrapped_method, methods_behind(kind, method)))
    own = [function for function in behind if not is_frameworks(function)]
    return not _OF_ROWS.isdisjoint(chain.from_iterable(map(all_names, own)))
