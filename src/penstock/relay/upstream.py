"""The upstream of a carrier: a command, or several servers behind a hub."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from penstock.relay.process import OURS, Process, Surroundings
from penstock.relay.target import Target
from penstock.wire.servers import Servers
from penstock.wire.unread import Unread

Take = Callable[[bytes | Unread], None]


class Upstream(Protocol):
    """One upstream, which runs."""

    def receive(self, take: Take) -> None:
        """Hand over each message until upstream has ended. Several threads may call `take`."""

    def send(self, message: bytes, /) -> None:
        """Send a message. Raise `OSError` if upstream has ended."""

    def end(self, grace: float) -> object:
        """End upstream, after so many seconds at the latest."""

    def how_it_ended(self) -> str:
        """Return the end as a part of a sentence, such as "ended with exit code 1"."""


class UpstreamPlace(msgspec.Struct, frozen=True):
    """The place of one upstream behind a session."""

    start: Callable[[], Upstream]
    servers: Servers | None = None  # if there are several


class Backend(Protocol):
    """The servers that a gateway stands in front of. Each client gets a place of its own."""

    server: str  # stored results are bound to it

    def name(self) -> str:
        """Return the name in figures."""

    def place(self, most: int) -> UpstreamPlace:
        """Return a place for one client. No message may be longer than `most` bytes."""


class CommandBackend:
    def __init__(self, target: Target, around: Surroundings = OURS) -> None:
        self.server = target.server
        self.name = target.name
        self._target = target
        self._around = around

    def place(self, most: int) -> UpstreamPlace:
        return UpstreamPlace(lambda: Process(self._target.command, self._around, most))
