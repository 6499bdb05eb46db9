"""The member `_meta.ui` of a tool, by which a host knows whether the model, apps or both may call it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode

Audience = Literal["model", "app"]
_VISIBILITY: Final = "visibility"


class _Named(msgspec.Struct):
    name: str


_NAMED: Final = msgspec.json.Decoder(_Named)


def visible_to(audience: Audience, meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `_meta` of a tool, changed so that only this audience may call the tool."""
    return {**meta, "ui": {**_ui_of(meta), _VISIBILITY: [audience]}}


def closed_to_apps(tools: Sequence[bytes], names: Collection[str]) -> list[bytes]:
    """Return a list of tools in which those of these names are for the model alone."""
    return [_closed(tool) if _name_of(tool) in names else tool for tool in tools]


def _name_of(tool: bytes) -> str:
    return _NAMED.decode(tool).name


def _closed(tool: bytes) -> bytes:
    members: dict[str, Any] = rawjson.decode(tool)
    return encode({**members, "_meta": visible_to("model", members.get("_meta", {}))})


def is_for_apps_alone(meta: Mapping[str, Any]) -> bool:
    """Return whether only apps may call a tool, given its `_meta`."""
    return _ui_of(meta).get(_VISIBILITY) == ["app"]


def is_of_apps(ui: Mapping[str, Any]) -> bool:
    """Return whether a tool has something to do with apps, given its `_meta.ui`."""
    return bool(ui) and ui != {_VISIBILITY: ["model"]}


def _ui_of(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    ui = meta.get("ui")
    return ui if isinstance(ui, Mapping) else {}
