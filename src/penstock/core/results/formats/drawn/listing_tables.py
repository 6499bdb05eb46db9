"""Tables of files, as `ls -l` lists them."""

from __future__ import annotations

from typing import Final

from penstock.core.results.formats.cut import NearMiss
from penstock.core.results.formats.drawn.file_listings import LISTING_COLUMNS, listing_cells
from penstock.core.results.formats.drawn.found_table import (
    FoundTable,
    all_lines,
    line_at,
    line_number,
    with_numbers,
)
from penstock.core.results.formats.drawn.table_cells import (
    BLANKS,
    TextTableLayout,
    numbers_in,
    row_reader,
)

_SURE: Final = 20  # good lines, after which a bad one is told


def listing_table(text: bytes, start: int) -> FoundTable | NearMiss | None:
    """Return the listing that starts in this line, and ends at an empty line."""
    if listing_cells(line_at(text, start).text) is None:
        return None
    count, end = 0, start
    for position, line in all_lines(text, start):
        if not line.strip(BLANKS):
            break
        if listing_cells(line) is None:
            reason = f"line {line_number(text, position)} is not in the form of the lines above it"
            return NearMiss(reason) if count >= _SURE else None
        count, end = count + 1, position + len(line)
    table = FoundTable(start, start, end, end, count, TextTableLayout("listing", LISTING_COLUMNS))
    reader = row_reader(table.layout)
    rows = (reader.cells(row) or [] for row in table.rows(text))
    return with_numbers(table, numbers_in(len(LISTING_COLUMNS), rows))
