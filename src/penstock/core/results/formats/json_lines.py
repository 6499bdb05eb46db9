"""JSON Lines: one list or dict in each line, as in NDJSON files and in logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import BLOCK_BYTES, TextCut, ValueFrame, grouped

_WHITE: Final = b" \t\r\n"
_FEWEST: Final = 2
_AT_ONCE: Final = 1_000


class JsonLines:
    """Lines of JSON. Empty lines are allowed."""

    has_free_cells = False
    is_one_value = False

    def recognise(self, text: bytes) -> TextCut | None:
        start = len(text) - len(text.lstrip(_WHITE))
        if text[start : start + 1] not in (b"[", b"{"):
            return None
        head = text[start : start + BLOCK_BYTES].partition(b"\n")
        if not head[1] or not rawjson.are_containers([head[0].strip(_WHITE)]):
            return None
        count, lines = 0, (line.strip(_WHITE) for line in _lines(text, start))
        while some := list(islice(lines, _AT_ONCE)):
            values = [line for line in some if line]
            if not rawjson.are_containers(values):
                return None
            count += len(values)
        return (
            TextCut("rows", grouped(_rows(text, start)), text[:start]) if count >= _FEWEST else None
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        del reading
        return [rawjson.compact(row.strip(_WHITE)) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del prefix, suffix, reading
        return ValueFrame()


def _lines(text: bytes, start: int) -> Iterator[bytes]:
    """Yield the lines with their ends."""
    while start < len(text):
        end = text.find(b"\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _rows(text: bytes, start: int) -> Iterator[bytes]:
    """Yield lines, each with the empty lines that follow it."""
    row = b""
    for line in _lines(text, start):
        if row and line.strip(_WHITE):
            yield row
            row = b""
        row += line
    yield row
