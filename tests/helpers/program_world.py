"""`tools_call` for a program, driven with plain values: no sandbox, no gate, no session, no thread."""

import json
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from relay_upstream import text, tool

from penstock import Policy, Principal, default_meter
from penstock.core.model.program import Finished, ToolCall, Turn
from penstock.core.model.reply import Reply
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.forms import Listing
from penstock.wire import messages
from penstock.wire.calls import tools_call
from penstock.wire.effects import (
    AskUpstream,
    CallTools,
    Disclose,
    EndedProgram,
    EndProgram,
    Forward,
    Keep,
    Offer,
    ParkProgram,
    ResumeProgram,
    SetAlarm,
    Started,
    StartProgram,
    StepAside,
    UpstreamAnswer,
)
from penstock.wire.inner_calls import InnerCalls
from penstock.wire.request import Connection, Request

READS = {"annotations": {"readOnlyHint": True}}
TOOLS = [
    tool("echo", {"of": {}}, **READS),
    tool("get_issue", {"key": {"type": "string"}}, **READS),
    tool("odd-name", {}, **READS),
    tool("write", {"path": {"type": "string"}}),
]
WRITES = "run_python_with_writes"
LISTED = Listing("full", [], {"run_python": "run_python", WRITES: WRITES}, has_outputs=True)
UNLISTED = Listing("full", [], has_outputs=True)
QUESTION = {
    "resultType": "input_required",
    "inputRequests": {"who": {"method": "elicitation/create", "params": {"message": "Who?"}}},
}
TOKEN = "pen_" + "2" * 39


@dataclass
class Rules:
    """Everything that a handler knows of a gate."""

    policy: Policy
    meter: Any


def request_of(code: Any, tool: str = "run_python", legacy_session="a session", **settings):
    """Return a call of the tool that runs programs."""
    settings = {"programs": "on", **settings}
    rules = Rules(Policy(**settings), default_meter())
    connection = Connection(rules, Principal("ann"), "srv", legacy_session)
    connection.known.era, connection.known.is_initialized = "legacy", True
    params = {"name": tool, "arguments": {"code": code}}
    line = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    ).encode()
    read = messages.read_message(line)
    return Request(connection, b"1", "tools/call", read.params, line, is_modern=False)


def answer(result):
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()
    return UpstreamAnswer(messages.read_message(line), line)


def calls(numbers, function: str = "echo", **kwargs) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(number, function, (), kwargs, line=3) for number in numbers)


def _in_order(waiting: list[Request]) -> list[Request]:
    return waiting[:1]


@dataclass
class World:
    """A world that answers each effect, and remembers them in order.

    `turns` are the turns of the program: values, or functions of the answers that it gets. `finish`
    says which of the open calls are done when the program waits; if none is, time is up. The tools
    of the calls in `asking` ask the user instead of answering.
    """

    turns: Iterator[Turn | Callable[..., Turn]] = field(
        default_factory=lambda: iter([Finished(b"1")])
    )
    finish: Callable[[list[Request]], list[Request]] = _in_order
    listing: Listing = LISTED
    has_variables: bool = False
    ended: EndedProgram | None = None
    effects: list[Any] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)
    given: list[int] = field(
        default_factory=list
    )  # the numbers of the answers that the program got
    most_open: int = 0
    asking: Container[int] = frozenset()

    def drive(self, request: Request) -> dict[str, Any]:
        """Return the handler's answer."""
        request.inner_calls = InnerCalls()
        self.request, self._keys = request, count()
        steps, given = tools_call(request), None
        while True:
            try:
                effect = steps.send(given)
            except StopIteration as done:
                return json.loads(done.value)
            self.effects.append(effect)
            given = self._answer(effect)

    @property
    def kinds(self):
        return [type(effect) for effect in self.effects]

    def only(self, kind):
        """Return the only effect of this kind."""
        (found,) = [effect for effect in self.effects if isinstance(effect, kind)]
        return found

    def _answer(self, effect: Any) -> Any:
        match effect:
            case StartProgram():
                return Started("the program", self._turn(()), has_variables=self.has_variables)
            case CallTools():
                return self._call(effect)
            case ResumeProgram():
                self.given += [answer.number for answer in effect.answers]
                return self._turn(effect.answers)
            case EndProgram():
                made = [{"tool": "echo"}] * len(self.given)
                return self.ended or EndedProgram((), made, 7)
        plain = {
            AskUpstream: answer({"tools": TOOLS}),
            Disclose: (Catalogue.from_tools(TOOLS), self.listing),
            Keep: TOKEN,
            Offer: Reply(b'"offered"'),
            ParkProgram: "a handle",
            Forward: answer(text("forwarded")),
            SetAlarm: None,
            StepAside: None,
        }
        return plain[type(effect)]

    def _turn(self, answers) -> Turn:
        turn = next(self.turns)
        return turn(answers) if callable(turn) else turn

    def _call(self, effect: CallTools) -> list[Request]:
        inner = self.request.inner_calls
        for call in effect.calls:
            made = self.request.call_for_program(b'"own-%d"' % next(self._keys), call)
            inner.begin(made.key, made)
            self.begun.append(call.number)
        self.most_open = max(self.most_open, len(inner.open))
        done = self.finish(list(inner.open.values())) if effect.waits else []
        for made in done:
            result = QUESTION if made.inner_call.number in self.asking else text("ok")
            made.response = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()
            inner.finish(made.key, made)
        if effect.waits and not done:
            self.request.is_late = True
        return inner.finished()
