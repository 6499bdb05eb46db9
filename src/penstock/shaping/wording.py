"""Names, labels and numbers inside a drawing, in short plain ASCII."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

_MOST_CHARS = 20


def spelled(text: object, otherwise: str) -> str:
    """Return the text in ASCII on one line, or `otherwise` if little of the text would be left.
    Most other scripts have characters that are too wide for the columns of a drawing."""
    whole = str(text)[: 4 * _MOST_CHARS]
    plain = unicodedata.normalize("NFKD", whole).encode("ascii", "ignore").decode()
    shown = "".join(char if char.isprintable() and char not in '"\\' else " " for char in plain)
    if 2 * len(shown.strip()) < len(whole) or not shown.strip():
        return otherwise
    cut = len(str(text)) > len(whole) or len(shown) > _MOST_CHARS
    return shown[: _MOST_CHARS - 2].rstrip() + ".." if cut else shown.strip()


def numbers(values: Sequence[Any]) -> list[str]:
    """Return the values in as few digits as keep them different. The exact values are elsewhere in
    the result."""
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
# Between these limits numbers are written as whole numbers; longer ones would be hard to read.
_LONG, _TOO_LONG = 1e4, 1e9
