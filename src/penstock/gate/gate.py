"""The one place that joins the protocol, the store, the worker and the tool.

`Gate` here and `AsyncGate` in `async_gate` carry out what the negotiation asks for: one `match`
each, and nothing else is written twice. What a store cannot do is thrown back into the
negotiation, which knows what to say; what a tool raises comes out as it is.
"""

from __future__ import annotations

import inspect
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self, TypeVar, assert_never

import msgspec

from penstock.core.budget.measure import Meter, default_meter
from penstock.core.json import rawjson
from penstock.core.model.cancellation import Cancellation, Cancelled
from penstock.core.model.effects import (
    Authorize,
    Compute,
    Effect,
    Entry,
    LoadHead,
    PickRows,
    Put,
    Ran,
    ReadRows,
    ReadWindow,
    Run,
    Steps,
    Touch,
)
from penstock.core.model.questions import Limits
from penstock.core.model.reply import Reply
from penstock.core.model.store import chunk_numbers
from penstock.core.model.stored import Live
from penstock.core.model.values import Call, LiveRows, LiveWindow, Refusal, Result
from penstock.core.protocol.concluding import conclude
from penstock.core.protocol.entries import Context
from penstock.core.protocol.negotiation import Resource, negotiate, read_resource
from penstock.core.results.packing import chunks_of_rows, pick_rows, slice_rows
from penstock.errors import InvalidSetting, StoreError
from penstock.log import logger
from penstock.settings.policy import Policy
from penstock.stores import Store, open_store

Outcome = TypeVar("Outcome")


_HOW_TO_POLICY = 'Give one, for instance Policy(budget="10kB").'


def _allow(_tool: str, _origin: Any) -> bool:
    return True


def _not_run(_arguments: Mapping[str, Any]) -> Any:
    raise LookupError("This call has no tool to run.")


def _not_live(_reference: Any, _start: int, _stop: int) -> Sequence[bytes]:
    raise LookupError("This gate was given nothing that can read live rows.")


class Hooks(msgspec.Struct, frozen=True):
    """What an adapter brings to a call. For `AsyncGate` each may be a coroutine function.

    `run` runs the tool. `authorize(tool, origin)` says whether the caller may still read what a call
    of a tool gave, and is asked at every redemption of a token; `origin` is that of the call.
    `live_rows(reference, start, stop)` reads rows of a live result, encoded, as a sequence or a
    `LiveWindow`. Another thread may end what `Gate` does with `cancellation`; who awaits an
    `AsyncGate` cancels the task.
    """

    run: Callable[[Mapping[str, Any]], Any] = _not_run
    authorize: Callable[[str, Any], Any] = _allow
    live_rows: Callable[[Any, int, int], Any] = _not_live
    cancellation: Cancellation | None = None


class GateBase:
    """What both gates know: the policy, the clock, the source of secrets, the worker."""

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        meter: Meter | None = None,
        clock: Callable[[], float] = time.time,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        if policy is not None and not isinstance(policy, Policy):
            raise InvalidSetting("policy", policy, "not a Policy.", next_step=_HOW_TO_POLICY)
        self.policy = self._stated = policy or Policy()
        self._brought: dict[str, Mapping[str, Any]] = {}
        self.meter = meter or default_meter()
        self.clock = clock
        self._random = random
        self._workers: Any = None
        self._starting = threading.Lock()

    def adopt(self, brought: Mapping[str, Mapping[str, Any]], of: Iterable[str] = ()) -> None:
        """Settings that tools bring along; those `of` which nothing is said bring none any more.
        What the policy says of them itself is stronger."""
        gone = {*of}.difference(brought)
        kept = {name: told for name, told in self._brought.items() if name not in gone}
        if {**kept, **brought} != self._brought:
            self._brought = {**kept, **brought}
            self.policy = self._stated.with_tools(self._brought)

    def _context(self) -> Context:
        return Context(self.policy, self.meter, self.clock(), self._random)

    def _ask(self, effect: Compute, cancellation: Any = None) -> Any:
        """Ask the worker; without material, only one that has it already."""
        return self._pool().ask(effect.question, lambda: effect.material, cancellation)

    def _pool(self) -> Any:
        from penstock.worker import Workers

        policy = self.policy
        with self._starting:
            if self._workers is None:
                limits = Limits(policy.query_seconds, policy.query_memory, policy.query_rows)
                self._workers = Workers(limits)
            return self._workers

    def _close_workers(self) -> None:
        if self._workers is not None:
            self._workers.close()


