"""The state of an upstream: the facts that Penstock has learnt about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from penstock.core.model.recent import Recent
from penstock.core.model.values import Frame
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.discloser import Audience
from penstock.disclosure.lists.listing import Listing
from penstock.wire import eras, messages
from penstock.wire.app_rights import AppRights
from penstock.wire.messages import INTERNAL_ERROR, UNSUPPORTED_VERSION, UPSTREAM_GONE, Message
from penstock.wire.pinned_names import PinnedNames
from penstock.wire.server_info import name_in, repeated_info
from penstock.wire.toolbox import Toolbox, UpstreamTool

Era = Literal["", "legacy", "modern"]
_MOST_TASKS: Final = 10_000
_MOST_AUDIENCES: Final = 32
# A server that uses Penstock announces this extension. It gives an upstream no rights.
EXTENSION: Final = "dev.penstock/results"


class Shown(msgspec.Struct, frozen=True):
    """The tools that a client is shown, with the toolbox and the audience they were made for."""

    toolbox: Toolbox
    audience: Audience
    catalogue: Catalogue
    listing: Listing

    @property
    def is_full(self) -> bool:
        return self.listing.form == "full"


class UpstreamState:
    """The facts about an upstream that one principal may know."""

    def __init__(self) -> None:
        self.era: Era = ""
        self.version = ""  # negotiated, in the legacy era
        self.capabilities: dict[str, Any] | None = None
        self.is_initialized = False
        self.name = ""  # by which upstream calls itself, for people
        self.server_info: Any = None  # in the modern era, part of each result of upstream's
        self.about = ""  # upstream's name and purpose, in the legacy era
        self.beside: dict[str, Any] = {}  # the members that a framework adds to each tool result
        self.toolbox: Toolbox | None = None
        self.changes = 0  # how often upstream said that its list has changed
        self.pinned = PinnedNames()
        self.app_rights = AppRights()
        self.shown: Recent[Audience, Shown] = Recent(_MOST_AUDIENCES)
        self._tasks: Recent[str, str] = Recent(_MOST_TASKS)

    @property
    def lacks_tools(self) -> bool:
        return self.capabilities is not None and "tools" not in self.capabilities

    @property
    def lacks_resources(self) -> bool:
        """Return whether upstream has tools, whose results Penstock links to, but no resources."""
        known = self.capabilities
        return known is not None and "tools" in known and "resources" not in known

    def stamp(self, *, is_modern: bool) -> dict[str, Any]:
        """Return the members that a result of Penstock's own must also have."""
        if not is_modern:
            return {}
        if self.server_info is None:
            return {**eras.COMPLETE}
        return {**eras.COMPLETE, "_meta": {eras.SERVER_META: self.server_info}}

    def frame(self, *, is_modern: bool, structured: bool = False) -> Frame:
        """Return the frame of an answer to a call."""
        return Frame(structured, {**self.beside, **self.stamp(is_modern=is_modern)})

    def outdate_toolbox(self) -> None:
        """Note that upstream's list has changed."""
        self.changes += 1
        if self.toolbox is not None:
            self.toolbox = self.toolbox.outdated()

    def called_by(self, message: Message | None) -> UpstreamTool | None:
        """Return the tool that a message to upstream calls, as upstream lists it."""
        if message is None or message.method != "tools/call" or self.toolbox is None:
            return None
        name = messages.text_of(messages.members_of(message.params), "name")
        return self.toolbox.tools.get(name or "")

    def learn_toolbox(self, toolbox: Toolbox, changes: int, pinned: PinnedNames) -> None:
        """Remember a list that was read after so many `changes`, with these names pinned. If there
        are more of either now, outdate it."""
        is_new = changes == self.changes and pinned.state == self.pinned.state
        self.toolbox = toolbox if is_new else toolbox.outdated()
        self.shown.clear()
        self.app_rights.note(toolbox.tools.values())

    def pin(self, names: Mapping[str, str], toolbox: Toolbox | None) -> None:
        """Note that a client is told of these names, by role, for our tools beside a toolbox's. If
        another list was read meanwhile, it may hold such names: it has to be read again."""
        shares_reader = None if toolbox is None else toolbox.has_inner_reader
        is_new = self.pinned.pin(names, shares_reader=shares_reader)
        if is_new and self.toolbox is not None and self.toolbox is not toolbox:
            self.outdate_toolbox()

    def learn_discovery(self, message: Message) -> None:
        """Learn the era from the answer to `server/discover`. An error means legacy, unless
        upstream objects to the version, fails or cannot be reached: then the era stays unknown."""
        if not isinstance(message.result, msgspec.UnsetType):
            self.era = "modern"
            self.capabilities = capabilities_in(message.result)
            self.server_info = repeated_info(message.result)
            self.name = name_in(self.server_info)
            return
        if messages.code_of(message) not in (UNSUPPORTED_VERSION, UPSTREAM_GONE, INTERNAL_ERROR):
            self.era = "legacy"

    def remember_task(self, task: str, tool: str) -> None:
        self._tasks.put(task, tool)

    def tool_of_task(self, task: str | None) -> str:
        return self._tasks.get(task or "") or ""


def capabilities_in(members: dict[str, msgspec.Raw]) -> dict[str, object]:
    value = messages.decoded(members.get("capabilities"))
    return value if isinstance(value, dict) else {}
