"""`@app_only`: a tool that a widget calls, and the model never sees.

For what a widget needs and the model does not: geometry, pictures, tiles. Clients that show apps have it
listed, and keep it from the model; to all others it is not listed. Its result may fill what the host
takes, where that of any other tool is held to the budget.
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

# A tool without parameters has no other place for a mark. The middleware takes it out again.
PARAMETER: Final = "app_only"
_ABOUT: Final = "Not to be given: says that only apps call this tool."


def app_only(function: Callable[P, R], /) -> Callable[P, R]:
    """Keep a tool for widgets. Stands below the framework's own decorator, on any function; the server
    needs the middleware of `penstock.adapters`."""
    parameters = signatures.parameters_of(function)
    if any(parameter.name == PARAMETER for parameter in parameters):
        raise InvalidSetting(
            "@app_only",
            signatures.name_of(function),
            f"it has a parameter {PARAMETER} of its own.",
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
