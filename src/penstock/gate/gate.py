"""The one place that joins the protocol, the store, the worker and the tool.

The protocol yields effects, and `Gate` carries them out in one `match`, for `AsyncGate` too. It
throws failures of the store back into the protocol, which knows what to say about them. Errors of
the tool pass through unchanged.
"""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar, assert_never

from penstock.core.budget.measure import Meter, default_meter
from penstock.core.model.cancellation import Cancellation
from penstock.core.model.effects import (
    AskHolder,
    AskWorker,
    Authorize,
    Effect,
    LoadHead,
    Put,
    Ran,
    ReadChunks,
    ReadWindow,
    Run,
    Steps,
    Touch,
)
from penstock.core.model.questions import Limits
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Refusal, Result
from penstock.core.protocol.entries import Context
from penstock.core.protocol.first_reply import KeptBytes, conclude, keep, keep_bytes
from penstock.core.protocol.negotiation import Resource, fetch, negotiate, read_resource
from penstock.core.protocol.references import Fetched
from penstock.errors import InvalidSetting, StoreError
from penstock.gate.clock import SteadyClock
from penstock.gate.hooks import Hooks, arguments_of, as_result, as_window, reference_of
from penstock.gate.underway import Answering, Need, Underway, until_run
from penstock.settings.policy import Policy
from penstock.stores import Store, open_store

if TYPE_CHECKING:
    from penstock.worker import Workers

Outcome = TypeVar("Outcome")
CHILDREN = 2  # the worker's processes; each answers one question at a time

_HOW_TO_POLICY = 'Give one, for instance Policy(budget="10kB").'
_HOW_TO_STORE = "Write its methods as plain functions: AsyncGate calls them in threads."


