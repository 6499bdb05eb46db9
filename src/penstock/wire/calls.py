"""`tools/call` on its way up: what is ours to answer, what has to wait, what goes on as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.model import tokens
from penstock.core.model.cancellation import Cancelled
from penstock.core.model.effects import Run
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Frame, Refusal
from penstock.core.protocol.references import PREFIX, has_references
from penstock.core.protocol.schema import owned_fields
from penstock.core.views.request import FIELDS, TOKEN_FIELD, is_absent, shown
from penstock.disclosure.names import OWN_NAMES, is_called
from penstock.wire import eras, messages
from penstock.wire.disclosing import audience_of, listing_of
from penstock.wire.explorer_tools import ROLES as EXPLORER_ROLES
from penstock.wire.lists import with_toolbox
from penstock.wire.session import Session
from penstock.wire.state import Later, Outputs, Pending, ToUpstream
from penstock.wire.telling import call_of, look, reader_of, tool_of
from penstock.wire.toolbox import Tool

# Arguments without any of these need no second look. A `\u` may be how one of them is spelled.
_MARKS: Final = (TOKEN_FIELD.encode(), PREFIX.encode(), rb"\u")


def open_call(session: Session, pending: Pending, line: bytes) -> Outputs:
    params = messages.members_of(pending.params)
    tool = messages.text_of(params, "name")
    if tool is None:
        return [ToUpstream(line)]
    pending.tool, pending.arguments = tool, params.get("arguments")
    if session.header_check is not None:
        check = partial(_check_headers, session, pending, line)
        return with_toolbox(session, pending, check, current=True)
    return _open_checked(session, pending, line)


def _check_headers(session: Session, pending: Pending, line: bytes) -> Outputs:
    fault = session.header_check(tool_of(session, pending)) if session.header_check else None
    if fault is not None:
        return session.refuse(pending, fault)
    return _open_checked(session, pending, line)


def _open_checked(session: Session, pending: Pending, line: bytes) -> Outputs:
    if not _needs_list(session, pending):
        return _open_listed(session, pending, line)
    pending.is_ours = True
    # Before a strict gate, and where decorators speak, a tool that is not known may have come since;
    # else it is upstream's to say.
    asks = session.is_inside or _is_strict(session, pending)
    names = (pending.tool,) if asks else ()
    return with_toolbox(session, pending, partial(_open_shown, session, pending, line), names=names)


def _needs_list(session: Session, pending: Pending) -> bool:
    """Whether what becomes of a call depends on what its client is shown. One that has called
    without a list has been shown nothing in brief: only a strict gate has something to say then."""
    if session.is_inside and (session.toolbox is None or not session.toolbox.knows(pending.tool)):
        return True  # what a decorator says of the tool decides first
    if session.toolbox is None and audience_of(session, pending).has_apps:
        return True  # whose widget shows the result is said in the list
    if not session.discloser.may_hide(audience_of(session, pending)):
        return False
    may_be_ours = any(is_called(pending.tool, role) for role in OWN_NAMES)
    return session.toolbox is not None or may_be_ours or _is_strict(session, pending)


def _is_strict(session: Session, pending: Pending) -> bool:
    return session.discloser.gate_for(audience_of(session, pending)) == "strict"


def _open_shown(session: Session, pending: Pending, line: bytes) -> Outputs:
    if session.policy.descriptions:  # a folder to look into
        return [Later(partial(_open_hidden, session, pending, line), pending)]
    listing = listing_of(session, pending)
    if listing is not None and listing.form == "full":
        return _open_listed(session, pending, line)
    return [Later(partial(_open_hidden, session, pending, line), pending)]


def _open_hidden(session: Session, pending: Pending, line: bytes) -> Outputs:
    """A call by a client that has not been shown everything."""
    from penstock.wire import on_demand

    listing = listing_of(session, pending)
    if listing is None and _is_strict(session, pending):
        return _locally(session, pending, partial(on_demand.not_known, session, pending))
    if listing is None or listing.form == "full":
        return _open_listed(session, pending, line)
    role = listing.role_of(pending.tool)
    act = partial(_act, session, pending, line, role)
    names = on_demand.meant(pending, role)
    return with_toolbox(session, pending, act, current=role in on_demand.ANSWERS, names=names)


def _act(session: Session, pending: Pending, line: bytes, role: str) -> Outputs:
    """The same, now that the tools it means are known as far as they can be."""
    from penstock.wire import on_demand

    answer = on_demand.ANSWERS.get(role)
    if answer is not None:
        return _locally(session, pending, partial(answer, session, pending))
    refused = on_demand.unwrap(session, pending, role) if role else b""
    if refused:
        return _locally(session, pending, lambda: session.answer(pending, refused))
    on_demand.take_grant(session, pending)
    return _open_listed(session, pending, pending.line(line))


def _open_listed(session: Session, pending: Pending, line: bytes) -> Outputs:
    if any(is_called(pending.tool, role) for role in EXPLORER_ROLES):
        from penstock.wire import exploring

        if exploring.role_of(session, pending):
            pending.is_ours = True
            return with_toolbox(session, pending, partial(_explore, session, pending, line))
    is_reader = pending.tool == reader_of(session)
    is_looked_at = _is_marked(pending.arguments) or _is_merged(session, pending)
    if not is_reader and not (is_looked_at and session.policy.covers(pending.tool)):
        return _forward(session, pending, line)
    pending.is_ours = True
    return with_toolbox(session, pending, partial(_look, session, pending, line))


def _explore(session: Session, pending: Pending, line: bytes) -> Outputs:
    """A call of the explorer's, unless upstream turns out to have a tool of that name."""
    from penstock.wire import exploring

    if not exploring.role_of(session, pending):
        return _forward(session, pending, line)
    return _locally(session, pending, partial(exploring.answer, session, pending))


