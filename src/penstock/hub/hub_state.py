"""The state of a hub: its client, its servers, and the names between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from penstock.disclosure.texts.shortening import clipped
from penstock.hub.client_state import ClientState
from penstock.hub.kinds import Kind
from penstock.hub.links import widget_of
from penstock.hub.member_state import MemberState
from penstock.hub.notices import Notices
from penstock.hub.remembered import Remembered
from penstock.hub.tool_changes import ToolChange
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.servers import HubMember

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
        self.streams: dict[bytes, NewsStream] = {}  # by the ids of their requests
        self.shown: dict[Kind, tuple[bytes, ...]] = {}  # digests of the lists that the client has
        self.unsaved = False
        self._renamed: dict[str, dict[str, str]] = {}

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

    def closed_to_apps(self) -> set[str]:
        """Return the servers whose tools no app may call: those without widgets, if another has one.
        To the host all tools are of one server, so it would let an app of any server call them."""
        with_widgets = {member.name for member in self.all if self._widgets(member)}
        return self.members.keys() - with_widgets if with_widgets else set()

    def find(self, kind: Kind, common: str) -> Holder | None:
        """Return the server that has something of this name, and its own name for it."""
        home = self.names.home(kind, common)
        if home is None or home.server not in self.members:
            return None
        return self.members[home.server], home.name

    def renamed_uris(self, member: MemberState) -> dict[str, str]:
        """Return the resources of a server that the client knows under another URI."""
        found = self._renamed.get(member.name)
        if found is None:
            found = self._renamed[member.name] = self.names.renamed("resources", member.name)
        return found

    # -- tasks ---------------------------------------------------------------------------------

    def owner_of_task(self, task: str) -> MemberState | None:
        """Return the server of a task. Requests about a task only name the task."""
        return next((member for member in self.all if task in member.tasks), None)

    def note_task(self, members: Mapping[str, msgspec.Raw], member: MemberState) -> str:
        """Remember whose task it is. Return the name of the other server that has a task of this id
        already, or ""."""
        task = messages.text_of(members, "taskId")
        owner = None if task is None else self.owner_of_task(task)
        if owner is not None and owner is not member:
            return owner.name
        if task is not None:
            member.tasks.put(task, None)
        return ""

    # -- what to tell --------------------------------------------------------------------------

    def note_changes(self, member: MemberState, changes: Collection[ToolChange]) -> None:
        if not changes:
            return
        new = list(dict.fromkeys(change.tool for change in changes))
        logger().warning(
            "%s penstock doctor shows what is new.", _changed(member, new, _MOST_LOGGED)
        )
        about = f"changed {member.name}"
        untold = member.untold_changes
        if not self.notices.has(about):  # Agents have read of the earlier changes.
            untold.clear()
        # The first come first: a server must not hide a change behind later ones.
        untold += [tool for tool in new if tool not in untold][: _MOST_UNTOLD - len(untold)]
        self.notices.put(
            about,
            f"{_changed(member, untold, _MOST_NAMED)} Tell the user: such a change can turn a server "
            "against its users, and `penstock doctor` shows what is new.",
        )


_MOST_NAMED: Final = 5
_MOST_LOGGED: Final = 50
_MOST_UNTOLD: Final = 1_000
_LONGEST_NAME: Final = 64


def _changed(member: MemberState, tools: Sequence[str], most: int) -> str:
    named = ", ".join(repr(clipped(name, _LONGEST_NAME)) for name in tools[:most])
    more = f" and {len(tools) - most} more tools" if len(tools) > most else ""
    return f"The server {member.name!r} has changed how it describes {named}{more}."
