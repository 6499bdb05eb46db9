"""Results and errors of tools, held to the budget on their way down."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.cancellation import Cancelled
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Frame, Result
from penstock.wire import messages
from penstock.wire.explorer_tools import ROLES
from penstock.wire.messages import HEADER_MISMATCH, Message
from penstock.wire.results import WireResult, plain_wire, read_result
from penstock.wire.state import Later, Outputs, Pending
from penstock.wire.telling import call_of, is_shown, keeps_output, policy_of, tool_of

if TYPE_CHECKING:
    from penstock.wire.session import Session

_MESSAGE_CHARS: Final = 300
_PARTS: Final = 4
_LARGEST_CODE: Final = 2**31


def close_call(session: Session, pending: Pending, message: Message, line: bytes) -> Outputs:
    body = message.error if isinstance(message.result, msgspec.UnsetType) else message.result
    if isinstance(body, msgspec.UnsetType):
        return session.deliver(pending, line)
    policy = policy_of(session, pending)
    is_small = policy.inline_budget.surely_admits(len(memoryview(body))) and not policy.heavy
    given = pending.told.result
    if isinstance(given, Result) and not session.policy.covers(pending.tool):
        fields = session.known.frame(is_modern=pending.is_modern).fields
        return session.answer(pending, plain_wire(given, fields))
    is_small = is_small and given is None
    if is_small or not session.policy.covers(pending.tool):
        if b'"taskId"' in bytes(body):
            remember_task(session, pending, read_result(body))
        if message.error is body and _code_of(body) == HEADER_MISMATCH:
            session.outdate_toolbox()  # upstream's schema is not the one the headers were made from
        return session.deliver(pending, line)
    pending.is_ours = True
    if isinstance(message.result, msgspec.UnsetType):
        return [Later(partial(_hold_error, session, pending, bytes(body), line), pending)]
    return [Later(partial(_hold_result, session, pending, message.result, line), pending)]


def _code_of(error: msgspec.Raw) -> Any:
    return messages.decoded(messages.members_of(error).get("code"))


def _hold_result(session: Session, pending: Pending, result: msgspec.Raw, line: bytes) -> Outputs:
    wire = read_result(result)
    if not wire.is_complete:
        remember_task(session, pending, wire)
        return session.deliver(pending, line)
    if _is_of_explorer(session, pending):
        return session.deliver(pending, line)
    try:
        held = _held(session, pending, wire)
    except Cancelled:
        return []
    if held is None:
        return session.deliver(pending, line)
    return session.replace(pending, messages.response(pending.key, held))


def _is_of_explorer(session: Session, pending: Pending) -> bool:
    """Whether a Penstock behind this one has made it, for its own explorer: then it has been fitted."""
    is_theirs = session.known.has_penstock and not session.is_inside
    return is_theirs and pending.tool in ROLES


def _held(session: Session, pending: Pending, wire: WireResult) -> bytes | None:
    """What goes down in the place of a result; None where that is the result."""
    if is_for_widget(session, pending, wire):
        from penstock.wire import for_widgets

        return for_widgets.held(session, pending, wire)
    reply = offer(session, pending, wire)
    is_same = reply.is_whole and not pending.notice and pending.told.result is None
    return None if is_same else reply.wire()


def is_for_widget(session: Session, pending: Pending, wire: WireResult) -> bool:
    """Whether an app gets what is structured of a result that upstream has sent."""
    return wire.has_structured and pending.told.result is None and is_shown(session, pending)


def offer(
    session: Session,
    pending: Pending,
    wire: WireResult,
    around: dict[str, Any] | None = None,
    *,
    is_text: bool = False,
) -> Reply:
    """What the core makes of a result. `is_text`: what it makes is not structured, whatever was
    promised."""
    arguments = messages.decoded(pending.arguments)
    call = call_of(session, pending, arguments if isinstance(arguments, dict) else {})
    is_known = tool_of(session, pending) is not None
    structured = keeps_output(session, pending) if is_known else wire.has_structured
    structured = structured and not is_text
    fields = {**wire.said_of_error, **call.frame.fields, **(around or {})}
    call = replace(call, frame=Frame(structured, fields))
    given = pending.told.result
    return _offered(session, pending, call, wire.decoded() if given is None else given)


def _offered(session: Session, pending: Pending, call: Call, result: Any) -> Reply:
    return session.gate.offer(
        call,
        result,
        notice=pending.notice,
        cancellation=pending.cancellation,
        **session.hooks,
    )


def _hold_error(session: Session, pending: Pending, error: bytes, line: bytes) -> Outputs:
    """An error over the budget is cut, and kept whole in the store."""
    try:
        held = offer_error(session, pending, error)
    except Cancelled:
        return []
    if held is None:
        return session.deliver(pending, line)
    return session.replace(pending, messages.error_response(pending.key, held))


def offer_error(
    session: Session, pending: Pending, error: bytes, around: dict[str, Any] | None = None
) -> bytes | None:
    """What the core makes of an error; None where it passes as it is."""
    told = _cut(error, policy_of(session, pending).budget)
    arguments = messages.decoded(pending.arguments)
    call = call_of(session, pending, arguments if isinstance(arguments, dict) else {})
    call = replace(call, frame=Frame(fields={**told, **(around or {})}))
    result = Result(structured=msgspec.Raw(error))
    reply = session.gate.offer(call, result, cancellation=pending.cancellation)
    return None if reply.is_whole else encode({**told, "data": msgspec.Raw(reply.payload)})


def _cut(error: bytes, budget: Budget) -> dict[str, Any]:
    """The code of an error, and as much of its message as leaves room for the probe."""
    members = messages.members_of(error)
    code = messages.decoded(members.get("code"))
    message = (messages.text_of(members, "message") or "")[:_MESSAGE_CHARS]
    while message and not budget.surely_admits(_PARTS * len(rawjson.string(message))):
        message = message[: len(message) // 2]
    is_code = isinstance(code, int) and abs(code) < _LARGEST_CODE
    return {"code": code if is_code else messages.INTERNAL_ERROR, "message": message}


def remember_task(session: Session, pending: Pending, wire: WireResult) -> None:
    """Which tool a task runs: its result comes with another request."""
    task = wire.task_id
    if task is not None and pending.method == "tools/call":
        session.known.remember_task(task, pending.tool)
