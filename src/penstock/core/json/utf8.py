"""Bytes that are not UTF-8, in the place of a text. No JSON may hold them."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_STEP = 1_000_000  # the decoded text may take four times the bytes
_ESCAPED = "[\udc80-\udcff]"  # bytes that are not UTF-8, as `surrogateescape` reads them


class Repaired(NamedTuple):
    """A text whose bytes are UTF-8 now: a replacement character stands for each byte that was not."""

    text: bytes
    replaced: int  # bytes


def require_utf8(data: bytes) -> None:
    """Raise `UnicodeDecodeError` if the bytes are not UTF-8."""
    if data.isascii():
        return
    if len(data) <= _STEP:
        data.decode()
        return
    decode_step = codecs.getincrementaldecoder("utf-8")().decode
    for start in range(0, len(data), _STEP):
        decode_step(data[start : start + _STEP], final=start + _STEP >= len(data))


def is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        require_utf8(data)
    except UnicodeDecodeError:
        return False
    return True


def repaired(data: bytes) -> Repaired:
    """Replace each byte that is not part of a UTF-8 character, and count these bytes."""
    decode_step = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
    parts: list[bytes] = []
    replaced = 0
    for start in range(0, len(data), _STEP):
        read = decode_step(data[start : start + _STEP], final=start + _STEP >= len(data))
        text, found = re.subn(_ESCAPED, "\ufffd", read)
        parts.append(text.encode())
        replaced += found
    return Repaired(b"".join(parts), replaced)
