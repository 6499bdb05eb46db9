"""Calls that read a stored result, and calls that pass one to another tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.model import continuation
from penstock.core.model.effects import Run
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Frame, Refusal
from penstock.core.protocol.references import PREFIX, has_references
from penstock.core.protocol.schema import owned_fields
from penstock.core.views.request import FIELDS, TOKEN_FIELD, is_absent, shown
from penstock.wire import messages
from penstock.wire.call_facts import call_of, is_merged, promises_structure
from penstock.wire.effects import Browse, Prepare, Read, Show, Steps
from penstock.wire.explorer_tools import BROWSE, ROLES, SHOW
from penstock.wire.inner_penstock import (
    APART,
    is_theirs,
    sides_of,
    their_arguments,
)
from penstock.wire.lists import know_tools
from penstock.wire.request import Request
from penstock.wire.shown_tools import has_explorer, has_their_explorer
from penstock.wire.toolbox import UpstreamTool

# -- calls that Penstock answers ---------------------------------------------------------------


def answer_from_store(request: Request) -> Steps[bytes | None]:
    """Answer a call of the reader or of the explorer, or a call with one of Penstock's tokens."""
    if not _may_be_ours(request):
        return None
    yield from know_tools(request)
    if request.tool == request.reader:
        return (yield from _read(request))
    role = _explorer_role(request) or (yield from _their_role(request))
    if role:
        effect = Show if role == SHOW else Browse
        browser = _explorer_names(request)[BROWSE]
        return request.fault or (yield from _look(request, effect, browser=browser))
    if not _is_looked_at(request) or not is_token_ours(request):
        return None
    if (yield from is_theirs(request, request.decoded_object[TOKEN_FIELD])):
        return None
    return request.fault or (yield from _redeem(request))


def _read(request: Request) -> Steps[bytes | None]:
    """Answer a call of the reader, unless all of its tokens may be those of upstream's reader."""
    sides = yield from sides_of(request)
    if sides == {True}:
        return None
    if len(sides) > 1:
        return request.fault or request.answer(_refusal_wire(request, APART))
    return request.fault or (yield from _look(request, Read))


def _may_be_ours(request: Request) -> bool:
    if request.tool == request.reader or _is_looked_at(request):
        return True
    return request.audience.has_apps and bool(_explorer_role(request))


def _is_looked_at(request: Request) -> bool:
    """Return whether the arguments may hold a token, a reference or a negotiation field."""
    may_hold = request.is_marked or is_merged(request)
    return may_hold and request.policy.covers(request.tool)


def _explorer_role(request: Request) -> str:
    """Return which of the explorer's tools is called.

    Return "" for all other tools, and for clients that show no apps: they have no explorer.
    """
    named = _explorer_names(request)
    role = next((role for role in ROLES if named[role] == request.tool), "")
    return role if role and has_explorer(request) else ""


def _their_role(request: Request) -> Steps[str]:
    """Return which tool of upstream's explorer is called with a token of ours. The page is the same,
    and calls the tools by the names that upstream gave them."""
    if request.tool not in ROLES or not request.audience.has_apps:
        return ""
    token = request.decoded_object.get(TOKEN_FIELD)
    is_ours = has_their_explorer(request) and not (yield from is_theirs(request, token))
    return request.tool if is_ours else ""


def _explorer_names(request: Request) -> dict[str, str]:
    known = request.toolbox
    if known is None or has_their_explorer(request):
        return {role: role for role in ROLES}
    return dict(known.explorer)


def _look(
    request: Request, effect: Callable[[Call], Read | Show | Browse], **changes: Any
) -> Steps[bytes]:
    """Answer a call of the reader or the explorer. They read the results of every tool."""
    request.is_read, request.is_for_explorer = True, effect is Browse
    given = {} if request.decoded is None else request.decoded
    if not isinstance(given, dict):
        return request.fail(messages.INVALID_PARAMS, "arguments must be an object.")
    call = replace(call_of(request, given), tool="", schema=None, **changes)
    reply: Reply = yield effect(call)
    return request.answer(reply.wire())


