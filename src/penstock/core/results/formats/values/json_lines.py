"""JSON Lines: one list or dict in each line, as in NDJSON files and in logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import BLOCK_BYTES, NearMiss, TextCut, ValueFrame, grouped

_FEWEST: Final = 2
# A text looks like JSON Lines if this share of its lines is JSON. Stack traces have many other lines.
_LEAST_SHARE: Final = 0.1
_SURE_SHARE: Final = 0.9  # with which no other format is meant
_AT_ONCE: Final = 1_000
# A line, and the white space before the next that is not empty.
_ROW: Final = re.compile(rb"[^\n]++(?:\n[ \t\r\n]*+)?+")


class JsonLines:
    """Lines of JSON. Empty lines are allowed."""

    has_free_cells = False
    is_one_value = False
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        start = len(text) - len(text.lstrip(rawjson.WHITE))
        if text[start : start + 1] not in (b"[", b"{"):
            return None
        head = text[start : start + BLOCK_BYTES].partition(b"\n")
        if not head[1] or not rawjson.are_containers([head[0].strip(rawjson.WHITE)]):
            return None
        count, lines = 0, (row.strip(rawjson.WHITE) for row in _rows(text, start))
        while some := list(islice(lines, _AT_ONCE)):
            if not rawjson.are_containers(some):
                return _near_miss(text, start)
            count += len(some)
        return (
            TextCut("rows", grouped(_rows(text, start)), text[:start]) if count >= _FEWEST else None
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        del reading
        return [rawjson.compact(row.strip(rawjson.WHITE)) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del prefix, suffix, reading
        return ValueFrame()


def _rows(text: bytes, start: int) -> Iterator[bytes]:
    """Yield lines, each with the empty lines that follow it."""
    return (found.group() for found in _ROW.finditer(text, start))


def _near_miss(text: bytes, start: int) -> NearMiss | None:
    """Return the first line that is not JSON, if enough lines are."""
    number, first, good, bad = 1 + text.count(b"\n", 0, start), 0, 0, 0
    are_all_meant = True  # as JSON
    for row in _rows(text, start):
        if rawjson.are_containers([row.strip(rawjson.WHITE)]):
            good += 1
        else:
            are_all_meant = are_all_meant and row.lstrip(rawjson.WHITE)[:1] in (b"{", b"[")
            bad += 1
            first = first or number
        number += row.count(b"\n")
    if good < _FEWEST or good < _LEAST_SHARE * (good + bad):
        return None
    others = f" ({bad} lines are not, {good} are)" if bad > 1 else ""
    is_sure = are_all_meant and good >= _SURE_SHARE * (good + bad)
    return NearMiss(f"line {first} is not a JSON object or list{others}", is_sure)
