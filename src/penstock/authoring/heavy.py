"""`@heavy`: a tool whose result is large by nature, and is probed before it is read.

Under the middleware of an adapter the function only runs, and leaves its result to the middleware,
which knows who calls. Without one, the function answers for itself: the first call gives a probe, and
another with the token of that a view, each as the text that an agent reads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypedDict, TypeVar, Unpack, overload

from penstock.authoring import signatures
from penstock.authoring.collecting import collected, collected_async, is_asynchronous
from penstock.authoring.leaving import Leaving, shown
from penstock.budget import Budget
from penstock.encoding import encode
from penstock.errors import CallRefused, InvalidResult, InvalidSetting
from penstock.marks import KEYWORD, Mark, current, new_mark, running
from penstock.model import Call, Reply
from penstock.policy import Policy
from penstock.probe import offered_modes
from penstock.schema import NEGOTIATION_FIELDS, first_call_note
from penstock.views.request import FIELDS, TOKEN_FIELD, is_absent

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
_HANDED_OVER = ""


class HeavyOptions(TypedDict, total=False):
    """Settings of one tool; what is not given is as everywhere."""

    budget: Budget | str | int
    page_size: int
    ttl: float | str
    modes: str | Sequence[str]


@overload
def heavy(function: AnyFunction, /) -> AnyFunction: ...
@overload
def heavy(**options: Unpack[HeavyOptions]) -> Callable[[AnyFunction], AnyFunction]: ...
def heavy(function: Any = None, /, **options: Unpack[HeavyOptions]) -> Any:
    """Answer the first call with a probe, and read what was stored by its token."""
    settings: dict[str, Any] = {**options, "heavy": True}
    _check(settings)
    if function is None:
        return lambda decorated: _decorate(decorated, settings)
    if not callable(function):
        raise TypeError(f"@heavy takes a function, or options by name; this is {function!r}.")
    return _decorate(function, settings)


def _check(settings: Mapping[str, Any]) -> None:
    """A bad option fails where it stands, and names itself."""
    try:
        Policy(tools={"*": settings})
    except InvalidSetting as error:
        name = error.setting.removeprefix("tools.*.")
        step = "Correct the option of @heavy."
        raise InvalidSetting(name, error.value, error.why, next_step=step) from None


def _decorate(function: Callable[..., Any], settings: Mapping[str, Any]) -> Callable[..., Any]:
    parameters = signatures.parameters_of(function)
    asked = [parameter for parameter in parameters if signatures.is_asked_for(parameter)]
    own = tuple(parameter.name for parameter in asked)
    required = tuple(parameter.name for parameter in asked if signatures.is_required(parameter))
    is_merged = TOKEN_FIELD not in own
    mark = new_mark(own=own, required=required, settings=settings, is_merged=is_merged)
    wrapper = _wrapper(_Heavy(function, mark))
    if is_merged:
        shown = [*map(signatures.optional, parameters), *_negotiation_fields(mark)]
    else:  # it has a token of its own, and is left alone
        shown = parameters
    signatures.show(wrapper, shown)
    return wrapper


def _negotiation_fields(mark: Mark) -> list[inspect.Parameter]:
    """Those that the function has no parameter for. The first carries the mark, and says what a
    call without it has to have."""
    fields = {name: dict(told) for name, told in NEGOTIATION_FIELDS.items()}
    token = fields[TOKEN_FIELD]
    note = first_call_note({"required": list(mark.required)})
    token["description"] = f"{token['description']} {note}".strip()
    token[KEYWORD] = mark.key
    policy = Policy(tools={"*": mark.settings}).for_tool("any")
    fields["mode"]["enum"] = [mode.value for mode in offered_modes(policy)]
    return [signatures.added(name, told) for name, told in fields.items() if name not in mark.own]


class _Heavy:
    """A function, and how it answers for itself."""

    def __init__(self, function: Callable[..., Any], mark: Mark) -> None:
        self.function = function
        self.mark = mark
        self.name = signatures.name_of(function)
        self.parameters = inspect.signature(function).parameters
        self.schema = {
            "type": "object",
            "properties": {name: {} for name in mark.own},
            "required": list(mark.required),
        }

    def is_ours(self, name: str) -> bool:
        return self.mark.is_merged and name in FIELDS and name not in self.mark.own

    def own(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What the function is called with."""
        kept = signatures.given(arguments)
        return {name: value for name, value in kept.items() if not self.is_ours(name)}

    def bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """All arguments by their names. Beside a token a default was not given by anyone: frameworks
        put it there."""
        arguments = {**dict(zip(self.parameters, args, strict=False)), **signatures.given(kwargs)}
        if not self.is_ours(TOKEN_FIELD) or is_absent(arguments.get(TOKEN_FIELD)):
            return arguments
        return {
            name: value for name, value in arguments.items() if not self._is_default(name, value)
        }

    def _is_default(self, name: str, value: Any) -> bool:
        known = self.parameters.get(name)
        return known is not None and value is known.default

    def call(self, arguments: Mapping[str, Any]) -> Call:
        """As the core sees it. What has no JSON form came from the framework, not from a client."""
        sent = {name: value for name, value in arguments.items() if _has_json(value)}
        return Call(
            self.name,
            sent,
            server=self.function.__module__,
            schema=self.schema,
            heavy=True,
            is_merged=self.mark.is_merged,
        )


