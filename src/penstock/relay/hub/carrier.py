"""The carrier of a hub: it runs the servers, and does what the hub's outputs say.

The thread that reads from a server gives the hub what it reads, and hands over to the session what the
hub makes of it. What the hub tells the session at other moments goes through a queue, because the
thread of the client must never wait for the session.
"""

from __future__ import annotations

import queue
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol, assert_never

from penstock.errors import PenstockError
from penstock.hub.hub import Hub
from penstock.hub.outputs import (
    Outputs,
    SaveKnown,
    StartMember,
    StopMember,
    ToMember,
    ToSession,
    WakeHub,
)
from penstock.log import logger
from penstock.relay.alarms import Alarms
from penstock.relay.hub.group import GroupedServer, ServerGroup
from penstock.relay.hub.local import LocalMember
from penstock.relay.hub.memory_file import MemoryFile
from penstock.relay.process import GRACE_SECONDS
from penstock.relay.upstream import Take
from penstock.wire.servers import HubMember
from penstock.wire.toolbox import UpstreamTool
from penstock.wire.unread import Unread, unhandled

_LAST_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.01


class RunningMember(Protocol):
    """One run of a server."""

    def send(self, message: bytes, called: UpstreamTool | None = None) -> None:
        """Send a message. Never wait."""

    def stop(self, grace: float = 0) -> None:
        """End the run, after so many seconds at the latest."""


class HubUpstream:
    """Several servers as the upstream of one session."""

    def __init__(self, group: ServerGroup, memory: MemoryFile, most: int, alarms: Alarms) -> None:
        self._group = {server.member.name: server for server in group.servers}
        self._most = most
        self._hub = Hub([server.member for server in group.servers], memory.remembered)
        self._running: dict[str, RunningMember] = {}
        self._alarms = alarms
        self._memory = memory
        self._lock = threading.Lock()
        self._unasked: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._take: Take = lambda _: None
        self._is_ending = False

    # -- what the session asks -----------------------------------------------------------------

    def owner(self, tool: str) -> HubMember | None:
        return self._hub.owner(tool)

    def owner_of_task(self, task: str) -> HubMember | None:
        return self._hub.owner_of_task(task)

    def is_here(self, identity: str) -> bool:
        return self._hub.is_here(identity)

    def take_notices(self) -> str:
        return self._hub.take_notices()

    # -- what the carrier of the session does --------------------------------------------------

    def receive(self, take: Take) -> None:
        self._take = take
        while (message := self._unasked.get()) is not None:
            take(message)

    def send(self, message: bytes) -> None:
        self._do(partial(self._hub.from_client, message))

    def end(self, grace: float = GRACE_SECONDS) -> None:
        """Wait until the client's requests are answered, and end all servers at once. Both together
        take no longer than this grace, if the servers end when their input does."""
        until = time.monotonic() + grace
        while self._hub.is_at_work and not self._is_ending and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
        left = max(until - time.monotonic(), min(grace, _LAST_SECONDS))
        with self._lock:
            self._is_ending = True
            running = list(self._running.values())
        ending = [threading.Thread(target=member.stop, args=(left,)) for member in running]
        for thread in ending:
            thread.start()
        for thread in ending:
            thread.join(left + 3 * _LAST_SECONDS)
        self._memory.save()
        self._running.clear()
        self._unasked.put(None)

    def how_it_ended(self) -> str:
        return "was stopped"

    # -- what the servers do -------------------------------------------------------------------

    def _received(self, name: str, run: list[RunningMember], line: bytes | Unread) -> None:
        """Handle one line of a server's. If that fails, answer the request that it was for."""
        try:
            if isinstance(line, Unread):
                self._of_run(run, name, partial(self._hub.unread_from, name, line))
            elif not line.isspace():
                self._of_run(run, name, partial(self._hub.from_member, name, line))
        except Exception as error:
            if isinstance(line, Unread):
                raise
            logger().exception("a message of the server %r could not be handled", name)
            self._received(name, run, unhandled(line, error))

    def _ended(self, name: str, run: list[RunningMember], how: str) -> None:
        if not self._is_ending:
            self._of_run(run, name, partial(self._hub.member_ended, name, how))

    def _renewed(self, name: str, run: list[RunningMember]) -> None:
        if not self._is_ending:
            self._of_run(run, name, partial(self._hub.member_renewed, name))

    def _of_run(self, run: list[RunningMember], name: str, change: Callable[[], Outputs]) -> None:
        """Tell the hub something about a server, unless another run has taken the place of this one."""
        told: list[bytes] = []
        with self._lock:
            if self._running.get(name) in run:
                self._carry_out(change(), told.append)
        for message in told:  # The session may ask the hub something.
            self._take(message)

    # -- what the hub asks for -----------------------------------------------------------------

    def _do(self, change: Callable[[], Outputs]) -> None:
        """Change the hub, and do what it says. What it tells the session waits in the queue."""
        with self._lock:
            self._carry_out(change(), self._unasked.put)

    def _carry_out(self, outputs: Outputs, tell: Callable[[bytes], object]) -> None:
        """Do what the hub says. Nothing here waits, so that all is done in its order."""
        for output in outputs:
            match output:
                case ToSession():
                    tell(output.message)
                case ToMember():
                    self._to_member(output)
                case StartMember():
                    self._start(output.name, tell)
                case StopMember():
                    self._stop(output.name)
                case WakeHub():
                    self._set_alarm(output)
                case SaveKnown():
                    self._memory.save_soon()
                case _:
                    assert_never(output)

    def _to_member(self, output: ToMember) -> None:
        member = self._running.get(output.name)
        if member is not None:
            member.send(output.message, output.called)

    def _start(self, name: str, tell: Callable[[bytes], object]) -> None:
        if self._is_ending:
            return
        server = self._group[name]
        fault = server.fault or self._begin(server)
        if fault:
            self._carry_out(self._hub.member_ended(name, fault, for_good=True), tell)

    def _begin(self, server: GroupedServer) -> str:
        """Begin a run of a server. Return why it cannot run at all, if so."""
        name = server.member.name
        run: list[RunningMember] = []
        take: Take = partial(self._received, name, run)
        ended = partial(self._ended, name, run)
        renewed = partial(self._renewed, name, run)
        try:
            member = self._run(server, take, ended, renewed)
        except (
            PenstockError
        ) as error:  # A library is missing, or the settings of a proxy are wrong.
            return f"{error.message} {error.next_step}"
        run.append(member)
        self._running[name] = member
        return ""

    def _run(
        self,
        server: GroupedServer,
        take: Take,
        ended: Callable[[str], None],
        renewed: Callable[[], None],
    ) -> RunningMember:
        if not server.target.url:
            return LocalMember(server.target.command, server.around, self._most, take, ended)
        from penstock.relay.hub.remote import RemoteMember

        facts = self._hub.state.members[server.member.name]
        return RemoteMember(server.target, facts, self._most, take, ended, renewed)

    def _stop(self, name: str) -> None:
        member = self._running.pop(name, None)
        if member is not None:
            threading.Thread(target=member.stop, daemon=True).start()

    def _set_alarm(self, output: WakeHub) -> None:
        ring = weakref.WeakMethod(self._ring)  # A group that has ended must not stay until then.

        def call() -> None:
            found = ring()
            if found is not None:
                found(output.alarm)

        self._alarms.set(output.seconds, call)

    def _ring(self, alarm: Any) -> None:
        if not self._is_ending:
            self._do(partial(self._hub.rang, alarm))