class Gate(GateBase):
    """The synchronous gate."""

    def __init__(
        self, policy: Policy | None = None, store: Store | None = None, **options: Any
    ) -> None:
        super().__init__(policy, **options)
        if store is not None and inspect.iscoroutinefunction(store.load):
            raise InvalidSetting("store", store, "an asynchronous store is for AsyncGate.")
        self.store = store or open_store(
            self.policy.store, capacity=self.policy.capacity, quota=self.policy.quota
        )

    def call(self, call: Call, run: Callable[[Mapping[str, Any]], Any], **hooks: Any) -> Reply:
        """A call of a tool. `run(arguments)` is called at most once, and not with a token."""
        return self._drive(negotiate(call, self._context()), Hooks(run, **hooks))

    def prepare(self, call: Call, **hooks: Any) -> Run | Reply:
        """A call of a tool that runs elsewhere: its arguments with stored values in the place of
        references, or the reply where it is not to run. `offer` what it then gives."""
        return self._drive(until_run(negotiate(call, self._context())), Hooks(**hooks))

    def offer(self, call: Call, result: Any, *, notice: str = "", **hooks: Any) -> Reply:
        """What a tool gave, on its way to the agent, with a word about the call if need be."""
        steps = conclude(call, self._context(), as_result(result), notice)
        return self._drive(steps, Hooks(**hooks))

    def read(self, call: Call, **hooks: Any) -> Reply:
        """A call of the reader: a token, and how to look at its result."""
        return self._drive(negotiate(as_reader(call), self._context()), Hooks(**hooks))

    def show(self, call: Call, **hooks: Any) -> Reply:
        """A stored result for the explorer, and a word about it for the model."""
        from penstock.core.browsing import show

        return self._drive(show(as_reader(call), self._context()), Hooks(**hooks))

    def browse(self, call: Call, **hooks: Any) -> Reply:
        """What the explorer shows next of a stored result: for the app alone, in the host's cap."""
        from penstock.core.browsing import browse

        return self._drive(browse(as_reader(call), self._context()), Hooks(**hooks))

    def read_resource(self, call: Call, uri: str, **hooks: Any) -> Resource | Refusal:
        """The stored result behind a resource link."""
        return self._drive(read_resource(as_reader(call), self._context(), uri), Hooks(**hooks))

    def close(self) -> None:
        self._close_workers()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _drive(self, steps: Steps[Outcome], hooks: Hooks) -> Outcome:
        answer: Any = None
        error: StoreError | None = None
        stored: list[str] = []
        while True:
            try:
                self._heed(hooks.cancellation, stored)
                effect = steps.send(answer) if error is None else steps.throw(error)
            except StopIteration as done:
                self._heed(hooks.cancellation, stored)
                outcome: Outcome = done.value
                return logged(outcome)
            answer, error = None, None
            try:
                answer = self._answer(effect, hooks)
            except StoreError as failure:
                error = of_the_store(failure, effect)
            if isinstance(effect, Put):
                stored.append(effect.key)

    def _heed(self, cancellation: Cancellation | None, stored: list[str]) -> None:
        """Nobody will get the token of a call that was cancelled."""
        if cancellation is None or not cancellation.requested:
            return
        for key in stored:
            try:
                self.store.delete(key)
            except StoreError as error:
                logger().warning("a cancelled call's result stays until it expires: %s", error)
        raise Cancelled

    def _answer(self, effect: Effect, hooks: Hooks) -> Any:
        match effect:
            case LoadHead():
                return self.store.load(effect.key, now=self.clock(), rows=effect.rows)
            case ReadRows():
                return self._rows(effect, hooks)
            case PickRows():
                return self._picked(effect)
            case ReadWindow():
                return self._window(effect, hooks)
            case Compute():
                return self._ask(effect, hooks.cancellation)
            case Authorize():
                return _at_once(hooks.authorize(effect.tool, effect.origin)) is True
            case Run():
                output = as_result(_at_once(hooks.run(plain(effect))))
                return Ran(output, self.clock())
            case Put():
                return self._put(effect)
            case Touch():
                return self.store.touch(effect.key, expires=effect.expires)
            case _:
                assert_never(effect)

    def _put(self, effect: Put) -> None:
        with as_store_error():
            self.store.put(effect.key, effect.record, now=self.clock())

    def _rows(self, effect: ReadRows, hooks: Hooks) -> list[bytes]:
        entry = effect.entry
        if isinstance(entry.head.source, Live):
            return list(self._window(effect, hooks).rows)
        numbers = chunk_numbers(entry.index, effect.start, effect.stop)
        chunks = self.store.read(entry.key, numbers)
        return sliced(effect, numbers, chunks)

    def _picked(self, effect: PickRows) -> list[bytes]:
        numbers = chunks_of_rows(effect.entry.index, effect.numbers)
        return picked(effect, numbers, self.store.read(effect.entry.key, numbers))

    def _window(self, effect: ReadRows | ReadWindow, hooks: Hooks) -> LiveWindow:
        given = hooks.live_rows(reference_of(effect.entry), effect.start, effect.stop)
        return as_window(_at_once(given))


