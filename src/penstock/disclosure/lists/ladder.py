"""The choice of an entry for each tool, so that a list tells as much as its tokens are worth.

A list is paid for in every conversation, and a description only when an agent asks for it. So a list
starts with the fewest words that say enough: a sentence and the parameters of each tool. It tells
more only while that costs less than asking for a few descriptions would.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import accumulate
from typing import Final

from penstock.core.budget.fitting import largest
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.lists.entries import Detail, entry
from penstock.disclosure.lists.host_parts import counted_tool
from penstock.disclosure.lists.leads import LEAST_WORDS, Leads
from penstock.disclosure.lists.listing import ESTIMATE

# The cost of about two descriptions on demand, by the estimate: some 300 tokens of o200k.
WORTH_TELLING: Final = 400


class Ladder:
    """The tools of a list, each at a step that says how much its entry tells."""

    def __init__(
        self,
        tools: Sequence[DescribedTool],
        fits: Callable[[], bool],  # whether the list fits with the present steps
    ) -> None:
        self._tools = tools
        self._fits = fits
        self._leads = Leads(tools)
        self._words = LEAST_WORDS  # of each lead, at most
        self.steps: dict[str, Detail] = {}
        self._made: dict[tuple[str, Detail], bytes] = {}

    def stand_on(self, step: Detail) -> bool:
        """Put every tool on this step, with as many words of the leads as fit. Return whether at
        least the fewest words fit."""
        self.steps = {tool.name: step for tool in self._tools}
        longest = max(self._leads.longest, LEAST_WORDS)
        more = largest(longest - LEAST_WORDS, lambda more: self._fits_with(LEAST_WORDS + more))
        return self._fits_with(LEAST_WORDS + more)

    def climb(self, to: Detail, *, room: int, only: Collection[str] | None = None) -> int:
        """Move as many tools as fit up to this step, the cheapest first, for at most `room` tokens.
        Return the tokens that are left."""
        below = [
            tool
            for tool in self._tools
            if self.steps[tool.name] == to - 1 and (only is None or tool.name in only)
        ]
        extra = {
            tool.name: self._cost(tool, to) - self._cost(tool, Detail(to - 1)) for tool in below
        }
        names = sorted(extra, key=lambda name: extra[name])
        costs = [0, *accumulate(extra[name] for name in names)]
        before = dict(self.steps)

        def holds(count: int) -> bool:
            if costs[count] > room:
                return False
            self.steps = {**before, **dict.fromkeys(names[:count], to)}
            return self._fits()

        count = largest(len(names), holds)
        self.steps = {**before, **dict.fromkeys(names[:count], to)}
        return room - costs[count]

    def entries(self) -> dict[str, bytes]:
        return {tool.name: self._entry(tool, self.steps[tool.name]) for tool in self._tools}

    def _fits_with(self, words: int) -> bool:
        self._words = words
        self._made.clear()
        return self._fits()

    def _entry(self, tool: DescribedTool, step: Detail) -> bytes:
        key = tool.name, step
        if key not in self._made:
            self._made[key] = entry(tool, step, self._leads.of(tool, self._words))
        return self._made[key]

    def _cost(self, tool: DescribedTool, step: Detail) -> int:
        return ESTIMATE.count(counted_tool(self._entry(tool, step)).decode())
