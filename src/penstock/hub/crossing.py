"""Messages between a client and a server of different eras.

Lists, calls, prompts, resources, progress, cancellation and logging are translated. What has another
form in the other era (questions to the user or the model, tasks) gets an error that names the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.wire import eras, messages
from penstock.wire.messages import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND

LOG_META: Final = "io.modelcontextprotocol/logLevel"
# Capabilities of clients by which servers ask something of them.
NEVER_CROSS: Final = ("sampling", "elicitation", "roots", "tasks")
_MODERN_META: Final = (eras.VERSION_META, eras.CLIENT_META, eras.CAPABILITIES_META, LOG_META)
_MODERN_MEMBERS: Final = ("resultType", "ttlMs", "cacheScope")
# The levels of log messages, the least grave first.
LOG_LEVELS: Final = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
_CACHEABLE: Final = ("resources/read",)

Members = Mapping[str, bytes | msgspec.Raw]


def params_to_legacy(params: Members) -> dict[str, bytes | msgspec.Raw]:
    """Return a modern request's parameters for a legacy server."""
    return _without_meta(params, _MODERN_META)


def params_to_modern(params: Members, meta: Members) -> dict[str, bytes | msgspec.Raw]:
    """Return a legacy request's parameters for a modern server, with the `meta` of the client."""
    own = messages.members_of(params.get("_meta", b"{}"))
    return {**params, "_meta": messages.object_from({**own, **meta})}


def tool_to_legacy(tool: Members) -> dict[str, bytes | msgspec.Raw]:
    """Return a modern server's tool for a legacy client, which refuses a whole list if results of one
    tool may be anything but objects."""
    schema = messages.members_of(tool.get("outputSchema", b"{}"))
    is_object = messages.text_of(schema, "type") == "object"
    return {name: raw for name, raw in tool.items() if name != "outputSchema" or is_object}


def result_to_legacy(key: bytes, members: Members, method: str, server: str) -> bytes:
    """Return a modern server's result for a legacy client."""
    kind = messages.decoded(members.get("resultType"))
    if kind not in (None, "complete"):
        told = cannot_cross(server, "wants to ask the user or the model something")
        if method == "tools/call":
            text = [{"type": "text", "text": told}]
            return messages.response(key, encode({"content": text, "isError": True}))
        return messages.failure(key, INTERNAL_ERROR, told)
    kept = {name: value for name, value in members.items() if name not in _MODERN_MEMBERS}
    structured = kept.get("structuredContent")
    if structured is not None and not bytes(structured).lstrip().startswith(b"{"):
        kept["structuredContent"] = messages.object_from({"result": structured})
    return messages.response(key, messages.object_from(_without_meta(kept, (eras.SERVER_META,))))


def result_to_modern(key: bytes, members: Members, method: str) -> bytes:
    """Return a legacy server's result for a modern client."""
    lasting = {"ttlMs": b"0", "cacheScope": b'"private"'} if method in _CACHEABLE else {}
    told = {"resultType": encode("complete"), **lasting, **members}
    return messages.response(key, messages.object_from(told))


def error_across(key: bytes, raw: msgspec.Raw, method: str, *, is_modern: bool) -> bytes:
    """Return an error in the client's era. A missing resource has another code in each."""
    codes = (RESOURCE_NOT_FOUND, INVALID_PARAMS)
    before, after = codes if is_modern else reversed(codes)
    members: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(raw))
    if method == "resources/read" and messages.decoded(members.get("code")) == before:
        members["code"] = encode(after)
    return messages.error_response(key, messages.object_from(members))


def cannot_cross(server: str, does: str) -> str:
    return (
        f"The server {server!r} {does} in the way of another revision of MCP than the client's, "
        "which Penstock cannot translate. Run this server without the others, or use a client that "
        "speaks the server's revision."
    )


def _without_meta(members: Members, names: tuple[str, ...]) -> dict[str, bytes | msgspec.Raw]:
    if "_meta" not in members:
        return dict(members)
    meta = messages.members_of(members["_meta"])
    kept = {name: value for name, value in meta.items() if name not in names}
    others = {name: value for name, value in members.items() if name != "_meta"}
    return {**others, "_meta": messages.object_from(kept)} if kept else others
