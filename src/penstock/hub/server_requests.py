"""The requests of servers to the client, such as questions to the user, and their answers.

The ids of these requests, and their tokens for progress, are Penstock's own, because two servers may
use the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from penstock.core.model.recent import Recent
from penstock.hub.crossing import cannot_cross
from penstock.hub.hub_state import HubState
from penstock.hub.member_messages import PROGRESS, PROGRESS_KEY
from penstock.hub.member_state import MemberState
from penstock.hub.outgoing import Outgoing
from penstock.hub.work import AskedClient
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import METHOD_NOT_FOUND, Message

CANCELLED: Final = "notifications/cancelled"
_MOST_ASKED: Final = 1_000
_MOST_IN_PROGRESS: Final = 1_000


class ServerRequests:
    def __init__(self, state: HubState, out: Outgoing) -> None:
        self._state = state
        self._out = out
        # By the id that the client knows, for each server: one that asks without end must not push out
        # what another has asked.
        self._asked: dict[str, Recent[bytes, AskedClient]] = {
            name: Recent(_MOST_ASKED) for name in state.members
        }
        # Those that want progress: a task of the client's goes on after the answer.
        self._in_progress: dict[str, Recent[bytes, AskedClient]] = {
            name: Recent(_MOST_IN_PROGRESS) for name in state.members
        }

    def hand_over(self, member: MemberState, message: Message, method: str, line: bytes) -> None:
        """Hand a server's request to the client, unless the client's era has no such requests."""
        if method == "ping":
            self._out.send(member, messages.response(message.key, b"{}"))
        elif not self._state.speaks_to(member):
            told = cannot_cross(member.name, f"sends {method}")
            logger().warning("%s", told)
            self._out.send(member, messages.failure(message.key, METHOD_NOT_FOUND, told))
        else:
            self._out.tell_client(self._renamed(member, message, line))

    def _renamed(self, member: MemberState, message: Message, line: bytes) -> bytes:
        key = self._out.new_id()
        params = messages.members_of(message.params)
        meta = messages.members_of(params.get("_meta", msgspec.UNSET))
        asked = AskedClient(member, message.key, meta.get(PROGRESS_KEY, b""))
        self._asked[member.name].put(key, asked)
        if not asked.progress:
            return _with(line, id=key)
        self._in_progress[member.name].put(key, asked)
        told = messages.object_from({**meta, PROGRESS_KEY: key})
        return _with(line, id=key, params=messages.object_from({**params, "_meta": told}))

    def answered(self, line: bytes, message: Message) -> None:
        """Hand the client's answer to the server that has asked."""
        for of_member in self._asked.values():
            asked = of_member.pop(message.key)
            if asked is not None:
                self._out.send(asked.member, _with(line, id=asked.key))

    def progressed(self, params: Mapping[str, msgspec.Raw]) -> bool:
        """Hand news of the client's progress to the server that has asked. Return whether one has."""
        key = bytes(params.get(PROGRESS_KEY, b""))
        asked = next((one for of in self._in_progress.values() if (one := of.get(key))), None)
        if asked is None:
            return False
        told = messages.object_from({**params, PROGRESS_KEY: asked.progress})
        self._out.send(asked.member, messages.notification(PROGRESS, told))
        return True

    def cancelled(self, member: MemberState, params: Mapping[str, msgspec.Raw]) -> None:
        """Tell the client that a server does not want an answer any longer."""
        named = messages.id_key(params["requestId"]) if "requestId" in params else b""
        for key in self._asked[member.name].drop_if(lambda asked: asked.key == named):
            told = messages.object_from({**params, "requestId": key})
            self._out.tell_client(messages.notification(CANCELLED, told))

    def withdraw(self, member: MemberState) -> None:
        """Tell the client that it need not answer a server that has ended."""
        for key in self._asked[member.name].drop_if(lambda _: True):
            self._out.tell_client(messages.cancellation(key, "the server has ended"))


def _with(line: bytes, **changes: bytes) -> bytes:
    """Return a message with other values for some of its members."""
    members: dict[str, bytes | msgspec.Raw] = {**messages.members_of(line), **changes}
    return messages.object_from(members)
