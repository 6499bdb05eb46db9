"""What a session asks of its carrier."""

from __future__ import annotations

import msgspec

from penstock.wire.effects import Work
from penstock.wire.request import Request


class ToClient(msgspec.Struct, frozen=True):
    """Send this to the client. `answers`: the id of its request that is thereby answered."""

    message: bytes
    answers: bytes = b""


class ToUpstream(msgspec.Struct, frozen=True):
    """Send this to upstream."""

    message: bytes


class Perform(msgspec.Struct, frozen=True):
    """Do this where it may take its time, and go on with the request: `Engine.carry_out` does both."""

    request: Request
    work: Work


Output = ToClient | ToUpstream | Perform
Outputs = list[Output]
