"""Penstock's tools for what is not listed, and the gate before the others, on the wire.

`find_tools` and `describe_tools` are answered here. A call through `call_tool` becomes the call of
the tool that it names, and is from then on like any other. What the agent is told is the core's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Result
from penstock.core.views.request import TOKEN_FIELD
from penstock.disclosure.describing import DESCRIPTION_REQUIRED, Told, selected, selection
from penstock.disclosure.desk import Visit
from penstock.disclosure.grants import GRANT_FIELD
from penstock.disclosure.indirect import Inner, inner_call, problem
from penstock.disclosure.names import DESCRIBE, FIND
from penstock.wire import messages
from penstock.wire.disclosing import holder_of, shown_to
from penstock.wire.session import Session
from penstock.wire.state import Outputs, Pending
from penstock.wire.telling import reader_of

Wire = Callable[[bytes], bytes]
_NOT_KNOWN: Final = encode(
    {
        "error": {
            "code": DESCRIPTION_REQUIRED,
            "message": "The server's tools could not be listed, so no description can be read.",
            "instructions": ["List the tools, and try again."],
        }
    }
)


# -- tools that are answered here --------------------------------------------------------------


def _find(session: Session, pending: Pending) -> Outputs:
    visit = _visit(session, pending)
    query = (_arguments(pending) or {}).get("query")
    if isinstance(query, str) and query.strip():
        return session.answer(pending, _wire(session, pending)(visit.find(query)))
    told = problem(visit, "query must say what you want to do.", 'Such as {"query": "send mail"}.')
    return session.answer(pending, _wire(session, pending, is_error=True)(told))


def _describe(session: Session, pending: Pending) -> Outputs:
    arguments = _arguments(pending) or {}
    pending.grant = arguments.get(GRANT_FIELD)
    visit = _visit(session, pending)
    names = _names(arguments)
    if names is None:
        step = 'Such as {"tools": ["some_tool"]}.'
        told = Told(problem(visit, "tools must be a list of names.", step), is_error=True)
    else:
        told = visit.describe(selection(names, visit.catalogue), is_tool=True)
    return session.answer(pending, _wire(session, pending, is_error=told.is_error)(told.reply))


ANSWERS: Final[Mapping[str, Callable[[Session, Pending], Outputs]]] = {
    FIND: _find,
    DESCRIBE: _describe,
}


def read(session: Session, pending: Pending, uri: str, wire: Wire) -> bytes:
    """The resource that holds descriptions; empty where its own address is too long to answer to."""
    visit = _visit(session, pending, wire)
    reply = visit.describe(selected(uri, visit.catalogue), is_tool=False).reply
    return wire(reply) if visit.fits(reply) else b""


def not_known(session: Session, pending: Pending) -> Outputs:
    """A strict gate before tools that nobody can describe."""
    return session.answer(pending, _wire(session, pending, is_error=True)(_NOT_KNOWN))


# -- calls of other tools ----------------------------------------------------------------------


def meant(pending: Pending, role: str) -> Iterable[str]:
    """The tools of upstream's that a call is about."""
    if not role:
        return (pending.tool,)
    if role == DESCRIBE:
        return [name for name in _names(_arguments(pending) or {}) or () if isinstance(name, str)]
    given = messages.members_of(pending.arguments or msgspec.UNSET)
    name = messages.text_of(given, "name")
    return (name,) if name else ()


def unwrap(session: Session, pending: Pending, role: str) -> bytes:
    """Makes of a call through `call_tool` the call of the tool that it names; what is wrong with
    it, where that cannot be."""
    as_error = _wire(session, pending, is_error=True)
    given = messages.members_of(pending.arguments or msgspec.UNSET)
    found = inner_call(_visit(session, pending, as_error), role, pending.tool, given)
    if not isinstance(found, Inner):
        return as_error(found)
    pending.grant = found.grant
    pending.become(found.name, found.arguments)
    return b""


def take_grant(session: Session, pending: Pending) -> None:
    """The handle that an agent shows among the arguments of a tool is not the tool's."""
    given = messages.members_of(pending.arguments or msgspec.UNSET)
    if GRANT_FIELD not in given or not holder_of(session, pending).handle:
        return
    visit = _visit(session, pending)
    tool = visit.catalogue.get(pending.tool)
    if visit.gate == "off" or (tool is not None and GRANT_FIELD in tool.parameters):
        return
    pending.grant = messages.decoded(given[GRANT_FIELD])
    rest = {name: raw for name, raw in given.items() if name != GRANT_FIELD}
    pending.become(pending.tool, messages.object_from(rest))


def refusal(session: Session, pending: Pending) -> bytes:
    """What the gate answers to a call; empty where it may go on."""
    as_error = _wire(session, pending, is_error=True)
    visit = _visit(session, pending, as_error)
    tool = visit.catalogue.get(pending.tool)
    if tool is not None:
        told = visit.refusal(tool, _arguments(pending))
    elif visit.gate == "strict" and session.toolbox and pending.tool in session.toolbox.tools:
        told = problem(visit, "There is no tool {}.", "Choose one that is listed.", pending.tool)
    else:
        told = b""  # upstream's to say so
    return as_error(told) if told else b""


# -- what the core is told, and how its words are sent -----------------------------------------


def _visit(session: Session, pending: Pending, wire: Wire | None = None) -> Visit:
    shown = shown_to(session, pending)
    if shown is None:
        raise LookupError("nothing is known of upstream's tools")
    around = wire or _wire(session, pending, is_error=True)
    budget, meter = session.policy.budget, session.gate.meter
    return Visit(
        session.discloser,
        shown.catalogue.without_apps(),  # what is for apps alone, no agent finds, reads of, or calls
        shown.listing,
        shown.audience,
        holder_of(session, pending),
        lambda payload: budget.admits(around(payload), meter),
        lambda whole: _kept(session, whole),
        reader_of(session),
    )


def _kept(session: Session, whole: bytes) -> dict[str, Any]:
    """A description that no reply can hold is stored like any large result."""
    reader = reader_of(session)
    call = Call(
        DESCRIBE, {}, session.principal, session.server, heavy=True, reader=reader, is_merged=False
    )
    probe = session.gate.offer(call, Result(structured=msgspec.Raw(whole))).value
    token = probe.get(TOKEN_FIELD) if isinstance(probe, dict) else None
    if token is None:
        return {}
    return {TOKEN_FIELD: token, "next_step": f"{reader} reads the whole description with this."}


def _wire(session: Session, pending: Pending, *, is_error: bool = False) -> Wire:
    frame = session.known.frame(is_modern=pending.is_modern)
    return lambda payload: Reply(payload, is_error=is_error, frame=frame).wire()


def _names(arguments: Mapping[str, Any]) -> list[Any] | None:
    """Names, also where they were written as one text; None where they are something else."""
    given = arguments.get("tools") or []
    names = given.split(",") if isinstance(given, str) else given
    return names if isinstance(names, list) else None


def _arguments(pending: Pending) -> dict[str, Any] | None:
    """None where they nest too deep to be looked into."""
    raw = pending.arguments
    if raw is None or bytes(raw).strip() == b"null":
        return {}
    given = messages.decoded(raw)
    return given if isinstance(given, dict) else None if given is None else {}
