"""What the core makes of the result or the error of a call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Frame, Result
from penstock.wire import messages
from penstock.wire.results import WireResult
from penstock.wire.session import Session
from penstock.wire.state import Pending
from penstock.wire.telling import call_of, is_shown, keeps_output, policy_of, tool_of

_MESSAGE_CHARS: Final = 300
_PARTS: Final = 4
_LARGEST_CODE: Final = 2**31


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
