"""One member of a team, in its own process."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from penstock.relay.http.team.team import Team
from penstock.relay.http.team.watch import BEAT_SECONDS


class TeamMember(msgspec.Struct, frozen=True):
    """The part of a process in its team."""

    team: Team
    door: socket.socket  # on which it hears the other members
    leash: int  # a pipe that the supervisor alone holds open
    ready: int  # the pipe on which the supervisor hears that the member serves, again and again

    def begin(self, leave: Callable[[int], None]) -> None:
        """Tell the supervisor that this member serves, and go on telling it. Leave when the supervisor
        has ended."""
        loop = asyncio.get_running_loop()

        def orphaned() -> None:
            loop.remove_reader(self.leash)
            folder = Path(self.team.paths[self.team.index]).parent
            shutil.rmtree(folder, ignore_errors=True)  # The supervisor could not.
            leave(signal.SIGTERM)

        def beat() -> None:
            with suppress(
                OSError
            ):  # The supervisor has ended, or it is stopped and the pipe is full.
                os.write(self.ready, b"+")
            loop.call_later(BEAT_SECONDS, beat)

        loop.add_reader(self.leash, orphaned)
        os.set_blocking(self.ready, False)
        beat()