class Gate:
    """The gate between tools and agents. Threads may share it. For `hooks`, see `gate.hooks`."""

    def __init__(
        self,
        policy: Policy | None = None,
        store: Store | None = None,
        *,
        meter: Meter | None = None,
        clock: Callable[[], float] | None = None,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        if policy is not None and not isinstance(policy, Policy):
            raise InvalidSetting("policy", policy, "not a Policy.", next_step=_HOW_TO_POLICY)
        if store is not None and inspect.iscoroutinefunction(store.load):
            raise InvalidSetting("store", store, "it is asynchronous.", next_step=_HOW_TO_STORE)
        self.policy = self._stated = policy or Policy()
        self.store = store or open_store(
            self.policy.store, capacity=self.policy.capacity, quota=self.policy.quota
        )
        self.meter = meter or default_meter()
        self.clock = clock or SteadyClock()
        self._random = random
        self._brought: dict[str, Mapping[str, Any]] = {}
        self._workers: Workers | None = None
        self._changing = threading.Lock()

    def adopt(self, brought: Mapping[str, Mapping[str, Any]], of: Iterable[str] = ()) -> None:
        """Use the settings that tools bring along, where the policy itself has none.

        A tool that is named in `of` and brings none loses its earlier ones.
        """
        gone = {*of}.difference(brought)
        with self._changing:
            kept = {name: told for name, told in self._brought.items() if name not in gone}
            if {**kept, **brought} != self._brought:
                self._brought = {**kept, **brought}
                self.policy = self._stated.with_tools(self._brought)

    def call(self, call: Call, run: Callable[[dict[str, Any]], Any], **hooks: Any) -> Reply:
        """Call a tool. `run(arguments)` is called at most once, and not at all if there is a token."""
        return self.finish(negotiate(call, self.context()), run=run, **hooks)

    def prepare(self, call: Call, **hooks: Any) -> Run | Reply:
        """Prepare a call of a tool that runs elsewhere. Give its result to `offer` afterwards.

        Return the arguments, with stored values in place of references, or, if the tool must not
        run, the reply.
        """
        return self.finish(until_run(negotiate(call, self.context())), **hooks)

    def offer(self, call: Call, result: Any, *, notice: str = "", **hooks: Any) -> Reply:
        """Return the agent's reply for the result of a tool. `notice` is a remark about the call."""
        steps = conclude(call, self.context(), as_result(result), notice)
        return self.finish(steps, **hooks)

    def read(self, call: Call, **hooks: Any) -> Reply:
        """Answer a call of the reader, whose arguments are a token and a way to look at the result."""
        return self.finish(negotiate(as_reader(call), self.context()), **hooks)

    def fetch(self, call: Call, token: str, path: str = "", **hooks: Any) -> Fetched | Refusal:
        """Return a whole stored value, for a program of the same caller."""
        return self.finish(fetch(as_reader(call), self.context(), token, path), **hooks)

    def keep(self, call: Call, result: Result, **hooks: Any) -> str:
        """Store a result whatever its size. Return its token, or "" if the store did not take it."""
        return self.finish(keep(call, self.context(), result), **hooks)

    def keep_bytes(self, call: Call, data: bytes, **hooks: Any) -> KeptBytes | None:
        """Store bytes as a resource. Return None if the store did not take them."""
        return self.finish(keep_bytes(call, self.context(), data), **hooks)

    def show(self, call: Call, **hooks: Any) -> Reply:
        """Show a stored result in the explorer, with a few words about it for the model."""
        from penstock.core.browsing import show

        return self.finish(show(as_reader(call), self.context()), **hooks)

    def browse(self, call: Call, **hooks: Any) -> Reply:
        """Return the next part of a stored result for the explorer, within the host's ceiling."""
        from penstock.core.browsing import browse

        return self.finish(browse(as_reader(call), self.context()), **hooks)

    def read_resource(self, call: Call, uri: str, **hooks: Any) -> Resource | Refusal:
        """Read the stored result behind a resource link."""
        return self.finish(read_resource(as_reader(call), self.context(), uri), **hooks)

    def close(self) -> None:
        if self._workers is not None:
            self._workers.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def finish(self, steps: Steps[Outcome], **hooks: Any) -> Outcome:
        """Carry the steps of the protocol to their end, and return their outcome."""
        underway = self.start(steps, **hooks)
        need = underway.go_on()
        while need is not None:
            try:
                given = _at_once(need.meet())
            except StoreError as error:
                need = underway.go_on(failure=error)
            else:
                need = underway.go_on(given)
        return underway.outcome

    # `AsyncGate` uses these two as well

    def context(self) -> Context:
        return Context(self.policy, self.meter, self.clock(), self._random)

    def start(self, steps: Steps[Outcome], **hooks: Any) -> Underway[Outcome]:
        cancellation = hooks.pop("cancellation", None) or Cancellation()
        brought = Hooks(**hooks, cancellation=cancellation)
        return Underway(steps, partial(self._answer, brought), self.store, cancellation)

    # The effects

    def _answer(self, hooks: Hooks, effect: Effect) -> Answering:
        match effect:
            case LoadHead():
                return self.store.load(effect.key, now=self.clock(), rows=effect.rows)
            case ReadChunks():
                return self.store.read(effect.entry.key, effect.numbers)
            case ReadWindow():
                return as_window((yield _live(hooks, effect)))
            case AskHolder():
                return (yield _question(self._pool().ask_holder, effect, hooks))
            case AskWorker():
                ask = partial(self._pool().ask, material=effect.material)
                return (yield _question(ask, effect, hooks))
            case Authorize():
                return (yield Need(partial(hooks.authorize, effect.tool, effect.origin))) is True
            case Run():
                output = yield Need(partial(hooks.run, arguments_of(effect)))
                return Ran(as_result(output), self.clock())
            case Put():
                return self._put(effect)
            case Touch():
                return self.store.touch(effect.key, expires=effect.expires)
            case _:
                assert_never(effect)

    def _put(self, effect: Put) -> None:
        """Store a record. Any exception becomes a `StoreError`: the result must survive it."""
        try:
            self.store.put(effect.key, effect.record, now=self.clock())
        except StoreError:
            raise
        except Exception as error:
            raise StoreError(f"The store failed: {error!r}.") from error

    def _pool(self) -> Workers:
        from penstock.worker import Workers

        policy = self.policy
        with self._changing:
            if self._workers is None:
                limits = Limits(policy.query_seconds, policy.query_memory, policy.query_rows)
                self._workers = Workers(limits, CHILDREN)
            return self._workers


def as_reader(call: Call) -> Call:
    return replace(call, is_reader=True)


def _question(ask: Callable[..., Any], effect: AskHolder | AskWorker, hooks: Hooks) -> Need:
    meet = partial(ask, effect.question, cancellation=hooks.cancellation, party=hooks.party)
    return Need(meet, is_question=True)


def _live(hooks: Hooks, effect: ReadWindow) -> Need:
    reference = reference_of(effect.entry)
    return Need(partial(hooks.live_rows, reference, effect.start, effect.stop))


def _at_once(value: Any) -> Any:
    """Return the value of a hook. Refuse an awaitable, which would pass for the value itself."""
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("The tool or a hook returned an awaitable: use AsyncGate.")
    return value
