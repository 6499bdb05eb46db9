"""Questions that tools ask the user while a program calls them, in the modern era.

The result of such a tool is a question (`input_required`), and the client repeats the call with the
reply. For the tool, Penstock is the client: it passes the questions of all tools on, in one answer of
`run_python`, and repeats each call with its part of the replies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.wire import messages
from penstock.wire.effects import InnerCall
from penstock.wire.request import Request

_ASKS: Final = "input_required"
_MARK: Final = f'"{_ASKS}"'.encode()
_STATE: Final = "requestState"


class ToolQuestion(msgspec.Struct, frozen=True):
    """A call whose tool asks something, by the names that the tool gave its questions."""

    call: InnerCall
    asked: dict[str, msgspec.Raw]
    state: msgspec.Raw | None  # for the tool, unread


def question_in(request: Request) -> ToolQuestion | None:
    """Return the question that is the answer to a call, or None for any other answer."""
    call = request.inner_call
    if call is None or _MARK not in request.response:
        return None
    result = messages.read_message(request.response).result
    members = {} if isinstance(result, msgspec.UnsetType) else result
    if messages.text_of(members, "resultType") != _ASKS:
        return None
    asked = messages.members_of(members.get("inputRequests", msgspec.UNSET))
    return ToolQuestion(call, asked, members.get(_STATE))


def questions_result(request: Request, questions: Sequence[ToolQuestion], handle: str) -> bytes:
    """Return the result that asks the client all these questions. Two tools may use the same names,
    so each name begins with the number of its call."""
    asked = {
        _name(question, name): raw for question in questions for name, raw in question.asked.items()
    }
    stamp = {name: encode(value) for name, value in request.known.stamp(is_modern=True).items()}
    told: dict[str, Any] = {
        **stamp,
        "resultType": encode(_ASKS),
        "inputRequests": messages.object_from(asked),
        _STATE: encode(handle),
    }
    return messages.object_from(told)


def answered_calls(questions: Sequence[ToolQuestion], request: Request) -> Iterator[InnerCall]:
    """Yield the calls again, each with its part of the replies that a request brings."""
    given = messages.members_of(request.params).get("inputResponses", msgspec.UNSET)
    replies = messages.members_of(given)
    for question in questions:
        own = {
            name: replies[_name(question, name)]
            for name in question.asked
            if _name(question, name) in replies
        }
        more: dict[str, bytes] = {"inputResponses": messages.object_from(own)} if own else {}
        if question.state is not None:
            more[_STATE] = bytes(question.state)
        yield msgspec.structs.replace(question.call, more=more)


def _name(question: ToolQuestion, name: str) -> str:
    return f"{question.call.number}-{name}"
