"""`run_python`: a program of the agent's, from its source to its answer.

The program runs in turns. Between two turns its calls go to upstream, some at a time. The answer of
the program is a result like any other.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any, Final

from penstock.core.model.program import Broken, Finished, Turn, Waiting
from penstock.core.model.values import Call
from penstock.wire.call_facts import call_of
from penstock.wire.effects import (
    CallTools,
    EndedProgram,
    EndProgram,
    InnerAnswer,
    InnerCall,
    ResumeProgram,
    SetAlarm,
    Started,
    StartProgram,
    Steps,
)
from penstock.wire.lists import know_tools
from penstock.wire.program_calls import Callables, WrongCall
from penstock.wire.program_replies import answer_of, failure_of, refusal
from penstock.wire.program_tools import may_be_program, program_role
from penstock.wire.request import Request
from penstock.wire.shown_tools import disclosed

AT_ONCE: Final = 8
LONGEST_CODE: Final = 100_000
_ASK_LESS: Final = "Ask for less, or do the work in several programs."


def answer_program(request: Request) -> Steps[bytes | None]:
    """Answer a call of a tool that runs programs."""
    if not may_be_program(request):
        return None
    yield from know_tools(request)
    role = program_role(request)
    if not role:
        return None
    shown = yield from disclosed(request)
    if request.fault or shown is None:
        return request.fault
    request.is_read = True  # the figures count what its calls cost, not the program
    code = _code(request.decoded_object.get("code"))
    if isinstance(code, Broken):
        return refusal(request, code)
    return (yield from _Program(request, Callables(role, shown.catalogue.without_apps())).run(code))


def _code(code: Any) -> str | Broken:
    if not isinstance(code, str) or not code.strip():
        return Broken("code must be a Python program.", 'Try {"code": "1 + 1"}.')
    if len(code) > LONGEST_CODE:
        told = f"The program has {len(code):,} characters; at most {LONGEST_CODE:,} are allowed."
        return Broken(told, "Put data into a stored result, and read it with value(token).")
    return code


class _Program:
    """A program that runs, and its calls."""

    def __init__(self, request: Request, tools: Callables) -> None:
        self.request = request
        self.tools = tools
        self.policy = request.policy
        self.waiting: deque[InnerCall] = deque()  # calls that wait for others to be done
        self.refused: list[InnerAnswer] = []
        self.count = 0  # of all calls
        self.underway = 0

    def run(self, code: str) -> Steps[bytes]:
        request = self.request
        yield SetAlarm(self.policy.program_seconds)
        call = replace(call_of(request, {}), is_merged=False)
        started: Started = yield StartProgram(code, self.tools.scope(code), self._holder(), call)
        program, turn = started.program, started.turn
        while isinstance(turn, Waiting):
            turn = yield from self._next_turn(program, turn)
        ended: EndedProgram = yield EndProgram(program, keeps_variables=not _is_stopped(turn))
        if isinstance(turn, Finished):
            return (yield from answer_of(request, turn, ended))
        return (yield from failure_of(request, turn, ended, self._hint(turn, started)))

    def _holder(self) -> str:
        """Return the session that keeps the variables: the connection's, else the principal's."""
        connection = self.request.connection
        return connection.legacy_session or connection.principal.id

    def _next_turn(self, program: Any, turn: Waiting) -> Steps[Turn]:
        """Make the calls of the last turn, and give the program the answers."""
        self.count += len(turn.calls)
        if self.count > self.policy.program_calls:
            told = f"The program may make {self.policy.program_calls} calls, and wants more."
            return Broken(told, _ASK_LESS, is_stopped=True)
        for call in turn.calls:
            self._check(call)
        answers = yield from self._answers()
        if self.request.is_late:
            seconds = f"{self.policy.program_seconds:g}"
            told = f"The program took longer than {seconds} seconds."
            return Broken(told, _ASK_LESS, is_stopped=True)
        next_turn: Turn = yield ResumeProgram(program, answers)
        return next_turn

    def _check(self, call: Any) -> None:
        checked = self.tools.checked(call)
        if isinstance(checked, WrongCall):
            told = replace(call_of(self.request, {}), tool=call.function)
            self.refused.append(
                InnerAnswer(call.number, told, error=checked.error, kind=checked.kind)
            )
        else:
            self.waiting.append(checked)

    def _answers(self) -> Steps[list[InnerAnswer]]:
        """Begin as many calls as may run at once. Return the answers to those that are done."""
        begun: list[InnerCall] = []
        while self.waiting and self.underway < AT_ONCE:
            begun.append(self.waiting.popleft())
            self.underway += 1
        done: list[Request] = yield CallTools(begun, waits=not self.refused)
        self.underway -= len(done)
        refused, self.refused = self.refused, []
        return [*refused, *map(_answer, done)]

    def _hint(self, turn: Broken, started: Started) -> str:
        """Return the next step for a name that is not defined."""
        marker = "NameError: name '"
        if not turn.error.startswith(marker):
            return ""
        near = self.tools.nearest(turn.error.removeprefix(marker).partition("'")[0])
        if near:
            return f"Did you mean {' or '.join(near)}?"
        if started.has_variables:
            return "Assign it first."
        life = f"{self.policy.ttl:g}"
        return (
            f"Assign it first. Variables of earlier programs end after {life} seconds without use."
        )


def _is_stopped(turn: Turn) -> bool:
    return isinstance(turn, Broken) and turn.is_stopped


def _answer(request: Request) -> InnerAnswer:
    inner = request.inner_call
    assert inner is not None  # noqa: S101 (only calls of a program are in its list)
    call: Call = call_of(request, request.decoded_object)
    return InnerAnswer(
        inner.number, call, request.response, request.inside.result, is_text=inner.is_text
    )
