"""Running handlers, the requests that servers work on, and the alarms that a hub sets."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from penstock.hub.effects import MemberAnswer, ReachMembers, RefreshLists, Steps
from penstock.hub.kinds import Kind
from penstock.hub.member_state import MemberState


class HubWork(msgspec.Struct, eq=False):
    """A handler that has not ended: of a client's request, or of Penstock's own."""

    steps: Steps
    done: Callable[[bytes], None]
    key: bytes = b""  # the id of the client's request
    method: str = ""
    # Counts the effects, so that an alarm for an earlier one is known to be late itself.
    turn: int = 0
    waits_for: ReachMembers | RefreshLists | None = None
    patient_until: float = 0.0  # a server that is started again by then is waited for
    answers: dict[int, MemberAnswer] = {}
    expected: int = 0  # how many answers it waits for
    is_dropped: bool = False


class AskedMember(msgspec.Struct, frozen=True):
    """A request of Penstock's own that a server has not answered."""

    member: MemberState
    work: HubWork
    index: int  # among those that were sent together
    seconds: float | None  # for which the answer is waited for


class PassedRequest(msgspec.Struct, frozen=True):
    """A request of the client that a server has not answered."""

    member: MemberState
    work: HubWork
    progress: bytes = b""  # the client's token for progress


class AskedClient(msgspec.Struct, frozen=True):
    """A request of a server to the client."""

    member: MemberState
    key: bytes  # the id that the server gave it
    progress: bytes | msgspec.Raw = b""  # the server's token for progress


class TimeIsUp(msgspec.Struct, frozen=True):
    """A handler does not want to wait any longer for what it waits for so many seconds at most."""

    work: HubWork
    turn: int
    seconds: float = 0.0


class StartAgain(msgspec.Struct, frozen=True):
    """A server that is down is due to be started again."""

    member: MemberState


class LearnAgain(msgspec.Struct, frozen=True):
    """A list that has changed is due to be read again."""

    member: MemberState
    kind: Kind


class ListenAgain(msgspec.Struct, frozen=True):
    """A server whose stream of news has ended is due to be asked for another."""

    member: MemberState


class AnnounceLists(msgspec.Struct, frozen=True):
    """The client is due to hear that lists have changed."""


Alarm = TimeIsUp | StartAgain | LearnAgain | ListenAgain | AnnounceLists
