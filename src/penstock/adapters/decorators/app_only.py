"""`@app_only`: a tool that only widgets call, and that the model never sees.

Use it for data that a widget needs and the model does not: geometry, pictures, tiles. Only clients
that show apps get the tool in their list, and they hide it from the model. Its result may fill the
ceiling; the result of any other tool is held to the budget.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from penstock.adapters.decorators import signatures
from penstock.adapters.decorators.function_runs import decorated, mark_once
from penstock.errors import InvalidSetting
from penstock.wire.marks import KEYWORD, new_mark

P = ParamSpec("P")
R = TypeVar("R")

# A tool without parameters has no other place for the mark. The middleware removes the parameter.
PARAMETER: Final = "app_only"
_ABOUT: Final = "Leave it out: it marks a tool that only apps call."


def app_only(function: Callable[P, R], /) -> Callable[P, R]:
    """Keep a tool for widgets. Put this below the framework's own decorator, on any function. The
    server needs the middleware of `penstock.adapters`."""
    parameters = signatures.parameters_of(function)
    if any(parameter.name == PARAMETER for parameter in parameters):
        raise InvalidSetting(
            "@app_only",
            signatures.name_of(function),
            f"it already has a parameter {PARAMETER}.",
            next_step="Rename that parameter.",
        )
    mark = new_mark(added=(PARAMETER,), is_for_apps=True)

    def prepare(kwargs: dict[str, Any], _is_tool: bool) -> tuple[dict[str, Any], None]:
        kwargs.pop(PARAMETER, None)
        return kwargs, None

    wrapper = decorated(function, mark, prepare, lambda value, _asked: value)
    mark_once(wrapper, function, mark, "@app_only")
    ours = signatures.added(PARAMETER, {"type": "null", "description": _ABOUT, KEYWORD: mark.key})
    promised = (signatures.hints_of(function) or {}).get("return", signatures.MISSING)
    signatures.show(wrapper, [*parameters, ours], promised)
    return wrapper