def _has_json(value: Any) -> bool:
    try:
        encode(value)
    except InvalidResult:
        return False
    return True


def _wrapper(heavy_function: _Heavy) -> Callable[..., Any]:
    make = _asynchronous if is_asynchronous(heavy_function.function) else _synchronous
    return make(heavy_function)


def _synchronous(heavy_function: _Heavy) -> Callable[..., Any]:
    function = heavy_function.function

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if current() is None:
            return _negotiated(heavy_function, heavy_function.bound(args, kwargs))
        with Leaving(heavy_function.mark, _HANDED_OVER) as leaving:
            with running():
                value = collected(function(*args, **heavy_function.own(kwargs)))
            return leaving.with_value(value)
        return leaving.placeholder

    return wrapper


def _asynchronous(heavy_function: _Heavy) -> Callable[..., Any]:
    function = heavy_function.function

    @wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        if current() is None:
            return await _negotiated_async(heavy_function, heavy_function.bound(args, kwargs))
        with Leaving(heavy_function.mark, _HANDED_OVER) as leaving:
            with running():
                value = await collected_async(function(*args, **heavy_function.own(kwargs)))
            return leaving.with_value(value)
        return leaving.placeholder

    return wrapper


def _negotiated(heavy_function: _Heavy, arguments: dict[str, Any]) -> str:
    from penstock.authoring.alone import gate_for  # noqa: PLC0415 (under a middleware, not needed)

    def run(sent: Mapping[str, Any]) -> Any:
        with running():
            return collected(heavy_function.function(**_filled(heavy_function, arguments, sent)))

    gate = gate_for(heavy_function.name, heavy_function.mark.settings)
    return _told(gate.call(heavy_function.call(arguments), run))


async def _negotiated_async(heavy_function: _Heavy, arguments: dict[str, Any]) -> str:
    from penstock.authoring.alone import async_gate_for  # noqa: PLC0415 (as above)

    async def run(sent: Mapping[str, Any]) -> Any:
        with running():
            given = _filled(heavy_function, arguments, sent)
            return await collected_async(heavy_function.function(**given))

    gate = async_gate_for(heavy_function.name, heavy_function.mark.settings)
    return _told(await gate.call(heavy_function.call(arguments), run))


def _filled(
    heavy_function: _Heavy, arguments: Mapping[str, Any], sent: Mapping[str, Any]
) -> dict[str, Any]:
    """With what the framework gave besides."""
    return {**heavy_function.own(arguments), **sent}


def _told(reply: Reply) -> str:
    """What the agent reads; a refusal is an error, which a framework marks as one."""
    if not reply.is_error:
        return reply.text
    said = reply.value
    raise shown(CallRefused(said["error"], next_step=said["next_step"]))
