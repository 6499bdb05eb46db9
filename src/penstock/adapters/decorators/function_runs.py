"""The run of a decorated function: awaited, collected, and with errors that the agent can read."""

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
# Errors about arguments and results, which the agent may read. Other errors, such as a store's, may
# hold private details: the author of the tool decides whether to show them.
_OURS: Final = (InvalidOutput, InvalidResult, InvalidSetting)
_DECORATED: Final = "__penstock_mark__"
_LOG_LEVEL: Final = 20  # INFO: the level at which FastMCP logs the error
_shown_kinds: Final[dict[type[PenstockError], type[PenstockError]]] = {}

Function = Callable[..., Any]
# Takes the keyword arguments, and whether the function is called as a tool. Returns the arguments
# for the function, and a value for `Conclude`.
Prepare = Callable[[dict[str, Any], bool], tuple[dict[str, Any], Any]]
# Takes the function's result and the value from `Prepare`. Returns the final result.
Conclude = Callable[[Any, Any], Any]


def decorated(function: Function, mark: Mark, prepare: Prepare, conclude: Conclude) -> Function:
    """Return a function that runs the given one, and passes its result through `conclude`."""
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
    """Return whether a client calls the function as a tool, and not other code."""
    served = current()
    return served is not None and served.mark == mark.key


def mark_once(wrapper: Function, function: Function, mark: Mark, by: str) -> None:
    """Note the mark. Refuse a second decorator of Penstock's: both would need the result."""
    if hasattr(inspect.unwrap(function, stop=_is_marked), _DECORATED):
        raise InvalidSetting(
            by,
            getattr(function, "__name__", function),
            "it is already decorated with @heavy, @shaped or @app_only.",
            next_step="Use one of them. A result over the budget becomes a probe anyway, except "
            "with @app_only.",
        )
    setattr(wrapper, _DECORATED, mark)


def _is_marked(function: Function) -> bool:
    return hasattr(function, _DECORATED)


# -- results -----------------------------------------------------------------------------------


def collected(value: Any) -> Any:
    """Return a list of the rows of an iterator, or any other value as it is."""
    return list(value) if isinstance(value, Iterator) else value


async def collected_async(value: Any) -> Any:
    value = await value if inspect.isawaitable(value) else value
    if inspect.isasyncgen(value):
        return [item async for item in value]
    return collected(value)


def is_asynchronous(function: Function) -> bool:
    """Return whether the function is a coroutine function or an asynchronous generator function."""
    plain = inspect.unwrap(function)
    kinds = (plain, getattr(plain, "__call__", None))  # noqa: B004 (an object may be callable)
    return any(map(inspect.iscoroutinefunction, kinds)) or any(
        map(inspect.isasyncgenfunction, kinds)
    )


# -- errors ------------------------------------------------------------------------------------


def refused(error: PenstockError, *, is_tool: bool) -> Any:
    """Return an error as the result of a tool, in the form of every other refusal, or raise it."""
    if not is_tool:
        raise shown(error) from error.__cause__
    types: Any = import_module("mcp_types")  # installed, because an adapter made this call
    told = encode({"error": error.message, "next_step": error.next_step}).decode()
    return types.CallToolResult(content=[types.TextContent(text=told)], is_error=True)


def shown(error: PenstockError) -> PenstockError:
    """Make the error one of the loaded frameworks' errors too: they may hide any other error."""
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
