"""The comparison of cells as a user expects it: numbers as numbers, texts as in an index.

The table has TEXT for numbers that SQLite cannot hold, and servers send decimals as text. This
module reads both. All numbers compare exactly with each other, whatever their Python type.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from math import isinf

Number = int | float | Decimal

_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:(\.0+)|(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
# Users may also part thousands by blanks, apostrophes or low lines, the same all through.
_TYPED_GROUPS = re.compile(
    r"([+-]?[1-9][0-9]{0,2})([_'’ \u00a0\u2009\u202f])([0-9]{3}(?:\2[0-9]{3})*)(\.[0-9]+)?"
)
_NUMBER_STARTS = frozenset("-0123456789")
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_INTEGER_CHARS = 18  # Every integer of at most this length fits 64 bits.
_MOST_DIGITS = 4_000  # Python refuses to parse integers of more than 4,300 digits.
_SHORTEST_BEYOND = 5  # "1e309"


def number_in(text: str) -> Number | None:
    """Return the number that the text is in JSON, or None. "007" is a code, not a number."""
    if text[:1] not in _NUMBER_STARTS:
        return None
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    whole, zeros = match.groups()
    if (zeros or whole == text) and len(whole) <= _MOST_DIGITS:
        return int(whole)
    return _large(text) if whole == text or isinf(float(text)) else float(text)


def number_written(text: str) -> Number | None:
    """Return the number in a text as people write it: with or without commas between thousands."""
    return number_in(text.replace(",", "") if _GROUPED.fullmatch(text) else text)


def number_typed(text: str) -> Number | None:
    """Return the number in a text as users type it."""
    match = _TYPED_GROUPS.fullmatch(text.strip())
    if match is None:
        return number_written(text)
    first, separator, groups, fraction = match.groups()
    return number_in(first.removeprefix("+") + groups.replace(separator, "") + (fraction or ""))


def _large(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:  # The exponent is too large.
        return None


def outsize_in(text: str) -> Number | None:
    """Return the number in a text if SQLite cannot hold that number, else None."""
    if len(text) < _SHORTEST_BEYOND or text[0] not in _NUMBER_STARTS:
        return None
    if len(text) <= _INTEGER_CHARS and "e" not in text.lower():
        return None
    number = number_in(text)
    if isinstance(number, float) or (number is not None and _SMALLEST <= number <= _LARGEST):
        return None
    return number


def text_rank(text: str) -> tuple[str, str]:
    """Return the sort key of a text: ignore case, and let accents decide only between equals."""
    folded = text.casefold()
    if folded.isascii():
        return folded, folded
    parts = unicodedata.normalize("NFD", folded)
    return "".join(part for part in parts if not unicodedata.combining(part)), folded