def _forward(session: Session, pending: Pending, line: bytes) -> Outputs:
    """To upstream, unless the gate has something to say first."""
    refused = _refused(session, pending)
    if refused:
        return _locally(session, pending, lambda: session.answer(pending, refused))
    pending.is_ours = False
    return [] if pending.cancellation.requested else [ToUpstream(line)]


def _refused(session: Session, pending: Pending) -> bytes:
    """What the gate answers to a call that is not to go up yet."""
    listing = listing_of(session, pending)
    if listing is None or listing.says_all_of(pending.tool):
        return b""
    from penstock.wire import on_demand

    return on_demand.refusal(session, pending)


def _is_merged(session: Session, pending: Pending) -> bool:
    """Whether the negotiation fields are advertised as the tool's own."""
    tool = tool_of(session, pending)
    return tool is not None and tool.mark is not None and tool.mark.is_merged


def _is_marked(arguments: msgspec.Raw | None) -> bool:
    if arguments is None:
        return False
    raw = bytes(arguments)
    return any(mark in raw for mark in _MARKS)


def _look(session: Session, pending: Pending, line: bytes) -> Outputs:
    """A call that may be ours to answer, now that upstream's tools are known."""
    if pending.tool == reader_of(session):
        return _locally(session, pending, partial(look, session, pending, session.gate.read))
    arguments = messages.decoded(pending.arguments)
    if isinstance(arguments, dict):
        tool = tool_of(session, pending)
        if is_ours(arguments.get(TOKEN_FIELD), tool):
            return _locally(session, pending, partial(_prepare, session, pending, line))
        if _is_merged(session, pending) and not has_references(arguments):
            return _prepare(session, pending, line)
        if has_references(arguments):
            refused = _refused(session, pending)  # before anything is loaded
            if refused:
                return _locally(session, pending, lambda: session.answer(pending, refused))
            return with_toolbox(
                session,
                pending,
                lambda: [Later(partial(_prepare, session, pending, line), pending)],
                current=True,
            )
    return _forward(session, pending, line)