def _at_once(value: Any) -> Any:
    """What a hook gave; one to be awaited would otherwise count as a yes."""
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("A hook gave something to be awaited: use AsyncGate.")
    return value


def until_run(steps: Steps[Reply]) -> Steps[Run | Reply]:
    """The same steps, at an end where the tool would run."""
    try:
        effect = next(steps)
        while not isinstance(effect, Run):
            try:
                answer = yield effect
            except StoreError as error:
                effect = steps.throw(error)
            else:
                effect = steps.send(answer)
    except StopIteration as done:
        reply: Reply = done.value
        return reply
    return effect


@contextmanager
def as_store_error() -> Iterator[None]:
    """A store of somebody else's may raise anything; the result is not to be lost to that."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        raise StoreError(f"The store failed: {error!r}.") from error


def of_the_store(failure: StoreError, effect: Effect) -> StoreError:
    """A failure for the negotiation to speak of; a tool's own, whatever its class, comes out."""
    if isinstance(effect, Run):
        raise failure
    return failure


def sliced(effect: ReadRows, numbers: range, chunks: Sequence[bytes]) -> list[bytes]:
    by_number = dict(zip(numbers, chunks, strict=True))
    return slice_rows(effect.entry.index, by_number, effect.start, effect.stop)


def picked(effect: PickRows, numbers: Sequence[int], chunks: Sequence[bytes]) -> list[bytes]:
    by_number = dict(zip(numbers, chunks, strict=True))
    return pick_rows(effect.entry.index, by_number, effect.numbers)


def as_reader(call: Call) -> Call:
    return replace(call, is_reader=True)


def reference_of(entry: Entry) -> Any:
    """What an adapter's resolver is asked with."""
    assert isinstance(entry.head.source, Live)  # noqa: S101 (nobody else asks)
    return rawjson.decode(entry.head.source.reference)


def as_window(value: Any) -> LiveWindow:
    return value if isinstance(value, LiveWindow) else LiveWindow(list(value))


def as_result(value: Any) -> Result | LiveRows:
    return value if isinstance(value, LiveRows) else Result.of(value)


def plain(effect: Run) -> Mapping[str, Any]:
    """Arguments as Python values: what `@result:` put in as JSON is decoded for the tool."""
    return _decoded(dict(effect.arguments)) if effect.has_values else effect.arguments


def _decoded(value: Any) -> Any:
    if isinstance(value, msgspec.Raw):
        return rawjson.decode(value)
    if isinstance(value, dict):
        return {name: _decoded(item) for name, item in value.items()}
    return [_decoded(item) for item in value] if isinstance(value, list) else value


def logged(outcome: Outcome) -> Outcome:
    reason = getattr(outcome, "reason", "")
    if reason:
        logger().info("%s", reason)
    if isinstance(outcome, Refusal):  # it goes to the caller as it is
        return msgspec.structs.replace(outcome, reason="")
    return outcome
