"""Tables in text: pipe tables of Markdown, boxes, and aligned columns of commands.

A text is of this format if it is one table, with at most a few lines before and after it. The rows
are the data lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

import msgspec
from msgspec.structs import replace

from penstock.core.json.surrogates import has_half_pair
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped, too_large
from penstock.core.results.formats.drawn.aligned_columns import aligned_table
from penstock.core.results.formats.drawn.found_table import FoundTable, line_at
from penstock.core.results.formats.drawn.listing_tables import listing_table
from penstock.core.results.formats.drawn.ruled_tables import ruled_table
from penstock.core.results.formats.drawn.table_cells import BLANKS, TextTableLayout, row_reader
from penstock.core.results.formats.tables.delimited import notice_of_text

MOST_AROUND: Final = 10  # lines before the table, and as many after it
_MOST_EMPTY: Final = 10  # lines before the table
_FILLED_LINE: Final = re.compile(rb"[^\s][^\n]*+")
_FEW: Final = 3  # lines of text that even a short table may have around it


class TextTable:
    """A table in a text."""

    has_free_cells = True
    is_one_value = False
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        table = next_table(text, 0)
        if not isinstance(table, FoundTable):
            return table
        refusal = too_large(text)
        if refusal is not None:
            return refusal
        before, after = text[: table.start], text[table.end :]
        lines_after = count_lines(after)
        around = count_lines(before) + lines_after
        if lines_after > MOST_AROUND or around > max(_FEW, table.count):
            return None
        if next_table(text, table.end + 1) is not None:
            return None  # several tables are another format
        layout = replace(table.layout, before=len(before), after=len(after))
        return TextCut(
            "rows",
            grouped(table.rows(text)),
            text[: table.first],
            text[table.last :],
            joint=b"\n",
            reading=msgspec.json.encode(layout),
            notices=(*table.notices, *notice_of_text(after)),
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        encoded = row_reader(_layout(reading)).encoded
        return [encoded(row) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        told = _layout(reading)
        return ValueFrame(
            text_before=prefix[: told.before],
            text_after=suffix[len(suffix) - told.after :].lstrip(b"\r\n"),
        )


def next_table(text: bytes, position: int) -> FoundTable | NearMiss | None:
    """Return the first table after at most a few lines of text. A table that breaks is not searched
    for others: its rows could pass for names."""
    empty = others = 0
    while position < len(text) and others <= MOST_AROUND and empty <= _MOST_EMPTY:
        line, after = line_at(text, position)
        if line.strip(BLANKS):
            found = _table_at(text, position)
            if isinstance(found, FoundTable) and any(map(has_half_pair, found.layout.columns)):
                return None  # a head cannot hold such names
            if found is not None:
                return found
            others += 1
        else:
            empty += 1
        position = after
    return None


def _table_at(text: bytes, start: int) -> FoundTable | NearMiss | None:
    found = ruled_table(text, start) or listing_table(text, start)
    return found or aligned_table(text, start)


def count_lines(text: bytes) -> int:
    """Return how many lines are not empty, or a few more than may be around a table."""
    return sum(1 for _ in islice(_FILLED_LINE.finditer(text), MOST_AROUND + 2))


@lru_cache(64)
def _layout(reading: bytes) -> TextTableLayout:
    return msgspec.json.decode(reading, type=TextTableLayout)


FORMAT: Final = TextTable()
