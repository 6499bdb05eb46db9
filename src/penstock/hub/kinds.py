"""The kinds of lists that servers have, with the methods and keys of each."""

from __future__ import annotations

from typing import Final, Literal

Kind = Literal["tools", "prompts", "resources", "resourceTemplates"]
KINDS: Final[tuple[Kind, ...]] = ("tools", "prompts", "resources", "resourceTemplates")
LIST_METHOD: Final[dict[Kind, str]] = {
    "tools": "tools/list",
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
}
KIND_OF_METHOD: Final = {method: kind for kind, method in LIST_METHOD.items()}
# The capability that a server with such a list declares.
CAPABILITY: Final[dict[Kind, str]] = {
    "tools": "tools",
    "prompts": "prompts",
    "resources": "resources",
    "resourceTemplates": "resources",
}
# The member of an item by which clients name it.
NAMED_BY: Final[dict[Kind, str]] = {
    "tools": "name",
    "prompts": "name",
    "resources": "uri",
    "resourceTemplates": "uriTemplate",
}
# The notification that such a list has changed, and the name under which modern clients ask for it.
CHANGED: Final[dict[Kind, str]] = {
    "tools": "notifications/tools/list_changed",
    "prompts": "notifications/prompts/list_changed",
    "resources": "notifications/resources/list_changed",
    "resourceTemplates": "notifications/resources/list_changed",
}
LISTENED: Final = {
    "notifications/tools/list_changed": "toolsListChanged",
    "notifications/prompts/list_changed": "promptsListChanged",
    "notifications/resources/list_changed": "resourcesListChanged",
}


def kinds_changed_by(method: str) -> tuple[Kind, ...]:
    """Return the lists that a notification says have changed."""
    return tuple(kind for kind in KINDS if CHANGED[kind] == method)
