"""The lists of servers when they change: each is read again, and the client hears of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from penstock.hub import merging
from penstock.hub.effects import KeepList
from penstock.hub.hub_state import HubState
from penstock.hub.kinds import CHANGED, KINDS, Kind, kinds_changed_by
from penstock.hub.learning import learn
from penstock.hub.member_state import MemberState
from penstock.hub.outgoing import Outgoing
from penstock.hub.outputs import ToSession, WakeHub
from penstock.hub.resources import for_stream, wants
from penstock.hub.runner import Runner
from penstock.hub.tool_changes import changes_between, named
from penstock.hub.work import AnnounceLists, LearnAgain
from penstock.log import logger
from penstock.wire import messages

_LEARN_AGAIN: Final = 0.5  # the least seconds between two readings of a list
_MERGED: Final = 0.4  # seconds in which changes of lists are announced together


class ListUpdates:
    def __init__(self, state: HubState, out: Outgoing, runner: Runner) -> None:
        self._state = state
        self._out = out
        self._runner = runner
        self._is_announcing = False

    # -- from servers --------------------------------------------------------------------------

    def learn(self, member: MemberState, kinds: Iterable[Kind]) -> None:
        """Read lists of a server."""
        wanted = [kind for kind in kinds if kind not in member.learning and member.is_ready]
        if wanted:
            member.learning.update(wanted)
            steps = learn(self._state.client, member, wanted)
            self._runner.begin(steps, lambda _: self._learnt(member, wanted))

    def _learnt(self, member: MemberState, kinds: Iterable[Kind]) -> None:
        member.learning.difference_update(kinds)
        self._runner.settle()

    def learn_stale(self, members: Iterable[MemberState], kind: Kind) -> None:
        """Read the lists that are not current."""
        for member in members:
            if not member.is_current(kind, self._state.clock()):
                self.learn(member, [kind])

    def changed(self, member: MemberState, method: str) -> None:
        """Take note that a server says that a list has changed."""
        self._outdate(member, kinds_changed_by(method))
        if self._state.only is not None:
            self._tell_client(method)  # at once, and whether or not the list differs

    def learn_all_again(self, member: MemberState) -> None:
        """Read all lists of a server again, because it may have changed them unheard."""
        self._outdate(member, KINDS)

    def _outdate(self, member: MemberState, kinds: Iterable[Kind]) -> None:
        for kind in kinds:
            member.outdate(kind)
            self._learn_soon(member, kind)

    def _learn_soon(self, member: MemberState, kind: Kind) -> None:
        """Read a list again. A server that announces changes without end is not asked without end."""
        if kind in member.learning or not member.has_list(kind):
            return
        wait = member.learnt_at.get(kind, 0.0) + _LEARN_AGAIN - self._state.clock()
        if wait <= 0:
            self.learn(member, [kind])
        elif kind not in member.to_learn:
            member.to_learn.add(kind)
            self._out.put(WakeHub(wait, LearnAgain(member, kind)))

    def keep(self, given: KeepList) -> None:
        """Take over a list that was read."""
        state, member, kind = self._state, given.member, given.kind
        member.learning.discard(kind)
        member.to_learn.discard(kind)
        if given.items is None:
            member.slow.add(kind)
            told = f"The server {member.name!r} did not list its {kind}: {given.why}."
            logger().warning("%s", told)
            state.notices.put(f"list {member.name}", told)
            return
        member.slow.discard(kind)
        member.known.was_late = False
        now = state.clock()
        state.notices.withdraw(f"list {member.name}")
        before = member.items(kind)
        changes = state.remembered.learn(member.known, kind, given.items, now)
        is_new = member.learn(kind, given.items, given.page, now, changes=given.changes)
        if is_new and kind == "tools":  # Another client's session may have learnt the list before.
            known = dict(named(before))
            changes += changes_between(member.name, known, given.items, now)
        state.note_changes(member, changes)
        if is_new:
            state.unsaved = True
            state.claim_if_settled(kind)
            self._announce_soon()
        if member.changes[kind] != given.changes:
            self._learn_soon(member, kind)

    # -- to the client -------------------------------------------------------------------------

    def _announce_soon(self) -> None:
        if not self._is_announcing:
            self._is_announcing = True
            self._out.put(WakeHub(_MERGED, AnnounceLists()))

    def announce(self) -> None:
        """Tell the client which of the lists that it has are different now."""
        self._is_announcing = False
        state = self._state
        changed = [
            kind for kind, shown in state.shown.items() if shown != merging.digest(state, kind)
        ]
        for kind in changed:
            state.shown[kind] = merging.digest(state, kind)
        for method in dict.fromkeys(CHANGED[kind] for kind in changed):
            self._tell_client(method)

    def _tell_client(self, method: str) -> None:
        if not self._state.client.is_modern:
            self._out.tell_client(messages.notification(method, b"{}"))
            return
        for stream in self._state.streams.values():
            if wants(stream.request, method):
                self._out.put(ToSession(for_stream(stream.request, method, {})))
