"""The member `_meta.ui` of a tool, by which a host knows whether the model, apps or both may call it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

Audience = Literal["model", "app"]
_VISIBILITY: Final = "visibility"


def visible_to(audience: Audience, meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `_meta` of a tool, changed so that only this audience may call the tool."""
    return {**meta, "ui": {**_ui_of(meta), _VISIBILITY: [audience]}}


def is_of_apps(ui: Mapping[str, Any]) -> bool:
    """Return whether a tool has something to do with apps, given its `_meta.ui`."""
    return bool(ui) and ui != {_VISIBILITY: ["model"]}


def _ui_of(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    ui = meta.get("ui")
    return ui if isinstance(ui, Mapping) else {}
