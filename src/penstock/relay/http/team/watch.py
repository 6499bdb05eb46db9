"""How the supervisor tells a member that hangs from one that is busy.

A member beats in its event loop, so a beat means that it serves. A member that does not beat may be
busy with one long step. But then it uses the processor, or waits for its memory to come back from
disk, and the system counts both. A member that is stopped, or waits for a lock for ever, does neither.

The clock of a watch is the turns of the supervisor, not the time: if the whole machine or the whole
team was stopped, no turn has passed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

BEAT_SECONDS: Final = 4.0  # also the seconds of a turn
_IDLE_TURNS: Final = 5
# A step this long is an endless loop. And not every system tells what a process does.
_MOST_TURNS: Final = 75
# Before its first beat, a member may wait for its store, and does nothing meanwhile.
_START_TURNS: Final = 15


class Watch:
    """The record of one member since its last beat."""

    def __init__(self, pid: int) -> None:
        self._stat = Path(f"/proc/{pid}/stat")
        self._work: list[str] | None = None
        self.hear()

    def hear(self) -> None:
        self.turns = 0
        self._idle_turns = 0

    def hangs(self, *, is_starting: bool) -> bool:
        """Count a turn, and return whether the member hangs."""
        work = self._counted()
        is_idle = work is not None and work == self._work
        self._work = work
        self.turns += 1
        self._idle_turns = self._idle_turns + 1 if is_idle else 0
        if is_starting:
            return self.turns >= _START_TURNS
        return self._idle_turns >= _IDLE_TURNS or self.turns >= _MOST_TURNS

    def _counted(self) -> list[str] | None:
        """Return the counts that grow while the process does anything; None if the system tells none."""
        try:
            told = self._stat.read_text("utf-8", "replace")
        except OSError:
            return None
        fields = told.rpartition(")")[2].split()  # The name before it may hold anything.
        minor_faults, major_faults, in_user_mode, in_kernel = (7, 9, 11, 12)
        return [fields[at] for at in (minor_faults, major_faults, in_user_mode, in_kernel)]
