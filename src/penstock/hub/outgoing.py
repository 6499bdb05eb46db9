"""Messages and wishes of a hub that its carrier has not taken yet."""

from __future__ import annotations

import secrets
from itertools import count

import msgspec

from penstock.hub.client_state import ClientState
from penstock.hub.early_messages import EarlyMessages
from penstock.hub.member_state import MemberState
from penstock.hub.outputs import Output, Outputs, ToMember, ToSession
from penstock.wire import messages


class Outgoing:
    def __init__(self, client: ClientState) -> None:
        self._client = client
        self._outputs: Outputs = []
        self._early = EarlyMessages("the client")
        self._own = b'"hub-%b-' % secrets.token_hex(8).encode()  # the prefix of our own ids
        self._serials = count()

    def new_id(self) -> bytes:
        """Return an id for a request of Penstock's own. No client uses it."""
        return b'%b%d"' % (self._own, next(self._serials))

    def put(self, output: Output) -> None:
        self._outputs.append(output)

    def take(self) -> Outputs:
        taken, self._outputs = self._outputs, []
        return taken

    # -- to the client -------------------------------------------------------------------------

    def tell_client(self, message: bytes) -> None:
        """Send the client something that it has not asked for, once it is ready."""
        if self._client.era == "legacy" and not self._client.is_initialized:
            self._early.put(message)
        else:
            self.put(ToSession(message))

    def note_initialized(self) -> None:
        """Note that a legacy client is ready, and send it what waits for that."""
        self._client.is_initialized = True
        self._outputs += map(ToSession, self._early.take())

    # -- to servers ----------------------------------------------------------------------------

    def send(self, member: MemberState, line: bytes) -> None:
        """Send a server a notification or an answer, if it runs."""
        if member.is_running:
            self.put(ToMember(member.name, line))

    def request(self, member: MemberState, method: str, line: bytes) -> None:
        """Send a server a request. Over HTTP, headers repeat some arguments of a call."""
        called = None
        if member.member.is_remote and method == "tools/call":
            params = messages.members_of(messages.members_of(line).get("params", msgspec.UNSET))
            called = member.tool(messages.text_of(params, "name") or "")
        self.put(ToMember(member.name, line, called))
