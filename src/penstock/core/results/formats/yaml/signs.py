"""The signs of YAML that can be seen without a parser."""

from __future__ import annotations

import re
from typing import Final

SOME_LINES: Final = 20  # that can hardly be something else
_SEEN: Final = 32_000  # the first bytes
_LONG_LINE: Final = 1_000
_WHITE_LINES: Final = rb"(?:[ \t]*+(?:#[^\n]*+)?+\r?\n)*+"
_END: Final = rb"(?=[ \t\r\n]|\Z)"
_KEY: Final = rb"(?:[\w.$@/+~<>*\x80-\xff-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+:" + _END
# A line that is not indented, unless it is text.
_LINE: Final = (
    rb"(?:#|---"
    + _END
    + rb"|\.\.\."
    + _END
    + rb"|%(?:YAML|TAG)|[-?:]"
    + _END
    + rb"|[\]}]|"
    + _KEY
    + rb")"
)
_LINES: Final = re.compile(rb"(?:(?:[ \t]|" + _LINE + rb")[^\n]*+\r?\n|\r?\n)*+")
_ANY_KEY: Final = rb"[^\s:#][^\n:]*+:" + _END
_STRUCTURE: Final = re.compile(
    # A key alone in its line, and a key further in.
    rb":[ \t]*+(?:[&!#][^\n]*+)?+\r?\n"
    + _WHITE_LINES
    + rb"(?: ++| *+(?:- ++)++)"
    + _ANY_KEY
    # An item with two members.
    + rb"|^ *+-(?: ++[&!]\S*+)*+(?: ++|[ \t]*+\r?\n"
    + _WHITE_LINES
    + rb" ++)"
    + _ANY_KEY
    + rb"[^\n]*+\n"
    + _WHITE_LINES
    + rb" ++"
    + _ANY_KEY
    # A literal text.
    + rb"|: \|[+-]?\r?\n"
    # A document that is marked as one.
    + rb"|\A"
    + _WHITE_LINES
    + rb"(?:%|---"
    + _END
    + rb")",
    re.MULTILINE,
)
_HEAD: Final = re.compile(
    rb"(?:(?:---|%)[^\n]*+\n|[ \t\r]*+\n)*+((?:[ \t]*+(?:#[^\n]*+)?+(?:\n|\Z))*+)"
)


def head_of(text: bytes) -> bytes:
    """Return the start of a text, which shows whether the text is data. It ends with a line, or inside
    a long one."""
    if len(text) <= _SEEN:
        return text
    start = text.rfind(b"\n", 0, _SEEN) + 1
    return text[: start if _SEEN - start < _LONG_LINE else _SEEN]


def looks_like_yaml(head: bytes) -> bool:
    """Return whether the start of a text is YAML, at least for some lines, that may be data."""
    lines = head if head.endswith(b"\n") else head + b"\n"
    found = _LINES.match(lines)
    end = found.end() if found is not None else 0
    is_some = end == len(lines) or lines.count(b"\n", 0, end) >= SOME_LINES
    return is_some and _STRUCTURE.search(lines, 0, end) is not None


def comments(around: bytes) -> bytes:
    """Return the comments before the data, or after it."""
    found = _HEAD.match(around)
    return found[1].strip() if found is not None and b"#" in found[1] else b""


def data_end(text: bytes) -> int:
    """Return where the data of the last document ends: before the comments and marks that are not
    indented. Empty lines before these may belong to a text."""
    end = position = len(text)
    while position:
        start = text.rfind(b"\n", 0, position - 1) + 1
        line = text[start:position]
        if line.startswith((b"#", b"...", b"---", b"%")):
            end = start
        elif line.strip():
            break
        position = start
    return end
