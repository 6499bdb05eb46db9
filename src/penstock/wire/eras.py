"""The two eras of MCP, as far as Penstock has to know them.

Legacy: a handshake (`initialize`), then requests. Modern (2026-07-28): no handshake; each request
carries its protocol version and the client's capabilities in `_meta`. Penstock never translates
between the eras. It learns which era upstream speaks, and acts as a server of that era.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock.wire import messages
from penstock.wire.messages import INVALID_PARAMS, UNSUPPORTED_VERSION

VERSION_META: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_META: Final = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_META: Final = "io.modelcontextprotocol/clientCapabilities"
SUBSCRIPTION_META: Final = "io.modelcontextprotocol/subscriptionId"
LEGACY_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MODERN_VERSIONS: Final = ("2026-07-28",)

SERVER_META: Final = "io.modelcontextprotocol/serverInfo"

COMPLETE: Final = {"resultType": "complete"}
_SHOWN: Final = 100


def meta_of(params: msgspec.Raw | bytes | msgspec.UnsetType) -> dict[str, msgspec.Raw]:
    return messages.members_of(messages.members_of(params).get("_meta", msgspec.UNSET))


def is_modern(params: msgspec.Raw | bytes | msgspec.UnsetType) -> bool:
    """Return whether a request names its protocol version. The byte search only saves time."""
    if isinstance(params, msgspec.UnsetType) or VERSION_META.encode() not in bytes(params):
        return False
    return VERSION_META in meta_of(params)


def envelope_fault(
    meta: Mapping[str, msgspec.Raw], versions: tuple[str, ...] | None = MODERN_VERSIONS
) -> bytes | None:
    """Return the error for a modern request with a bad `_meta`, or None. Penstock checks requests
    that it answers itself. If `versions` is None, any version passes: upstream judges it."""
    missing = [name for name in (VERSION_META, CAPABILITIES_META) if name not in meta]
    if missing:
        told = f"params._meta lacks {' and '.join(missing)}."
        return messages.error(INVALID_PARAMS, told)
    version = messages.decoded(meta[VERSION_META])
    if not isinstance(version, str):
        return messages.error(INVALID_PARAMS, f"{VERSION_META} must be text.")
    if versions is not None and version not in versions:
        return unsupported(version, versions)
    return None


def unsupported(requested: Any, supported: tuple[str, ...]) -> bytes:
    return messages.error(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version",
        {"supported": list(supported), "requested": str(requested)[:_SHOWN]},
    )


def own_params(meta: Mapping[str, msgspec.Raw], **members: bytes) -> bytes:
    """Return parameters for a request of Penstock's own, with the `meta` of the client's request.
    Leave out the progress token, because it names the client's request."""
    copied = {name: value for name, value in meta.items() if name != "progressToken"}
    parts: dict[str, bytes | msgspec.Raw] = dict(members)
    if copied:
        parts["_meta"] = messages.object_from(copied)
    return messages.object_from(parts)
