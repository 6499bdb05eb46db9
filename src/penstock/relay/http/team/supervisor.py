"""The supervisor of a team: the process that starts the members, and replaces those that end.

It also replaces a member that hangs (`watch.py`): otherwise its clients would wait for ever. It
serves nothing itself, so nothing that a client sends can harm it. It has no thread and no event
loop, so it can fork: a new member has the same settings and secrets as the others, whatever has changed
in files and variables since.
"""

from __future__ import annotations

import gc
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from typing import Final

from penstock.log import logger
from penstock.relay.http.listeners import CannotListen, Listener
from penstock.relay.http.team.folder import TeamFolder
from penstock.relay.http.team.member import TeamMember
from penstock.relay.http.team.team import Team
from penstock.relay.http.team.watch import BEAT_SECONDS, Watch
from penstock.relay.signals import ending_signals, on_signals

# Members end their servers and what is in progress, which takes a few seconds.
_LAST_SECONDS: Final = 15.0
# A member that has served for so long is replaced at once. Others wait, ever longer.
_STEADY_SECONDS: Final = 10.0
_LONGEST_PAUSE: Final = 30.0
_FAILED: Final = 1


class _Running:
    """A member's process."""

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid = pid
        self.pipe = pipe  # It brings a byte at each beat of the member, and ends with the process.
        self.is_ready = False
        self.watch = Watch(pid)
        self.since = time.monotonic()


