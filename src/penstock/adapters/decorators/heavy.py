"""`@heavy`: a tool whose result is large by nature, and is answered with a probe.

Under the middleware of an adapter, the function returns its result as one JSON text. The middleware
knows the caller, and holds the text to the budget. Without a middleware, the function answers
itself: the first call returns a probe, and a call with its token returns a view, each as text.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypedDict, TypeVar, Unpack, overload

from penstock.adapters.decorators import signatures
from penstock.adapters.decorators.function_runs import decorated, is_asynchronous, mark_once
from penstock.adapters.decorators.standalone import StandaloneGate
from penstock.adapters.decorators.storable import as_text
from penstock.core.protocol.schema import NEGOTIATION_FIELDS, first_call_note
from penstock.core.views.request import TOKEN_FIELD, offered_modes
from penstock.errors import InvalidSetting
from penstock.settings.parsers import WrittenBudget, WrittenNames, WrittenNumber, WrittenTime
from penstock.settings.policy import Policy
from penstock.wire.marks import KEYWORD, Mark, current, new_mark

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


class HeavyOptions(TypedDict, total=False):
    """The settings of one tool. An option that is missing has its value from the policy."""

    budget: WrittenBudget
    page_size: WrittenNumber
    ttl: WrittenTime
    modes: WrittenNames


@overload
def heavy(function: AnyFunction, /) -> AnyFunction: ...
@overload
def heavy(**options: Unpack[HeavyOptions]) -> Callable[[AnyFunction], AnyFunction]: ...
def heavy(function: Any = None, /, **options: Unpack[HeavyOptions]) -> Any:
    """Answer the first call with a probe, and later calls with views of the stored result.

    Put this below the framework's own decorator, bare or with options: the `budget` of each reply,
    the `page_size` in rows, the `ttl` of stored results, and `modes`, the views that are offered.
    """
    settings = checked_options({**options, "heavy": True})
    if function is None:
        return lambda later: _decorate(later, settings)
    if not callable(function):
        raise TypeError(f"@heavy takes a function, or options by name; this is {function!r}.")
    return _decorate(function, settings)


def checked_options(settings: dict[str, Any], decorator: str = "@heavy") -> dict[str, Any]:
    """Validate the decorator's options. A `ttl` above `max_ttl` raises `max_ttl` along with it."""
    try:
        Policy(tools={"*": settings})
    except InvalidSetting as error:
        if error.setting.endswith("max_ttl") and "max_ttl" not in settings:
            return checked_options({**settings, "max_ttl": settings["ttl"]}, decorator)
        name = error.setting.removeprefix("tools.*.")
        options = ", ".join(HeavyOptions.__annotations__)
        step = f"Correct the option of {decorator}. The options are {options}."
        raise InvalidSetting(name, error.value, error.why, next_step=step) from None
    return settings


def _decorate(function: Callable[..., Any], settings: Mapping[str, Any]) -> Callable[..., Any]:
    parameters = signatures.parameters_of(function)
    asked = signatures.asked_for(function, parameters)
    names = {signatures.advertised_name(parameter) for parameter in asked}
    required = [*map(signatures.advertised_name, filter(signatures.is_required, asked))]
    is_merged = TOKEN_FIELD not in names  # a tool that has such a parameter is left alone
    added = tuple(name for name in NEGOTIATION_FIELDS if name not in names) if is_merged else ()
    mark = new_mark(added=added, settings=settings, is_merged=is_merged)
    wrapper = _wrapper(function, mark, StandaloneGate(function, asked, mark))
    mark_once(wrapper, function, mark, "@heavy")
    wanted = {parameter.name for parameter in asked} if is_merged else set()
    own = [
        signatures.optional(parameter) if parameter.name in wanted else parameter
        for parameter in parameters
    ]
    signatures.show(wrapper, [*own, *_negotiation_fields(mark, required)])
    return wrapper


def _negotiation_fields(mark: Mark, required: Sequence[str]) -> list[inspect.Parameter]:
    """Return the added parameters. The first one, the token, carries the mark, and says which
    parameters a call without a token needs."""
    fields = {name: dict(NEGOTIATION_FIELDS[name]) for name in mark.added}
    if not fields:
        return []
    token = fields[TOKEN_FIELD]
    note = first_call_note({"required": list(required)})
    token["description"] = f"{token['description']} {note}".strip()
    token[KEYWORD] = mark.key
    if "mode" in fields:
        policy = Policy(tools={"*": mark.settings}).for_tool("any")
        fields["mode"]["enum"] = offered_modes(policy)
    return [signatures.added(name, told) for name, told in fields.items()]


def _wrapper(function: Callable[..., Any], mark: Mark, alone: StandaloneGate) -> Callable[..., Any]:
    """Return the function as a tool. Without a middleware, it answers calls itself."""

    def prepare(kwargs: dict[str, Any], is_tool: bool) -> tuple[dict[str, Any], bool]:
        return alone.own(kwargs), is_tool

    def conclude(value: Any, is_tool: bool) -> Any:
        return as_text(value) if is_tool else value

    within = decorated(function, mark, prepare, conclude)
    if is_asynchronous(function):

        @wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            if current() is None:
                return await alone.answer_async(args, kwargs)
            return await within(*args, **kwargs)

        return awaited

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return alone.answer(args, kwargs) if current() is None else within(*args, **kwargs)

    return called
