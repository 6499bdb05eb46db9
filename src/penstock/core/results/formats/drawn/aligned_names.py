"""The names above aligned columns. Any lines of words can be aligned by chance, so the first line must
be names for certain: in capitals, ruled off, or above numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from penstock.core.json import rawjson
from penstock.core.results.formats.drawn.table_cells import Cells
from penstock.core.results.formats.tables.headers import has_header

_FEWEST_PLAIN: Final = 3  # rows below names that are not in capitals
_WIDE: Final = 3  # columns
_LEAST_FILLED: Final = 0.75  # of the rows have several cells
_WIDE_GAP: Final = re.compile(rb" {2,}+")
_PLAIN_NAME: Final = re.compile(r"[^\W_][^\n,;=\"'`{}\[\]\\|]*+|[%#_][\w%#]*+")


def are_names(header: bytes, names: Cells, rows: Sequence[Cells], *, is_ruled: bool) -> bool:
    """Return whether a header, cut into names, names the columns of the first rows. `is_ruled`: a rule
    without gaps is below it, as below a title."""
    if sum(1 for row in rows if sum(map(bool, row)) > 1) < _LEAST_FILLED * len(rows):
        return False  # these are lines of words
    if 2 * sum(1 for row in rows if b"  " in row[-1]) > len(rows):
        return False  # there may be a column without a name after the last
    if is_ruled and len(rows) > 1 and len(wide_parts(header)) == len(names):
        return True
    if not _are_plain(names):
        return False
    is_letter = not names[0][:1].isdigit()
    if is_letter and _are_capitals(names) and not any(map(_are_capitals, rows)):
        return len(rows) > 1 or len(names) >= _WIDE
    records = [[*map(rawjson.text, cells)] for cells in (names, *rows)]
    return len(rows) >= _FEWEST_PLAIN and has_header(records, b"\t")


def may_be_row(line: bytes) -> bool:
    """Return whether a line has several parts with two blanks or more between them."""
    return len(wide_parts(line)) >= _WIDE


def wide_parts(line: bytes) -> list[bytes]:
    return _WIDE_GAP.split(line.strip())


def _are_capitals(cells: Cells) -> bool:
    """Return whether all cells are in capitals, apart from a first one that is empty."""
    return all(rawjson.text(cell).isupper() for cell in (cells if cells[0] else cells[1:]))


def _are_plain(names: Cells) -> bool:
    """Return whether names have no signs that code has, and are more than signs."""
    named = [rawjson.text(name) for name in (names if names[0] else names[1:])]
    return all(map(_PLAIN_NAME.fullmatch, named))
