"""The hub, which makes several servers look like one upstream to a session.

THEORY OF OPERATION

A request of the client has a handler (`handlers.py`), a generator that yields effects: to reach
servers, to ask them something, to pass the request on. The hub carries the effects out, and sends
what came of them into the generator. What the generator returns goes to the client.

A server is idle until a handler needs it. Then it is started and greeted (`greeting.py`), and its lists
are read (`learning.py`), by handlers of Penstock's own. If a server is known from an earlier run,
lists do not need it. A server that ends is started again, after a pause that grows; the requests that it
had get an error at once.

A request of the client keeps its id. Requests of Penstock's own have ids that no client uses. So have
the requests of servers to the client, because two servers may use one id.

RULES FOR EDITING THIS MODULE

1. Do no I/O. Use no clock but the state's.
2. The carrier calls one method at a time, and does what the outputs say in their order.
3. An answer counts only if it comes from the server that was asked.
4. Send an unchanged message on as the same bytes.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any, Final, assert_never

import msgspec

from penstock.hub import merging
from penstock.hub.crossing import cannot_cross
from penstock.hub.effects import (
    AskEach,
    AskMember,
    Effect,
    FollowResources,
    KeepList,
    MemberAnswer,
    PassOn,
    ReachMembers,
    RefreshLists,
    SendToClient,
    Steps,
    TellMember,
)
from penstock.hub.greeting import greet
from penstock.hub.handlers import handler_of
from penstock.hub.hub_state import ClientRequest, HubState
from penstock.hub.kinds import CHANGED, KINDS, Kind, kinds_changed_by
from penstock.hub.learning import learn
from penstock.hub.member_messages import CANCELLED, notified
from penstock.hub.member_state import MemberState
from penstock.hub.outputs import (
    Outputs,
    SaveKnown,
    StartMember,
    StopMember,
    ToMember,
    ToSession,
    WakeHub,
)
from penstock.hub.remembered import Remembered
from penstock.hub.resources import for_stream, stop_listening, wants
from penstock.hub.restoring import follow, listening_params, restore
from penstock.hub.work import (
    Alarm,
    AnnounceLists,
    AskedClient,
    AskedMember,
    HubWork,
    LearnAgain,
    PassedRequest,
    StartAgain,
    TimeIsUp,
)
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.messages import INTERNAL_ERROR, MAY_HAVE_RUN, METHOD_NOT_FOUND, Message
from penstock.wire.received import received_in
from penstock.wire.servers import HubMember
from penstock.wire.unread import Unread

_LEARN_AGAIN: Final = 1.0  # the least seconds between two readings of a list
_MERGED: Final = 0.5  # seconds in which changes of lists are announced together
_FAILED: Final = (
    "Penstock failed on this request; see its log. The server may have run the request."
)


class Hub:
    """Several servers as one upstream of one session."""

    def __init__(
        self,
        members: Sequence[HubMember],
        remembered: Remembered,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.state = HubState(members, remembered, clock)
        self._outputs: Outputs = []
        self._own = b'"hub-%b-' % secrets.token_hex(8).encode()  # the prefix of our own ids
        self._serials = count()
        self._works: dict[bytes, HubWork] = {}  # of the client's requests
        self._waiting: list[HubWork] = []  # for servers to be ready, or for lists
        self._asked: dict[bytes, AskedMember] = {}
        self._passed: dict[bytes, PassedRequest] = {}
        self._asked_client: dict[bytes, AskedClient] = {}
        self._held: list[bytes] = []  # for a client that is not ready yet
        self._is_announcing = False

    # -- what the session asks -----------------------------------------------------------------

    def owner(self, tool: str) -> HubMember | None:
        found = self.state.find("tools", tool)
        member = self.state.only if found is None else found[0]
        return None if member is None else member.member

    def is_here(self, identity: str) -> bool:
        return any(member.member.identity == identity for member in self.state.all)

    def take_notices(self) -> str:
        return self.state.notices.take()

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
        for received in received_in(line):
            self._member_message(member, received.message, received.line)
        return self._taken()

    def unread_from(self, name: str, unread: Unread) -> Outputs:
        """Take a message that was too long to be read."""
        member = self.state.members[name]
        waiting = [key for key, asked in self._asked.items() if asked.member is member]
        waiting += [key for key, passed in self._passed.items() if passed.member is member]
        for error in unread.answers(waiting):
            self._member_message(member, messages.read_message(error), error)
        return self._taken()

    def member_ended(self, name: str, how: str, *, for_good: bool = False) -> Outputs:
        """Take note that a server has ended, or could not be started. It is started again, unless it
        is down `for_good`."""
        member = self.state.members[name]
        if member.is_running:
            self._ended(member, how, for_good=for_good)
        return self._taken()

    def rang(self, alarm: Alarm) -> Outputs:
        match alarm:
            case TimeIsUp():
                self._time_is_up(alarm)
            case StartAgain():
                if alarm.member.phase == "down":
                    self._start(alarm.member)
            case LearnAgain():
                self._learn(alarm.member, [alarm.kind])
            case AnnounceLists():
                self._announce()
            case _:
                assert_never(alarm)
        return self._taken()

    def _taken(self) -> Outputs:
        outputs, self._outputs = self._outputs, []
        if self.state.unsaved:
            self.state.unsaved = False
            outputs.append(SaveKnown())
        return outputs

    # -- from the client -----------------------------------------------------------------------

    def _client_message(self, line: bytes, message: Message) -> None:
        if message.method is msgspec.UNSET:
            self._client_answered(line, message)
        elif message.id is msgspec.UNSET:
            self._client_notified(line, message)
        else:
            self._client_asked(line, message, message.method)

    def _client_asked(self, line: bytes, message: Message, method: str) -> None:
        client = self.state.client
        is_modern = eras.is_modern(message.params) or (client.is_modern and method != "initialize")
        if is_modern and isinstance(message.params, msgspec.Raw):
            client.note_modern(message.params)
        key = message.key
        request = ClientRequest(key, method, message.params, line, is_modern)
        work = HubWork(
            handler_of(method)(self.state, request),
            lambda answer: self._answer_client(key, answer),
            key,
            method,
        )
        self._works[key] = work
        self._go_on(work)

    def _answer_client(self, key: bytes, answer: bytes) -> None:
        self._works.pop(key, None)
        if answer:  # a stream of news has none yet
            self._outputs.append(ToSession(answer))

    def _client_answered(self, line: bytes, message: Message) -> None:
        asked = self._asked_client.pop(message.key, None)
        if asked is not None:
            self._send(asked.member, _with_id(line, asked.key))

    def _client_notified(self, line: bytes, message: Message) -> None:
        state = self.state
        if message.method == "notifications/initialized":
            state.client.is_initialized = True
            held, self._held = self._held, []
            self._outputs += map(ToSession, held)
        elif message.method == CANCELLED:
            named = messages.members_of(message.params).get("requestId")
            if named is not None:
                self._cancelled(messages.id_key(named), line)
        else:
            for member in state.all:
                if member.is_ready and state.speaks_to(member):
                    self._send(member, line)

    def _cancelled(self, key: bytes, line: bytes) -> None:
        stream = self.state.listens.get(key)
        if stream is not None:
            for member in stop_listening(self.state, stream):
                self._follow(member)
        work = self._works.pop(key, None)
        if work is None:
            return
        self._drop(work)
        passed = self._passed.pop(key, None)
        if passed is not None:
            self._send(passed.member, line)

    def _drop(self, work: HubWork) -> None:
        """End a handler whose answer nobody wants."""
        work.is_dropped = True
        self._stop_waiting(work)
        work.steps.close()
        for key in [key for key, asked in self._asked.items() if asked.work is work]:
            asked = self._asked.pop(key)
            self._send(asked.member, messages.cancellation(key, "nobody waits for the answer"))

    # -- from servers --------------------------------------------------------------------------

    def _member_message(self, member: MemberState, message: Message, line: bytes) -> None:
        if message.method is msgspec.UNSET:
            self._member_answered(member, message, line)
        elif message.id is msgspec.UNSET:
            self._member_notified(member, message, message.method, line)
        else:
            self._member_asked(member, message, message.method, line)

    def _member_answered(self, member: MemberState, message: Message, line: bytes) -> None:
        key = message.key
        passed = self._passed.get(key)
        if passed is not None and passed.member is member:
            del self._passed[key]
            self._go_on(passed.work, MemberAnswer(line, message))
            return
        asked = self._asked.get(key)
        if asked is not None and asked.member is member:
            self._answer(key, MemberAnswer(line, message))
        elif key == member.listening:
            member.listening = b""
        else:
            logger().debug("dropped an answer of the server %r that nobody waits for", member.name)

    def _answer(self, key: bytes, answer: MemberAnswer) -> None:
        """Note the answer to a request of Penstock's own. With the last one its handler goes on."""
        asked = self._asked.pop(key)
        work = asked.work
        work.answers[asked.index] = answer
        if len(work.answers) == work.expected:
            self._go_on(work, [work.answers[index] for index in range(work.expected)])

    def _member_asked(
        self, member: MemberState, message: Message, method: str, line: bytes
    ) -> None:
        """Hand a server's request to the client, unless the client's era has no such requests."""
        if method == "ping":
            self._send(member, messages.response(message.key, b"{}"))
        elif not self.state.speaks_to(member):
            told = cannot_cross(member.name, f"sends {method}")
            logger().warning("%s", told)
            self._send(member, messages.failure(message.key, METHOD_NOT_FOUND, told))
        else:
            key = self._own_id()
            self._asked_client[key] = AskedClient(member, message.key)
            self._to_client(_with_id(line, key))

    def _member_notified(
        self, member: MemberState, message: Message, method: str, line: bytes
    ) -> None:
        for kind in kinds_changed_by(method):
            member.outdate(kind)
            self._learn_soon(member, kind)
        if kinds_changed_by(method):
            return
        asked = {
            asked.key: key for key, asked in self._asked_client.items() if asked.member is member
        }
        for told in notified(self.state, member, message, line, asked):
            self._to_client(told)

    def _to_client(self, message: bytes) -> None:
        """Send the client something that it has not asked for, once it is ready."""
        client = self.state.client
        if client.era == "legacy" and not client.is_initialized:
            self._held.append(message)
        else:
            self._outputs.append(ToSession(message))

    # -- handlers ------------------------------------------------------------------------------

    def _begin(self, steps: Steps, done: Callable[[bytes], None]) -> None:
        """Run a handler of Penstock's own."""
        self._go_on(HubWork(steps, done))

    def _go_on(self, work: HubWork, given: Any = None) -> None:
        """Advance a handler as far as it gets without waiting."""
        while not work.is_dropped:
            work.turn += 1
            try:
                effect = work.steps.send(given)
            except StopIteration as done:
                work.done(done.value)
                return
            except Exception as error:  # noqa: BLE001 (the client gets an error for any failure)
                logger().error("a request could not be handled", exc_info=error)
                failed = messages.failure(work.key, INTERNAL_ERROR, _FAILED) if work.key else b""
                work.done(failed or _FAILED.encode())
                return
            if self._waits_for(work, effect):
                return
            given = [] if isinstance(effect, AskEach) else None

    def _waits_for(self, work: HubWork, effect: Effect) -> bool:
        """Carry out an effect. Return whether the handler has to wait."""
        match effect:
            case ReachMembers():
                self._reach(effect)
                return self._is_waiting(work, effect, effect.seconds)
            case RefreshLists():
                self._refresh(effect)
                return self._is_waiting(work, effect, effect.seconds)
            case AskEach():
                return self._ask(work, effect.asks)
            case PassOn():
                self._passed[work.key] = PassedRequest(effect.member, work)
                self._pass(effect.member, work.method, effect.line)
                return True
            case _:
                self._do(effect)
                return False

    def _do(self, effect: TellMember | FollowResources | SendToClient | KeepList) -> None:
        match effect:
            case TellMember():
                self._send(effect.member, effect.message)
            case FollowResources():
                self._follow(effect.member)
            case SendToClient():
                self._outputs.append(ToSession(effect.message))
            case KeepList():
                self._keep(effect)
            case _:
                assert_never(effect)

    def _reach(self, effect: ReachMembers) -> None:
        for member in effect.members:
            if member.phase == "idle":
                self._start(member)

    def _refresh(self, effect: RefreshLists) -> None:
        for member in effect.members:
            if not member.is_current(effect.kind, self.state.clock()):
                self._learn(member, [effect.kind])

    def _is_waiting(
        self, work: HubWork, effect: ReachMembers | RefreshLists, seconds: float | None
    ) -> bool:
        patience = effect.patience if isinstance(effect, ReachMembers) else 0.0
        work.patient_until = self.state.clock() + patience if patience else 0.0
        if seconds == 0 or self._is_settled(work, effect):
            return False
        work.waits_for = effect
        self._waiting.append(work)
        if seconds is not None:
            self._outputs.append(WakeHub(seconds, TimeIsUp(work, work.turn)))
        return True

    def _is_settled(self, work: HubWork, effect: ReachMembers | RefreshLists) -> bool:
        if isinstance(effect, RefreshLists):
            return not any(effect.kind in member.learning for member in effect.members)
        return not any(
            member.phase == "starting"
            or (member.phase == "down" and member.retry_at <= work.patient_until)
            for member in effect.members
        )

    def _settle(self) -> None:
        """Advance the handlers that need not wait for servers or lists any longer."""
        for work in list(self._waiting):
            if work.waits_for is not None and self._is_settled(work, work.waits_for):
                self._stop_waiting(work)
                self._go_on(work)

    def _stop_waiting(self, work: HubWork) -> None:
        work.waits_for = None
        if work in self._waiting:
            self._waiting.remove(work)

    def _ask(self, work: HubWork, asks: Sequence[AskMember]) -> bool:
        """Send requests of Penstock's own. Servers that do not run answer with the reason."""
        work.answers, work.expected = {}, len(asks)
        turn = work.turn
        keys = [self._own_id() for _ in asks]
        for index, (key, ask) in enumerate(zip(keys, asks, strict=True)):
            self._asked[key] = AskedMember(ask.member, work, index)
        for key, ask in zip(keys, asks, strict=True):
            if ask.member.is_running:
                self._pass(ask.member, ask.method, messages.request(key, ask.method, ask.params))
            else:
                self._answer(key, MemberAnswer(why=ask.member.reason or "it does not run"))
        limits = [ask.seconds for ask in asks if ask.seconds is not None]
        if limits and work.turn == turn:
            self._outputs.append(WakeHub(max(limits), TimeIsUp(work, turn)))
        return bool(asks)

    def _time_is_up(self, alarm: TimeIsUp) -> None:
        work = alarm.work
        if work.is_dropped or work.turn != alarm.turn:
            return
        if work.waits_for is not None:
            self._stop_waiting(work)
            self._go_on(work)
            return
        for key in [key for key, asked in self._asked.items() if asked.work is work]:
            member = self._asked[key].member
            self._send(member, messages.cancellation(key, "the answer took too long"))
            self._answer(key, MemberAnswer(why="it does not answer"))

    def _pass(self, member: MemberState, method: str, line: bytes) -> None:
        """Send a server a request. Over HTTP, headers repeat some arguments of a call."""
        called = None
        if member.member.is_remote and method == "tools/call":
            params = messages.members_of(messages.members_of(line).get("params", msgspec.UNSET))
            called = member.tool(messages.text_of(params, "name") or "")
        self._outputs.append(ToMember(member.name, line, called))

    def _send(self, member: MemberState, line: bytes) -> None:
        if member.is_running:
            self._outputs.append(ToMember(member.name, line))

    def _own_id(self) -> bytes:
        return b'%b%d"' % (self._own, next(self._serials))

    # -- the life of a server ------------------------------------------------------------------

    def _start(self, member: MemberState) -> None:
        member.note_start(self.state.clock())
        self._outputs.append(StartMember(member.name))
        self._begin(
            greet(self.state.client, member), lambda refusal: self._greeted(member, refusal)
        )

    def _greeted(self, member: MemberState, refusal: bytes) -> None:
        if member.phase != "starting":
            return  # it has ended meanwhile
        if refusal:
            self._outputs.append(StopMember(member.name))
            self._ended(member, refusal.decode("utf-8", "replace"))
            return
        state = self.state
        member.note_ready(state.clock())
        state.unsaved = True
        state.notices.withdraw(f"life {member.name}")
        if member.is_reported_down:
            member.is_reported_down = False
            lost = " What it kept in memory, such as an open connection, is lost."
            told = f"The server {member.name!r} is up again."
            state.notices.put(f"life {member.name}", told + (lost if member.was_lost else ""))
        self._begin(restore(state, member), _nothing_to_do)
        self._learn(member, [kind for kind in KINDS if member.has_list(kind)])
        self._settle()

    def _ended(self, member: MemberState, how: str, *, for_good: bool = False) -> None:
        """Give an error to all requests that a server has, and start it again after a pause."""
        was_ready = member.is_ready
        pause = member.note_end(how, self.state.clock(), for_good=for_good)
        if was_ready or not member.is_reported_down:
            member.is_reported_down = True
            member.was_lost = was_ready
            logger().warning("the server %r is down: %s", member.name, how)
            told = f"The server {member.name!r} is down: {how.rstrip('.')}."
            again = "" if for_good else " It is started again."
            self.state.notices.put(f"life {member.name}", told + again)
        if not for_good:
            self._outputs.append(WakeHub(pause, StartAgain(member)))
        for key, request in list(self._asked_client.items()):
            if request.member is member:
                del self._asked_client[key]
                self._to_client(messages.cancellation(key, "the server has ended"))
        why = f"The server {member.name!r} has ended: {how.rstrip('.')}."
        for key in [key for key, asked in self._asked.items() if asked.member is member]:
            if key in self._asked:
                self._answer(key, MemberAnswer(why=how))
        for key, passed in list(self._passed.items()):
            if passed.member is member and self._passed.pop(key, None) is not None:
                more = MAY_HAVE_RUN if passed.work.method == "tools/call" else ""
                self._go_on(passed.work, MemberAnswer(why=why + more))
        self._settle()

    def _follow(self, member: MemberState) -> None:
        """Ask a server for the news that clients want."""
        if not member.is_ready:
            return
        if member.era == "legacy":
            self._begin(follow(member), _nothing_to_do)
            return
        if member.listening:
            self._send(member, messages.cancellation(member.listening, "replaced by another"))
            member.listening = b""
        if member.listens_for:
            member.listening = self._own_id()
            params = listening_params(self.state.client, member)
            line = messages.request(member.listening, "subscriptions/listen", params)
            self._pass(member, "subscriptions/listen", line)

    # -- lists ---------------------------------------------------------------------------------

    def _learn(self, member: MemberState, kinds: Iterable[Kind]) -> None:
        wanted = [kind for kind in kinds if kind not in member.learning and member.is_ready]
        if wanted:
            member.learning.update(wanted)
            steps = learn(self.state.client, member, wanted)
            self._begin(steps, lambda _: self._learnt(member, wanted))

    def _learnt(self, member: MemberState, kinds: Iterable[Kind]) -> None:
        member.learning.difference_update(kinds)
        self._settle()

    def _learn_soon(self, member: MemberState, kind: Kind) -> None:
        """Read a list again. A server that announces changes without end is not asked without end."""
        if kind in member.learning or not member.has_list(kind):
            return
        wait = member.learnt_at.get(kind, 0.0) + _LEARN_AGAIN - self.state.clock()
        if wait <= 0:
            self._learn(member, [kind])
        elif kind not in member.to_learn:
            member.to_learn.add(kind)
            self._outputs.append(WakeHub(wait, LearnAgain(member, kind)))

    def _keep(self, given: KeepList) -> None:
        state, member, kind = self.state, given.member, given.kind
        member.learning.discard(kind)
        member.to_learn.discard(kind)
        if given.items is None:
            told = f"The server {member.name!r} did not list its {kind}: {given.why}."
            logger().warning("%s", told)
            state.notices.put(f"list {member.name}", told)
            return
        now = state.clock()
        state.notices.withdraw(f"list {member.name}")
        changes = state.remembered.learn(member.known, kind, given.items, now)
        is_new = member.learn(kind, given.items, given.page, now, changes=given.changes)
        state.note_changes(member, changes)
        if is_new:
            state.unsaved = True
            state.claim_if_settled(kind)
            self._announce_soon()
        if member.changes[kind] != given.changes:
            self._learn_soon(member, kind)

    def _announce_soon(self) -> None:
        if not self._is_announcing:
            self._is_announcing = True
            self._outputs.append(WakeHub(_MERGED, AnnounceLists()))

    def _announce(self) -> None:
        """Tell the client which of the lists that it has are different now."""
        self._is_announcing = False
        state = self.state
        changed = [
            kind for kind, shown in state.shown.items() if shown != merging.digest(state, kind)
        ]
        for kind in changed:
            state.shown[kind] = merging.digest(state, kind)
        for method in dict.fromkeys(CHANGED[kind] for kind in changed):
            if not state.client.is_modern:
                self._to_client(messages.notification(method, b"{}"))
                continue
            streams = [request for request in state.listens.values() if wants(request, method)]
            for request in streams:
                self._outputs.append(ToSession(for_stream(request, method, {})))


def _nothing_to_do(_: bytes) -> None:
    pass


def _with_id(line: bytes, key: bytes) -> bytes:
    """Return a request or a response under another id."""
    members: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(line))
    members["id"] = key
    return messages.object_from(members)
