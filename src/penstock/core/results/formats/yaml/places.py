"""The places of rows in YAML. The parser counts characters, and a text is cut by bytes."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from typing import Final

# The rest of a line with an anchor or a tag, and the first dash after it.
_FIRST_DASH: Final = re.compile(rb"[^\n]*+\n(?:[ \t]*+(?:#[^\n]*+)?+\r?\n)*+( *+-)")


def in_bytes(text: bytes, characters: Iterable[int]) -> array[int]:
    """Return the numbers of bytes for rising numbers of characters."""
    if text.isascii():
        return array("Q", characters)
    decoded = text.decode()
    found, position, last = array("Q"), 0, 0
    for at in characters:
        position += len(decoded[last:at].encode())
        found.append(position)
        last = at
    return found


def in_characters(text: bytes, places: Sequence[int]) -> Sequence[int]:
    """Return the numbers of characters for rising numbers of bytes."""
    if text.isascii():
        return places
    found, count, last = array("Q"), 0, 0
    for at in places:
        count += len(text[last:at].decode())
        found.append(count)
        last = at
    return found


def line_starts(text: bytes, places: Iterable[int]) -> array[int] | None:
    """Return where the lines of keys start; None if a key is not the first in its line.
    A `?` may be before a long key."""
    found = array("Q")
    for at in places:
        start = text.rfind(b"\n", 0, at) + 1
        if text[start:at].strip(b" ") not in (b"", b"?"):
            return None
        found.append(start)
    return found


def item_starts(text: bytes, opening: int, places: Iterable[int]) -> array[int] | None:
    """Return where the lines with the dashes of items start. The item itself may be in a later line."""
    dash = _dash(text, opening)
    if dash is None:
        return None
    found = array("Q")
    last = 0
    for at in in_bytes(text, places):
        start = text.rfind(b"\n", last, at) + 1 or last
        while not text.startswith(dash, start) and start > last:
            start = text.rfind(b"\n", last, start - 1) + 1 or last
        if not text.startswith(dash, start):
            return None
        found.append(start)
        last = start + 1
    return found


def _dash(text: bytes, opening: int) -> bytes | None:
    """Return the first dash of a list, with the blanks before it in its line; None if other
    things are before it."""
    (at,) = in_bytes(text, [opening])
    if text[at : at + 1] == b"-":
        before = text[text.rfind(b"\n", 0, at) + 1 : at]
        return before + b"-" if not before.strip(b" ") else None
    found = _FIRST_DASH.match(text, at)
    return found[1] if found is not None else None
