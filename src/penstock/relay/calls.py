"""`tools/call` and what tasks give: on their way up, and held to the budget on their way down."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock import rawjson, tokens
from penstock.budget import Budget
from penstock.cancellation import Cancelled
from penstock.effects import Run
from penstock.encoding import encode
from penstock.model import Call, Frame, Refusal, Reply, Result
from penstock.references import PREFIX, has_references
from penstock.relay import eras, messages
from penstock.relay.catalogue import Tool
from penstock.relay.lists import with_catalogue
from penstock.relay.messages import HEADER_MISMATCH, Message
from penstock.relay.reader import READER
from penstock.relay.results import WireResult, read_result
from penstock.relay.state import Later, Outputs, Pending, ToClient, ToUpstream
from penstock.schema import owned_fields
from penstock.views.request import TOKEN_FIELD, is_absent, shown

if TYPE_CHECKING:
    from penstock.relay.session import Session

# Arguments without any of these need no second look. A `\u` may be how one of them is spelled.
_MARKS: Final = (TOKEN_FIELD.encode(), PREFIX.encode(), rb"\u")
_DONE: Final = frozenset({"result", "error"})  # of a task
_MESSAGE_CHARS: Final = 300
_PARTS: Final = 4
_LARGEST_CODE: Final = 2**31


# -- on the way up -----------------------------------------------------------------------------


def open_call(session: Session, pending: Pending, line: bytes) -> Outputs:
    params = messages.members_of(pending.params)
    tool = messages.text_of(params, "name")
    if tool is None:
        return [ToUpstream(line)]
    pending.tool, pending.arguments = tool, params.get("arguments")
    if session.header_check is not None:
        check = partial(_check_headers, session, pending, line)
        return with_catalogue(session, pending, check, current=True)
    return _open_checked(session, pending, line)


def _check_headers(session: Session, pending: Pending, line: bytes) -> Outputs:
    fault = session.header_check(_tool(session, pending)) if session.header_check else None
    if fault is not None:
        return session.refuse(pending, fault)
    return _open_checked(session, pending, line)


def _open_checked(session: Session, pending: Pending, line: bytes) -> Outputs:
    tool = pending.tool
    is_reader = tool == (session.catalogue.reader if session.catalogue else READER)
    if not is_reader and not (session.policy.covers(tool) and _is_marked(pending.arguments)):
        return [ToUpstream(line)]
    pending.is_ours = True
    return with_catalogue(session, pending, lambda: _look(session, pending, line))


def _is_marked(arguments: msgspec.Raw | None) -> bool:
    if arguments is None:
        return False
    raw = bytes(arguments)
    return any(mark in raw for mark in _MARKS)


def _look(session: Session, pending: Pending, line: bytes) -> Outputs:
    """A call that may be ours to answer, now that upstream's tools are known."""
    if pending.tool == (session.catalogue.reader if session.catalogue else READER):
        return _locally(session, pending, partial(_read, session, pending))
    arguments = messages.decoded(pending.arguments)
    if isinstance(arguments, dict):
        tool = _tool(session, pending)
        if is_ours(arguments.get(TOKEN_FIELD), tool):
            return _locally(session, pending, partial(_prepare, session, pending))
        if has_references(arguments):
            return with_catalogue(
                session,
                pending,
                lambda: [Later(partial(_prepare, session, pending), pending)],
                current=True,
            )
    pending.is_ours = False
    return [ToUpstream(line)]


def is_ours(token: Any, tool: Tool | None) -> bool:
    """Whether a `continuation_token` is Penstock's. What a tool declares is the tool's; what it
    leaves open is ours only if it looks it, for an undeclared parameter may be upstream's too."""
    if is_absent(token):
        return False
    declared = tool.schema.get("properties") if tool is not None else None
    if tool is not None and TOKEN_FIELD in owned_fields(tool.schema):
        return False
    return bool(declared) or (isinstance(token, str) and token.startswith(tokens.PREFIX))


