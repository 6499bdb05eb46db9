"""The largest reply that is within the budget, found by measuring the reply itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import Meter, line_count, measure
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.reply import ORDINARY, Reply, Showing
from penstock.core.model.values import Frame, Refusal

# A probe and a summary must be cheap under any budget.
PROBE_BYTES = 2_000
SUMMARY_TOKENS = 2_000
_LITTLE = 5  # a fifth
_REFUSAL_CHARS = (10_000, 300, 150, 80, 40, 20)


@dataclass(frozen=True, slots=True)
class ReplyScale:
    """The scale that replies are weighed on: the budget, the frame, and the counter of tokens."""

    budget: Budget
    frame: Frame
    meter: Meter
    showing: Showing = ORDINARY
    uncapped: Budget | None = None  # the budget, where `budget` was capped
    is_error: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)
    attachments: Sequence[Mapping[str, Any]] = ()

    @property
    def room(self) -> int:
        """The approximate bytes for an envelope. Use it to divide space, never to decide a fit."""
        limits = (
            self.budget.bytes,
            self.budget.chars,
            self.budget.tokens and int(2 * self.budget.tokens / self.budget.safety),
        )
        smallest = min((limit for limit in limits if limit), default=1_000)
        return int(smallest / 2.2) if self._counts_twice else smallest

    @property
    def _counts_twice(self) -> bool:
        """Return whether an envelope counts as text and once more as structured content."""
        return self.frame.structured and self.showing.both

    def reply(self, envelope: Any) -> Reply:
        """Return a reply with this envelope, a dict that may hold `msgspec.Raw`."""
        payload = encode(envelope)
        structured = payload if self.frame.structured else None
        return Reply(
            payload,
            structured=structured,
            repeated=(0,),
            frame=self.frame,
            is_error=self.is_error,
            meta=self.meta,
            attachments=self.attachments,
        )

    def refusal(self, refusal: Refusal) -> Reply:
        """Return a reply with this refusal, shortened until it is within the budget."""
        scale = replace(self, is_error=True)
        forms = [
            {"error": clip(refusal.error, chars), "next_step": clip(refusal.next_step, chars)}
            for chars in _REFUSAL_CHARS
        ]
        return scale.first_fit(forms) or scale.reply(forms[-1])

    def admits(self, reply: Reply) -> bool:
        """Return whether what a model sees is within the budget, and the wire within twice that."""
        forms = reply.shown(self.showing)
        if not all(self.budget.admits(form, self.meter) for form in forms):
            return False
        is_everything = len(forms) == 1 and not self.showing.hides_user_blocks
        most = (self.uncapped or self.budget).doubled
        return is_everything or most.admits(reply.everything, self.meter)

    def weight(self, reply: Reply) -> int:
        """Return the bytes of the largest form in which a host shows a reply."""
        return max(map(len, reply.shown(self.showing)))

    def lightest(self, envelopes: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the envelope that takes the fewest bytes, or the first of several such."""
        if len(envelopes) == 1:
            return envelopes[0]
        return min(envelopes, key=lambda envelope: self.weight(self.reply(envelope)))

    def holds(self, envelope: Any) -> bool:
        return self.admits(self.reply(envelope))

    def takes_little(self, value: Any) -> bool:
        """Return whether a value beside the rows leaves most of the budget to the rows."""
        payload = encode(value)
        wire = rawjson.string(rawjson.text(payload)) + (payload if self._counts_twice else b"")
        if self.budget.surely_admits(_LITTLE * len(wire)):
            return True  # nearly always, without counting or loading the vocabulary
        size, budget = measure(wire, self.meter), self.budget
        # In text, an escaped newline is escaped once more, and shows no line. In structured content
        # it does.
        lines = max(size.lines, line_count(payload) if self.frame.structured else 1)
        pairs = (
            (size.bytes, budget.bytes),
            (size.chars, budget.chars),
            (size.tokens, budget.token_allowance),
            (lines - 1, None if budget.lines is None else budget.lines - 1),
        )
        return all(limit is None or _LITTLE * taken <= limit for taken, limit in pairs)

    def capped(self, **limits: int) -> ReplyScale:
        uncapped = self.uncapped or self.budget
        return replace(self, budget=self.budget.capped(**limits), uncapped=uncapped)

    def first_fit(self, envelopes: Iterable[Any]) -> Reply | None:
        """Return a reply with the first envelope that fits. The richest must come first."""
        replies = (self.reply(envelope) for envelope in envelopes)
        return next((reply for reply in replies if self.admits(reply)), None)

    def most(self, sizes: Iterable[int], build: Callable[[int], Any]) -> Reply | None:
        """Return the reply that shows the most things of these sizes, or None if not one fits.

        `build(n)` is the envelope with the first n of them.
        """
        totals = list(accumulate(sizes))
        upper = largest(len(totals), lambda count: self.budget.may_admit(totals[count - 1]))
        return self.fullest(upper, build)

    def fullest(self, upper: int, build: Callable[[int], Any]) -> Reply | None:
        """Return the reply with the largest `build(n)` that fits, n from 1 to `upper`."""
        best: Reply | None = None

        def fits(count: int) -> bool:
            nonlocal best
            reply = self.reply(build(count))
            if self.admits(reply):
                best = reply  # `largest` tries a larger number after each that fits
                return True
            return False

        largest(upper, fits)
        return best


def largest(upper: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `upper` that fits, or 0. Any smaller number must fit too."""
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


def clip(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters, with a mark at the cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
