"""Calls of the result explorer's tools, and its page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.core.model.cancellation import Cancelled
from penstock.core.model.values import Frame
from penstock.wire import messages
from penstock.wire.disclosing import audience_of, has_explorer
from penstock.wire.explorer_tools import BROWSE, ROLES, SHOW
from penstock.wire.state import Outputs, Pending
from penstock.wire.telling import call_of

if TYPE_CHECKING:
    from penstock.wire.session import Session


def role_of(session: Session, pending: Pending) -> str:
    """Which of the explorer's tools a call means; empty for all others, and for clients that show no
    apps: to them there is none."""
    named = _names(session)
    role = next((role for role in ROLES if named[role] == pending.tool), "")
    return role if role and has_explorer(session, audience_of(session, pending)) else ""


def _names(session: Session) -> dict[str, str]:
    known = session.toolbox
    return dict(known.explorer) if known is not None else {role: role for role in ROLES}


def answer(session: Session, pending: Pending) -> Outputs:
    arguments = messages.decoded(pending.arguments)
    given = {} if arguments is None else arguments
    if not isinstance(given, dict):
        told = messages.error(messages.INVALID_PARAMS, "arguments must be an object.")
        return session.refuse(pending, told)
    call = call_of(session, pending, given)
    browser = _names(session)[BROWSE]
    frame = Frame(fields=call.frame.fields)
    call = replace(call, tool="", frame=frame, schema=None, browser=browser)
    look = session.gate.show if role_of(session, pending) == SHOW else session.gate.browse
    try:
        reply = look(call, cancellation=pending.cancellation, **session.hooks)
    except Cancelled:
        return []
    return session.answer(pending, reply.wire())
