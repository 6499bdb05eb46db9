"""Names, labels and numbers inside a drawing: plain ASCII, and never long."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

_MOST_CHARS = 20


def spelled(text: object, otherwise: str) -> str:
    """In ASCII and on one line; `otherwise` where little of it would be left. A drawing stands in
    columns, and a character of most other scripts is wider than one."""
    whole = str(text)[: 4 * _MOST_CHARS]
    plain = unicodedata.normalize("NFKD", whole).encode("ascii", "ignore").decode()
    shown = "".join(char if char.isprintable() and char not in '"\\' else " " for char in plain)
    if 2 * len(shown.strip()) < len(whole) or not shown.strip():
        return otherwise
    cut = len(str(text)) > len(whole) or len(shown) > _MOST_CHARS
    return shown[: _MOST_CHARS - 2].rstrip() + ".." if cut else shown.strip()


def numbers(values: Sequence[Any]) -> list[str]:
    """A few digits, as many as it takes to tell these apart; the exact values stand beside the
    drawing."""
    different = len(set(values))
    told: list[str] = []
    for digits in _DIGITS:
        told = [_number(value, digits) for value in values]
        if len(set(told)) == different:
            break
    return told


def _number(value: Any, digits: int) -> str:
    try:
        near = float(value)
    except OverflowError:  # an int of hundreds of digits
        return format(Decimal(value), f".{digits - 1}e")
    return f"{near:.0f}" if _LONG <= abs(near) < _TOO_LONG else f"{near:.{digits}g}"


_DIGITS = (4, 6, 9)
# Whole numbers from here on are written out, up to where nobody could read them.
_LONG, _TOO_LONG = 1e4, 1e9
