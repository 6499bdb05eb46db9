"""The functions that a caller brings to a call, and the values that go into them and come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.core.model.cancellation import Cancellation
from penstock.core.model.effects import Entry, Run
from penstock.core.model.stored import Live
from penstock.core.model.turns import Party
from penstock.core.model.values import LiveRows, LiveWindow, Result


def _allow(_tool: str, _origin: Any) -> bool:
    return True


def _not_run(_arguments: dict[str, Any]) -> Any:
    raise LookupError("This call has no tool to run.")


def _not_live(_reference: Any, _start: int, _stop: int) -> Sequence[bytes]:
    raise LookupError("This call has no hook that reads live rows.")


class Hooks(msgspec.Struct, frozen=True):
    """The functions that a caller brings to a call. For `AsyncGate` each may be a coroutine function."""

    # Runs the tool with these arguments.
    run: Callable[[dict[str, Any]], Any] = _not_run
    # Returns whether the caller may still read the result of a tool. It is called at every use of a
    # token, with the tool and the origin of the call that gave the result.
    authorize: Callable[[str, Any], Any] = _allow
    # Reads a live result: takes its reference, `start` and `stop`, and returns the encoded rows, as
    # a sequence or as a `LiveWindow`.
    live_rows: Callable[[Any, int, int], Any] = _not_live
    # Lets another thread end the call. A call of `AsyncGate` ends with its task, too.
    cancellation: Cancellation = msgspec.field(default_factory=Cancellation)
    # The party that the call is for. Parties take turns with the worker.
    party: Party = Party()


def arguments_of(effect: Run) -> dict[str, Any]:
    """Return the tool's arguments as Python values, with stored JSON decoded."""
    arguments = dict(effect.arguments)
    return _decoded(arguments) if effect.has_values else arguments


def _decoded(value: Any) -> Any:
    if isinstance(value, msgspec.Raw):
        return rawjson.decode(value)
    if isinstance(value, dict):
        return {name: _decoded(item) for name, item in value.items()}
    return [_decoded(item) for item in value] if isinstance(value, list) else value


def reference_of(entry: Entry) -> Any:
    """Return the reference of a live result, for the hook `live_rows`."""
    assert isinstance(entry.head.source, Live)  # noqa: S101 (only live results are read by hook)
    return rawjson.decode(entry.head.source.reference)


def as_window(value: Any) -> LiveWindow:
    return value if isinstance(value, LiveWindow) else LiveWindow(list(value))


def as_result(value: Any) -> Result | LiveRows:
    return value if isinstance(value, LiveRows) else Result.of(value)
