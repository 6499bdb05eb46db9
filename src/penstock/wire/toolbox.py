"""The toolbox: the list of upstream's tools, as upstream last gave it.

A full list shows each tool as upstream wrote it, except that its output schema is widened, so that
Penstock's replies satisfy the schema too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.protocol import schema
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.names import HEADER_KEY, own_names
from penstock.disclosure.visibility import visible_to
from penstock.settings.policy import Policy
from penstock.wire import marks, messages
from penstock.wire.explorer_tools import explorer_names
from penstock.wire.inner_reader import shared_name
from penstock.wire.marks import Mark
from penstock.wire.pinned_names import PinnedNames
from penstock.wire.program_tools import program_names
from penstock.wire.reader import READER, reader_name, reader_tool
from penstock.wire.servers import Servers

_LONGEST_LIFETIME: Final = 9_999_999_999  # milliseconds; as long as the server lives
_SCOPES: Final = ("private", "public")  # the strictest first


class UpstreamTool(msgspec.Struct, frozen=True, dict=True):
    """A tool of upstream's."""

    name: str
    raw_schema: msgspec.Raw | msgspec.UnsetType
    # A full list shows an output schema, so replies about its results need structured content too.
    promises_structure: bool
    mark: Mark | None = None  # from its decorator
    output: msgspec.Raw | None = None  # the output schema as upstream wrote it
    ui: Mapping[str, Any] = {}  # its `_meta.ui`

    @property
    def is_for_apps_alone(self) -> bool:
        return self.ui.get("visibility") == ["app"]

    @property
    def has_widget(self) -> bool:
        """Return whether an app shows its results."""
        return isinstance(self.ui.get("resourceUri"), str)

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The tool's own input schema, decoded only when a call needs it: most never do."""
        if isinstance(self.raw_schema, msgspec.UnsetType):
            return {}
        value = rawjson.decode(self.raw_schema)
        return value if isinstance(value, dict) else {}

    @cached_property
    def header_parameters(self) -> dict[tuple[str, ...], str]:
        """The headers in which an HTTP client must repeat parameters, by the parameter's path."""
        raw = b"" if isinstance(self.raw_schema, msgspec.UnsetType) else bytes(self.raw_schema)
        return _annotated(self.schema) if HEADER_KEY.encode() in raw else {}


class Toolbox(msgspec.Struct, frozen=True, weakref=True):
    """Upstream's tools, from its last list. An expired list still tells what the client was shown,
    but no longer what parameters a tool has."""

    tools: Mapping[str, UpstreamTool]
    catalogue: Catalogue
    listed: Sequence[bytes]  # the full list
    members: Mapping[str, bytes | msgspec.Raw]  # of the result that holds the list
    reader: str  # the name of the reader, which only a reader of upstream's may have too
    reader_tool: bytes
    own: Mapping[str, str]  # the names of `find_tools` and so on, by role
    explorer: Mapping[str, str]  # the names of the explorer's tools, by role
    programs: Mapping[str, str]  # the names of the tools that run programs, by role
    for_apps: frozenset[bytes] = frozenset()  # those of `listed` that are for apps alone
    expires: float | None = None

    @property
    def settings(self) -> dict[str, Mapping[str, Any]]:
        """The settings that decorators made for their tools."""
        marked = {name: tool.mark for name, tool in self.tools.items() if tool.mark is not None}
        return {name: mark.settings for name, mark in marked.items() if mark.settings}

    def is_current(self, now: float) -> bool:
        return self.expires is None or now < self.expires

    def until(self, expires: float | None) -> Toolbox:
        """Return the same tools, with another time at which the list expires."""
        return self if expires == self.expires else msgspec.structs.replace(self, expires=expires)

    def outdated(self) -> Toolbox:
        return self.until(-math.inf)

    @property
    def is_outdated(self) -> bool:
        """Return whether upstream has said that its list has changed."""
        return self.expires == -math.inf

    @property
    def has_inner_reader(self) -> bool:
        """Return whether our reader stands for upstream's too, which is then not listed."""
        return self.reader in self.tools

    def knows(self, name: str) -> bool:
        if name in self.tools:
            return True
        ours = (self.own, self.explorer, self.programs)
        return name == self.reader or any(name in names.values() for names in ours)

    def listed_to(self, *, has_apps: bool) -> list[bytes]:
        """Return the full list. Only a client that shows apps sees tools for apps alone."""
        return [tool for tool in self.listed if has_apps or tool not in self.for_apps]


