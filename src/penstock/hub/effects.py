"""The effects of the hub's handlers. A handler yields one, and the hub sends in what came of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from penstock.disclosure.texts.shortening import clipped, plain
from penstock.hub.kinds import Kind
from penstock.hub.member_state import MemberState
from penstock.wire import messages
from penstock.wire.messages import UPSTREAM_GONE, Message

_LONGEST_WORDS: Final = 200


class MemberAnswer(msgspec.Struct, frozen=True):
    """A server's answer, or the reason why there is none."""

    line: bytes = b""
    message: Message | None = None
    why: str = ""

    @property
    def result(self) -> dict[str, msgspec.Raw] | None:
        found = None if self.message is None else self.message.result
        return None if isinstance(found, msgspec.UnsetType) else found

    @property
    def error(self) -> msgspec.Raw | None:
        found = None if self.message is None else self.message.error
        return None if isinstance(found, msgspec.UnsetType) else found

    @property
    def code(self) -> Any:
        return UPSTREAM_GONE if self.message is None else messages.code_of(self.message)

    @property
    def told(self) -> str:
        """Return why the server did not do what it was asked for."""
        if self.error is None:
            return self.why or "it gave an answer without a result"
        said = messages.text_of(messages.members_of(self.error), "message")
        # In quotes, and short: these are the server's words among Penstock's own.
        return f"it says {clipped(plain(said), _LONGEST_WORDS)!r}" if said else "it gave no reason"


class ReachMembers(msgspec.Struct, frozen=True):
    """Start servers, unless they run, and wait until each is ready, or is down for longer than
    `patience`. No longer than to `seconds`."""

    members: Sequence[MemberState]
    seconds: float | None = None
    patience: float = 0.0


class RefreshLists(msgspec.Struct, frozen=True):
    """Ask servers that are ready for a list that is not current, and wait. No longer than `seconds`."""

    members: Sequence[MemberState]
    kind: Kind
    seconds: float


class AskMember(msgspec.Struct, frozen=True):
    member: MemberState
    method: str
    params: bytes
    seconds: float | None = None


class AskEach(msgspec.Struct, frozen=True):
    """Send these requests of Penstock's own at once, and wait for all answers."""

    asks: Sequence[AskMember]


class PassOn(msgspec.Struct, frozen=True):
    """Send the client's request to a server, and wait for the answer."""

    member: MemberState
    line: bytes


class TellMember(msgspec.Struct, frozen=True):
    """Send a server a notification."""

    member: MemberState
    message: bytes


class FollowResources(msgspec.Struct, frozen=True):
    """Ask a server for news of the resources that clients want, and of no others."""

    member: MemberState


class SendToClient(msgspec.Struct, frozen=True):
    message: bytes


class KeepList(msgspec.Struct, frozen=True):
    """Take over a list that a server has given, asked for after so many `changes`."""

    member: MemberState
    kind: Kind
    items: Sequence[msgspec.Raw] | None  # None if the server did not give it
    page: Mapping[str, msgspec.Raw]
    changes: int
    why: str = ""


# The effects that are carried out at once, even where a handler then waits for servers.
EffectAtOnce = ReachMembers | RefreshLists | TellMember | FollowResources | SendToClient | KeepList
Effect = EffectAtOnce | AskEach | PassOn
# What a handler returns goes to the client. A handler of Penstock's own returns why it failed, or b"".
Steps = Generator[Effect, Any, bytes]
# A part of a handler, with its own result.
_Found = TypeVar("_Found")
Asking = Generator[Effect, Any, _Found]
