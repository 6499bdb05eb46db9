"""What the core is told of a call, and how it is asked to look at a stored result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from penstock.core.model.cancellation import Cancelled
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Frame
from penstock.settings.policy import Policy
from penstock.wire import messages
from penstock.wire.disclosing import audience_of, listing_of
from penstock.wire.reader import READER
from penstock.wire.session import Session
from penstock.wire.state import Outputs, Pending
from penstock.wire.toolbox import Tool


def tool_of(session: Session, pending: Pending) -> Tool | None:
    return session.toolbox.tools.get(pending.tool) if session.toolbox else None


def reader_of(session: Session) -> str:
    return session.toolbox.reader if session.toolbox else READER


def keeps_output(session: Session, pending: Pending) -> bool:
    """Whether the client was promised structured content: by an output schema that it has seen."""
    tool = tool_of(session, pending)
    if tool is None or not tool.keeps_output:
        return False
    listing = listing_of(session, pending)
    return listing is None or listing.has_outputs or is_for_app(session, pending)


def is_for_app(session: Session, pending: Pending) -> bool:
    """Whether the call is of a tool that only apps may call, and its client keeps that from the model:
    then the model sees nothing of it."""
    tool = tool_of(session, pending)
    is_alone = tool is not None and tool.is_for_apps_alone
    return is_alone and audience_of(session, pending).has_apps


def is_shown(session: Session, pending: Pending) -> bool:
    """Whether an app gets what is structured of the result, and the model does not."""
    tool = tool_of(session, pending)
    is_apps = tool is not None and (tool.has_widget or tool.is_for_apps_alone)
    return is_apps and audience_of(session, pending).has_apps


def policy_of(session: Session, pending: Pending) -> Policy:
    """What holds for the result of a call."""
    policy = session.policy.for_tool(pending.tool)
    return policy.for_apps if is_for_app(session, pending) else policy


def call_of(session: Session, pending: Pending, arguments: dict[str, Any]) -> Call:
    tool = tool_of(session, pending)
    mark = None if tool is None else tool.mark
    return Call(
        pending.tool,
        arguments,
        session.principal,
        session.server,
        session.known.frame(is_modern=pending.is_modern, structured=keeps_output(session, pending)),
        schema=None if tool is None else tool.schema,
        reader=reader_of(session),
        is_merged=mark is not None and mark.is_merged,
        for_app=is_for_app(session, pending),
        has_link=mark is not None and mark.has_link,
        origin=pending.told.origin,
        pages_first=pending.told.pages_first,
        essence=pending.told.essence,
    )


def look(
    session: Session, pending: Pending, through: Callable[..., Reply], **changes: Any
) -> Outputs:
    """Answer a call of a tool of our own, which looks at a stored result `through` the gate."""
    arguments = messages.decoded(pending.arguments)
    given = {} if arguments is None else arguments
    if not isinstance(given, dict):
        told = messages.error(messages.INVALID_PARAMS, "arguments must be an object.")
        return session.refuse(pending, told)
    call = call_of(session, pending, given)
    call = replace(call, tool="", frame=Frame(fields=call.frame.fields), schema=None, **changes)
    try:
        reply = through(call, cancellation=pending.cancellation, **session.hooks)
    except Cancelled:
        return []
    return session.answer(pending, reply.wire())
