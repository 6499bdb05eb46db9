"""Penstock's tools for what is not listed, and the gate before the others.

`find_tools` and `describe_tools` are answered here. A call through `call_tool` becomes the call of
the tool that it names, and is from then on like any other. What the agent is told is the core's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock import rawjson
from penstock.disclosure.describing import selected, selection
from penstock.disclosure.desk import Visit
from penstock.disclosure.grants import GRANT_FIELD
from penstock.disclosure.names import CALL, CALL_READ_ONLY, DESCRIBE, FIND
from penstock.encoding import encode
from penstock.model import Call, Frame, Reply, Result
from penstock.relay import eras, messages
from penstock.relay.disclosing import audience_of, holder_of, listing_of
from penstock.relay.state import Outputs, Pending
from penstock.relay.telling import reader_of
from penstock.views.request import TOKEN_FIELD, shown

if TYPE_CHECKING:
    from penstock.relay.session import Session

Wire = Callable[[bytes], bytes]


# -- tools that are answered here --------------------------------------------------------------


def _find(session: Session, pending: Pending) -> Outputs:
    query = _arguments(pending).get("query")
    if not isinstance(query, str) or not query.strip():
        told = _problem(
            "query must say what you want to do.", 'For example {"query": "send mail"}.'
        )
        return session.answer(pending, _as_error(pending)(told))
    return session.answer(pending, _as_result(pending)(_visit(session, pending).find(query)))


def _describe(session: Session, pending: Pending) -> Outputs:
    arguments = _arguments(pending)
    pending.grant = arguments.get(GRANT_FIELD)
    given = arguments.get("tools") or []
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, list):
        told = _problem("tools must be a list of names.", 'For example {"tools": ["some_tool"]}.')
        return session.answer(pending, _as_error(pending)(told))
    described = _visit(session, pending).describe(selection(names))
    return session.answer(pending, _as_result(pending)(described))


ANSWERS: Final[Mapping[str, Callable[[Session, Pending], Outputs]]] = {
    FIND: _find,
    DESCRIBE: _describe,
}


def read(session: Session, pending: Pending, uri: str, wire: Wire) -> bytes:
    """The resource that holds descriptions."""
    return wire(_visit(session, pending, wire).describe(selected(uri)))


# -- calls of other tools ----------------------------------------------------------------------


def unwrap(session: Session, pending: Pending, role: str) -> bytes:
    """Makes of a call through `call_tool` the call of the tool that it names; what is wrong with
    it, where that cannot be."""
    through = pending.tool
    given = messages.members_of(pending.arguments or msgspec.UNSET)
    name = messages.text_of(given, "name")
    arguments = _inner_arguments(given.get("arguments"))
    problem = _wrong_call(session, pending, role, name)
    if arguments is None:
        problem = _problem(
            f"arguments of {through} must be an object.",
            f'Call {through} with {{"name": "TOOL", "arguments": {{…}}}}.',
        )
    if name is None or arguments is None or problem:
        return _as_error(pending)(problem)
    if GRANT_FIELD in given:
        pending.grant = messages.decoded(given[GRANT_FIELD])
    pending.become(name, arguments)
    return b""


def _inner_arguments(raw: msgspec.Raw | None) -> bytes | None:
    """As an object, which some models write as a text."""
    if raw is None:
        return b"{}"
    text = messages.decoded(raw)
    if text is None:
        return b"{}"
    inner = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(raw)
    try:
        is_object = isinstance(rawjson.decode(inner), dict)
    except (ValueError, RecursionError):
        return None
    return inner if is_object else None


def _wrong_call(session: Session, pending: Pending, role: str, name: str | None) -> bytes:
    """Why this tool cannot be called through that one; empty where it can."""
    listing = listing_of(session, pending)
    own = listing.own if listing is not None else {}
    through = pending.tool
    if not name:
        return _problem(f"{through} needs the name of a tool.", _how_to_find(own))
    if name in own.values() or name == reader_of(session):
        return _problem(f"{shown(name)} is not called through another tool.", "Call it directly.")
    tool = (
        session.discloser.catalogue(session.toolbox.catalogue).get(name)
        if session.toolbox
        else None
    )
    if tool is None or tool.is_for_apps_alone:
        near = _visit(session, pending).catalogue.nearest(name)
        meant = f"Did you mean {' or '.join(near)}? " if near else ""
        return _problem(f"There is no tool {shown(name)}.", meant + _how_to_find(own))
    if role == CALL_READ_ONLY and not tool.is_read_only:
        return _problem(f"{name} may write.", f"Call it through {own.get(CALL, CALL)}.")
    return b""


def _how_to_find(own: Mapping[str, str]) -> str:
    return f"{own.get(FIND, FIND)} finds tools by what they do."


def take_grant(session: Session, pending: Pending) -> None:
    """The handle that an agent shows among the arguments of a tool is not the tool's."""
    given = messages.members_of(pending.arguments or msgspec.UNSET)
    if GRANT_FIELD not in given or not holder_of(session, pending).handle:
        return
    tool = session.toolbox.catalogue.get(pending.tool) if session.toolbox else None
    if tool is not None and GRANT_FIELD in tool.parameters:
        return
    pending.grant = messages.decoded(given[GRANT_FIELD])
    rest = {name: raw for name, raw in given.items() if name != GRANT_FIELD}
    pending.become(pending.tool, messages.object_from(rest))


def refusal(session: Session, pending: Pending) -> bytes:
    """What the gate answers to a call; empty where it may go on."""
    visit = _visit(session, pending, _as_error(pending))
    tool = visit.catalogue.get(pending.tool)
    if tool is None:
        return b""  # upstream's to say so
    told = visit.refusal(tool, _arguments(pending))
    return _as_error(pending)(told) if told else b""


# -- what the core is told, and how its words are sent -----------------------------------------


def _visit(session: Session, pending: Pending, wire: Wire | None = None) -> Visit:
    listing = listing_of(session, pending)
    toolbox = session.toolbox
    if listing is None or toolbox is None:
        raise LookupError("nothing is known of upstream's tools")
    around = wire or _as_result(pending)
    budget, meter = session.policy.budget, session.gate.meter
    return Visit(
        session.discloser,
        session.discloser.catalogue(toolbox.catalogue),
        listing,
        audience_of(session, pending),
        holder_of(session, pending),
        lambda payload: budget.admits(around(payload), meter),
        lambda whole: _kept(session, whole),
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


def _frame(pending: Pending) -> Frame:
    return Frame(fields=eras.COMPLETE if pending.is_modern else {})


def _as_result(pending: Pending) -> Wire:
    return lambda payload: Reply(payload, frame=_frame(pending)).wire()


def _as_error(pending: Pending) -> Wire:
    return lambda payload: Reply(payload, is_error=True, frame=_frame(pending)).wire()


def _problem(error: str, next_step: str) -> bytes:
    return encode({"error": error, "next_step": next_step})


def _arguments(pending: Pending) -> dict[str, Any]:
    given = messages.decoded(pending.arguments)
    return given if isinstance(given, dict) else {}
