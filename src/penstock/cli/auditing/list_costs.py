"""The cost of one server's list before and behind Penstock, and the sentence that tells it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec


class Balance(msgspec.Struct, frozen=True):
    """The tokens of a list without Penstock, and behind it with Penstock's instructions."""

    tools: int
    before: int
    after: int

    @property
    def saved(self) -> int:
        """The tokens that Penstock saves; negative if the list costs more behind it."""
        return self.before - self.after


class NotMeasured(msgspec.Struct, frozen=True):
    """The reason why a server's list has no cost, without secrets, and what to do about it."""

    why: str
    next_step: str
    is_left_to_host: bool = False  # only the host can start it, or it is switched off


Measured: TypeAlias = Balance | NotMeasured


def total(costs: Iterable[Measured]) -> Balance:
    """Return the sum of the lists that were measured."""
    known = [cost for cost in costs if isinstance(cost, Balance)]
    return Balance(
        sum(cost.tools for cost in known),
        sum(cost.before for cost in known),
        sum(cost.after for cost in known),
    )


def cost_told(cost: Measured) -> str:
    """Say what a list costs before and after, and whether wrapping the server pays."""
    if isinstance(cost, NotMeasured):
        return f"not measured: {cost.why} {cost.next_step}"
    sizes = f"{cost.before:,} tokens now, {cost.after:,} behind Penstock"
    if cost.saved > 0:
        return f"{sizes}: saves {cost.saved:,} ({cost.saved / cost.before:.0%})"
    more = f"costs {-cost.saved:,} tokens more" if cost.saved else "costs the same"
    return f"{sizes}: {more}; pays only if its results are large"
