"""The pool of children: who is asked, and how one question goes.

A program that an agent writes may loop for ever, take all memory, or (`env` in jq) ask for the
server's secrets. So it runs in a child process (`penstock.worker.sandbox.main`) that has an empty
environment, cannot open a file, and is killed when it goes over its time. Refusals and accidents
of a program are values (`Failure`); only what `material` raises comes through as an exception.

The memory limit holds where the platform has `resource` and /proc, that is on Linux; elsewhere it
holds for SQL, and jq has the time limit alone.

Rules for whoever edits this:

- A child is used by one thread at a time, between `_take` and `_give`.
- Only a `KillSwitch` kills a child that is in use.
- After any doubt the child is discarded.
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
from penstock.worker import failures, frames
from penstock.worker.child import Gone, WorkerChild
from penstock.worker.kill_switch import KillSwitch

Outcome = WorkerAnswer | Failure

START_SECONDS = 30.0  # An import from a cold disk is slow; a child that hangs here is broken.


class Workers:
    """A pool of children. Threads may share it; each child starts when it is first needed."""

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
    ) -> Outcome:
        """Wait for a free child, and for its answer.

        The child reads `material` only if it does not hold it already, in the form for this
        language. An exception that the blocks of the material raise comes through.
        """
        child = self._take(question)
        if isinstance(child, Failure):
            return child
        return self._use(child, question, material, cancellation)

    def ask_holder(
        self, question: Question, cancellation: Cancellation | None = None
    ) -> Outcome | None:
        """Wait until any child is free, and ask one that holds the material of the question.

        Return None if no free child holds it: then the material has to be collected.
        """
        child = self._take_holder(question)
        if child is None or isinstance(child, Failure):
            return child
        return self._use(child, question, None, cancellation)

    def close(self) -> None:
        """Ends all children. A question under way fails."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._finalizer()

    # The pool

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._children: set[WorkerChild] = set()
        self._free: list[WorkerChild] = []
        # Also at exit of the interpreter. It may not hold `self`, or it would never run.
        self._finalizer = weakref.finalize(self, _end_all, self._children)

    def _take(self, question: Question) -> WorkerChild | Failure:
        """Take a free child, or start one. A child that holds the material is preferred."""
        with self._changed:
            if not self._wait_for_room():
                return failures.CLOSED
            if not self._free:
                return self._start(question.language)
            chosen = self._holder(question) or self._free[-1]
            self._free.remove(chosen)
            return chosen

    def _take_holder(self, question: Question) -> WorkerChild | Failure | None:
        with self._changed:
            if not self._wait_for_room():
                return failures.CLOSED
            chosen = self._holder(question)
            if chosen is not None:
                self._free.remove(chosen)
            return chosen

    def _wait_for_room(self) -> bool:
        """Wait until a child is free or may be started. Return False if the pool is closed."""
        self._drop_dead()
        self._changed.wait_for(self._has_room)
        return not self._closed

    def _holder(self, question: Question) -> WorkerChild | None:
        return next((child for child in self._free if child.holds(question)), None)

    def _drop_dead(self) -> None:
        """Whoever killed an idle child (the kernel, short of memory), no question need fail of it."""
        for child in [child for child in self._free if not child.is_alive()]:
            self._free.remove(child)
            self._children.discard(child)
            child.end()

    def _has_room(self) -> bool:
        return self._closed or bool(self._free) or len(self._children) < self.size

    def _start(self, language: Language) -> WorkerChild | Failure:
        try:
            child = WorkerChild()
        except OSError:
            return failures.not_started(language)
        self._children.add(child)
        return child

    def _give(self, child: WorkerChild) -> None:
        with self._changed:
            if child.usable and not self._closed:
                self._free.append(child)
                self._changed.notify_all()  # the first to wake may have no use for it
                return
        # It keeps its place until it has ended, so that there are never more children than `size`.
        # Others do not wait for that: an exit may take seconds.
        child.kill()
        child.end()
        with self._changed:
            self._children.discard(child)
            self._changed.notify_all()

    def _leave_children_of_parent(self) -> None:
        """After a fork the children are the parent's. Two processes on one pipe would mix frames."""
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
        cancellation: Cancellation | None,
    ) -> Outcome:
        try:
            return self._converse(child, question, material, cancellation or Cancellation())
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
            child.usable = False  # somewhere between two frames
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
            raise Gone  # out of step


def _call_after_fork(method: weakref.WeakMethod[Callable[[], None]]) -> None:
    def call() -> None:
        if alive := method():
            alive()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


def _end_all(children: set[WorkerChild]) -> None:
    ending = tuple(children)  # Whoever used one takes it out meanwhile.
    for child in ending:
        child.kill()
    for child in ending:
        child.end()
    children.clear()
