"""One call on its way through the protocol, with stops where the gate has to wait for others.

The gate carries out most effects with its store alone. A few need a hook of the caller or an answer
of the worker. `Underway` returns each of these as a `Need`, so that each gate can meet it in its own
way: `Gate` at once, `AsyncGate` in the event loop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

import msgspec

from penstock.core.model.cancellation import Cancellation, Cancelled
from penstock.core.model.effects import Effect, Put, Run, Steps
from penstock.core.model.reply import Reply
from penstock.core.model.store import Store
from penstock.core.model.values import Refusal
from penstock.errors import StoreError
from penstock.gate.losses import warn_of_loss
from penstock.log import logger

Outcome = TypeVar("Outcome")


class Need(msgspec.Struct, frozen=True):
    """A call of a hook, or a question to the worker."""

    meet: Callable[[], Any]
    is_question: bool = False


Answering = Generator[Need, Any, Any]


class Underway(Generic[Outcome]):
    """A call that has started. Call `go_on` until it returns None: then `outcome` is set."""

    outcome: Outcome

    def __init__(
        self,
        steps: Steps[Outcome],
        answer: Callable[[Effect], Answering],
        store: Store,
        cancellation: Cancellation,
    ) -> None:
        self.cancellation = cancellation
        self.stored: list[str] = []
        self._store = store
        self._needs = self._carry_out(steps, answer)
        self._turn = threading.RLock()  # the thread of a cancelled task may still be at work

    def go_on(self, given: Any = None, failure: StoreError | None = None) -> Need | None:
        """Carry out the steps up to the next need, and return the need. None means the end.

        `given` meets the last need. A `failure` of the store is thrown into the protocol.
        """
        with self._turn:
            try:
                if failure is not None:
                    return self._needs.throw(failure)
                return self._needs.send(given)
            except StopIteration as done:
                self.outcome = done.value
                return None

    def forget(self) -> None:
        """Delete what the call has stored: no one will get the token of a cancelled call."""
        with self._turn:
            for key in self.stored:
                try:
                    self._store.delete(key)
                except Exception as error:  # noqa: BLE001 (a foreign store may raise anything)
                    logger().warning("a cancelled call's result stays until it expires: %s", error)
            self.stored.clear()

    def _carry_out(
        self, steps: Steps[Outcome], answer: Callable[[Effect], Answering]
    ) -> Generator[Need, Any, Outcome]:
        given: Any = None
        failure: StoreError | None = None
        while True:
            self._stop_if_cancelled()
            try:
                effect = steps.send(given) if failure is None else steps.throw(failure)
            except StopIteration as done:
                self._stop_if_cancelled()
                outcome: Outcome = done.value
                return logged(outcome)
            given, failure = None, None
            if isinstance(effect, Put):
                self._begin_to_store(effect.key)
            try:
                given = yield from answer(effect)
            except StoreError as error:
                if isinstance(effect, Run):  # a tool's own error passes through, whatever its class
                    raise
                warn_of_loss(effect, error)
                failure = error

    def _begin_to_store(self, key: str) -> None:
        """Note the key before the write, so that a later cancellation deletes the entry. If the call
        was cancelled meanwhile, while a large result was encoded, write nothing."""
        self.stored.append(key)
        if self.cancellation.requested:
            self.stored.remove(key)
            self._stop_if_cancelled()

    def _stop_if_cancelled(self) -> None:
        if self.cancellation.requested:
            self.forget()
            raise Cancelled


def until_run(steps: Steps[Reply]) -> Steps[Run | Reply]:
    """Return the same steps, but stop where the tool would run, with that `Run` as the outcome."""
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


def logged(outcome: Outcome) -> Outcome:
    """Log the reason of a refusal, which the caller must not see."""
    reason = getattr(outcome, "reason", "")
    if reason:
        logger().info("%s", reason)
    if isinstance(outcome, Refusal):  # the caller gets the object itself
        return msgspec.structs.replace(outcome, reason="")
    return outcome
