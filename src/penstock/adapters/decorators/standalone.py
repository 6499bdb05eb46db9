"""Heavy functions without a middleware. They share one gate in the process.

The caller is unknown, so any bearer of a token may use it. Settings come from the environment
(`PENSTOCK_*`), as for the command.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from penstock.adapters.decorators import signatures
from penstock.adapters.decorators.function_runs import collected, collected_async, shown
from penstock.adapters.decorators.storable import is_frameworks, storable
from penstock.adapters.decorators.threads import in_thread
from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call
from penstock.core.views.request import TOKEN_FIELD, is_absent
from penstock.errors import CallRefused, InvalidResult
from penstock.gate.gate import Gate
from penstock.settings.policy import Policy
from penstock.wire.marks import Mark, running

if TYPE_CHECKING:
    from penstock.gate.async_gate import AsyncGate

_starting = threading.Lock()


@cache
def _gate() -> Gate:
    return Gate(Policy.of_process())


@cache
def _async_gate() -> AsyncGate:
    from penstock.gate.async_gate import AsyncGate

    # The same store: a result of one function can be passed to another.
    return AsyncGate(_gate().policy, store=_gate().store)


class _ForFramework(Exception):
    """A result that only its framework can send, such as the framework's own image type."""

    def __init__(self, value: Any) -> None:
        self.value = value
        super().__init__()


def _storable(value: Any) -> Any:
    if is_frameworks(value) and not _has_json(value):
        raise _ForFramework(value)
    return storable(value)


class StandaloneGate:
    """A heavy function that answers calls itself."""

    def __init__(
        self, function: Callable[..., Any], asked: Sequence[inspect.Parameter], mark: Mark
    ) -> None:
        self._function = function
        self._signature = inspect.signature(function)
        self._asked = {parameter.name: parameter for parameter in asked}
        self._mark = mark
        self._name = signatures.name_of(function)
        self._schema = {
            "type": "object",
            "properties": {name: {} for name in self._asked},
            "required": [name for name, one in self._asked.items() if signatures.is_required(one)],
        }

    def own(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments for the function, without Penstock's own."""
        kept = signatures.given(kwargs)
        return {name: value for name, value in kept.items() if name not in self._mark.added}

    def answer(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        bound = self._bound(args, kwargs)

        def run(sent: Mapping[str, Any]) -> Any:
            with running():
                return _storable(collected(self._function(*_args(bound, sent), **bound.kwargs)))

        with _starting:
            gate = _gate()
            gate.adopt({self._name: self._mark.settings})
        try:
            return _told(gate.call(self._call(bound, kwargs), run))
        except _ForFramework as given:
            return given.value

    async def answer_async(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        bound = self._bound(args, kwargs)

        async def run(sent: Mapping[str, Any]) -> Any:
            with running():
                given = await collected_async(self._function(*_args(bound, sent), **bound.kwargs))
                return await in_thread(_storable, given)

        with _starting:
            gate = _async_gate()
            gate.adopt({self._name: self._mark.settings})
        try:
            return _told(await gate.call(self._call(bound, kwargs), run))
        except _ForFramework as given:
            return given.value

    def _bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        """Bind the arguments as Python would. The gate reports missing ones."""
        return self._signature.bind_partial(*args, **self.own(kwargs))

    def _call(self, bound: inspect.BoundArguments, kwargs: Mapping[str, Any]) -> Call:
        """Return the call as the core sees it, with only the arguments that a client sent.

        A framework adds others, such as a context. A value without a JSON form is not a client's
        either, nor is a default beside a token.
        """
        ours = {name: kwargs[name] for name in self._mark.added if name in kwargs}
        sent = {
            name: value
            for name, value in bound.arguments.items()
            if name in self._asked and _has_json(value)
        }
        if not is_absent(ours.get(TOKEN_FIELD)):
            sent = {
                name: value for name, value in sent.items() if not self._is_default(name, value)
            }
        return Call(
            self._name,
            {**sent, **ours},
            server=getattr(self._function, "__module__", ""),
            schema=self._schema,
            heavy=True,
            is_merged=self._mark.is_merged,
        )

    def _is_default(self, name: str, value: Any) -> bool:
        known = signatures.default_of(self._asked[name])
        return _has_json(known) and encode(known) == encode(value)


def _has_json(value: Any) -> bool:
    try:
        encode(value)
    except InvalidResult:
        return False
    return True


def _args(bound: inspect.BoundArguments, sent: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the positional arguments, with stored values in place of references."""
    bound.arguments.update({name: sent[name] for name in bound.arguments if name in sent})
    return bound.args


def _told(reply: Reply) -> str:
    """Return the text for the agent. Raise a refusal: the framework marks it as an error."""
    if not reply.is_error:
        return reply.text
    said = reply.value
    raise shown(CallRefused(said["error"], next_step=said["next_step"]))