class Supervisor:
    def __init__(self, count: int, turn_seconds: float = BEAT_SECONDS) -> None:
        try:
            self._folder = TeamFolder()
        except OSError as error:
            raise _no_sockets(f"Cannot create a folder for sockets: {error}.") from error
        self._paths = tuple(str(self._folder.path / f"{index}.sock") for index in range(count))
        try:
            self._doors = [_door(path) for path in self._paths]
        except OSError as error:
            self._folder.remove()
            raise _no_sockets(f"Cannot create a socket in {self._folder.path}: {error}.") from error
        self._leash, self._leash_held = os.pipe()
        self._bell, self._ringing = os.pipe()
        os.set_blocking(self._ringing, False)  # as `set_wakeup_fd` asks
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._running: dict[int, _Running] = {}
        self._pauses = dict.fromkeys(range(count), 0.0)
        self._due: dict[int, float] = {}  # when a member is to be started again
        self._turn_seconds = turn_seconds
        self._turn = 0.0  # when the members are looked at again
        self._signal = 0
        self._code = 0
        self._last_code = 0  # of the last member that ended

    def run(self, told: Callable[[], None], ends: Callable[[], None]) -> TeamMember | int:
        """Return the exit code of the team after its end. `told`: called once all members serve.
        `ends`: called when the team begins to end.

        In the process of each member, which is a copy of this one, return the member instead.
        """
        signal.set_wakeup_fd(self._ringing, warn_on_full_buffer=False)
        on_signals(self._leave)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # Otherwise nobody learns how a child ended.
        gc.freeze()  # Members share the memory of what no collector touches.
        for index in self._pauses:  # If one fails, for a reason that all have, it is told once.
            if not self._is_over:
                member = self._start(index)
                if member is not None:
                    return member
                self._await_start()
        if not self._is_over:
            told()
        while not self._is_over:
            member = self._start_due()
            if member is not None:
                return member
            self._wait(*self._due.values())
        ends()
        self._end()
        return 128 + self._signal if self._signal else self._code

    def _await_start(self) -> None:
        """Wait until all members that were started serve, or one has failed."""
        while not (
            self._is_over or self._due or all(one.is_ready for one in self._running.values())
        ):
            self._wait()
        if self._due:
            self._code = max(self._last_code, _FAILED)

    @property
    def _is_over(self) -> bool:
        return bool(self._signal or self._code)

    # -- members -------------------------------------------------------------------------------

    def _start(self, index: int) -> TeamMember | None:
        """Start a member. Return it in its own process, and None in this one."""
        pipe, ready = os.pipe()
        signals = ending_signals()
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        try:
            pid = os.fork()
        except OSError as error:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            os.close(pipe)
            os.close(ready)
            logger().error("worker %d cannot start: %s", index, error.strerror)
            self._postpone(index)
            return None
        if not pid:
            self._become_member(index, pipe)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            team = Team(index, self._paths)
            return TeamMember(team, self._doors[index], self._leash, ready)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        os.close(ready)
        self._running[index] = _Running(pid, pipe)
        self._selector.register(pipe, selectors.EVENT_READ, index)
        return None

    def _become_member(self, index: int, pipe: int) -> None:
        """Let go of what belongs to the supervisor alone."""
        signal.set_wakeup_fd(-1)
        on_signals(lambda number: os._exit(128 + number))  # until the server has its own handlers
        self._selector.close()
        others = [one.pipe for one in self._running.values()]
        for descriptor in (pipe, self._leash_held, self._bell, self._ringing, *others):
            os.close(descriptor)
        for number, door in enumerate(self._doors):
            if number != index:
                door.close()

    def _start_due(self) -> TeamMember | None:
        now = time.monotonic()
        for index in [index for index, due in self._due.items() if due <= now]:
            del self._due[index]
            member = self._start(index)
            if member is not None:
                return member
        return None

    def _ended(self, index: int) -> None:
        ended = self._running.pop(index)
        self._selector.unregister(ended.pipe)
        os.close(ended.pipe)
        _, status = os.waitpid(ended.pid, 0)
        lived = time.monotonic() - ended.since
        if ended.is_ready and lived > _STEADY_SECONDS:
            self._pauses[index] = 0.0
            self._due[index] = time.monotonic()
        else:
            self._postpone(index)
        self._last_code = os.waitstatus_to_exitcode(status)
        if self._signal:
            return
        is_killed = self._last_code < 0
        if ended.is_ready:
            lost = (
                " What it had in progress is lost; its connections broke off" if is_killed else ""
            )
            logger().error("worker %d %s.%s", index, _how(self._last_code), lost)
        elif is_killed:  # Others have said themselves why they failed.
            logger().error("worker %d %s before it served", index, _how(self._last_code))

    def _postpone(self, index: int) -> None:
        """Let a member that failed be started again after a pause, longer each time."""
        self._pauses[index] = min(max(2 * self._pauses[index], 1.0), _LONGEST_PAUSE)
        self._due[index] = time.monotonic() + self._pauses[index]

    def _look_for_hung(self) -> None:
        """Kill the members that hang. A signal that ends them gently would not be heard."""
        if time.monotonic() < self._turn:
            return
        self._turn = time.monotonic() + self._turn_seconds
        for index, one in self._running.items():
            if one.watch.hangs(is_starting=not one.is_ready):
                told = "worker %d hangs: it has not served for %.0f s. It is killed"
                logger().error(told, index, one.watch.turns * self._turn_seconds)
                os.kill(one.pid, signal.SIGKILL)

    # -- waiting -------------------------------------------------------------------------------

    def _wait(self, *until: float) -> None:
        """Wait for a signal, for news of a member, for the next turn, or until a time."""
        self._hear(min([self._turn, *until]))
        self._look_for_hung()

    def _hear(self, until: float | None) -> None:
        seconds = None if until is None else max(0.0, until - time.monotonic())
        for key, _ in self._selector.select(seconds):
            if key.fd == self._bell:
                os.read(self._bell, 1_024)
            elif os.read(key.fd, 1_024):
                self._running[key.data].is_ready = True
                self._running[key.data].watch.hear()
            else:
                self._ended(key.data)

    def _leave(self, number: int) -> None:
        if self._signal:  # A second Ctrl-C means that the user does not want to wait.
            self._tell(number)
        self._signal = self._signal or number

    def _tell(self, number: int) -> None:
        for one in list(self._running.values()):
            os.kill(one.pid, number)  # It is our child until we have waited for it.

    def _end(self) -> None:
        self._tell(signal.SIGTERM)
        deadline = time.monotonic() + _LAST_SECONDS
        while self._running and time.monotonic() < deadline:
            self._hear(deadline)
        self._tell(signal.SIGKILL)
        while self._running:
            self._hear(None)
        self._folder.remove()


def _no_sockets(told: str) -> CannotListen:
    step = "Set TMPDIR to a folder that Penstock may write to, with a short path."
    return CannotListen(told, next_step=step)


def _door(path: str) -> socket.socket:
    """Listen for the other members. The supervisor keeps this open, so that requests wait for the
    next member if one has ended."""
    door = Listener(socket.AF_UNIX, socket.SOCK_STREAM)
    door.bind(path)
    door.listen()
    return door


def _how(code: int) -> str:
    return f"was ended by signal {-code}" if code < 0 else f"ended with the exit code {code}"
