"""Calls of the result explorer's tools, and its page."""

from __future__ import annotations

from penstock.wire.disclosing import audience_of, has_explorer
from penstock.wire.explorer_tools import BROWSE, ROLES, SHOW
from penstock.wire.session import Session
from penstock.wire.state import Outputs, Pending
from penstock.wire.telling import look


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
    shows = role_of(session, pending) == SHOW
    through = session.gate.show if shows else session.gate.browse
    return look(session, pending, through, browser=_names(session)[BROWSE])
