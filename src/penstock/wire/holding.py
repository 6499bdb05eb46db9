"""Results and errors of tools, held to the budget on their way down."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from penstock.core.model.cancellation import Cancelled
from penstock.core.model.values import Result
from penstock.wire import messages
from penstock.wire.explorer_tools import ROLES
from penstock.wire.messages import HEADER_MISMATCH, Message
from penstock.wire.offering import is_for_widget, offer, offer_error
from penstock.wire.results import WireResult, plain_wire, read_result
from penstock.wire.session import Session
from penstock.wire.state import Later, Outputs, Pending
from penstock.wire.telling import policy_of


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


def _hold_error(session: Session, pending: Pending, error: bytes, line: bytes) -> Outputs:
    """An error over the budget is cut, and kept whole in the store."""
    try:
        held = offer_error(session, pending, error)
    except Cancelled:
        return []
    if held is None:
        return session.deliver(pending, line)
    return session.replace(pending, messages.error_response(pending.key, held))


def remember_task(session: Session, pending: Pending, wire: WireResult) -> None:
    """Which tool a task runs: its result comes with another request."""
    task = wire.task_id
    if task is not None and pending.method == "tools/call":
        session.known.remember_task(task, pending.tool)
