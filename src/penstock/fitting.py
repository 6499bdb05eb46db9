"""The largest reply that is within the budget, found by measuring the reply itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from penstock.budget import Budget
from penstock.encoding import encode
from penstock.measure import Meter
from penstock.model import Frame, Reply

# Whatever the budget, these two are there to be cheap.
PROBE_BYTES = 2_000
SUMMARY_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class Scale:
    """What a reply is weighed with: the budget, the frame it goes in, the counter of tokens."""

    budget: Budget
    frame: Frame
    meter: Meter

    @property
    def room(self) -> int:
        """Roughly the bytes that an envelope may have: to share out, never to decide by."""
        limits = (
            self.budget.bytes,
            self.budget.chars,
            self.budget.tokens and int(2 * self.budget.tokens / self.budget.safety),
        )
        smallest = min((limit for limit in limits if limit), default=1_000)
        return int(smallest / 2.2) if self.frame.structured else smallest

    def reply(self, envelope: Any) -> Reply:
        """A reply that carries this envelope, a dict that may hold `msgspec.Raw`."""
        payload = encode(envelope)
        structured = payload if self.frame.structured else None
        return Reply(payload, structured=structured, frame=self.frame)

    def admits(self, reply: Reply) -> bool:
        return self.budget.admits(reply.wire(measured=True), self.meter)

    def holds(self, envelope: Any) -> bool:
        return self.admits(self.reply(envelope))

    def capped(self, **limits: int) -> Scale:
        return replace(self, budget=self.budget.capped(**limits))

    def first_fit(self, envelopes: Iterable[Any]) -> Reply | None:
        """The first of some envelopes, the richest first, that is within the budget."""
        replies = (self.reply(envelope) for envelope in envelopes)
        return next((reply for reply in replies if self.admits(reply)), None)

    def most(self, sizes: Iterable[int], build: Callable[[int], Any]) -> int:
        """How many of the things of these sizes fit, at least none: `build(n)` shows n of them."""
        totals = list(accumulate(sizes))
        upper = sum(1 for total in totals if self.budget.may_admit(total))
        return largest(upper, lambda count: self.holds(build(count)))


def largest(upper: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `upper` that fits, or 0. Fewer must fit where more do."""
    if upper <= 0 or fits(upper):
        return max(upper, 0)
    fitting, too_many = 0, upper
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        if fits(middle):
            fitting = middle
        else:
            too_many = middle
    return fitting
