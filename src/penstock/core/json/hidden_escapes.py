r"""Escapes of surrogates, hidden from the fast parser while it splits a document.

JavaScript writes half of a character that it has cut as `\ud83d`. That is valid JSON, but the fast
parser refuses it, also in a part that it only skips. So the `\u` of each such escape is replaced by a
mark, which the parser takes for a character, and put back afterwards. All of that is `bytes.replace`:
it takes no longer for a document that a stranger has made of nothing but escapes.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple

# Characters for private use. A document that has one of them gets another as its mark.
_MARKS: Final = tuple(chr(code).encode() for code in range(0xF8F0, 0xF8FF))


class Hidden(NamedTuple):
    """A document without escapes of surrogates."""

    document: bytes
    escape: bytes  # the mark that stands for `\u`
    backslash: bytes  # the mark that stands for `\\`

    def shown(self, part: bytes) -> bytes:
        """Return a part of the document as it was."""
        return part.replace(self.escape, b"\\u").replace(self.backslash, b"\\\\")

    def shown_text(self, text: str) -> str:
        """Return the text that a decoded text would be, had nothing been hidden."""
        encoded = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return str(json.loads(self.shown(encoded)))


def hidden(document: bytes) -> Hidden | None:
    """Hide the escapes. Return None if there are none, or no mark for them."""
    if b"\\ud" not in document and b"\\uD" not in document:
        return None
    free = [mark for mark in _MARKS if mark not in document]
    if len(free) < 2:  # noqa: PLR2004 (the two marks)
        return None
    escape, backslash = free[:2]
    # Then no backslash that is left belongs to the one before it.
    document = document.replace(b"\\\\", backslash)
    for digit in (b"d", b"D"):
        document = document.replace(b"\\u" + digit, escape + digit)
    return Hidden(document, escape, backslash)
