"""The tools of the result explorer, as clients that show apps see them listed: `show_result`, and
`browse_result`, which the app calls and the model never sees."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.core.views.request import TOKEN_FIELD
from penstock.disclosure.names import free_name
from penstock.explorer import URI

SHOW: Final = "show_result"
BROWSE: Final = "browse_result"
ROLES: Final = (SHOW, BROWSE)

_ABOUT: Final = (
    "Show a stored result to the person: a table that they can search, sort, chart and download, "
    "whatever its size. Nothing of it enters this conversation. For when they want to look at the data "
    f"themselves, or want all of it. Give the {TOKEN_FIELD} of an earlier reply."
)
_READ_ONLY: Final = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}


def explorer_names(taken: Collection[str]) -> dict[str, str]:
    """What each is called, where a server may have a tool of that name."""
    return {role: free_name(role, taken) for role in ROLES}


def show_tool(name: str) -> bytes:
    return encode(
        {
            "name": name,
            "description": _ABOUT,
            "inputSchema": {
                "type": "object",
                "properties": {TOKEN_FIELD: {"type": "string"}},
                "required": [TOKEN_FIELD],
                "additionalProperties": False,
            },
            "annotations": {"title": "Show a stored result", **_READ_ONLY},
            # The second is what hosts looked for before the first was there.
            "_meta": {"ui": {"resourceUri": URI}, "ui/resourceUri": URI},
        }
    )


def browse_tool(name: str) -> bytes:
    from penstock.core.browsing.request import INPUT_SCHEMA

    return encode(
        {
            "name": name,
            "description": "For the result explorer: a page, an order or a chart of a stored result.",
            "inputSchema": INPUT_SCHEMA,
            "annotations": {"title": "Browse a stored result", **_READ_ONLY},
            "_meta": app_only_meta({}),
        }
    )


def app_only_meta(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The `_meta` of a tool that only an app may call."""
    ui = meta.get("ui")
    return {**meta, "ui": {**(ui if isinstance(ui, Mapping) else {}), "visibility": ["app"]}}
