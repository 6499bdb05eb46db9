"""The reply of `find_tools`: the best few tools, each with enough to choose and to call it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.search_index import Parameter, Searchable, SearchIndex
from penstock.disclosure.shortening import clipped, first_sentence

MOST_FOUND: Final = 5
_SENTENCE_CHARS: Final = 240
_MOST_PARAMETERS: Final = 30
_MOST_CHOICES: Final = 12

Fits = Callable[[bytes], bool]


class Finder:
    """The search over one catalogue. It does not find tools for apps alone."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._tools = [tool for tool in catalogue if not tool.is_for_apps_alone]
        self._index = SearchIndex([_searchable(tool) for tool in self._tools])

    def found(self, query: str, fits: Fits) -> bytes:
        """Return as many of the best tools as fit, or else only the name of the first."""
        hits = [self._tools[hit.position] for hit in self._index.find(query, MOST_FOUND)]
        if not hits:
            return encode({"tools": [], "notice": "Nothing was found: try other words."})
        for detail in (_detailed, _brief):
            for count in range(len(hits), 0, -1):
                reply = encode({"tools": [detail(tool) for tool in hits[:count]]})
                if fits(reply):
                    return reply
        named = encode({"tools": [{"name": hits[0].name}]})
        return named if fits(named) else encode({"tools": [], "notice": "Too long to be shown."})


def _detailed(tool: DescribedTool) -> dict[str, Any]:
    return {**_brief(tool), "parameters": _parameters(tool)}


def _brief(tool: DescribedTool) -> dict[str, Any]:
    told = clipped(first_sentence(tool.description), _SENTENCE_CHARS)
    read_only = {"read_only": True} if tool.is_read_only else {}
    return {"name": tool.name, "description": told, **read_only}


def _parameters(tool: DescribedTool) -> dict[str, str]:
    """Return the type or the choices of each parameter. Required ones come first, with a star."""
    properties = tool.parameters
    required = [name for name in _names(tool.schema.get("required")) if name in properties]
    ordered = [*required, *(name for name in properties if name not in required)]
    shown = {
        name + ("*" if name in required else ""): _kind(properties[name])
        for name in ordered[:_MOST_PARAMETERS]
    }
    hidden = len(ordered) - len(shown)
    return {**shown, "…": f"{hidden} more"} if hidden else shown


def _kind(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "any"
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        some = "|".join(map(str, choices[:_MOST_CHOICES]))
        return some + ("|…" if len(choices) > _MOST_CHOICES else "")
    kind = schema.get("type")
    if isinstance(kind, list):
        return "|".join(str(name) for name in kind if name != "null")
    if isinstance(kind, str):
        return f"{_kind(schema['items'])}[]" if kind == "array" and "items" in schema else kind
    for union in ("anyOf", "oneOf"):
        branches = schema.get(union)
        if isinstance(branches, list):
            kinds = dict.fromkeys(_kind(branch) for branch in branches)
            return "|".join(kind for kind in kinds if kind != "null")
    return "any"


def _searchable(tool: DescribedTool) -> Searchable:
    return Searchable(tool.name, tool.title, tool.description, tuple(_searched_parameters(tool)))


def _searched_parameters(tool: DescribedTool) -> Iterator[Parameter]:
    for name, schema in tool.parameters.items():
        table = schema if isinstance(schema, Mapping) else {}
        described = table.get("description")
        choices = table.get("enum")
        yield Parameter(
            name,
            described if isinstance(described, str) else "",
            tuple(str(choice) for choice in choices) if isinstance(choices, list) else (),
        )


def _names(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
