"""`run_python`: a program of the agent's, from its source to its answer.

The program runs in turns. Between two turns its calls go to upstream, some at a time. The answer of
the program is a result like any other.

A tool may ask the user before it answers. A legacy server sends the client a request for that, which
passes through. In the modern era the tool's result is a question. The program then waits, the answer
to `run_python` is this question, and the client's next call brings the reply.
"""

from __future__ import annotations

import builtins
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from penstock.core.model.program import ASK_LESS, Broken, Finished, Source, ToolCall, Turn, Waiting
from penstock.core.model.values import LiveRows
from penstock.disclosure.names import PROGRAM_NAMES, RUN_WRITES, is_called
from penstock.wire import messages
from penstock.wire.call_facts import call_of, origin_of
from penstock.wire.effects import (
    CallTools,
    EndedProgram,
    EndProgram,
    InnerAnswer,
    InnerCall,
    ParkProgram,
    ResumeProgram,
    SetAlarm,
    Started,
    StartProgram,
    Steps,
    UnparkProgram,
)
from penstock.wire.lists import know_tools
from penstock.wire.program_calls import Callables, WrongCall, refused_to_hand_on
from penstock.wire.program_questions import (
    ToolQuestion,
    answered_calls,
    question_in,
    questions_result,
)
from penstock.wire.program_replies import answer_of, failure_of, refusal
from penstock.wire.request import Request
from penstock.wire.shown_tools import disclosed

AT_ONCE: Final = 8
LONGEST_CODE: Final = 100_000
_NO_ANSWER: Final = "it had not answered when the program ended, and may have run"
_UNDEFINED: Final = "NameError: name '"
_GONE: Final = Broken("The program that asked this is gone.", "Run the program again.")


def answer_program(request: Request) -> Steps[bytes | None]:
    """Answer a call of a tool that runs programs."""
    if not any(is_called(request.tool, role) for role in PROGRAM_NAMES):
        return None
    yield from know_tools(request)
    shown = yield from disclosed(request)
    role = "" if shown is None else shown.listing.role_of(request.tool)
    if shown is None or role not in PROGRAM_NAMES:
        return None
    if request.fault:
        return request.fault
    request.is_read = True  # the figures count what its calls cost, not the program
    parked = messages.text_of(messages.members_of(request.params), "requestState")
    if parked is not None:
        return (yield from _go_on(request, parked))
    code = _code(request.decoded_object.get("code"))
    if isinstance(code, Broken):
        return refusal(request, code)
    own, form = shown.listing.own, shown.listing.form
    tools = Callables(
        role,
        shown.catalogue.without_apps(),
        own.get(RUN_WRITES, ""),
        are_listed=form != "programs",
    )
    return (yield from _Program(request, tools).run(code))


def _code(code: Any) -> str | Broken:
    if not isinstance(code, str) or not code.strip():
        return Broken("code must be a Python program.", 'Try {"code": "1 + 1"}.')
    if len(code) > LONGEST_CODE:
        told = f"The program has {len(code):,} characters; at most {LONGEST_CODE:,} are allowed."
        return Broken(told, "Put data into a stored result, and read it with value(token).")
    return code


def _go_on(request: Request, handle: str) -> Steps[bytes]:
    """Continue a program that waits for the replies which this request brings."""
    call = replace(call_of(request, {}), is_merged=False)
    program: _Program | None = yield UnparkProgram(handle, call)
    if program is None:
        return refusal(request, _GONE)
    return (yield from program.go_on(request))


