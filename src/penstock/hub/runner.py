"""The handlers that have not ended, and the requests to servers that they wait for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from penstock.hub.effects import (
    AskEach,
    AskMember,
    Effect,
    EffectAtOnce,
    MemberAnswer,
    PassOn,
    ReachMembers,
    RefreshLists,
    Steps,
)
from penstock.hub.member_messages import progress_token
from penstock.hub.member_state import MemberState
from penstock.hub.outgoing import Outgoing
from penstock.hub.outputs import ToSession, WakeHub
from penstock.hub.work import AskedMember, HubWork, PassedRequest, TimeIsUp
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import INTERNAL_ERROR, MAY_HAVE_RUN

_FAILED: Final = (
    "Penstock failed on this request; see its log. The server may have run the request."
)


class Runner:
    """Advances handlers, and waits for what they wait for. `carry_out` does what they ask for."""

    def __init__(
        self, out: Outgoing, clock: Callable[[], float], carry_out: Callable[[EffectAtOnce], None]
    ) -> None:
        self._out = out
        self._clock = clock
        self._carry_out = carry_out
        self._works: dict[bytes, HubWork] = {}  # of the client's requests
        self._waiting: list[HubWork] = []  # for servers to be ready, or for lists
        self._asked: dict[bytes, AskedMember] = {}
        self._passed: dict[bytes, PassedRequest] = {}

    # -- from beginning to end -----------------------------------------------------------------

    def begin(self, steps: Steps, done: Callable[[bytes], None] = lambda _: None) -> None:
        """Run a handler of Penstock's own."""
        self._go_on(HubWork(steps, done))

    @property
    def is_at_work(self) -> bool:
        """Return whether a request of the client has no answer yet. A stream of news needs none."""
        return bool(self._works)

    def begin_for_client(self, steps: Steps, key: bytes, method: str) -> None:
        """Run the handler of a request of the client's."""
        work = HubWork(steps, lambda answer: self._answer_client(key, answer), key, method)
        self._works[key] = work
        self._go_on(work)

    def _answer_client(self, key: bytes, answer: bytes) -> None:
        self._works.pop(key, None)
        if answer:  # a stream of news has none yet
            self._out.put(ToSession(answer))

    def _go_on(self, work: HubWork, given: Any = None) -> None:
        """Advance a handler as far as it gets without waiting."""
        while not work.is_dropped:
            work.turn += 1
            try:
                effect = work.steps.send(given)
                if self._waits_for(work, effect):
                    return
            except StopIteration as done:
                work.done(done.value)
                return
            except Exception as error:  # noqa: BLE001 (the client gets an error for any failure)
                logger().error("a request could not be handled", exc_info=error)
                self._drop(work)
                failed = messages.failure(work.key, INTERNAL_ERROR, _FAILED) if work.key else b""
                work.done(failed or _FAILED.encode())
                return
            given = [] if isinstance(effect, AskEach) else None

    def _waits_for(self, work: HubWork, effect: Effect) -> bool:
        """Carry out an effect. Return whether the handler has to wait."""
        match effect:
            case AskEach():
                return self._ask(work, effect.asks)
            case PassOn():
                token = progress_token(effect.line)
                self._passed[work.key] = PassedRequest(effect.member, work, token)
                self._out.request(effect.member, work.method, effect.line)
                return True
            case ReachMembers() | RefreshLists():
                self._carry_out(effect)
                return self._is_waiting(work, effect)
            case _:
                self._carry_out(effect)
                return False

    def cancel(self, key: bytes, line: bytes) -> None:
        """End the handler of a request that the client has cancelled, and pass the cancellation on."""
        work = self._works.pop(key, None)
        if work is None:
            return
        self._drop(work)
        passed = self._passed.pop(key, None)
        if passed is not None:
            self._out.send(passed.member, line)

    def _drop(self, work: HubWork) -> None:
        """End a handler whose answer nobody wants, or that has failed."""
        work.is_dropped = True
        self._stop_waiting(work)
        work.steps.close()
        for key in self._asked_for(work):
            asked = self._asked.pop(key)
            self._out.send(asked.member, messages.cancellation(key, "nobody waits for the answer"))

    # -- waiting for servers and lists ---------------------------------------------------------

    def _is_waiting(self, work: HubWork, effect: ReachMembers | RefreshLists) -> bool:
        patience = effect.patience if isinstance(effect, ReachMembers) else 0.0
        work.patient_until = self._clock() + patience if patience else 0.0
        if effect.seconds == 0 or self._is_settled(work, effect):
            return False
        work.waits_for = effect
        self._waiting.append(work)
        if effect.seconds is not None:
            self._out.put(WakeHub(effect.seconds, TimeIsUp(work, work.turn)))
        return True

    def _is_settled(self, work: HubWork, effect: ReachMembers | RefreshLists) -> bool:
        if isinstance(effect, RefreshLists):
            return not any(effect.kind in member.learning for member in effect.members)
        return not any(
            member.phase == "starting"
            or (member.phase == "down" and member.retry_at <= work.patient_until)
            for member in effect.members
        )

    def settle(self) -> None:
        """Advance the handlers that need not wait for servers or lists any longer."""
        for work in list(self._waiting):
            if work.waits_for is not None and self._is_settled(work, work.waits_for):
                self._stop_waiting(work)
                self._go_on(work)

    def _stop_waiting(self, work: HubWork) -> None:
        work.waits_for = None
        if work in self._waiting:
            self._waiting.remove(work)

    # -- waiting for answers -------------------------------------------------------------------

    def _ask(self, work: HubWork, asks: Sequence[AskMember]) -> bool:
        """Send requests of Penstock's own. Servers that do not run answer with the reason."""
        work.answers, work.expected = {}, len(asks)
        turn = work.turn
        keys = [self._out.new_id() for _ in asks]
        for index, (key, ask) in enumerate(zip(keys, asks, strict=True)):
            self._asked[key] = AskedMember(ask.member, work, index, ask.seconds)
        for key, ask in zip(keys, asks, strict=True):
            if ask.member.is_running:
                line = messages.request(key, ask.method, ask.params)
                self._out.request(ask.member, ask.method, line)
            else:
                self._answer(key, MemberAnswer(why=ask.member.reason or "it does not run"))
        limits = {ask.seconds for ask in asks if ask.seconds is not None}
        if work.turn == turn:
            for seconds in limits:
                self._out.put(WakeHub(seconds, TimeIsUp(work, turn, seconds)))
        return bool(asks)

    def answered(self, member: MemberState, key: bytes, answer: MemberAnswer) -> bool:
        """Take a server's answer. Return whether the server was asked."""
        passed = self._passed.get(key)
        if passed is not None and passed.member is member:
            del self._passed[key]
            self._go_on(passed.work, answer)
            return True
        asked = self._asked.get(key)
        if asked is not None and asked.member is member:
            self._answer(key, answer)
            return True
        return False

    def _answer(self, key: bytes, answer: MemberAnswer) -> None:
        """Note the answer to a request of Penstock's own. With the last one its handler goes on."""
        asked = self._asked.pop(key)
        work = asked.work
        work.answers[asked.index] = answer
        if len(work.answers) == work.expected:
            self._go_on(work, [work.answers[index] for index in range(work.expected)])

    def lost(self, member: MemberState, how: str) -> None:
        """Give an error to all requests that a server had when it ended."""
        for key in [key for key, asked in self._asked.items() if asked.member is member]:
            if key in self._asked:
                self._answer(key, MemberAnswer(why=how))
        why = f"The server {member.name!r} has ended: {how.rstrip('.')}."
        for key, passed in list(self._passed.items()):
            if passed.member is member and self._passed.pop(key, None) is not None:
                more = MAY_HAVE_RUN if passed.work.method == "tools/call" else ""
                self._go_on(passed.work, MemberAnswer(why=why + more))

    def time_is_up(self, alarm: TimeIsUp) -> None:
        work = alarm.work
        if work.is_dropped or work.turn != alarm.turn:
            return
        if work.waits_for is not None:
            self._stop_waiting(work)
            self._go_on(work)
            return
        for key in self._asked_for(work):
            asked = self._asked[key]
            if asked.seconds is not None and asked.seconds <= alarm.seconds:
                self._out.send(asked.member, messages.cancellation(key, "the answer took too long"))
                self._answer(key, MemberAnswer(why="it does not answer"))

    def ids_at(self, member: MemberState) -> list[bytes]:
        """Return the ids of the requests that a server has not answered."""
        asked = [key for key, asked in self._asked.items() if asked.member is member]
        return asked + [key for key, passed in self._passed.items() if passed.member is member]

    def works_elsewhere(self, member: MemberState, progress: bytes) -> bool:
        """Return whether only other servers work on a request with this token for progress."""
        workers = [one.member for one in self._passed.values() if one.progress == progress]
        return bool(workers) and member not in workers

    def _asked_for(self, work: HubWork) -> list[bytes]:
        return [key for key, asked in self._asked.items() if asked.work is work]
