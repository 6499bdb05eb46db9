"""The outputs of a session: the four things that it asks of its carrier."""

from __future__ import annotations

import msgspec

from penstock.wire.effects import Work
from penstock.wire.request import Request


class ToClient(msgspec.Struct, frozen=True):
    """Send this to the client."""

    message: bytes
    answers: bytes = b""  # the id of the client's request that the message answers


class ToUpstream(msgspec.Struct, frozen=True):
    """Send this to upstream."""

    message: bytes
    # A call that a program makes. Others of the program may be on their way at the same time.
    is_inner: bool = False


class Ring(msgspec.Struct, frozen=True):
    """Call `Session.rang` with this request after so many seconds, unless it has an answer."""

    request: Request
    seconds: float


class Perform(msgspec.Struct, frozen=True):
    """Do this work on a thread that may block, and advance the request: call `Engine.carry_out`."""

    request: Request
    work: Work


Output = ToClient | ToUpstream | Perform | Ring
Outputs = list[Output]


def forwarded_together(outputs: Outputs) -> Outputs:
    """Return the outputs for a batch, with all that goes upstream as one array. The alarms come first:
    some carriers wait for the answer before they take the next output."""
    forwarded = [item.message for item in outputs if isinstance(item, ToUpstream)]
    if len(forwarded) <= 1:
        return outputs
    together = ToUpstream(b"[" + b",".join(forwarded) + b"]")
    alarms = [item for item in outputs if isinstance(item, Ring)]
    others = (item for item in outputs if not isinstance(item, ToUpstream | Ring))
    return [*alarms, together, *others]
