"""One member of a team, in its own process."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec

from penstock.relay.http.team.team import Team


class TeamMember(msgspec.Struct, frozen=True):
    """The part of a process in its team."""

    team: Team
    door: socket.socket  # on which it hears the other members
    leash: int  # a pipe that the supervisor alone holds open
    ready: int  # the pipe on which the supervisor hears that the member serves

    def begin(self, leave: Callable[[int], None]) -> None:
        """Tell the supervisor that this member serves, and leave when the supervisor has ended."""
        loop = asyncio.get_running_loop()

        def orphaned() -> None:
            loop.remove_reader(self.leash)
            folder = Path(self.team.paths[self.team.index]).parent
            shutil.rmtree(folder, ignore_errors=True)  # The supervisor could not.
            leave(signal.SIGTERM)

        loop.add_reader(self.leash, orphaned)
        os.write(self.ready, b"+")
