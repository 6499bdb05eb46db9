"""The reply of `find_tools`: the best few tools, each with enough to choose and to call it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.search.effects import effect_of
from penstock.disclosure.search.index import Parameter, Searchable, SearchIndex
from penstock.disclosure.search.shared_parameters import SharedParameters
from penstock.disclosure.search.tool_card import ToolCard
from penstock.disclosure.texts import stems

MOST_FOUND: Final = 5
_DEPTHS: Final = (1, 0)  # the levels of keys that signatures show, the most first

Fits = Callable[[bytes], bool]
Told = Callable[[Sequence[ToolCard]], dict[str, Any]]


class Finder:
    """The search over one catalogue. It does not find tools for apps alone."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._cards = [ToolCard(tool) for tool in catalogue if not tool.is_for_apps_alone]
        self._index = SearchIndex([_searchable(card.tool) for card in self._cards])

    def found(self, query: str, fits: Fits, limit: int = MOST_FOUND) -> bytes:
        """Return as many of the best tools as fit, or else only the name of the first."""
        hits = [self._cards[hit.position] for hit in self._index.find(query, limit)]
        if not hits:
            return encode({"tools": [], "notice": "Nothing was found: try other words."})
        asked = frozenset(stems.in_question(query))
        tellings: list[Told] = [partial(_detailed, asked, depth) for depth in _DEPTHS]
        tellings.append(_briefly)
        for told in tellings:
            for count in range(len(hits), 0, -1):
                reply = encode(told(hits[:count]))
                if fits(reply):
                    return reply
        named = encode({"tools": [{"name": hits[0].tool.name}]})
        return named if fits(named) else encode({"tools": [], "notice": "Too long to be shown."})


def _detailed(asked: frozenset[str], depth: int, cards: Sequence[ToolCard]) -> dict[str, Any]:
    shared = SharedParameters.of([card.parameters(depth) for card in cards])
    told = [
        card.hit(asked, parameters=parameters)
        for card, parameters in zip(cards, shared.signatures, strict=True)
    ]
    return {"tools": told, **({"shared_parameters": shared.groups} if shared.groups else {})}


def _briefly(cards: Sequence[ToolCard]) -> dict[str, Any]:
    return {"tools": [card.hit(frozenset()) for card in cards]}


def _searchable(tool: DescribedTool) -> Searchable:
    return Searchable(
        tool.name,
        f"{tool.title} {tool.server}".strip(),  # an agent may name the server that it wants
        tool.description,
        tuple(_searched_parameters(tool)),
        effect_of(tool.name, tool.annotations),
    )


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
