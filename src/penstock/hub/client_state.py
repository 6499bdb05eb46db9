"""The facts that the client of a hub gave about itself, for the greetings of servers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock._version import __version__
from penstock.core.json.encoding import encode
from penstock.hub.crossing import LOG_META, NEVER_CROSS
from penstock.wire import eras, messages

_OURS: Final = {"name": "penstock", "version": __version__}
_NOT_KEPT: Final = ("progressToken", LOG_META)


class ClientState:
    def __init__(self) -> None:
        self.era = ""
        self.version = ""  # that a legacy client asked for
        self.is_initialized = False  # a legacy client has said that it is ready
        self.log_level = ""  # that a legacy client has set
        self._info: bytes | msgspec.Raw = encode(_OURS)
        self._capabilities: bytes | msgspec.Raw = b"{}"
        self._params: bytes | msgspec.Raw = b""  # of the latest modern request
        self._meta: Mapping[str, bytes | msgspec.Raw] | None = None

    @property
    def is_modern(self) -> bool:
        return self.era == "modern"

    def note_greeting(self, params: Mapping[str, msgspec.Raw]) -> None:
        self.era, self._meta = "legacy", None
        self.version = messages.text_of(params, "protocolVersion") or eras.LEGACY_VERSIONS[0]
        self._info = params.get("clientInfo", self._info)
        self._capabilities = params.get("capabilities", self._capabilities)

    def note_modern(self, params: msgspec.Raw | bytes) -> None:
        """Note a modern request: each says all about the client."""
        self.era, self._params, self._meta = "modern", params, None

    def note_level(self, level: str) -> None:
        self.log_level, self._meta = level, None

    @property
    def wanted_level(self) -> str:
        """Return the log level that a legacy client has set, or the latest modern request, or ""."""
        if not self.is_modern:
            return self.log_level
        return messages.text_of(eras.meta_of(self._params), LOG_META) or ""

    def initialize_params(self) -> bytes:
        """Return what `initialize` tells a legacy server. Of a modern client's capabilities, only those
        that need no request to the client."""
        version = eras.LEGACY_VERSIONS[0] if self.is_modern else self.version
        meta = self.meta() if self.is_modern else {}
        info = meta.get(eras.CLIENT_META, self._info)
        able = _that_cross(meta[eras.CAPABILITIES_META]) if self.is_modern else self._capabilities
        return messages.object_from(
            {"protocolVersion": encode(version), "capabilities": able, "clientInfo": info}
        )

    def meta(self) -> Mapping[str, bytes | msgspec.Raw]:
        """Return the `_meta` of a modern request of Penstock's own."""
        if self._meta is None:
            self._meta = self._said() if self.is_modern else self._translated()
        return self._meta

    def _said(self) -> dict[str, bytes | msgspec.Raw]:
        said = eras.meta_of(self._params)
        kept: dict[str, bytes | msgspec.Raw] = {
            name: value for name, value in said.items() if name not in _NOT_KEPT
        }
        return {eras.CAPABILITIES_META: b"{}", **kept}

    def _translated(self) -> dict[str, bytes | msgspec.Raw]:
        return {
            eras.VERSION_META: encode(eras.MODERN_VERSIONS[0]),
            eras.CLIENT_META: self._info,
            eras.CAPABILITIES_META: _that_cross(self._capabilities),
            **({LOG_META: encode(self.log_level)} if self.log_level else {}),
        }


def _that_cross(capabilities: Any) -> bytes:
    able = messages.members_of(capabilities)
    return messages.object_from(
        {name: value for name, value in able.items() if name not in NEVER_CROSS}
    )
