"""Numbers as JavaScript writes them.

A host may parse a payload and write it again. JavaScript then writes 1.0 as 1, but 1e20 in 21 digits
and 1e-6 as 0.000001. So each number counts with the longer of both spellings.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

# Only these numbers grow: those with an exponent, and integers that are rounded up to one more digit.
# The first three patterns find them quickly, because they begin with a fixed character. They may also
# find a text, so the fourth looks at what is left without texts.
_EXPONENTS: Final = (re.compile(rb"e(?<=\de)[-+]?\d"), re.compile(rb"E(?<=\dE)[-+]?\d"))
# A double is within 2^-53 of its number, so that only these are rounded up to a power of ten.
_NINES: Final = b"9" * 15
_GROWING: Final = re.compile(
    rb"-?\d+(?:\.\d+)?[eE][-+]?\d+|(?<![\d.])-?" + _NINES + rb"\d*(?![\d.eE])"
)
_TEXT: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_TEXT_OR_NUMBER: Final = re.compile(_TEXT.pattern + rb"|-?\d[\d.eE+-]*", re.DOTALL)

# JavaScript writes an exponent from this power of ten on, and below the other one.
_LARGE: Final = 21
_SMALL: Final = -6


def may_grow(wire: bytes) -> bool:
    """Return False if no number in a JSON text becomes longer. This is quick."""
    return _NINES in wire or any(pattern.search(wire) for pattern in _EXPONENTS)


def growth(wire: bytes) -> int:
    """Return by how many characters a JSON text grows if JavaScript writes the numbers in it that
    become longer."""
    if not may_grow(wire):
        return 0
    numbers = _GROWING.findall(_TEXT.sub(b'""', wire))
    return sum(max(0, len(_respelled(number)) - len(number)) for number in numbers)


def respelled(wire: bytes) -> bytes:
    """Return a JSON text with every number as JavaScript writes it."""
    return _TEXT_OR_NUMBER.sub(lambda found: _kept_or_respelled(found[0]), wire)


def in_javascript(number: float) -> str:
    """Return a float as JavaScript prints it: 5.0 as 5, and 1e-07 as 1e-7."""
    text = repr(number)
    if "e" in text:
        return _respelled(text.encode()).decode()
    return text.removesuffix(".0") if number else "0"


def _kept_or_respelled(part: bytes) -> bytes:
    is_kept = part[:1] == b'"' or (len(part) < len(_NINES) and part.isdigit())
    return part if is_kept else _respelled(part)


def _respelled(number: bytes) -> bytes:
    """Return a number as JavaScript writes it: the fewest digits that tell it from others, and zeros
    or an exponent. One that is too large for JavaScript becomes null."""
    value = float(number)
    if math.isinf(value):
        return b"null"
    shortest = Decimal(repr(abs(value))).normalize().as_tuple()
    digits = "".join(map(str, shortest.digits))
    placed = _placed(digits, len(digits) + int(shortest.exponent))
    return f"-{placed}".encode() if value < 0 else placed.encode()


def _placed(digits: str, power: int) -> str:
    """Write the number 0.digits × 10^power."""
    if _SMALL < power <= 0:
        return f"0.{'0' * -power}{digits}"
    if 0 < power <= _LARGE:
        whole, part = digits[:power].ljust(power, "0"), digits[power:]
        return f"{whole}.{part}" if part else whole
    part = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{part}e{power - 1:+d}"
