"""The URIs of a server's resources inside its messages, as the client knows them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.wire import messages

# The members of a result that hold blocks with URIs.
_BLOCKS: Final = ("content", "contents", "messages")
_INNER: Final = ("resource", "content")
_DEEPEST: Final = 6  # a list, a message, its list, a block, its resource
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
    members: Mapping[str, msgspec.Raw], renamed: Mapping[str, str]
) -> dict[str, bytes | msgspec.Raw]:
    """Return a result whose blocks have other URIs. Everything else stays the same bytes."""
    return {
        name: _renamed(value, renamed) if name in _BLOCKS else value
        for name, value in members.items()
    }


def _renamed(value: msgspec.Raw, renamed: Mapping[str, str], depth: int = 0) -> bytes | msgspec.Raw:
    """Rename the URIs of blocks, of resources inside blocks, and of blocks inside messages."""
    if depth > _DEEPEST:
        return value
    items = messages.items_of(value)
    if items is not None:
        told = (bytes(_renamed(item, renamed, depth + 1)) for item in items)
        return b"[" + b",".join(told) + b"]"
    members = messages.members_of(value)
    if not members:
        return value
    made: dict[str, bytes | msgspec.Raw] = {
        name: _renamed(inner, renamed, depth + 1) if name in _INNER else inner
        for name, inner in members.items()
    }
    uri = messages.text_of(members, "uri")
    if uri is not None and uri in renamed:
        made["uri"] = rawjson.string(renamed[uri])
    return messages.object_from(made)


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
