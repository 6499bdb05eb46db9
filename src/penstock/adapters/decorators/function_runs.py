"""The run of a decorated function, to its end: awaited, collected, and with errors that are seen."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from typing import Any, Final

from penstock.adapters.decorators.threads import in_thread
from penstock.core.json.encoding import encode
from penstock.errors import InvalidOutput, InvalidResult, InvalidSetting, PenstockError
from penstock.wire.marks import Mark, current, running

_FRAMEWORK_ERRORS: Final = ("mcp.server.mcpserver.exceptions", "fastmcp.exceptions")
# About what is asked for and what is given. Others, a store's for instance, may say what is nobody's
# business, and are the author's to show or hide.
_OURS: Final = (InvalidOutput, InvalidResult, InvalidSetting)
_DECORATED: Final = "__penstock_mark__"
_LOG_LEVEL: Final = 20  # at which FastMCP logs an error of its kind: INFO
_shown_kinds: Final[dict[type[PenstockError], type[PenstockError]]] = {}

Function = Callable[..., Any]
# From the keyword arguments, and whether it is the tool that is called: what is left of them for the
# function, and what was asked for besides.
Prepare = Callable[[dict[str, Any], bool], tuple[dict[str, Any], Any]]
Conclude = Callable[[Any, Any], Any]


def decorated(function: Function, mark: Mark, prepare: Prepare, conclude: Conclude) -> Function:
    """A function that gives what `conclude` makes of the other's result."""
    if is_asynchronous(function):

        @wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            is_tool = _is_tool(mark)
            try:
                own, asked = prepare(kwargs, is_tool)
                with running():
                    value = await collected_async(function(*args, **own))
                return await in_thread(conclude, value, asked)
            except _OURS as error:
                return refused(error, is_tool=is_tool)

        return awaited

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        is_tool = _is_tool(mark)
        try:
            own, asked = prepare(kwargs, is_tool)
            with running():
                value = collected(function(*args, **own))
            return conclude(value, asked)
        except _OURS as error:
            return refused(error, is_tool=is_tool)

    return called


def _is_tool(mark: Mark) -> bool:
    """Whether the tool is called that the function is, and not the function by other code."""
    served = current()
    return served is not None and served.mark == mark.key


def mark_once(wrapper: Function, function: Function, mark: Mark, by: str) -> None:
    """Two decorators of ours would each want the result."""
    if hasattr(inspect.unwrap(function, stop=_is_marked), _DECORATED):
        raise InvalidSetting(
            by,
            getattr(function, "__name__", function),
            "it is decorated by @heavy, @shaped or @app_only already.",
            next_step="Use one of them: what is over the budget is probed in any case, and what is for "
            "an app is not.",
        )
    setattr(wrapper, _DECORATED, mark)


def _is_marked(function: Function) -> bool:
    return hasattr(function, _DECORATED)


# -- to the end --------------------------------------------------------------------------------


def collected(value: Any) -> Any:
    """Rows that come one by one, as the list they are."""
    return list(value) if isinstance(value, Iterator) else value


async def collected_async(value: Any) -> Any:
    value = await value if inspect.isawaitable(value) else value
    if inspect.isasyncgen(value):
        return [item async for item in value]
    return collected(value)


def is_asynchronous(function: Function) -> bool:
    """Whether it has to be awaited, or gives what has to be."""
    plain = inspect.unwrap(function)
    kinds = (plain, getattr(plain, "__call__", None))  # noqa: B004 (an object may be called too)
    return any(map(inspect.iscoroutinefunction, kinds)) or any(
        map(inspect.isasyncgenfunction, kinds)
    )


# -- errors ------------------------------------------------------------------------------------


def refused(error: PenstockError, *, is_tool: bool) -> Any:
    """As the result of a tool, in the words of every other refusal; else raised."""
    if not is_tool:
        raise shown(error) from error.__cause__
    types: Any = import_module("mcp_types")  # an adapter has called: so it is there
    told = encode({"error": error.message, "next_step": error.next_step}).decode()
    return types.CallToolResult(content=[types.TextContent(text=told)], is_error=True)


def shown(error: PenstockError) -> PenstockError:
    """The same error, as one of the frameworks' too, where they are loaded: any other they may hide."""
    loaded = (sys.modules.get(name) for name in _FRAMEWORK_ERRORS)
    kinds = tuple(module.ToolError for module in loaded if module is not None)
    if kinds and not isinstance(error, kinds):
        error.__class__ = _with_kinds(type(error), kinds)
    return error


def _with_kinds(kind: type[PenstockError], kinds: tuple[type, ...]) -> type[PenstockError]:
    if kind not in _shown_kinds:
        named = {"__doc__": kind.__doc__, "__module__": kind.__module__, "log_level": _LOG_LEVEL}
        _shown_kinds[kind] = type(kind.__name__, (kind, *kinds), named)
    return _shown_kinds[kind]
