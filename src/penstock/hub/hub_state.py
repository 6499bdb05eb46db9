"""The state of a hub: its client, its servers, and the names between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from penstock.core.model.recent import Recent
from penstock.disclosure.texts.shortening import clipped
from penstock.hub.client_state import ClientState
from penstock.hub.kinds import Kind
from penstock.hub.links import widget_of
from penstock.hub.member_state import MemberState
from penstock.hub.names import uri_without_server
from penstock.hub.notices import Notices
from penstock.hub.remembered import Remembered
from penstock.hub.templates import admits
from penstock.hub.tool_changes import ToolChange
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.servers import HubMember

_MOST_TASKS: Final = 10_000
_MOST_SEEN: Final = 10_000


# A server, and its own name for something.
Holder = tuple[MemberState, str]


class ClientRequest(msgspec.Struct, eq=False):
    """A request of the client."""

    key: bytes
    method: str
    params: msgspec.Raw | msgspec.UnsetType
    line: bytes
    is_modern: bool
    # The client's URIs of resources, by the server's own, where only the request tells them.
    uris: dict[str, str] = {}

    @property
    def members(self) -> dict[str, msgspec.Raw]:
        return messages.members_of(self.params)

    def answer(self, result: bytes) -> bytes:
        return messages.response(self.key, result)

    def fail(self, code: int, told: str) -> bytes:
        return messages.failure(self.key, code, told)

    @property
    def fault(self) -> bytes | None:
        """The error for a modern request with a bad `_meta`, or None."""
        error = eras.envelope_fault(eras.meta_of(self.params)) if self.is_modern else None
        return None if error is None else messages.error_response(self.key, error)


class NewsStream(msgspec.Struct, frozen=True):
    """A `subscriptions/listen` request of a modern client, and the servers that it has news from."""

    request: ClientRequest
    holders: Sequence[Holder]


class HubState:
    def __init__(
        self,
        members: Sequence[HubMember],
        remembered: Remembered,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.remembered = remembered
        self.names = remembered.names
        self.clock = clock
        self.client = ClientState()
        self.members = {
            member.name: MemberState(member, remembered.server(member.identity, member.name))
            for member in members
        }
        self.notices = Notices()
        self.tasks: Recent[str, str] = Recent(_MOST_TASKS)
        # The servers of resources that are in no list, once one was read.
        self.seen_at: Recent[str, str] = Recent(_MOST_SEEN)
        self.streams: dict[bytes, NewsStream] = {}  # by the ids of their requests
        self.shown: dict[Kind, tuple[bytes, ...]] = {}  # digests of the lists that the client has
        self.unsaved = False
        self._renamed: dict[str, dict[str, str]] = {}
        self._told_changes: set[tuple[str, str]] = set()

    @property
    def all(self) -> list[MemberState]:
        return list(self.members.values())

    @property
    def only(self) -> MemberState | None:
        """The server, if it is the only one."""
        return self.all[0] if len(self.members) == 1 else None

    def having(self, kind: Kind) -> list[MemberState]:
        return [member for member in self.all if member.has_list(kind)]

    def speaks_to(self, member: MemberState) -> bool:
        """Return whether a server is of the client's era, so that messages need no translation."""
        return member.era == self.client.era

    # -- names ---------------------------------------------------------------------------------

    def claim_if_settled(self, kind: Kind) -> None:
        """Give names, unless other servers are about to list for the first time. Otherwise the names
        would depend on who is the fastest."""
        is_open = any(member.lacks(kind) and member.is_running for member in self.all)
        if kind in self.shown or not is_open:
            self.claim(kind)

    def claim(self, kind: Kind) -> None:
        """Give names to all that servers list. The pages of widgets have names like resources."""
        listed: dict[str, Iterable[str]] = {
            member.name: member.names(kind) for member in self.all if member.items(kind)
        }
        self.unsaved |= self.names.claim(kind, listed)
        if kind == "tools":
            pages = {member.name: self._widgets(member) for member in self.all}
            self.unsaved |= self.names.claim("resources", pages)
        self._renamed.clear()

    def _widgets(self, member: MemberState) -> list[str]:
        uris = (widget_of(messages.members_of(tool)) for tool in member.items("tools"))
        return [uri for uri in uris if uri is not None]

    def find(self, kind: Kind, common: str) -> Holder | None:
        """Return the server that has something of this name, and its own name for it."""
        home = self.names.home(kind, common)
        if home is None or home.server not in self.members:
            return None
        return self.members[home.server], home.name

    def holders_of(self, uri: str) -> list[Holder]:
        """Return the servers that may have a resource, each with its own URI for it."""
        named = self.find("resources", uri) or self.find("resourceTemplates", uri)
        if named is not None:
            return [named]
        seen = self.members.get(self.seen_at.get(uri) or "")
        if seen is not None:
            return [(seen, uri)]
        own = [
            (member, inner)
            for member in self.all
            if (inner := uri_without_server(uri, member.name)) is not None
        ]
        of_renamed = [holder for holder in own if self._is_of_renamed_template(holder[0], uri)]
        of_template = [
            (member, inner)
            for member, inner in [*((member, uri) for member in self.all), *own]
            if any(admits(template, inner) for template in member.names("resourceTemplates"))
        ]
        able = [member for member in self.all if member.can("resources") or not member.is_known]
        return of_renamed or of_template or own or [(member, uri) for member in able]

    def _is_of_renamed_template(self, member: MemberState, uri: str) -> bool:
        """Return whether a URI comes from a template of a server that has the server's name in it."""
        listed = member.names("resourceTemplates")
        common = (self.names.common("resourceTemplates", member.name, name) for name in listed)
        return any(
            told != name and admits(told, uri) for name, told in zip(listed, common, strict=True)
        )

    def renamed_uris(self, member: MemberState) -> dict[str, str]:
        """Return the resources of a server that the client knows under another URI."""
        found = self._renamed.get(member.name)
        if found is None:
            found = self._renamed[member.name] = self.names.renamed("resources", member.name)
        return found

    def note_links(self, uris: Iterable[str], member: MemberState) -> None:
        """Remember the server of resources that a result offers. No server can take those of another."""
        for uri in uris:
            if self.seen_at.get(uri) is None:
                self.seen_at.put(uri, member.name)

    def note_task(self, members: Mapping[str, msgspec.Raw], member: MemberState) -> str:
        """Remember whose task it is: later requests only name the task. Return the name of the other
        server that has a task of this id already, or ""."""
        task = messages.text_of(members, "taskId")
        if task is None:
            return ""
        owner = self.tasks.get(task) or member.name
        self.tasks.put(task, owner)
        return "" if owner == member.name else owner

    # -- what to tell --------------------------------------------------------------------------

    def note_changes(self, member: MemberState, changes: Collection[ToolChange]) -> None:
        if not changes:
            return
        self._told_changes |= {(change.server, change.tool) for change in changes}
        tools = sorted(tool for server, tool in self._told_changes if server == member.name)
        told = f"The server {member.name!r} has changed how it describes {_listed(tools)}."
        logger().warning("%s penstock doctor shows what is new.", told)
        self.notices.put(
            f"changed {member.name}",
            f"{told} Tell the user: such a change can turn a server against its users, and "
            "`penstock doctor` shows what is new.",
        )


_MOST_NAMED: Final = 5
_LONGEST_NAME: Final = 64


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(clipped(name, _LONGEST_NAME)) for name in names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more} more tools" if more > 0 else shown