def _redeem(request: Request) -> Steps[bytes]:
    """Answer a call that brings a token back to the tool that gave it. The tool does not run."""
    request.is_read = True
    structured = yield from promises_structure(request)
    call = call_of(request, request.decoded_object, structured=structured)
    reply = yield Prepare(call)
    assert isinstance(reply, Reply)  # noqa: S101 (with one of Penstock's tokens no tool runs)
    return request.answer(reply.wire())


def is_token_ours(request: Request) -> bool:
    """Return whether the `continuation_token` is Penstock's.

    It is not if the tool declares that parameter. If the tool declares no parameters at all, the
    token may be upstream's: only Penstock's prefix tells.
    """
    token, tool = request.decoded_object.get(TOKEN_FIELD), request.upstream_tool
    if is_absent(token):
        return False
    declared = tool.schema.get("properties") if tool is not None else None
    if tool is not None and TOKEN_FIELD in owned_fields(tool.schema):
        return False
    return bool(declared) or (
        isinstance(token, str) and token.strip().startswith(continuation.PREFIX)
    )


# -- calls that go to upstream -----------------------------------------------------------------


def resolve_arguments(request: Request) -> Steps[bytes | None]:
    """Replace references by stored values, and remove Penstock's fields. Return an answer if a
    reference cannot be replaced."""
    if not _is_looked_at(request) or not isinstance(request.decoded, dict):
        return None
    refers = has_references(request.decoded)
    if refers:
        yield from know_tools(request, current=True)
    elif not is_merged(request):
        return None
    refusal = _refuse_in_headers(request.upstream_tool, request.decoded)
    if refusal is not None:
        return request.answer(_refusal_wire(request, refusal))
    structured = yield from promises_structure(request)
    # This token is not Penstock's, so the core must not read it. Upstream gets it unchanged.
    theirs = {TOKEN_FIELD, *(yield from their_arguments(request))}
    arguments = {name: value for name, value in request.decoded.items() if name not in theirs}
    if refers and not has_references(arguments) and not is_merged(request):
        return None  # upstream resolves all of them
    call = call_of(request, arguments, structured=structured)
    outcome: Run | Reply = yield Prepare(call)
    if isinstance(outcome, Run):
        request.notice = outcome.notice
        request.line = _resolved(request, outcome, is_merged=call.is_merged)
        return None
    return request.answer(outcome.wire())


def _resolved(request: Request, run: Run, *, is_merged: bool) -> bytes:
    """Return the call for the tool. All arguments but stored values keep their bytes."""
    spelled = messages.members_of(request.arguments or msgspec.UNSET)
    arguments = {
        name: encode(run.arguments[name]) if _refers(raw) and name in run.arguments else raw
        for name, raw in spelled.items()
        if name in run.arguments or not (is_merged and name in FIELDS)
    }
    params: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(request.params))
    params["arguments"] = messages.object_from(arguments)
    return messages.request(request.key, request.method, messages.object_from(params))


def _refers(raw: msgspec.Raw) -> bool:
    return has_references(messages.decoded(raw))


def _refuse_in_headers(tool: UpstreamTool | None, arguments: dict[str, Any]) -> Refusal | None:
    """Refuse a stored value in an argument that an HTTP header repeats: headers must be short, and
    anyone may log them."""
    for path in tool.header_parameters if tool is not None else ():
        value: Any = arguments
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, str) and value.startswith(PREFIX):
            where = shown(".".join(path))
            return Refusal(
                f"Argument {where} is sent as an HTTP header; it cannot be a stored result.",
                f"Give {where} as a plain value.",
            )
    return None


def _refusal_wire(request: Request, refusal: Refusal) -> bytes:
    text = encode({"error": refusal.error, "next_step": refusal.next_step})
    fields = request.known.frame(is_modern=request.is_modern).fields
    return Reply(text, is_error=True, frame=Frame(fields=fields)).wire()