def _locally(session: Session, pending: Pending, job: Any) -> Outputs:
    """Answered here: then the duties of a server are ours."""
    fault = eras.envelope_fault(eras.meta_of(pending.params)) if pending.is_modern else None
    return [Later(job, pending)] if fault is None else session.refuse(pending, fault)


def _read(session: Session, pending: Pending) -> Outputs:
    arguments = messages.decoded(pending.arguments)
    given = {} if arguments is None else arguments
    if not isinstance(given, dict):
        told = messages.error(messages.INVALID_PARAMS, "arguments must be an object.")
        return session.refuse(pending, told)
    call = _call(session, pending, given)
    call = replace(call, tool="", frame=Frame(fields=call.frame.fields), schema=None)
    try:
        reply = session.gate.read(call, cancellation=pending.cancellation)
    except Cancelled:
        return []
    return session.answer(pending, reply.wire())


def _prepare(session: Session, pending: Pending) -> Outputs:
    arguments = messages.decoded(pending.arguments)
    call = _call(session, pending, arguments)
    tool = _tool(session, pending)
    refusal = _refuse_in_headers(tool, arguments)
    if refusal is not None:
        return session.answer(pending, _refusal_wire(call, refusal))
    if not is_ours(arguments.get(TOKEN_FIELD), tool):
        # Ours is the only token that the core may take; another goes up as it is.
        call = replace(call, arguments=_without_token(arguments))
    try:
        outcome = session.gate.prepare(call, cancellation=pending.cancellation)
    except Cancelled:
        return []
    if isinstance(outcome, Reply):
        return session.answer(pending, outcome.wire())
    pending.is_ours = False
    if pending.cancellation.requested:
        return []
    return [ToUpstream(_with_arguments(pending, outcome))]


def _without_token(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name != TOKEN_FIELD}


