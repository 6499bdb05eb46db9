"""The lines of aligned columns: the names and rules above the rows, and where the rows end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from penstock.core.json import rawjson
from penstock.core.results.formats.drawn.display_columns import parts_at, shadow
from penstock.core.results.formats.drawn.found_table import line_at
from penstock.core.results.formats.drawn.table_cells import BLANKS, lines_between

_LONGEST_HEADER: Final = 4_000  # blanks
_EMPTY_LINE: Final = re.compile(rb"\n[ \t\r]*+(?=\n|\Z)")
_WORD: Final = re.compile(rb"[^ ]++")
DASHES: Final = re.compile(rb"(?:-++|=++)(?: ++(?:-++|=++))++")
_ONE_RULE: Final = re.compile(rb"-{3,}+|={3,}+|(?:\xe2\x94[\x80\x81]|\xe2\x95\x90){3,}+")


class AlignedHead(NamedTuple):
    """The lines above the rows."""

    start: int
    first: int  # where the rows start
    names: bytes  # empty if there are none
    dashes: bytes = b""  # below the names, if they have gaps
    rule: bytes = b""  # any rule below the names


class Shadows:
    """Lines of a text, as `column_places` takes them."""

    def __init__(self, text: bytes, start: int, end: int, *, by_width: bool) -> None:
        self._text, self._start, self._end, self._by_width = text, start, end, by_width

    def __iter__(self) -> Iterator[bytes]:
        for line in lines_between(self._text, self._start, self._end):
            yield shadow(line.rstrip(BLANKS), by_width=self._by_width)


def head_at(text: bytes, start: int) -> AlignedHead | None:
    """Return the names and rules at the start of a table."""
    line, after = line_at(text, start)
    told = line.strip(BLANKS)
    below, rows = line_at(text, after)
    drawn = below.strip(BLANKS)
    if DASHES.fullmatch(told):
        rule, further = line_at(text, rows)
        if rule.strip(BLANKS) == told:  # names between two rules
            return AlignedHead(start, further, below, line, told)
        return AlignedHead(start, after, b"", line, told)
    if not 0 < told.count(b" ") < _LONGEST_HEADER or b"|" in told or after > len(text):
        return None  # with bars and without a rule, it is not certain what is a cell
    if DASHES.fullmatch(drawn) and _are_below(below, line):
        return AlignedHead(start, rows, line, below, drawn)
    if _ONE_RULE.fullmatch(drawn) and len(rawjson.text(drawn)) >= len(rawjson.text(told)):
        return AlignedHead(start, rows, line, rule=drawn)
    return AlignedHead(start, after, line)


def _are_below(dashes: bytes, names: bytes) -> bool:
    """Return whether dashes are as long as the names above them. A row may be dashes, for nothing."""
    spans = [found.span() for found in _WORD.finditer(dashes.rstrip(BLANKS))]
    told = parts_at(names.rstrip(BLANKS), [start for start, _ in spans], by_width=True)
    lengths = [len(rawjson.text(name.strip(BLANKS))) for name in told]
    is_long = all(
        end - start >= length for (start, end), length in zip(spans, lengths, strict=True)
    )
    return is_long and max(end - start for start, end in spans) > 1


def has_only_blanks(lines: bytes) -> bool:
    """Return whether lines have no white space but blanks: others have a width of their own."""
    return b"\t" not in lines and lines.count(b"\r") == lines.count(b"\r\n") + lines.endswith(b"\r")


def end_of_block(text: bytes, start: int) -> int:
    """Return where the last line before an empty one ends."""
    found = _EMPTY_LINE.search(text, start)
    return len(text.rstrip(b"\r\n")) if found is None else found.start()


def end_of_rows(text: bytes, head: AlignedHead, end: int) -> int:
    """Return where the last row ends: a rule may be below it."""
    start = text.rfind(b"\n", head.first, end) + 1
    is_rule = bool(head.rule) and start > 0 and text[start:end].strip(BLANKS) == head.rule
    return start - 1 if is_rule else end
