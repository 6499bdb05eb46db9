"""Differences between two texts of a tool, short enough to be kept and shown to people."""

from __future__ import annotations

from typing import Final

import msgspec

from penstock.core.json.surrogates import without_half_pairs

_BEFORE: Final = 40  # characters in front of the first that differs
_LONGEST: Final = 240
_CUT: Final = "…"


class Difference(msgspec.Struct, frozen=True, array_like=True):
    """The parts of two texts from shortly before the first character that differs."""

    was: str
    now: str


def difference(was: str, now: str) -> Difference:
    pairs = enumerate(zip(was, now, strict=False))
    same = next((place for place, (one, other) in pairs if one != other), min(len(was), len(now)))
    start = max(0, same - _BEFORE)
    return Difference(_part(was, start), _part(now, start))


def _part(text: str, start: int) -> str:
    part = without_half_pairs(text[start : start + _LONGEST])
    end = _CUT if len(text) > start + _LONGEST else ""
    return f"{_CUT if start else ''}{part}{end}"
