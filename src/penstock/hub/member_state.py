"""The state of one server behind a hub: whether it runs, its lists, and what clients want from it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from penstock.core.model.recent import Recent
from penstock.hub.backoff import Backoff
from penstock.hub.early_messages import EarlyMessages
from penstock.hub.kinds import CAPABILITY, CHANGED, KINDS, LISTENED, NAMED_BY, Kind
from penstock.hub.remembered import KnownServer
from penstock.wire import messages
from penstock.wire.servers import HubMember
from penstock.wire.toolbox import UpstreamTool

Phase = Literal["idle", "starting", "ready", "down"]
Era = Literal["", "legacy", "modern"]

_UNDECLARED: Final = 1.0  # seconds that a list is kept if the server announces no changes
_PRIVATE: Final = "private"
_MOST_TASKS: Final = 10_000
_MOST_LINKS: Final = 10_000


class KnownList(msgspec.Struct, frozen=True):
    """One list of a server."""

    items: tuple[msgspec.Raw, ...]
    digest: bytes
    is_current: bool = False  # the running server has given it, and announced no change since
    expires: float | None = None
    lifetime: int | None = None  # milliseconds that the server said it may be kept
    scope: str = _PRIVATE

    @classmethod
    def of(cls, items: Sequence[msgspec.Raw]) -> KnownList:
        digest = hashlib.sha256()
        for item in items:
            digest.update(bytes(item))
            digest.update(b"\n")
        return cls(tuple(items), digest.digest())


class MemberState:
    def __init__(self, member: HubMember, known: KnownServer) -> None:
        self.member = member
        self.known = known
        self.phase: Phase = "idle"
        self.era: Era = ""
        self.refused: set[Era] = set()  # the eras that it has refused to speak
        self.greeted: dict[str, Any] | None = None  # what it said that it can do, in this session
        self.version = ""
        self.reason = ""  # why it is down
        self.is_reported_down = False
        self.is_down_for_good = False  # its entry in the file is at fault
        self.was_lost = False  # it was ready before it ended
        self.started_at = 0.0
        self.retry_at = 0.0
        self.lists: dict[Kind, KnownList] = {
            kind: KnownList.of(known.lists[kind]) for kind in KINDS if kind in known.lists
        }
        self.changes: dict[Kind, int] = dict.fromkeys(KINDS, 0)
        self.learning: set[Kind] = set()
        self.to_learn: set[Kind] = set()  # lists that are to be read again soon
        self.learnt_at: dict[Kind, float] = {}
        self.early = EarlyMessages(f"the server {member.name!r}")
        self.slow: set[Kind] = set()  # lists that it did not give in time when it was last asked
        self.is_slow_to_read = False  # it did not answer when it was last asked for a resource
        self.log_level = ""  # that the running server was told
        self.greeted_with = ""  # the method with which it was greeted, or is just now
        self.ended_at = ""  # the greeting at which it ended
        self.subscribed: dict[str, int] = {}  # how many clients' requests want news of a resource
        self.followed: set[str] = set()  # the resources that the server was asked to tell news of
        self.client_uris: dict[str, str] = {}  # of these, where they differ from the server's own
        # Resources in no list that the server has: its own URIs, by the client's. Each server has such
        # a memory of its own, so that none can push out what is known of another.
        self.links: Recent[str, str] = Recent(_MOST_LINKS)
        self.tasks: Recent[str, None] = Recent(_MOST_TASKS)
        self.untold_changes: list[str] = []  # tools whose change no agent has read of
        self.listening = b""  # the id of our `subscriptions/listen`
        self.stream_pauses = Backoff()
        self._pauses = Backoff()
        self._tools: dict[str, UpstreamTool] = {}

    @property
    def name(self) -> str:
        return self.member.name

    @property
    def is_ready(self) -> bool:
        return self.phase == "ready"

    @property
    def is_running(self) -> bool:
        return self.phase in ("starting", "ready")

    @property
    def is_known(self) -> bool:
        """Return whether the server has greeted Penstock once, now or in an earlier run."""
        return bool(self.known.era)

    # -- what it can do ------------------------------------------------------------------------

    @property
    def capabilities(self) -> dict[str, Any]:
        """Return what the server can do. It may say something else to a client of the other era."""
        return self.known.capabilities if self.greeted is None else self.greeted

    def can(self, capability: str) -> bool:
        return capability in self.capabilities

    def has_list(self, kind: Kind) -> bool:
        return self.is_known and self.can(CAPABILITY[kind])

    def lacks(self, kind: Kind) -> bool:
        """Return whether the server has this list, or may have it, and it was never learnt."""
        return kind not in self.lists and (self.has_list(kind) or not self.is_known)

    @property
    def listens_for(self) -> dict[str, Any]:
        """Return the news that a modern server is asked for."""
        declared = [method for method in LISTENED if self._announces(method)]
        wanted: dict[str, Any] = {LISTENED[method]: True for method in declared}
        if self.subscribed:
            wanted["resourceSubscriptions"] = sorted(self.subscribed)
        return wanted

    def _announces(self, method: str) -> bool:
        name = next(CAPABILITY[kind] for kind in KINDS if CHANGED[kind] == method)
        declared = self.capabilities.get(name)
        return isinstance(declared, dict) and declared.get("listChanged") is True

    @property
    def sets_level(self) -> bool:
        return self.era == "legacy" and self.can("logging")

    def want(self, own: str, uri: str, change: int) -> None:
        """Note that one more request of a client wants news of a resource, or one less. The client
        calls the resource `uri`."""
        count = self.subscribed.pop(own, 0) + change
        if count > 0:
            self.subscribed[own] = count
        else:
            self.client_uris.pop(own, None)
        if change > 0 and own != uri:
            self.client_uris[own] = uri

    # -- its lists -----------------------------------------------------------------------------

    def items(self, kind: Kind) -> tuple[msgspec.Raw, ...]:
        """Return what the server lists, as far as is known. A server that has lost a capability lists
        nothing of that kind."""
        known = self.lists.get(kind)
        return known.items if known is not None and self.has_list(kind) else ()

    def names(self, kind: Kind) -> list[str]:
        key = NAMED_BY[kind]
        found = (messages.text_of(messages.members_of(item), key) for item in self.items(kind))
        return [name for name in found if name is not None]

    def is_current(self, kind: Kind, now: float) -> bool:
        if not self.has_list(kind):
            return True
        known = self.lists.get(kind)
        if known is None or not known.is_current:
            return False
        return known.expires is None or now < known.expires

    def learn(
        self,
        kind: Kind,
        items: Sequence[msgspec.Raw],
        page: Mapping[str, msgspec.Raw],
        now: float,
        *,
        changes: int,
    ) -> bool:
        """Take over a list that was asked for after so many `changes`. Return whether it differs."""
        before = self.lists.get(kind)
        lifetime = messages.decoded(page.get("ttlMs"))
        has_lifetime = isinstance(lifetime, int | float) and lifetime >= 0
        expires = now + lifetime / 1_000 if has_lifetime else None
        if expires is None and not self._announces(CHANGED[kind]):
            expires = now + _UNDECLARED
        found = KnownList.of(items)
        self.lists[kind] = msgspec.structs.replace(
            found,
            is_current=changes == self.changes[kind],
            expires=expires,
            lifetime=int(lifetime) if has_lifetime else None,
            scope=messages.text_of(page, "cacheScope") or _PRIVATE,
        )
        self.learnt_at[kind] = now
        if kind == "tools":
            self._tools = {}
        return before is None or before.digest != found.digest

    def outdate(self, kind: Kind) -> None:
        """Note that a list has changed, or may have."""
        self.changes[kind] += 1
        known = self.lists.get(kind)
        if known is not None and known.is_current:
            self.lists[kind] = msgspec.structs.replace(known, is_current=False)

    def tool(self, name: str) -> UpstreamTool:
        """Return a tool, for the headers that repeat its arguments over HTTP."""
        if not self._tools:
            members = map(messages.members_of, self.items("tools"))
            self._tools = {
                listed: UpstreamTool(
                    listed, tool.get("inputSchema", msgspec.UNSET), promises_structure=False
                )
                for tool in members
                if (listed := messages.text_of(tool, "name")) is not None
            }
        return self._tools.get(name) or UpstreamTool(name, msgspec.UNSET, promises_structure=False)

    # -- its life ------------------------------------------------------------------------------

    def note_start(self, now: float) -> None:
        self.phase, self.started_at, self.era = "starting", now, ""
        self.log_level = self.greeted_with = ""
        self.slow.clear()

    def note_ready(self, now: float) -> None:
        self.phase, self.reason, self.ended_at = "ready", "", ""
        self._pauses.begin(now)

    def note_renewed(self) -> None:
        """Note that the server does not know what it was told after its greeting."""
        self.log_level = ""
        self.followed.clear()

    def note_end(self, why: str, now: float, *, for_good: bool = False) -> float:
        """Note that the server has ended. Return for how long to wait before it is started again."""
        self.is_down_for_good = for_good
        if not self.is_ready:
            self.ended_at = self.greeted_with
        pause = self._pauses.end(now)
        self.phase, self.reason = "down", why
        self.retry_at = math.inf if for_good else now + pause
        self.learning.clear()
        self.followed.clear()
        self.listening = b""
        for kind in KINDS:
            self.outdate(kind)
        return pause
