"""The size of a text on the wire: in bytes, characters, tokens and lines.

Tokens are those of o200k. With the `tokens` extra, `O200kMeter` counts them exactly; without it,
`EstimateMeter` errs on the high side. Both read a text in pieces. So a limit check stops as soon as
the answer is known, and never converts ten megabytes to look at thirty kilobytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import accumulate
from typing import Any, Protocol, TypeAlias

import msgspec

from penstock.core.budget.estimate import EstimateMeter
from penstock.core.json.surrogates import without_half_pairs

# `Size` has a field called bytes, which would hide the type inside the class.
Wire: TypeAlias = bytes

# The longest token of the o200k vocabulary (a run of spaces), in UTF-8 bytes. So a text of n bytes
# has at least n / 128 tokens, and a limit check of a very long text needs only its length.
LONGEST_TOKEN = 128


class Meter(Protocol):
    """A counter of tokens. Each token must stand for at least one byte, at most `LONGEST_TOKEN`."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...

    def exceeds(self, text: str, limit: int) -> bool:
        """Return whether `count(text) > limit`, without counting to the end."""
        ...


class Size(msgspec.Struct, frozen=True):
    bytes: int
    chars: int
    tokens: int
    lines: int


def measure(wire: Wire, meter: Meter) -> Size:
    return Size(
        bytes=len(wire),
        chars=char_count(wire),
        tokens=meter.count(wire.decode(errors="replace")),
        lines=line_count(wire),
    )


def char_count(wire: Wire) -> int:
    """Count code points. A continuation byte (10xxxxxx) belongs to the character before it."""
    return len(wire) if wire.isascii() else len(wire.translate(None, _CONTINUATION_BYTES))


_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


def line_count(wire: Wire) -> int:
    r"""Count the lines that a host shows. Compact JSON has no raw newline, only the escape `\n`."""
    return sum(map(_newline_escapes, _whole_escapes(wire))) + 1 if b"\\" in wire else 1


def lines_exceed(wire: Wire, limit: int) -> bool:
    """Return whether `line_count(wire) > limit`, without counting to the end."""
    if b"\\" not in wire:
        return limit < 1
    newlines = accumulate(map(_newline_escapes, _whole_escapes(wire)), initial=0)
    return any(count + 1 > limit for count in newlines)


def _newline_escapes(part: Wire) -> int:
    # Removing pairs of backslashes, from the left, leaves exactly the backslashes that escape
    # another character.
    return part.replace(rb"\\", b"").count(rb"\n")


def _whole_escapes(wire: Wire, size: int = 262_144) -> Iterator[Wire]:
    """Yield the wire in parts that do not end inside an escape."""
    start = 0
    while start < len(wire):
        end = start + size
        while wire[end - 1 : end] == b"\\":
            end += 1
        yield wire[start:end]
        start = end


@cache
def default_meter() -> Meter:
    return O200kMeter() if find_spec("rs_bpe") else EstimateMeter()


# --- Seams: where a text can be cut without changing its tokens -------------------------------
#
# o200k first splits a text with a pattern and then finds the tokens of each part. No part continues
# across these places, whatever comes before or after them:
#   - between anything that is not white space and a space: a space can only begin a part;
#   - between an ASCII letter or digit and ASCII punctuation: punctuation can only begin a part,
#     except in contractions ('s, 'll), so the apostrophe is left out;
#   - between a CJK letter and CJK punctuation, for the same reason.
# The pattern never looks back, and looks ahead only to see where white space ends. So the number of
# tokens of a text is the sum over its pieces.
@cache
def _last_seam() -> re.Pattern[str]:
    return re.compile(
        r".*(?:\S(?= )"
        r"|[0-9A-Za-z](?=[\t\n\r -&(-/:-@\[-`{-~])"
        r"|[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3](?=[\u3001\u3002\uff01\uff0c\uff1f]))",
        re.DOTALL,
    )


_SEAM_WINDOW = 256
_PIECE_CHARS = 32_768


def pieces(text: str, size: int = _PIECE_CHARS) -> Iterator[str]:
    """Yield the text in order, cut at seams about every `size` characters."""
    start = 0
    while start < len(text):
        end = _seam_after(text, start, size)
        yield text[start:end]
        start = end


def _seam_after(text: str, start: int, size: int) -> int:
    """Return the next cut. Text without seams makes a longer piece: a wrong cut miscounts."""
    end = start + size
    while end < len(text):
        window_start = max(start, end - _SEAM_WINDOW)
        if seam := _last_seam().match(text, window_start, end + 1):
            return seam.end()
        end += size
    return len(text)


# --- Exact ------------------------------------------------------------------------------------


class O200kMeter:
    """An exact meter, which needs the `tokens` extra."""

    name = "o200k"

    def __init__(self) -> None:
        # Imported here, because importing penstock must not load an extra.
        from rs_bpe import openai

        self._load: Callable[[], Any] = openai.o200k_base

    @cached_property
    def _vocabulary(self) -> Any:
        """The vocabulary, loaded late: it takes 50 MB, and most limit checks need only a length."""
        return self._load()

    def count(self, text: str) -> int:
        return sum(self._vocabulary.count(without_half_pairs(piece)) for piece in pieces(text))

    def exceeds(self, text: str, limit: int) -> bool:
        if limit < 0 or len(text) > limit * LONGEST_TOKEN:
            return True
        # A token has at least one byte, and a character at most four.
        if 4 * len(text) <= limit:
            return False
        for piece in pieces(text):
            tokens = self._vocabulary.count_till_limit(without_half_pairs(piece), limit)
            if tokens is None:
                return True
            limit -= tokens
        return False
