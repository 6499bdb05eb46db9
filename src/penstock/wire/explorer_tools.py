"""The tools of the result explorer, listed to clients that show apps: `show_result`, which the
model calls, and `browse_result`, which only the app calls."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from penstock.core.json.encoding import encode
from penstock.core.views.request import TOKEN_FIELD
from penstock.disclosure.names import free_name
from penstock.disclosure.visibility import visible_to
from penstock.explorer import URI

SHOW: Final = "show_result"
BROWSE: Final = "browse_result"
ROLES: Final = (SHOW, BROWSE)

_ABOUT: Final = (
    "Show a stored result to the user as a table that they can search, sort, chart and download, "
    "whatever its size. None of it enters this conversation. Use this when the user wants to see "
    f"the data itself. Give the {TOKEN_FIELD} of an earlier reply."
)
_READ_ONLY: Final = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}


def explorer_names(taken: Collection[str]) -> dict[str, str]:
    """Return, for each of the two tools, a name that no tool of the server has."""
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
            # Older hosts look for the second form.
            "_meta": {"ui": {"resourceUri": URI}, "ui/resourceUri": URI},
        }
    )


def browse_tool(name: str) -> bytes:
    from penstock.core.browsing.request import INPUT_SCHEMA

    return encode(
        {
            "name": name,
            "description": "For the result explorer: pages, sorting and charts of a stored result.",
            "inputSchema": INPUT_SCHEMA,
            "annotations": {"title": "Browse a stored result", **_READ_ONLY},
            "_meta": visible_to("app", {}),
        }
    )
