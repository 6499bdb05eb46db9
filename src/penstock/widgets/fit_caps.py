"""The limit on the size of a payload.

Characters are counted as JavaScript counts them, in UTF-16 units, because the hosts that cap a
result and the widgets that read it are written in JavaScript. An emoji counts 2. The count is never
below the number of code points, so a host that counts code points has no more either. A number
counts with the longer of two spellings, ours and JavaScript's: a host may write the payload again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.core.budget import hosts
from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import Meter, char_count, default_meter
from penstock.core.json.js_numbers import growth, may_grow, respelled
from penstock.errors import InvalidSetting

# An empty payload takes 43 characters and the digits of two counts.
LEAST = 64

# UTF-8 takes at most three bytes for a UTF-16 unit: four bytes are two units.
_LONGEST_UNIT = 3
# The first byte of each character that is two UTF-16 units.
_LEADS_OF_PAIRS = bytes(range(0xF0, 0xF8))

_HOW_TO_GIVE = (
    f"Give a number of characters of at least {LEAST} (130_000), a Budget or its text "
    f'("130kch", "25000tok"), or the name of a host: {", ".join(sorted(hosts.PROFILES))}.'
)


def size_of(wire: bytes) -> int:
    """Return the most characters that a payload takes, as it is sent or as JavaScript writes it."""
    return utf16_units(wire) + growth(wire)


def utf16_units(wire: bytes) -> int:
    """Return the `length` that a text has in JavaScript."""
    if wire.isascii():
        return len(wire)
    pairs = len(wire) - len(wire.translate(None, _LEADS_OF_PAIRS))
    return char_count(wire) + pairs


@dataclass(frozen=True, slots=True)
class Cap:
    """A limit in characters, a budget, or both. Weights save most measurements."""

    units: int | None
    budget: Budget | None = None
    meter: Meter = field(default_factory=default_meter)

    @classmethod
    def of(cls, value: Any) -> Cap:
        """Read an author's setting: a number, a budget, or the name of a host.

        A host's cap is for the whole result. An author who sends more than the rows gives a number.
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
            self.budget is None
            or all(self.budget.admits(text, self.meter) for text in {wire, respelled(wire)})
        )

    def weigh(self, wire: bytes) -> int:
        """Return the weight of a text, which is the sum of the weights of its parts."""
        return self._length(wire) + growth(wire)

    def weigh_all(self, lines: Sequence[bytes]) -> list[int]:
        """Return the weight of each line. Most have no number that grows, which one look shows."""
        if may_grow(b"\n".join(lines)):
            return [self.weigh(line) for line in lines]
        return [self._length(line) for line in lines]

    def _length(self, wire: bytes) -> int:
        return len(wire) if self.units is None else utf16_units(wire)

    def may_admit(self, weight: int) -> bool:
        """Return False if every text of at least this weight exceeds the cap."""
        return (self.units is None or weight <= self.units) and (
            self.budget is None or self.budget.may_admit(weight)
        )

    def surely_admits(self, weight: int) -> bool:
        """Return True if every text of at most this weight fits the cap."""
        if self.budget is None:
            return self.units is None or weight <= self.units
        longest = 1 if self.units is None else _LONGEST_UNIT
        return self.budget.surely_admits(longest * weight)

    def __str__(self) -> str:
        return f"{self.units:,} characters" if self.budget is None else str(self.budget)


def _enough(units: int) -> int:
    if units < LEAST:
        why = f"must be at least {LEAST}: a payload without rows takes nearly as much."
        raise InvalidSetting("budget", units, why, next_step=_HOW_TO_GIVE)
    return units


def _named(text: str) -> Budget:
    """Return the budget of a text: its own if it begins with a digit, else a host's."""
    if text[:1].isdigit():
        return Budget.parse(text)
    try:
        return hosts.profile(text).ceiling
    except InvalidSetting:
        why = "neither a budget nor a known host."
        raise InvalidSetting("budget", text, why, next_step=_HOW_TO_GIVE) from None