class ToolsPage(msgspec.Struct, frozen=True):
    """One page of upstream's list."""

    members: Mapping[str, msgspec.Raw]
    tools: Sequence[msgspec.Raw]

    @property
    def next_cursor(self) -> str | None:
        return messages.text_of(self.members, "nextCursor")


_TOOLS: Final = msgspec.json.Decoder(list[msgspec.Raw])


def read_page(members: Mapping[str, msgspec.Raw]) -> ToolsPage | None:
    """Return a page, or None if a result with these members is not a list of tools."""
    try:
        return ToolsPage(members, _TOOLS.decode(members["tools"]))
    except KeyError:
        return None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        tools = rawjson.squeezed(bytes(members["tools"]))
        is_list = tools.startswith(b"[")
        return ToolsPage(members, [*map(msgspec.Raw, rawjson.elements(tools))]) if is_list else None


def read_list(
    pages: Sequence[ToolsPage],
    policy: Policy,
    now: float,
    *,
    is_modern: bool,
    pinned: PinnedNames,
    has_marks: bool = False,
    servers: Servers | None = None,
) -> Toolbox:
    """Put the pages of a list together. Leave out tools that have one of our `pinned` names.
    `has_marks`: the list comes from this process, where decorators leave marks in it. `servers`: the
    list joins those of several servers."""
    read: list[tuple[str, bytes, bytes]] = []  # name, as upstream wrote it, as a full list has it
    tools: dict[str, UpstreamTool] = {}
    for sent in (raw for page in pages for raw in page.tools):
        raw, marked = _unmarked(sent, policy) if has_marks else (sent, None)
        raw = _for_apps(raw, policy, marked)
        tool, told = _read_tool(raw, policy, marked)
        if tool is not None and pinned.hides(tool.name, tool):
            continue
        read.append(("" if tool is None else tool.name, bytes(raw), told))
        if tool is not None:
            tools[tool.name] = tool
    reader = pinned.name(READER) or (reader_name(tools) if has_marks else shared_name(tools))
    own = pinned.over(own_names(tools))
    read = [item for item in read if item[0] != reader]
    owners = {} if servers is None else _owners(servers, tools)
    described = [
        DescribedTool(name, raw, told=told, server=owners.get(name, ""))
        for name, raw, told in read
        if name
    ]
    for_apps = frozenset(tool.in_full for tool in described if tool.is_for_apps_alone)
    return Toolbox(
        tools,
        Catalogue(described, own),
        [told for _, _, told in read],
        _members(pages, _lifetimes(pages) if is_modern else []),
        reader,
        reader_tool(reader, policy),
        own,
        pinned.over(explorer_names(tools)),
        pinned.over(program_names(tools)),
        for_apps,
        expiry(pages, now),
    )


def _owners(servers: Servers, names: Iterable[str]) -> dict[str, str]:
    """Return the server of each tool, unless all tools are of one server."""
    found = {name: owner.name for name in names if (owner := servers.owner(name)) is not None}
    return found if len(set(found.values())) > 1 else {}


def expiry(pages: Sequence[ToolsPage], now: float) -> float | None:
    """Return when a list expires that was read at the time `now`. None means never."""
    known = _lifetimes(pages)
    return now + min(known) / 1_000 if known else None


def _members(
    pages: Sequence[ToolsPage], lifetimes: Sequence[int]
) -> dict[str, bytes | msgspec.Raw]:
    """Return the members of one page made of all, which lives as long as the shortest-lived."""
    members: dict[str, bytes | msgspec.Raw] = dict(pages[0].members)
    members.pop("nextCursor", None)
    if lifetimes:
        members["ttlMs"] = str(min(lifetimes)).encode()
        members["cacheScope"] = encode(_strictest(pages))
    return members


def _for_apps(raw: msgspec.Raw, policy: Policy, marked: _Marked | None) -> msgspec.Raw:
    """Return a tool. If a setting or a decorator keeps it for apps, write so into its `_meta`."""
    is_marked = marked is not None and marked.mark.is_for_apps
    if not is_marked and not policy.app_only:
        return raw
    members: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(raw))
    name = messages.decoded(members.get("name"))
    if not is_marked and not policy.keeps_for_apps(name):
        return raw
    meta = messages.decoded(members.get("_meta"))
    members["_meta"] = encode(visible_to("app", meta if isinstance(meta, dict) else {}))
    return msgspec.Raw(messages.object_from(members))


