"""Notifications of servers, as the client gets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from penstock.hub.hub_state import HubState
from penstock.hub.member_state import MemberState
from penstock.hub.resources import updated
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import Message

CANCELLED: Final = "notifications/cancelled"
_IN_BOTH_ERAS: Final = ("notifications/progress", "notifications/message")
_OF_STREAMS: Final = "notifications/subscriptions/acknowledged"


def notified(
    state: HubState,
    member: MemberState,
    message: Message,
    line: bytes,
    asked: Mapping[bytes, bytes],
) -> list[bytes]:
    """Return what the client gets. `asked`: our ids of the server's requests, by its own."""
    params = messages.members_of(message.params)
    method = message.method
    if method == _OF_STREAMS:
        return []  # the answer to a stream of Penstock's own
    if method == "notifications/resources/updated":
        return updated(state, member, params)
    if method == CANCELLED:
        named = params.get("requestId")
        ours = None if named is None else asked.get(messages.id_key(named))
        if ours is None:
            return []
        told = messages.object_from({**params, "requestId": ours})
        return [messages.notification(CANCELLED, told)]
    if state.speaks_to(member):
        state.note_task(params, member)
        return [line]
    if method in _IN_BOTH_ERAS and _is_wanted(state, method):
        return [line]
    logger().debug("dropped %s of the server %r: it is of another revision", method, member.name)
    return []


def _is_wanted(state: HubState, method: str) -> bool:
    """Return whether a client gets this from a server of the other era. A modern client gets log
    messages only if it has asked for them."""
    if method == "notifications/progress" or not state.client.is_modern:
        return True
    return state.client.wants_logs
