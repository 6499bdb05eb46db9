"""Results and errors of calls, as they are offered to the core."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Frame, LiveRows, Result
from penstock.core.views.request import TOKEN_FIELD
from penstock.wire import messages
from penstock.wire.call_facts import call_of, has_widget_output, policy_of, promises_structure
from penstock.wire.effects import Offer, Steps
from penstock.wire.request import Request
from penstock.wire.results import WireResult

_MESSAGE_CHARS: Final = 300
_PARTS: Final = 4
_LARGEST_CODE: Final = 2**31


def is_for_widget(request: Request, wire: WireResult) -> bool:
    """Return whether an app gets the structured content of a result that upstream has sent."""
    return wire.has_structured and request.inside.result is None and has_widget_output(request)


def offer(
    request: Request,
    wire: WireResult,
    around: dict[str, Any] | None = None,
    *,
    is_text: bool = False,
) -> Steps[Reply]:
    """Offer a result to the core, and return its reply. With `is_text` the reply has no structured
    content, even if an output schema promises it. `around`: see `result_budget.held`."""
    structured = wire.has_structured
    if request.upstream_tool is not None:
        structured = yield from promises_structure(request)
    call = call_of(request, request.decoded_object)
    fields = {**wire.said_of_error, **call.frame.fields, **(around or {})}
    call = replace(call, frame=Frame(structured and not is_text, fields))
    result = wire.decoded() if request.inside.result is None else request.inside.result
    return (yield from _offer(request, call, result, request.notice))


def offer_error(
    request: Request, error: bytes, around: dict[str, Any] | None = None
) -> Steps[bytes | None]:
    """Offer an error to the core. Return what replaces it, or None if it passes unchanged."""
    told = _cut(error, policy_of(request).budget)
    call = call_of(request, request.decoded_object)
    call = replace(call, frame=Frame(fields={**told, **(around or {})}))
    reply = yield from _offer(request, call, Result(structured=msgspec.Raw(error)))
    return None if reply.is_whole else encode({**told, "data": msgspec.Raw(reply.payload)})


def _offer(
    request: Request, call: Call, result: Result | LiveRows, notice: str = ""
) -> Steps[Reply]:
    request.pin_reader()
    reply: Reply = yield Offer(call, result, notice)
    request.held = _token_in(reply)
    return reply


def _token_in(reply: Reply) -> str:
    """Return the token that a reply gives in place of a result, or ""."""
    if reply.is_whole or reply.is_text or not reply.payload:
        return ""
    return messages.text_of(messages.members_of(reply.payload), TOKEN_FIELD) or ""


def _cut(error: bytes, budget: Budget) -> dict[str, Any]:
    """Return the code of an error, and as much of its message as leaves room for the probe."""
    members = messages.members_of(error)
    code = messages.decoded(members.get("code"))
    message = (messages.text_of(members, "message") or "")[:_MESSAGE_CHARS]
    while message and not budget.surely_admits(_PARTS * len(rawjson.string(message))):
        message = message[: len(message) // 2]
    is_code = isinstance(code, int) and abs(code) < _LARGEST_CODE
    return {"code": code if is_code else messages.INTERNAL_ERROR, "message": message}
