"""The pool of child processes that answer questions: an agent's SQL and jq over a stored result.

A program that an agent writes may loop forever, use up the memory, or (`env` in jq) ask for the
server's secrets. So the program runs in a child process (`penstock.worker.sandbox.main`) that has
an empty environment, cannot open files, and is killed when its time is up. A program that is
refused or fails gives a `Failure` value. Only
exceptions from reading the rows (`material`) reach the caller.

Memory is limited for SQL everywhere, and for jq on Linux, which has `resource` and /proc.

A thread that finds no free child waits for its party's turn (`worker.places`), and only for a time.

Rules for editing this module:

- A thread holds a place while it takes, uses and gives back a child. A child without a place is free.
- One thread at a time uses a child, between `_take` or `_take_holder` and `_give`.
- Only a `KillSwitch` or `close` kills a child that is in use.
- If the state of a child is in doubt, discard the child.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable

from penstock.core.model.cancellation import Cancellation
from penstock.core.model.questions import (
    Failure,
    Language,
    Limits,
    Material,
    Question,
    WorkerAnswer,
)
from penstock.core.model.turns import Party
from penstock.worker import failures, frames
from penstock.worker.child import Gone, WorkerChild
from penstock.worker.kill_switch import KillSwitch
from penstock.worker.places import WorkerPlaces

Outcome = WorkerAnswer | Failure

ANYONE = Party()
START_SECONDS = 30.0  # Importing from a cold disk is slow. A child that needs longer is broken.


class Workers:
    """A pool of children that threads may share. Each child starts when it is first needed."""

    def __init__(self, limits: Limits | None = None, size: int = 2) -> None:
        self._limits = limits or Limits()
        self.size = size
        self._closed = False
        self._reset()
        _call_after_fork(weakref.WeakMethod(self._leave_children_of_parent))

    def ask(
        self,
        question: Question,
        material: Material,
        cancellation: Cancellation | None = None,
        party: Party = ANYONE,
    ) -> Outcome:
        """Wait for a free child, and return its answer.

        The child reads `material` unless it already holds the material in the form for this
        language. Exceptions raised by the material's blocks reach the caller.
        """
        outcome = self._ask(question, material, cancellation or Cancellation(), party)
        assert outcome is not None  # noqa: S101 (only without material there may be no answer)
        return outcome

    def ask_holder(
        self,
        question: Question,
        cancellation: Cancellation | None = None,
        party: Party = ANYONE,
    ) -> Outcome | None:
        """Wait for room, and ask a free child that holds the material of the question.

        Return None if no free child holds it: then the material has to be collected.
        """
        return self._ask(question, None, cancellation or Cancellation(), party)

    def _ask(
        self,
        question: Question,
        material: Material | None,
        cancellation: Cancellation,
        party: Party,
    ) -> Outcome | None:
        places = self._places
        refusal = places.wait(party, cancellation, question.language)
        if refusal is not None:
            return refusal
        try:
            child = self._take(question, is_holder=material is None)
            if child is None or isinstance(child, Failure):
                return child
            return self._use(child, question, material, cancellation)
        finally:
            places.leave(party)

    def close(self) -> None:
        """End all children. Questions in progress fail."""
        with self._lock:
            self._closed = True
        self._places.close()
        self._finalizer()

    # The pool

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._places = WorkerPlaces(self.size, self._limits)
        self._children: set[WorkerChild] = set()
        self._free: list[WorkerChild] = []
        # Runs at interpreter exit too. A reference to `self` would keep the pool alive until then.
        self._finalizer = weakref.finalize(self, _end_all, self._children)

    def _take(self, question: Question, *, is_holder: bool) -> WorkerChild | Failure | None:
        """Take a free child, or start one. A child that holds the material is preferred. With
        `is_holder`, return None if no free child holds it."""
        with self._lock:
            if self._closed:
                return failures.CLOSED
            self._drop_dead()
            chosen = self._holder(question)
            if chosen is None and is_holder:
                return None
            if chosen is None and not self._free:
                return self._start(question.language)
            chosen = chosen or self._free[-1]
            self._free.remove(chosen)
            return chosen

    def _holder(self, question: Question) -> WorkerChild | None:
        return next((child for child in self._free if child.holds(question)), None)

    def _drop_dead(self) -> None:
        """Remove idle children that died, so that the next question does not fail."""
        for child in [child for child in self._free if not child.is_alive()]:
            self._free.remove(child)
            self._children.discard(child)
            child.end()

    def _start(self, language: Language) -> WorkerChild | Failure:
        try:
            child = WorkerChild()
        except OSError:
            return failures.not_started(language)
        self._children.add(child)
        return child

    def _give(self, child: WorkerChild) -> None:
        with self._lock:
            if child.usable and not self._closed:
                self._free.append(child)
                return
        # The thread still has its place, so that there are never more children than `size`. An exit
        # may take seconds, so the lock is not held meanwhile.
        child.kill()
        child.end()
        with self._lock:
            self._children.discard(child)

    def _leave_children_of_parent(self) -> None:
        """Abandon the children after a fork: two processes on one pipe would mix their frames."""
        self._finalizer.detach()
        for child in self._children:
            child.abandon()
        self._reset()

    # One question

    def _use(
        self,
        child: WorkerChild,
        question: Question,
        material: Material | None,
        cancellation: Cancellation,
    ) -> Outcome:
        try:
            return self._converse(child, question, material, cancellation)
        finally:
            self._give(child)

    def _converse(
        self,
        child: WorkerChild,
        question: Question,
        material: Material | None,
        cancellation: Cancellation,
    ) -> Outcome:
        switch = KillSwitch(child)
        try:
            with cancellation.bound_to(lambda: switch.pull(failures.CANCELLED)):
                return self._dialogue(child, switch, question, material)
        except Gone:
            return switch.reason or self._why_gone(child, question.language)
        except BaseException:
            child.usable = False  # The dialogue stopped at an unknown point.
            raise
        finally:
            switch.disarm()

    def _dialogue(
        self, child: WorkerChild, switch: KillSwitch, question: Question, material: Material | None
    ) -> Outcome:
        if not child.greeted:
            with switch.within(START_SECONDS, failures.too_slow_to_start(question.language)):
                child.greet(self._limits)
        if material is not None and not child.holds(question):
            self._load(child, switch, question, material)
        return _outcome(self._put_question(child, switch, question))

    def _load(
        self, child: WorkerChild, switch: KillSwitch, question: Question, material: Material
    ) -> None:
        seconds = self._limits.seconds * frames.LOADING_FACTOR
        with switch.within(seconds, failures.too_large(self._limits, question.language)):
            child.load(question, material)

    def _put_question(
        self, child: WorkerChild, switch: KillSwitch, question: Question
    ) -> WorkerAnswer | frames.Response:
        too_slow = failures.too_slow(self._limits, question.language)
        with switch.within(self._limits.seconds, too_slow):
            return child.ask(question)

    def _why_gone(self, child: WorkerChild, language: Language) -> Failure:
        if self._closed:
            return failures.CLOSED
        return failures.died(child.end(), self._limits, language)


def _outcome(reply: WorkerAnswer | frames.Response) -> WorkerAnswer | Failure:
    match reply:
        case WorkerAnswer():
            return reply
        case frames.RefusedFrame(failure):
            return failure
        case _:
            raise Gone  # The child did not keep to the protocol.


def _call_after_fork(method: weakref.WeakMethod[Callable[[], None]]) -> None:
    def call() -> None:
        if alive := method():
            alive()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


def _end_all(children: set[WorkerChild]) -> None:
    ending = tuple(children)  # A copy: `_give` may remove children meanwhile.
    for child in ending:
        child.kill()
    for child in ending:
        child.end()
    children.clear()