class _Marked(msgspec.Struct, frozen=True):
    """A decorator's mark, and the input schema that the tool had before it was decorated."""

    mark: Mark
    own: msgspec.Raw


def _unmarked(raw: msgspec.Raw, policy: Policy) -> tuple[msgspec.Raw, _Marked | None]:
    """Return a tool without its mark, and the mark. A tool that Penstock leaves alone also loses
    the parameters that its decorator added, because nothing will read them."""
    if marks.KEYWORD.encode() not in bytes(raw):
        return raw, None
    members: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(raw))
    given = rawjson.decode(members.get("inputSchema", b"{}"))
    mark = marks.find_mark(given) if isinstance(given, dict) else None
    if mark is None:
        return raw, None
    own = encode(marks.unmerged(given, mark))
    is_covered = policy.covers(messages.decoded(members.get("name"))) and not mark.is_for_apps
    members["inputSchema"] = encode(marks.without_mark(given)) if is_covered else own
    return msgspec.Raw(messages.object_from(members)), _Marked(mark, msgspec.Raw(own))


def _read_tool(
    raw: msgspec.Raw, policy: Policy, marked: _Marked | None = None
) -> tuple[UpstreamTool | None, bytes]:
    """Return a tool, and its bytes in a full list."""
    members = messages.members_of(raw)
    name = messages.text_of(members, "name")
    if not name:
        return None, bytes(raw)
    own = members.get("inputSchema", msgspec.UNSET) if marked is None else marked.own
    mark = None if marked is None else marked.mark
    output, ui = members.get("outputSchema"), _ui(members)
    if output is None or not policy.covers(name):
        return UpstreamTool(name, own, output is not None, mark, output, ui), bytes(raw)
    promised = rawjson.decode(output)
    widened = schema.widen_output_schema(promised) if isinstance(promised, dict) else None
    listed: dict[str, bytes | msgspec.Raw] = dict(members)
    if widened is None:
        del listed["outputSchema"]
    else:
        listed["outputSchema"] = encode(widened)
    return UpstreamTool(name, own, widened is not None, mark, output, ui), messages.object_from(
        listed
    )


def _ui(members: Mapping[str, msgspec.Raw]) -> Mapping[str, Any]:
    """Return the `ui` of a tool's `_meta`, including the key that the first hosts used."""
    raw = members.get("_meta")
    if raw is None or b'"ui' not in bytes(raw):
        return {}
    meta = messages.decoded(raw)
    if not isinstance(meta, dict):
        return {}
    ui = meta.get("ui")
    earlier = {"resourceUri": meta["ui/resourceUri"]} if "ui/resourceUri" in meta else {}
    return {**earlier, **(ui if isinstance(ui, dict) else {})}


def _lifetimes(pages: Sequence[ToolsPage]) -> list[int]:
    return [lifetime for lifetime in map(_lifetime, pages) if lifetime is not None]


def _lifetime(page: ToolsPage) -> int | None:
    """Return for how many milliseconds a page may be kept."""
    value = messages.decoded(page.members.get("ttlMs"))
    is_time = isinstance(value, int | float) and 0 <= value <= _LONGEST_LIFETIME
    return int(value) if is_time else None


def _strictest(pages: Sequence[ToolsPage]) -> str:
    scopes = {messages.text_of(page.members, "cacheScope") for page in pages}
    return next((scope for scope in _SCOPES if scope in scopes), _SCOPES[0])


def _annotated(root: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """Return the header of each property, at any depth, that carries `x-mcp-header`."""
    found: dict[tuple[str, ...], str] = {}
    pending: list[tuple[tuple[str, ...], Any]] = [((), root)]
    while pending:
        path, node = pending.pop()
        if not isinstance(node, Mapping):
            continue
        header = node.get(HEADER_KEY)
        if path and isinstance(header, str):
            found[path] = header
        properties = node.get("properties")
        if isinstance(properties, Mapping):
            pending.extend(((*path, name), below) for name, below in properties.items())
    return found