def is_ours(token: Any, tool: Tool | None) -> bool:
    """Whether a `continuation_token` is Penstock's. What a tool declares is the tool's; what it
    leaves open is ours only if it looks it, for an undeclared parameter may be upstream's too."""
    if is_absent(token):
        return False
    declared = tool.schema.get("properties") if tool is not None else None
    if tool is not None and TOKEN_FIELD in owned_fields(tool.schema):
        return False
    return bool(declared) or (isinstance(token, str) and token.startswith(tokens.PREFIX))


def _locally(session: Session, pending: Pending, job: Callable[[], Outputs]) -> Outputs:
    """Answered here: then the duties of a server are ours."""
    fault = eras.envelope_fault(eras.meta_of(pending.params)) if pending.is_modern else None
    return [Later(job, pending)] if fault is None else session.refuse(pending, fault)


def _prepare(session: Session, pending: Pending, line: bytes) -> Outputs:
    arguments = messages.decoded(pending.arguments)
    call = call_of(session, pending, arguments)
    tool = tool_of(session, pending)
    refusal = _refuse_in_headers(tool, arguments)
    if refusal is not None:
        return session.answer(pending, _refusal_wire(call, refusal))
    if not is_ours(arguments.get(TOKEN_FIELD), tool):
        # Ours is the only token that the core may take; another goes up as it is.
        call = replace(call, arguments=_without_token(arguments))
    try:
        outcome = session.gate.prepare(call, cancellation=pending.cancellation, **session.hooks)
    except Cancelled:
        return []
    if isinstance(outcome, Reply) and outcome.reason and _is_theirs(session, arguments):
        return _forward(session, pending, pending.line(line))
    if isinstance(outcome, Reply):
        return session.answer(pending, outcome.wire())
    pending.notice = outcome.notice
    line = _with_arguments(pending, outcome, is_merged=call.is_merged)
    return _forward(session, pending, line)


def _is_theirs(session: Session, arguments: dict[str, Any]) -> bool:
    """Whether a token that is not known here may be one of upstream's: Penstock may be there too."""
    is_reference = is_absent(arguments.get(TOKEN_FIELD)) and has_references(arguments)
    return is_reference and not session.is_inside and session.known.has_penstock


def _without_token(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name != TOKEN_FIELD}


def _with_arguments(pending: Pending, run: Run, *, is_merged: bool) -> bytes:
    """The request with stored values in the place of references and without fields that are ours,
    all else as it was spelled."""
    spelled = messages.members_of(pending.arguments or msgspec.UNSET)
    arguments = {
        name: encode(run.arguments[name]) if _refers(raw) and name in run.arguments else raw
        for name, raw in spelled.items()
        if name in run.arguments or not (is_merged and name in FIELDS)
    }
    params: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(pending.params))
    params["arguments"] = messages.object_from(arguments)
    return messages.request(pending.key, pending.method, messages.object_from(params))


def _refers(raw: msgspec.Raw) -> bool:
    return has_references(messages.decoded(raw))


def _refuse_in_headers(tool: Tool | None, arguments: dict[str, Any]) -> Refusal | None:
    """A parameter that is repeated in an HTTP header is for short values that anyone may log."""
    for path in tool.header_parameters if tool is not None else ():
        value: Any = arguments
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, str) and value.startswith(PREFIX):
            where = shown(".".join(path))
            return Refusal(
                f"Argument {where} is sent as an HTTP header; a stored result cannot stand there.",
                f"Give {where} as a plain value.",
            )
    return None


def _refusal_wire(call: Call, refusal: Refusal) -> bytes:
    text = encode({"error": refusal.error, "next_step": refusal.next_step})
    return Reply(text, is_error=True, frame=Frame(fields=call.frame.fields)).wire()
