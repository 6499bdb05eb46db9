"""The requests of servers to the client, such as questions to the user, and their answers."""

from __future__ import annotations

import msgspec

from penstock.hub.crossing import cannot_cross
from penstock.hub.hub_state import HubState
from penstock.hub.member_state import MemberState
from penstock.hub.outgoing import Outgoing
from penstock.hub.work import AskedClient
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import METHOD_NOT_FOUND, Message


class ServerRequests:
    def __init__(self, state: HubState, out: Outgoing) -> None:
        self._state = state
        self._out = out
        self._asked: dict[bytes, AskedClient] = {}  # by the id that the client knows

    def hand_over(self, member: MemberState, message: Message, method: str, line: bytes) -> None:
        """Hand a server's request to the client, unless the client's era has no such requests."""
        if method == "ping":
            self._out.send(member, messages.response(message.key, b"{}"))
        elif not self._state.speaks_to(member):
            told = cannot_cross(member.name, f"sends {method}")
            logger().warning("%s", told)
            self._out.send(member, messages.failure(message.key, METHOD_NOT_FOUND, told))
        else:
            key = self._out.new_id()  # Two servers may use one id.
            self._asked[key] = AskedClient(member, message.key)
            self._out.tell_client(_with_id(line, key))

    def answered(self, line: bytes, message: Message) -> None:
        """Hand the client's answer to the server that has asked."""
        asked = self._asked.pop(message.key, None)
        if asked is not None:
            self._out.send(asked.member, _with_id(line, asked.key))

    def ids_of(self, member: MemberState) -> dict[bytes, bytes]:
        """Return the ids of a server's open requests that the client knows, by the server's own."""
        return {asked.key: key for key, asked in self._asked.items() if asked.member is member}

    def withdraw(self, member: MemberState) -> None:
        """Tell the client that it need not answer a server that has ended."""
        for key in [key for key, asked in self._asked.items() if asked.member is member]:
            del self._asked[key]
            self._out.tell_client(messages.cancellation(key, "the server has ended"))


def _with_id(line: bytes, key: bytes) -> bytes:
    """Return a request or a response under another id."""
    members: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(line))
    members["id"] = key
    return messages.object_from(members)
