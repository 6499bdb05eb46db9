"""How cells compare, for whoever reads them in a table: numbers as numbers, texts as in a register.

The table has TEXT for numbers that SQLite cannot hold, and servers send decimals as text; both are
read here. All numbers compare exactly with each other, whichever of Python's types they are.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from math import isinf

Number = int | float | Decimal

_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:(\.0+)|(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_NUMBER_STARTS = frozenset("-0123456789")
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_INTEGER_CHARS = 18  # of so many, every integer has 64 bits
_MOST_DIGITS = 4_000  # Python reads 4,300 into an integer
_SHORTEST_BEYOND = 5  # "1e309"


def number_in(text: str) -> Number | None:
    """The number that the text is in JSON. "007" is none: zeros in front are of a code."""
    if text[:1] not in _NUMBER_STARTS:
        return None
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    whole, zeros = match.groups()
    if (zeros or whole == text) and len(whole) <= _MOST_DIGITS:
        return int(whole)
    return _large(text) if whole == text or isinf(float(text)) else float(text)


def _large(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent beyond all use
        return None


def outsize_in(text: str) -> Number | None:
    """The number in a text that no column of SQLite's can hold; None where it could, or is none."""
    if len(text) < _SHORTEST_BEYOND or text[0] not in _NUMBER_STARTS:
        return None
    if len(text) <= _INTEGER_CHARS and "e" not in text.lower():
        return None
    number = number_in(text)
    if isinstance(number, float) or (number is not None and _SMALLEST <= number <= _LARGEST):
        return None
    return number


def text_rank(text: str) -> tuple[str, str]:
    """Any case is one; accents decide only between texts that are else the same."""
    folded = text.casefold()
    if folded.isascii():
        return folded, folded
    parts = unicodedata.normalize("NFD", folded)
    return "".join(part for part in parts if not unicodedata.combining(part)), folded
