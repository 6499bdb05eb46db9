"""Amounts in words: counts, sizes and times, in a few characters."""

from __future__ import annotations

from typing import Final

_SIZES: Final = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_TIMES: Final = ((86_400, "day"), (3_600, "h"), (60, "min"), (1, "s"))
_EXACT_BELOW: Final = 10


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(count: int) -> str:
    """Return a number of bytes, such as 1.2 MB."""
    for unit, name in _SIZES:
        if count >= unit:
            amount = count / unit
            return f"{amount:.1f} {name}" if amount < _EXACT_BELOW else f"{amount:.0f} {name}"
    return f"{count} B"


def duration(seconds: float) -> str:
    """Return a time in its largest unit, such as 3 min."""
    for unit, name in _TIMES:
        if seconds >= unit:
            count = int(seconds // unit)
            return plural(count, name) if name == "day" else f"{count} {name}"
    return "0 s"
