"""Budgets: limits on the size of a reply.

A reply must keep every limit of its `Budget`. The cheapest check comes first, and most texts that
are far too large fail by their length alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

from penstock.core.budget.measure import LONGEST_TOKEN, Meter, char_count, lines_exceed
from penstock.errors import InvalidSetting

# `Budget` has a field called bytes, which would hide the type inside the class.
Wire: TypeAlias = bytes

# The most bytes that UTF-8 takes for one character.
_LONGEST_CHAR = 4

_MINIMUM: Final = MappingProxyType({"bytes": 1_000, "chars": 1_000, "tokens": 500, "lines": 1})
# With a larger factor, the 2,000 tokens of a summary would be below the minimum of a budget.
_MOST_SAFETY = 4

# The field and the factor of each unit. Case is ignored, because no two units differ only in case.
_UNITS: Final = MappingProxyType(
    {
        "": ("bytes", 1),
        "b": ("bytes", 1),
        "kb": ("bytes", 1_000),
        "kib": ("bytes", 1_024),
        "mb": ("bytes", 1_000_000),
        "mib": ("bytes", 1_048_576),
        "ch": ("chars", 1),
        "char": ("chars", 1),
        "chars": ("chars", 1),
        "kch": ("chars", 1_000),
        "tok": ("tokens", 1),
        "token": ("tokens", 1),
        "tokens": ("tokens", 1),
        "ktok": ("tokens", 1_000),
        "line": ("lines", 1),
        "lines": ("lines", 1),
    }
)
_WRITTEN_UNIT: Final = MappingProxyType(
    {"bytes": "B", "chars": "ch", "tokens": "tok", "lines": "lines"}
)
_HOW_TO_WRITE = (
    "Write a number and a unit (B, kB, KiB, MB, MiB, ch, kch, tok, ktok, lines), several joined "
    "with +, for example 25kB, 8000tok or 10KiB+256lines."
)

# A comma must separate groups of three digits: in much of the world, 1,5kB means one and a half.
_LIMIT = r"(?ai)(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*)(?:\.\d+)?)\s*(?P<unit>[a-z]*)(?:[+\s]+(?=\d)|$)"
_SAFETY = r"(?a)\*\s*(\d+(?:\.\d+)?)$"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of a reply, which must keep every limit that is set."""

    bytes: int | None = None
    chars: int | None = None
    tokens: int | None = None
    lines: int | None = None
    # A factor on counted tokens: the model behind a host may use another vocabulary than the meter.
    safety: float = 1.0

    def __post_init__(self) -> None:
        if not self._limits():
            raise InvalidSetting("budget", None, "no limit is set.", next_step=_HOW_TO_WRITE)
        for unit, limit in self._limits().items():
            _check_limit(unit, limit)
        _check_safety(self.safety)
        if self.safety != 1 and self.tokens is None:
            why = "applies to tokens, but no token limit is set."
            raise InvalidSetting("budget.safety", self.safety, why)
        if set(self._limits()) == {"lines"}:
            why = "needs another limit too: a line can have any length."
            raise InvalidSetting("budget", f"{self.lines}lines", why, next_step=_HOW_TO_WRITE)
        if self.token_allowance is not None and self.token_allowance < _MINIMUM["tokens"]:
            least = f"must be at least {_MINIMUM['tokens']} after the safety factor {self.safety}."
            raise InvalidSetting("budget.tokens", self.tokens, least)

    @classmethod
    def parse(cls, value: object) -> Budget:
        """Read a budget from a setting: `10kB`, `8000tok`, `10KiB+256lines`, 25000."""
        if isinstance(value, Budget):
            return value
        if isinstance(value, str):
            return _parse_text(value.strip())
        if isinstance(value, int) and not isinstance(value, bool):
            return cls(bytes=value)
        raise InvalidSetting("budget", value, "not a budget.", next_step=_HOW_TO_WRITE)

    def __str__(self) -> str:
        limits = "+".join(f"{n}{_WRITTEN_UNIT[unit]}" for unit, n in self._limits().items())
        return limits if self.safety == 1 else f"{limits}*{float(self.safety)!r}"

    def admits(self, wire: Wire, meter: Meter) -> bool:
        """Return whether this text keeps every limit."""
        return (
            self.may_admit(len(wire))
            and self._chars_fit(wire)
            and self._lines_fit(wire)
            and self._tokens_fit(wire, meter)
        )

    def may_admit(self, byte_count: int) -> bool:
        """Return False if every text of this many bytes is over the budget."""
        most = self._most_bytes()
        return most is None or byte_count <= most

    def surely_admits(self, byte_count: int) -> bool:
        """Return True if every text of at most this many bytes is within the budget: a character, a
        token and half the escape of a newline take at least one byte each."""
        limits = (self.bytes, self.chars, self.token_allowance)
        fits = all(limit is None or byte_count <= limit for limit in limits)
        return fits and (self.lines is None or byte_count // 2 < self.lines)

    def capped(
        self,
        *,
        bytes: int | None = None,  # noqa: A002  (the unit's name, as in the constructor)
        chars: int | None = None,
        tokens: int | None = None,
        lines: int | None = None,
    ) -> Budget:
        """Return a budget with the smaller limit of each unit: this budget's, or the given one."""
        return replace(
            self,
            bytes=_tighter(self.bytes, bytes),
            chars=_tighter(self.chars, chars),
            tokens=_tighter(self.tokens, tokens),
            lines=_tighter(self.lines, lines),
        )

    @property
    def doubled(self) -> Budget:
        """Twice this budget: the most that the wire carries, if content and structured content
        repeat each other or the host hides a part from the model."""
        return replace(self, **{unit: 2 * limit for unit, limit in self._limits().items()})

    @property
    def token_allowance(self) -> int | None:
        """The counted tokens that fit: the limit divided by the safety factor."""
        return None if self.tokens is None else int(self.tokens / self.safety)

    def _limits(self) -> dict[str, int]:
        limits = {
            "bytes": self.bytes,
            "chars": self.chars,
            "tokens": self.tokens,
            "lines": self.lines,
        }
        return {unit: limit for unit, limit in limits.items() if limit is not None}

    def _most_bytes(self) -> int | None:
        allowance = self.token_allowance
        most = _tighter(self.bytes, _times(self.chars, _LONGEST_CHAR))
        return _tighter(most, _times(allowance, LONGEST_TOKEN))

    def _chars_fit(self, wire: Wire) -> bool:
        # A text has at most as many characters as bytes, so most texts need no counting.
        return self.chars is None or len(wire) <= self.chars or char_count(wire) <= self.chars

    def _lines_fit(self, wire: Wire) -> bool:
        # Each line after the first takes an escape of two bytes.
        if self.lines is None or len(wire) < 2 * self.lines:
            return True
        return not lines_exceed(wire, self.lines)

    def _tokens_fit(self, wire: Wire, meter: Meter) -> bool:
        allowance = self.token_allowance
        if allowance is None:
            return True
        return not meter.exceeds(wire.decode(errors="replace"), allowance)


def _check_limit(unit: str, limit: object) -> None:
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise InvalidSetting(f"budget.{unit}", limit, "must be a whole number.")
    if limit < _MINIMUM[unit]:
        raise InvalidSetting(f"budget.{unit}", limit, f"must be at least {_MINIMUM[unit]} {unit}.")


def _check_safety(safety: object) -> None:
    if (
        isinstance(safety, bool)
        or not isinstance(safety, int | float)
        or not 1 <= safety <= _MOST_SAFETY
    ):
        raise InvalidSetting("budget.safety", safety, f"must be a number from 1 to {_MOST_SAFETY}.")


def _tighter(one: int | None, other: int | None) -> int | None:
    limits = [limit for limit in (one, other) if limit is not None]
    return min(limits, default=None)


def _times(limit: int | None, factor: int) -> int | None:
    return None if limit is None else limit * factor


def _parse_text(text: str) -> Budget:
    safety = re.search(_SAFETY, text)
    limits = text[: safety.start()].rstrip() if safety else text
    return Budget(**_parse_limits(limits), safety=float(safety[1]) if safety else 1.0)


def _parse_limits(text: str) -> dict[str, int]:
    limits: dict[str, int] = {}
    position = 0
    while position < len(text) or not limits:
        match = re.compile(_LIMIT).match(text, position)
        if match is None:
            raise _unreadable(text, "no number with a unit was found.")
        unit, limit = _parse_limit(text, match)
        if unit in limits:
            raise _unreadable(text, f"{unit} are limited twice.")
        limits[unit] = limit
        position = match.end()
    return limits


def _parse_limit(text: str, match: re.Match[str]) -> tuple[str, int]:
    if match["unit"].lower() not in _UNITS:
        raise _unreadable(text, f"unknown unit {match['unit']!r}.")
    from fractions import Fraction

    unit, multiple = _UNITS[match["unit"].lower()]
    number = Fraction(match["number"].replace(",", "").replace("_", "")) * multiple
    if number != int(number):
        raise _unreadable(text, f"{match[0].strip()} is not a whole number of {unit}.")
    return unit, int(number)


def _unreadable(text: str, why: str) -> InvalidSetting:
    return InvalidSetting("budget", text, why, next_step=_HOW_TO_WRITE)
