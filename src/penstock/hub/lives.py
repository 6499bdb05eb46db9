"""The lives of servers: each is started, greeted, told what it missed, and started again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from penstock.hub.greeting import greet
from penstock.hub.hub_state import HubState
from penstock.hub.kinds import KINDS
from penstock.hub.list_updates import ListUpdates
from penstock.hub.member_state import MemberState
from penstock.hub.outgoing import Outgoing
from penstock.hub.outputs import StartMember, StopMember, WakeHub
from penstock.hub.restoring import follow, listening_params, restore
from penstock.hub.runner import Runner
from penstock.hub.server_requests import ServerRequests
from penstock.hub.work import ListenAgain, StartAgain
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import METHOD_NOT_FOUND, Message

_LOST: Final = " What it kept in memory, such as an open connection, is lost."


class Lives:
    def __init__(
        self,
        state: HubState,
        out: Outgoing,
        runner: Runner,
        lists: ListUpdates,
        requests: ServerRequests,
    ) -> None:
        self._state = state
        self._out = out
        self._runner = runner
        self._lists = lists
        self._requests = requests

    def reach(self, members: Iterable[MemberState]) -> None:
        """Start the servers that nobody has needed so far."""
        for member in members:
            if member.phase == "idle":
                self._start(member)

    def start_again(self, member: MemberState) -> None:
        if member.phase == "down":
            self._start(member)

    def _start(self, member: MemberState) -> None:
        member.note_start(self._state.clock())
        self._out.put(StartMember(member.name))
        steps = greet(self._state.client, member)
        self._runner.begin(steps, lambda refusal: self._greeted(member, refusal))

    def _greeted(self, member: MemberState, refusal: bytes) -> None:
        if member.phase != "starting":
            return  # it has ended meanwhile
        if refusal:
            self._out.put(StopMember(member.name))
            self.ended(member, refusal.decode("utf-8", "replace"))
            return
        state = self._state
        member.note_ready(state.clock())
        state.unsaved = True
        state.notices.withdraw(f"life {member.name}")
        if member.is_reported_down:
            member.is_reported_down = False
            told = f"The server {member.name!r} is up again."
            state.notices.put(f"life {member.name}", told + (_LOST if member.was_lost else ""))
        for line in member.early.take():
            self.tell(member, line)
        self._runner.begin(restore(state, member))
        self._lists.learn(member, [kind for kind in KINDS if member.has_list(kind)])
        self._runner.settle()

    def tell(self, member: MemberState, line: bytes) -> None:
        """Tell a server what the client has told, once it is ready to hear it."""
        if not member.is_ready:
            member.early.put(line)
        elif self._state.speaks_to(member):
            self._out.send(member, line)

    def ended(self, member: MemberState, how: str, *, for_good: bool = False) -> None:
        """Give an error to all requests that a server has, and start it again after a pause."""
        was_ready = member.is_ready
        pause = member.note_end(how, self._state.clock(), for_good=for_good)
        if was_ready or not member.is_reported_down:
            member.is_reported_down = True
            member.was_lost = was_ready
            logger().warning("the server %r is down: %s", member.name, how)
            told = f"The server {member.name!r} is down: {how.rstrip('.')}."
            again = "" if for_good else " It is started again."
            self._state.notices.put(f"life {member.name}", told + again)
        if not for_good:
            self._out.put(WakeHub(pause, StartAgain(member)))
        self._requests.withdraw(member)
        self._runner.lost(member, how)
        self._runner.settle()

    def renewed(self, member: MemberState) -> None:
        """Repeat what a server was told before it forgot its session."""
        told = f"The server {member.name!r} has begun a new session.{_LOST}"
        self._state.notices.put(f"life {member.name}", told)
        member.note_renewed()
        self._runner.begin(restore(self._state, member))
        self._lists.learn_all_again(member)

    def follow(self, member: MemberState) -> None:
        """Ask a server for the news that clients want."""
        if not member.is_ready:
            return
        if member.era == "legacy":
            self._runner.begin(follow(member))
            return
        if member.listening:
            told = messages.cancellation(member.listening, "replaced by another")
            self._out.send(member, told)
            member.listening = b""
        if member.listens_for:
            member.listening = self._out.new_id()
            member.stream_pauses.begin(self._state.clock())
            params = listening_params(self._state.client, member)
            line = messages.request(member.listening, "subscriptions/listen", params)
            self._out.request(member, "subscriptions/listen", line)

    def stream_ended(self, member: MemberState, message: Message) -> None:
        """Ask for another stream of news after a pause, unless the server has no streams."""
        member.listening = b""
        if messages.code_of(message) != METHOD_NOT_FOUND:
            pause = member.stream_pauses.end(self._state.clock())
            self._out.put(WakeHub(pause, ListenAgain(member)))

    def listen_again(self, member: MemberState) -> None:
        if member.is_ready and not member.listening:
            self.follow(member)
            self._lists.learn_all_again(member)  # Some news may be lost.
