"""The hub, which makes several servers look like one upstream to a session.

THEORY OF OPERATION

A request of the client has a handler (`handlers.py`), a generator that yields effects: to reach
servers, to ask them something, to pass the request on. The runner (`runner.py`) sends what came of an
effect into the generator. What the generator returns goes to the client.

A server is idle until a handler needs it. Then it is started and greeted (`lives.py`), and its lists
are read (`list_updates.py`), by handlers of Penstock's own. If a server is known from an earlier run,
lists do not need it. A server that ends is started again, after a pause that grows; the requests that it
had get an error at once.

A request of the client keeps its id. Requests of Penstock's own have ids that no client uses. So have
the requests of servers to the client, because two servers may use one id.

RULES FOR EDITING THE HUB

1. Do no I/O. Use no clock but the state's.
2. The carrier calls one method at a time, and does what the outputs say in their order.
3. An answer counts only if it comes from the server that was asked.
4. Send an unchanged message on as the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import assert_never

import msgspec

from penstock.hub.effects import (
    EffectAtOnce,
    FollowResources,
    KeepList,
    MemberAnswer,
    ReachMembers,
    RefreshLists,
    SendToClient,
    TellMember,
)
from penstock.hub.handlers import handler_of
from penstock.hub.hub_state import ClientRequest, HubState
from penstock.hub.kinds import kinds_changed_by
from penstock.hub.list_updates import ListUpdates
from penstock.hub.lives import Lives
from penstock.hub.member_messages import PROGRESS, notified, progress_named
from penstock.hub.member_state import MemberState
from penstock.hub.outgoing import Outgoing
from penstock.hub.outputs import Outputs, SaveKnown, ToSession
from penstock.hub.remembered import Remembered
from penstock.hub.resources import stop_listening
from penstock.hub.runner import Runner
from penstock.hub.server_requests import CANCELLED, ServerRequests
from penstock.hub.work import (
    Alarm,
    AnnounceLists,
    LearnAgain,
    ListenAgain,
    StartAgain,
    TimeIsUp,
)
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.messages import Message
from penstock.wire.received import received_in
from penstock.wire.servers import HubMember
from penstock.wire.unread import Unread


class Hub:
    """Several servers as one upstream of one session."""

    def __init__(
        self,
        members: Sequence[HubMember],
        remembered: Remembered,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.state = state = HubState(members, remembered, clock)
        self._out = out = Outgoing(state.client)
        self._runner = Runner(out, clock, self._carry_out)
        self._requests = ServerRequests(state, out)
        self._lists = ListUpdates(state, out, self._runner)
        self._lives = Lives(state, out, self._runner, self._lists, self._requests)

    # -- what the session asks -----------------------------------------------------------------

    def owner(self, tool: str) -> HubMember | None:
        found = self.state.find("tools", tool)
        member = self.state.only if found is None else found[0]
        return None if member is None else member.member

    def owner_of_task(self, task: str) -> HubMember | None:
        found = self.state.owner_of_task(task) or self.state.only
        return None if found is None else found.member

    def is_here(self, identity: str) -> bool:
        return any(member.member.identity == identity for member in self.state.all)

    def take_notices(self) -> str:
        return self.state.notices.take()

    @property
    def is_at_work(self) -> bool:
        """Return whether a request of the client has no answer yet."""
        return self._runner.is_at_work

    @property
    def remembered(self) -> Remembered:
        return self.state.remembered

    # -- inputs --------------------------------------------------------------------------------

    def from_client(self, line: bytes) -> Outputs:
        batch = messages.batch_of(line)
        for item in [line] if batch is None else batch:
            self._client_message(item, messages.read_message(item))
        return self._taken()

    def from_member(self, name: str, line: bytes) -> Outputs:
        member = self.state.members[name]
        for received in received_in(line, f"the server {name!r}"):
            self._member_message(member, received.message, received.line)
        return self._taken()

    def unread_from(self, name: str, unread: Unread) -> Outputs:
        """Take a message that was too long to be read."""
        member = self.state.members[name]
        for error in unread.answers(self._runner.ids_at(member)):
            self._member_message(member, messages.read_message(error), error)
        return self._taken()

    def member_ended(self, name: str, how: str, *, for_good: bool = False) -> Outputs:
        """Take note that a server has ended, or could not be started. It is started again, unless it
        is down `for_good`."""
        member = self.state.members[name]
        if member.is_running:
            self._lives.ended(member, how, for_good=for_good)
        return self._taken()

    def member_renewed(self, name: str) -> Outputs:
        """Take note that a server has forgotten its session, and was greeted again."""
        member = self.state.members[name]
        if member.is_ready:
            self._lives.renewed(member)
        return self._taken()

    def rang(self, alarm: Alarm) -> Outputs:
        match alarm:
            case TimeIsUp():
                self._runner.time_is_up(alarm)
            case StartAgain():
                self._lives.start_again(alarm.member)
            case LearnAgain():
                self._lists.learn(alarm.member, [alarm.kind])
            case ListenAgain():
                self._lives.listen_again(alarm.member)
            case AnnounceLists():
                self._lists.announce()
            case _:
                assert_never(alarm)
        return self._taken()

    def _taken(self) -> Outputs:
        if self.state.unsaved:
            self.state.unsaved = False
            self._out.put(SaveKnown())
        return self._out.take()

    # -- from the client -----------------------------------------------------------------------

    def _client_message(self, line: bytes, message: Message) -> None:
        if message.method is msgspec.UNSET:
            self._requests.answered(line, message)
        elif message.id is msgspec.UNSET:
            self._client_notified(line, message)
        else:
            self._client_asked(line, message, message.method)

    def _client_asked(self, line: bytes, message: Message, method: str) -> None:
        client = self.state.client
        is_modern = eras.is_modern(message.params) or (client.is_modern and method != "initialize")
        if is_modern and isinstance(message.params, msgspec.Raw):
            client.note_modern(message.params)
        request = ClientRequest(message.key, method, message.params, line, is_modern)
        handler = handler_of(method, is_modern=is_modern)
        self._runner.begin_for_client(handler(self.state, request), request.key, method)

    def _client_notified(self, line: bytes, message: Message) -> None:
        params = messages.members_of(message.params)
        if message.method == "notifications/initialized":
            self._out.note_initialized()
        elif message.method == CANCELLED:
            if "requestId" in params:
                self._cancelled(messages.id_key(params["requestId"]), line)
        elif message.method != PROGRESS or not self._requests.progressed(params):
            for member in self.state.all:
                self._lives.tell(member, line)

    def _cancelled(self, key: bytes, line: bytes) -> None:
        for member in stop_listening(self.state, key):
            self._lives.follow(member)
        self._runner.cancel(key, line)

    # -- from servers --------------------------------------------------------------------------

    def _member_message(self, member: MemberState, message: Message, line: bytes) -> None:
        if message.method is msgspec.UNSET:
            self._member_answered(member, message, line)
        elif message.id is not msgspec.UNSET:
            self._requests.hand_over(member, message, message.method, line)
        elif kinds_changed_by(message.method):
            self._lists.changed(member, message.method)
        elif message.method == CANCELLED:
            self._requests.cancelled(member, messages.members_of(message.params))
        elif message.method == PROGRESS and self._runner.works_elsewhere(
            member, progress_named(message)
        ):
            logger().debug("dropped progress that the server %r told of another's", member.name)
        else:
            for told in notified(self.state, member, message, line):
                self._out.tell_client(told)

    def _member_answered(self, member: MemberState, message: Message, line: bytes) -> None:
        if self._runner.answered(member, message.key, MemberAnswer(line, message)):
            return
        if message.key == member.listening:
            self._lives.stream_ended(member, message)
        else:
            logger().debug("dropped an answer of the server %r that nobody waits for", member.name)

    # -- what handlers ask for -----------------------------------------------------------------

    def _carry_out(self, effect: EffectAtOnce) -> None:
        match effect:
            case ReachMembers():
                self._lives.reach(effect.members)
            case RefreshLists():
                self._lists.learn_stale(effect.members, effect.kind)
            case TellMember():
                self._out.send(effect.member, effect.message)
            case FollowResources():
                self._lives.follow(effect.member)
            case SendToClient():
                self._out.put(ToSession(effect.message))
            case KeepList():
                self._lists.keep(effect)
            case _:
                assert_never(effect)
