"""What tasks give: the result of a tool that comes later, with another request or unasked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import msgspec

from penstock.core.model.cancellation import Cancelled
from penstock.core.model.values import Frame
from penstock.wire import messages
from penstock.wire.holding import close_call
from penstock.wire.messages import Message
from penstock.wire.offering import is_for_widget, offer, offer_error
from penstock.wire.results import read_result
from penstock.wire.session import Session
from penstock.wire.state import Later, Outputs, Pending, ToClient, ToUpstream

_DONE: Final = frozenset({"result", "error"})


def open_task(session: Session, pending: Pending, line: bytes) -> Outputs:
    params = messages.members_of(pending.params)
    pending.tool = session.known.tool_of_task(messages.text_of(params, "taskId"))
    return [ToUpstream(line)]


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
        held = offer_error(session, pending, bytes(members["error"]), around)
        return None if held is None else messages.object_from({**members, "error": held})
    wire = read_result(members["result"])
    if wire.is_complete and is_for_widget(session, pending, wire):
        from penstock.wire import for_widgets

        fitted = for_widgets.held(session, pending, wire, around)
        return None if fitted is None else messages.object_from({**members, "result": fitted})
    reply = offer(session, pending, wire, around) if wire.is_complete else None
    if reply is None or reply.is_whole:
        return None
    inner = replace(reply, frame=Frame(reply.frame.structured))
    return messages.object_from({**members, "result": inner.wire()})
