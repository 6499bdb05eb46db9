"""The outputs of a hub: what it asks of its carrier."""

from __future__ import annotations

import msgspec

from penstock.wire.toolbox import UpstreamTool


class ToSession(msgspec.Struct, frozen=True):
    """Give this message to the session, as if one server had sent it."""

    message: bytes


class ToMember(msgspec.Struct, frozen=True):
    """Send this message to a server. The order of messages to one server must be kept."""

    name: str
    message: bytes
    called: UpstreamTool | None = None  # the tool that the message calls, for headers over HTTP


class StartMember(msgspec.Struct, frozen=True):
    """Start the server: run its command, or connect to its URL."""

    name: str


class StopMember(msgspec.Struct, frozen=True):
    """End the server."""

    name: str


class WakeHub(msgspec.Struct, frozen=True):
    """Call `Hub.rang` with this alarm after so many seconds."""

    seconds: float
    alarm: object


class SaveKnown(msgspec.Struct, frozen=True):
    """Keep `Hub.remembered` for the next start."""


Output = ToSession | ToMember | StartMember | StopMember | WakeHub | SaveKnown
Outputs = list[Output]
