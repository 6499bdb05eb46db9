"""The URIs of a server's resources inside its messages, as the client knows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.wire import messages

Rename = Callable[[str], str]
# The members of a result that hold blocks with URIs.
_BLOCKS: Final = ("content", "contents", "messages")
_URI: Final = re.compile(rb'"uri"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")')
_LINK: Final = b'"resource_link"'
_MOST_LINKS: Final = 1_000


class _Block(msgspec.Struct, frozen=True):
    type: str = ""
    uri: str = ""


_CONTENT: Final = msgspec.json.Decoder(list[_Block])


def mentions(line: bytes, uris: Collection[str]) -> bool:
    """Return whether a message may hold one of these URIs. This takes one pass, however many they
    are, because a server may list very many."""
    return any(messages.decoded(found) in uris for found in _URI.findall(line))


def links_in(line: bytes, result: Mapping[str, msgspec.Raw]) -> list[str]:
    """Return the URIs of the resources that a result offers. The byte search only saves time."""
    if _LINK not in line or "content" not in result:
        return []
    try:
        blocks = _CONTENT.decode(result["content"])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    return [block.uri for block in blocks if block.type == "resource_link"][:_MOST_LINKS]


def result_renamed(
    members: Mapping[str, msgspec.Raw], rename: Rename
) -> dict[str, bytes | msgspec.Raw]:
    """Return a result whose blocks have other URIs."""
    told: dict[str, bytes | msgspec.Raw] = dict(members)
    for name in _BLOCKS:
        if name in members:
            told[name] = encode(_renamed(messages.decoded(members[name]), rename))
    return told


def _renamed(value: Any, rename: Rename) -> Any:
    """Rename the URIs of blocks, of resources inside blocks, and of blocks inside messages."""
    if isinstance(value, list):
        return [_renamed(item, rename) for item in value]
    if not isinstance(value, dict):
        return value
    told = {
        name: _renamed(inner, rename) if name in ("resource", "content") else inner
        for name, inner in value.items()
    }
    uri = told.get("uri")
    return {**told, "uri": rename(uri)} if isinstance(uri, str) else told


def widget_of(tool: Mapping[str, msgspec.Raw]) -> str | None:
    """Return the URI of the page that shows a tool's results."""
    if "_meta" not in tool or b"resourceUri" not in bytes(tool["_meta"]):
        return None
    ui = messages.decoded(messages.members_of(tool["_meta"]).get("ui"))
    uri = ui.get("resourceUri") if isinstance(ui, dict) else None
    return uri if isinstance(uri, str) else None


def with_widget(
    tool: Mapping[str, bytes | msgspec.Raw], uri: str
) -> dict[str, bytes | msgspec.Raw]:
    """Return a tool with another URI for the page that shows its results."""
    meta = messages.decoded(tool["_meta"])
    meta["ui"]["resourceUri"] = uri
    if "ui/resourceUri" in meta:
        meta["ui/resourceUri"] = uri
    return {**tool, "_meta": encode(meta)}
