"""The depth of a JSON document, found by a few passes in C over all of it, whatever it holds."""

from __future__ import annotations

from itertools import accumulate
from typing import Final

_OPEN, _CLOSE = b"[{", b"]}"
_OTHERS: Final = bytes(set(range(256)) - set(_OPEN + _CLOSE))
# As signed numbers, these bytes are 1 and -1.
_STEPS: Final = bytes.maketrans(_OPEN + _CLOSE, b"\x01\x01\xff\xff")
_BLOCK: Final = 64_000  # Other threads get their turn between two blocks.


def is_deeper(document: bytes, most: int) -> bool:
    """Return whether valid JSON nests deeper than `most` levels."""
    if document.count(b"[") + document.count(b"{") <= most:
        return False
    steps = memoryview(_brackets(document).translate(_STEPS)).cast("b")
    depth = 0
    for start in range(0, len(steps), _BLOCK):
        depths = accumulate(steps[start : start + _BLOCK], initial=depth)
        if max(depths) > most:
            return True
        depth += sum(steps[start : start + _BLOCK])
    return False


def _brackets(document: bytes) -> bytes:
    """Return the brackets that stand outside of strings."""
    bare = document
    if b"\\" in document:  # Without escapes, every quote begins or ends a string.
        bare = document.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(bare.split(b'"')[::2]).translate(None, _OTHERS)