def _with_arguments(pending: Pending, run: Run) -> bytes:
    """The request with stored values in the place of references, all else as it was spelled."""
    spelled = messages.members_of(pending.arguments or msgspec.UNSET)
    arguments = {
        name: encode(run.arguments[name]) if _refers(raw) and name in run.arguments else raw
        for name, raw in spelled.items()
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


def open_task(session: Session, pending: Pending, line: bytes) -> Outputs:
    params = messages.members_of(pending.params)
    pending.tool = session.known.tool_of_task(messages.text_of(params, "taskId"))
    return [ToUpstream(line)]


# -- on the way down ---------------------------------------------------------------------------


def close_call(session: Session, pending: Pending, message: Message, line: bytes) -> Outputs:
    body = message.error if isinstance(message.result, msgspec.UnsetType) else message.result
    if isinstance(body, msgspec.UnsetType):
        return session.deliver(pending, line)
    policy = session.policy.for_tool(pending.tool)
    is_small = policy.inline_budget.surely_admits(len(memoryview(body))) and not policy.heavy
    if is_small or not session.policy.covers(pending.tool):
        if b'"taskId"' in bytes(body):
            _remember_task(session, pending, read_result(body))
        if message.error is body and _code_of(body) == HEADER_MISMATCH:
            session.outdate_catalogue()  # upstream's schema is not the one the headers were made from
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
        _remember_task(session, pending, wire)
        return session.deliver(pending, line)
    try:
        reply = _offer(session, pending, wire)
    except Cancelled:
        return []
    if reply.is_whole:
        return session.deliver(pending, line)
    return session.replace(pending, messages.response(pending.key, reply.wire()))


def _offer(
    session: Session, pending: Pending, wire: WireResult, around: dict[str, Any] | None = None
) -> Reply:
    """What the core makes of a result."""
    arguments = messages.decoded(pending.arguments)
    call = _call(session, pending, arguments if isinstance(arguments, dict) else {})
    tool = _tool(session, pending)
    structured = wire.has_structured if tool is None else tool.keeps_output
    fields = {**call.frame.fields, **(around or {})}
    call = replace(call, frame=Frame(structured, fields))
    return session.gate.offer(call, wire.decoded(), cancellation=pending.cancellation)


def _hold_error(session: Session, pending: Pending, error: bytes, line: bytes) -> Outputs:
    """An error over the budget is cut, and kept whole in the store."""
    try:
        held = _offer_error(session, pending, error)
    except Cancelled:
        return []
    if held is None:
        return session.deliver(pending, line)
    return session.replace(pending, messages.error_response(pending.key, held))


def _offer_error(
    session: Session, pending: Pending, error: bytes, around: dict[str, Any] | None = None
) -> bytes | None:
    """What the core makes of an error; None where it passes as it is."""
    told = _cut(error, session.policy.for_tool(pending.tool).budget)
    arguments = messages.decoded(pending.arguments)
    call = _call(session, pending, arguments if isinstance(arguments, dict) else {})
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


# -- tasks -------------------------------------------------------------------------------------


def _remember_task(session: Session, pending: Pending, wire: WireResult) -> None:
    task = wire.task_id
    if task is not None and pending.method == "tools/call":
        session.known.remember_task(task, pending.tool)


def close_task_status(session: Session, pending: Pending, message: Message, line: bytes) -> Outputs:
    """Since 2026-07-28 the status of a task that is done carries its result, or its error."""
    if isinstance(message.result, msgspec.UnsetType):
        return close_call(session, pending, message, line)
    is_done = not _DONE.isdisjoint(messages.members_of(message.result))
    if not is_done or not session.policy.covers(pending.tool):
        return session.deliver(pending, line)
    pending.is_ours = True

    def job() -> Outputs:
        try:
            held = _hold_inside(session, pending, message.result)
        except Cancelled:
            return []
        if held is None:
            return session.deliver(pending, line)
        return session.replace(pending, messages.response(pending.key, held))

    return [Later(job, pending)]


def task_notified(session: Session, line: bytes, message: Message) -> Outputs:
    """The same, told unasked."""
    members = messages.members_of(message.params)
    if _DONE.isdisjoint(members):
        return [ToClient(line)]
    tool = session.known.tool_of_task(messages.text_of(members, "taskId"))
    if not session.policy.covers(tool):
        return [ToClient(line)]
    about = Pending(b"", "notifications/tasks", message.params, is_modern=True, tool=tool)

    def job() -> Outputs:
        held = _hold_inside(session, about, message.params)
        if held is None:
            return [ToClient(line)]
        return [ToClient(messages.notification("notifications/tasks", held))]

    return [Later(job)]


def _hold_inside(
    session: Session, pending: Pending, outer: msgspec.Raw | msgspec.UnsetType
) -> bytes | None:
    """A task with its result held to the budget, all of it together; None where it was."""
    members = messages.members_of(outer)
    around: dict[str, Any] = {name: {} if name in _DONE else raw for name, raw in members.items()}
    if "result" not in members:
        held = _offer_error(session, pending, bytes(members["error"]), around)
        return None if held is None else messages.object_from({**members, "error": held})
    wire = read_result(members["result"])
    reply = _offer(session, pending, wire, around) if wire.is_complete else None
    if reply is None or reply.is_whole:
        return None
    inner = replace(reply, frame=Frame(reply.frame.structured))
    return messages.object_from({**members, "result": inner.wire()})


# -- what the core is told ---------------------------------------------------------------------


def _tool(session: Session, pending: Pending) -> Tool | None:
    return session.catalogue.tools.get(pending.tool) if session.catalogue else None


def _call(session: Session, pending: Pending, arguments: dict[str, Any]) -> Call:
    tool = _tool(session, pending)
    return Call(
        pending.tool,
        arguments,
        session.principal,
        session.server,
        Frame(
            structured=tool is not None and tool.keeps_output,
            fields=eras.COMPLETE if pending.is_modern else {},
        ),
        schema=None if tool is None else tool.schema,
        reader=session.catalogue.reader if session.catalogue else READER,
        is_merged=False,
    )
