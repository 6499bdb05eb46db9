"""Servers behind one Penstock, as the user has configured them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from penstock.relay.process import OURS, Surroundings
from penstock.relay.target import Target
from penstock.wire.servers import HubMember


class GroupedServer(msgspec.Struct, frozen=True):
    member: HubMember
    target: Target
    around: Surroundings = OURS
    fault: str = ""  # why it cannot be started: what is wrong with its entry, and what to do


class ServerGroup(msgspec.Struct, frozen=True):
    """All servers of one file that the user has selected."""

    identity: str  # of the front, to which stored results are bound
    name: str  # of the front, for figures
    servers: Sequence[GroupedServer]
    # All servers of the file, by name: what is known of those that are not selected is kept. A
    # server whose entry is at fault has "", because a variable that is not set hides its identity.
    identities: dict[str, str]
