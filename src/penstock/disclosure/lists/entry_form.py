"""Lists with an entry for each tool: `signatures`, `brief`, and those of `auto`.

No tool is dropped. If some tools do not say all that a call may need, `describe_tools` is listed too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.entries import Detail
from penstock.disclosure.lists.ladder import WORTH_TELLING, Ladder
from penstock.disclosure.lists.listing import Form, Listing, Terms
from penstock.disclosure.lists.own_tools import describe_tool
from penstock.disclosure.names import DESCRIBE

_NAMES: Final[Mapping[Detail, Form]] = {Detail.SIGNED: "signatures", Detail.BRIEF: "brief"}
# A host may show a model no instructions, so that the list has to explain its signatures.
_LEGEND: Final = " In descriptions, (a* b:int) are parameters: * required, no type a text."
_STEPS: Final[Mapping[str, Detail]] = {form: step for step, form in _NAMES.items()}


def same_for_all(catalogue: Catalogue, terms: Terms, form: str) -> Listing:
    """Return a list in the form that the settings ask for. If its fewest words are over the budget,
    it has these."""
    entries = _Entries(catalogue, terms)
    entries.ladder.stand_on(_STEPS[form])
    return entries.listing()


def as_rich_as_worth(catalogue: Catalogue, terms: Terms, full: Listing) -> Listing | None:
    """Return a list that says enough of every tool, and more where that costs little; None if not
    even signatures fit."""
    entries = _Entries(catalogue, terms)
    ladder = entries.ladder
    if not ladder.stand_on(Detail.SIGNED):
        return None
    room = WORTH_TELLING
    for step in (Detail.BARE, Detail.SHORT, Detail.LEAN):
        room = ladder.climb(step, room=room, only=terms.called)
    for step in (Detail.BARE, Detail.SHORT, Detail.LEAN, Detail.SLIM, Detail.FULL):
        room = ladder.climb(step, room=room)
    return full if entries.is_full else entries.listing()


class _Entries:
    """A list in the making: the tools that are always listed in full, and a ladder of the others."""

    def __init__(self, catalogue: Catalogue, terms: Terms) -> None:
        self._catalogue = catalogue
        self._terms = terms
        self._always = {
            tool.name: tool.in_full_unwidened for tool in catalogue if terms.is_always_full(tool)
        }
        others = [tool for tool in catalogue if tool.name not in self._always]
        self._own = {DESCRIBE: catalogue.own[DESCRIBE]}
        self.ladder = Ladder(others, self._fits)

    @property
    def is_full(self) -> bool:
        return all(step is Detail.FULL for step in self.ladder.steps.values())

    def listing(self) -> Listing:
        steps = self.ladder.steps
        in_full = {name for name, step in steps.items() if step.says_all}.union(self._always)
        own = {} if len(in_full) == len(self._catalogue) else self._own
        return Listing(self._form(), self._tools(), own, frozenset(in_full))

    def _form(self) -> Form:
        least = min(self.ladder.steps.values(), default=Detail.FULL)
        return _NAMES.get(least, "short")

    def _fits(self) -> bool:
        return self._terms.fits(self._tools())

    def _tools(self) -> list[bytes]:
        entries = self.ladder.entries() | self._always
        tools = [entries[tool.name] for tool in self._catalogue]
        steps = set(self.ladder.steps.values())
        if all(step.says_all for step in steps):
            return tools
        legend = _LEGEND if Detail.SIGNED in steps else ""
        has_programs = self._terms.has_programs
        return [*tools, describe_tool(self._own[DESCRIBE], legend, has_programs=has_programs)]
