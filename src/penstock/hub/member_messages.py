"""Notifications of servers, as the client gets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from penstock.hub.crossing import LOG_LEVELS
from penstock.hub.hub_state import HubState
from penstock.hub.member_state import MemberState
from penstock.hub.resources import updated
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import Message

PROGRESS: Final = "notifications/progress"
PROGRESS_KEY: Final = "progressToken"
_IN_BOTH_ERAS: Final = (PROGRESS, "notifications/message")
_OF_STREAMS: Final = "notifications/subscriptions/acknowledged"


def progress_token(line: bytes) -> bytes:
    """Return the token under which a request wants news of its progress, or b"". The byte search
    saves time."""
    if b'"progressToken"' not in line:
        return b""
    params = messages.members_of(messages.members_of(line).get("params", msgspec.UNSET))
    token = messages.members_of(params.get("_meta", msgspec.UNSET)).get(PROGRESS_KEY)
    return b"" if token is None else messages.id_key(token)


def progress_named(message: Message) -> bytes:
    """Return the token that a notification of progress names, or b""."""
    token = messages.members_of(message.params).get(PROGRESS_KEY)
    return b"" if token is None else messages.id_key(token)


def notified(state: HubState, member: MemberState, message: Message, line: bytes) -> list[bytes]:
    """Return what the client gets."""
    params = messages.members_of(message.params)
    method = message.method
    if method == _OF_STREAMS:
        return []  # the answer to a stream of Penstock's own
    if method == "notifications/resources/updated":
        return updated(state, member, params)
    if state.speaks_to(member):
        task = messages.text_of(params, "taskId")
        is_own = task is None or state.owner_of_task(task) is member
        why = "" if is_own else "its task is none of this server's"
    else:
        is_wanted = method in _IN_BOTH_ERAS and _is_wanted(state, method, params)
        why = "" if is_wanted else "it is of another revision, or below the level of the log"
    if why:
        logger().debug("dropped %s of the server %r: %s", method, member.name, why)
    return [] if why else [line]


def _is_wanted(state: HubState, method: str | object, params: Mapping[str, msgspec.Raw]) -> bool:
    """Return whether a client gets this from a server of the other era. A modern client gets log
    messages only from the level on that it has asked for."""
    if method == PROGRESS or not state.client.is_modern:
        return True
    wanted, level = state.client.wanted_level, messages.text_of(params, "level")
    if level not in LOG_LEVELS or wanted not in LOG_LEVELS:
        return bool(wanted)
    return LOG_LEVELS.index(level) >= LOG_LEVELS.index(wanted)
