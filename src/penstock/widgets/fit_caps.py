"""What a payload may weigh.

Characters are counted as JavaScript counts them, in UTF-16 units: the hosts that cap a result are
written in it, and so are the widgets that read one. An emoji is 2. That is never less than the
number of code points, so whoever counts those is not exceeded either.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from penstock.core.budget import hosts
from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import Meter, char_count, default_meter
from penstock.errors import InvalidSetting

# An empty payload takes 43 characters and the digits of two counts, which this leaves room for.
LEAST = 64

# UTF-8 spends at most three bytes on a UTF-16 unit: four are for two of them.
_LONGEST_UNIT = 3
# The first byte of each character that is two UTF-16 units.
_LEADS_OF_PAIRS = bytes(range(0xF0, 0xF8))

_HOW_TO_GIVE = (
    f"Give a number of characters of at least {LEAST} (130_000), a Budget or its text "
    f'("130kch", "25000tok"), or the name of a host: {", ".join(sorted(hosts.PROFILES))}.'
)


def utf16_units(wire: bytes) -> int:
    """The `length` of a text in JavaScript."""
    if wire.isascii():
        return len(wire)
    pairs = len(wire) - len(wire.translate(None, _LEADS_OF_PAIRS))
    return char_count(wire) + pairs


@dataclass(frozen=True, slots=True)
class Cap:
    """Both limits hold, where they are set. Weights spare most measurements."""

    units: int | None
    budget: Budget | None = None
    meter: Meter = field(default_factory=default_meter)

    @classmethod
    def of(cls, value: Any) -> Cap:
        """From what an author writes: a number, a budget, or the name of a host.

        A host's cap is for the whole result: whoever sends more beside the rows gives a number.
        """
        if isinstance(value, int) and not isinstance(value, bool):
            return cls(_enough(value))
        if isinstance(value, str):
            value = _named(value.strip())
        if isinstance(value, Budget):
            return cls(value.chars, value)
        raise InvalidSetting("budget", value, "not a budget.", next_step=_HOW_TO_GIVE)

    def admits(self, wire: bytes) -> bool:
        return self.may_admit(self.weigh(wire)) and (
            self.budget is None or self.budget.admits(wire, self.meter)
        )

    def weigh(self, wire: bytes) -> int:
        """In the unit that settles most: parts of a text add up in it to the weight of the whole."""
        return len(wire) if self.units is None else utf16_units(wire)

    def may_admit(self, weight: int) -> bool:
        """False when a text of at least this weight is over for certain."""
        return (self.units is None or weight <= self.units) and (
            self.budget is None or self.budget.may_admit(weight)
        )

    def surely_admits(self, weight: int) -> bool:
        """True when a text of at most this weight is within for certain."""
        if self.budget is None:
            return self.units is None or weight <= self.units
        longest = 1 if self.units is None else _LONGEST_UNIT
        return self.budget.surely_admits(longest * weight)

    def __str__(self) -> str:
        return f"{self.units:,} characters" if self.budget is None else str(self.budget)


def _enough(units: int) -> int:
    if units < LEAST:
        why = f"must be at least {LEAST}: a payload without any row takes nearly as much."
        raise InvalidSetting("budget", units, why, next_step=_HOW_TO_GIVE)
    return units


def _named(text: str) -> Budget:
    """A budget begins with a digit, and no host does."""
    if text[:1].isdigit():
        return Budget.parse(text)
    try:
        return hosts.profile(text).ceiling
    except InvalidSetting:
        why = "neither a budget nor a known host."
        raise InvalidSetting("budget", text, why, next_step=_HOW_TO_GIVE) from None
