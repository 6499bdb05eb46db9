"""The columns of a terminal that a line of text takes. A Chinese character takes two of them, and an
accent that joins the letter before it takes none.

Programs that align text count either these columns or characters. For most lines that is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final
from unicodedata import category, east_asian_width

from penstock.core.json import rawjson

_WITHOUT_WIDTH: Final = ("Mn", "Me", "Cf")
_WIDE: Final = ("W", "F")


class _Widths(dict[int, str]):
    """A table for `str.translate`: each character becomes as many letters as it has columns."""

    def __missing__(self, code: int) -> str:
        width = _width(chr(code))
        self[code] = chr(code) if width == 1 else "x" * width
        return self[code]


def has_uneven_widths(text: bytes) -> bool:
    """Return whether a text has characters that do not take one column each."""
    return not text.isascii() and any(_width(one) != 1 for one in {*rawjson.text(text)})


def shadow(line: bytes, *, by_width: bool) -> bytes:
    """Return a line with one byte for each of its columns, or characters. Blanks stay blanks."""
    if line.isascii():
        return line
    text = rawjson.text(line)
    return (text.translate(_WIDTHS) if by_width else text).encode("ascii", "replace")


def parts_at(line: bytes, places: Sequence[int], *, by_width: bool) -> list[bytes]:
    """Return the parts of a line from each place to the next. The last part runs to the end."""
    if line.isascii():
        ends = (*places[1:], None)
        return [line[start:end] for start, end in zip(places, ends, strict=True)]
    text = rawjson.text(line)
    starts = offsets(text, places) if by_width else places
    return [
        rawjson.utf8(text[start:end])
        for start, end in zip(starts, (*starts[1:], None), strict=True)
    ]


def offsets(text: str, places: Sequence[int]) -> list[int]:
    """Return where in a text each column starts. An accent stays with the letter before it."""
    found: list[int] = []
    column = 0
    for at, one in enumerate(text):
        width = _width(one)
        while width and len(found) < len(places) and column >= places[len(found)]:
            found.append(at)
        column += width
    return found + [len(text)] * (len(places) - len(found))


@lru_cache(4_096)
def _width(character: str) -> int:
    if character.isascii():
        return 1
    if category(character) in _WITHOUT_WIDTH:
        return 0
    return 2 if east_asian_width(character) in _WIDE else 1


_WIDTHS: Final = _Widths()