class _Program:
    """A program that runs, and its calls."""

    def __init__(self, request: Request, tools: Callables) -> None:
        self.request = request
        self.tools = tools
        self.policy = request.policy
        self.started: Started | None = None
        self.waiting: deque[InnerCall] = deque()  # calls that wait for others to be done
        self.refused: list[InnerAnswer] = []
        self.unseen: list[InnerAnswer] = []  # answers that came too late for the program
        self.questions: list[ToolQuestion] = []  # of tools, for the user
        self.count = 0  # of all calls
        self.underway = 0

    def run(self, code: str) -> Steps[bytes]:
        yield SetAlarm(self.policy.program_seconds)
        scope, call = self.tools.scope(code), replace(call_of(self.request, {}), is_merged=False)
        self.started = started = yield StartProgram(code, scope, self._holder(), call)
        return (yield from self._turns(started, started.turn))

    def go_on(self, request: Request) -> Steps[bytes]:
        """Continue after the user has replied, for the client's next request."""
        assert self.started is not None  # noqa: S101 (only a program that runs can ask)
        self.request = request
        yield SetAlarm(self.policy.program_seconds)
        self.waiting.extend(answered_calls(self.questions, request))
        self.questions = []
        return (yield from self._turns(self.started, Waiting()))

    def _turns(self, started: Started, turn: Turn) -> Steps[bytes]:
        program = started.program
        while isinstance(turn, Waiting):
            next_turn = yield from self._next_turn(program, turn)
            if next_turn is None:
                handle: str = yield ParkProgram(program, self)
                return self.request.answer(questions_result(self.request, self.questions, handle))
            turn = next_turn
        if isinstance(turn, Broken) and turn.is_stopped and self.request.is_late:
            turn = self._late(turn.printed)
        keeps = not _is_stopped(turn)
        ended: EndedProgram = yield EndProgram(program, keeps_variables=keeps, left=self._left())
        if isinstance(turn, Finished):
            return (yield from answer_of(self.request, turn, ended))
        return (yield from failure_of(self.request, turn, ended, self._hint(turn, started)))

    def _holder(self) -> str:
        """Return the session that keeps the variables: the connection's, else the principal's."""
        connection = self.request.connection
        return connection.legacy_session or connection.principal.id

    def _next_turn(self, program: Any, turn: Waiting) -> Steps[Turn | None]:
        """Make the calls of the last turn, and give the program the answers. Return None if it can
        only go on when the user has replied."""
        self.count += len(turn.calls)
        if self.count > self.policy.program_calls:
            told = f"The program may make {self.policy.program_calls} calls, and wants more."
            return Broken(told, ASK_LESS, is_stopped=True)
        for call in turn.calls:
            self._check(call, turn.sources)
        if not (self.underway or self.waiting or self.refused):
            return None  # every call that the program waits for asks the user something
        answers = yield from self._answers()
        if self.request.is_late:
            self.unseen += [answer for answer in answers if not answer.error]
            return self._late()
        if answers:
            next_turn: Turn = yield ResumeProgram(program, answers)
            return next_turn
        return Waiting()

    def _late(self, printed: str = "") -> Broken:
        told = f"The program took longer than {self.policy.program_seconds:g} seconds."
        return Broken(told, ASK_LESS, printed=printed, is_stopped=True)

    def _check(self, call: ToolCall, sources: Sequence[Source]) -> None:
        checked = self.tools.checked(call)
        if not isinstance(checked, WrongCall):
            checked = refused_to_hand_on(self.request, checked, sources) or checked
        if isinstance(checked, WrongCall):
            told = InnerAnswer(call.number, call.function, error=checked.error, kind=checked.kind)
            self.refused.append(told)
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
        asking = {request.key: question_in(request) for request in done}
        self.questions += [question for question in asking.values() if question is not None]
        refused, self.refused = self.refused, []
        return [*refused, *(_answer(request) for request in done if not asking[request.key])]

    def _left(self) -> list[InnerAnswer]:
        """Return the answers that the program has not seen, and an error for each call that upstream
        has and has not answered: it may have run."""
        calls = self.request.inner_calls
        if calls is None:
            return []
        done = [_answer(request) for request in calls.finished()]
        sent = [each for each in [*calls.open.values()] if not each.is_with_penstock]
        lost = [msgspec.structs.replace(_answer(each), error=_NO_ANSWER) for each in sent]
        return [*self.unseen, *done, *lost]

    def _hint(self, turn: Broken, started: Started) -> str:
        """Return the next step for a name that is not defined."""
        if not turn.error.startswith(_UNDEFINED):
            return ""
        name = turn.error.removeprefix(_UNDEFINED).partition("'")[0]
        if name == self.request.reader:
            return "Use value(token), rows(token) or sql(...)."
        if hasattr(builtins, name):
            return f"This sandbox has no {name}."
        near = self.tools.nearest(name)
        step = f"Did you mean {' or '.join(near)}?" if near else "Assign it first."
        if started.has_variables or (near and f"{name}(" in turn.source):
            return step
        if not self._holder():
            return f"{step} No variables stay, because this client has no session."
        life = f"{self.policy.ttl:g}"
        return f"{step} Variables of earlier programs end after {life} seconds without use."


def _is_stopped(turn: Turn) -> bool:
    return isinstance(turn, Broken) and turn.is_stopped


def _answer(request: Request) -> InnerAnswer:
    inner = request.inner_call
    assert inner is not None  # noqa: S101 (only calls of a program are in its list)
    inside = request.inside.result
    live = None
    if isinstance(inside, LiveRows):
        live, inside = (call_of(request, request.decoded_object), inside), None
    return InnerAnswer(
        inner.number,
        inner.tool,
        inner.arguments,
        request.response,
        inside,
        live,
        origin_of(request),
        is_text=inner.is_text,
    )
