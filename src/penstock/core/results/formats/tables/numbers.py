"""The columns of a table that hold numbers, confirmed on every cell.

Cells are checked column by column, because a loop over single cells would take longer than storing
them. The filled cells of a column, joined with commas, are a JSON list if each is a number. A decoder
that skips over the list checks it without making the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from penstock.core.results.formats.tables.records import MISSING, QUOTE, unquoted

# A number as JSON writes it: without leading zeros, which a code may have. SQLite keeps 18 digits of an
# integer. After a point there may be more than a float keeps, as numpy writes them.
_NUMBER: Final = rb"-?+(?:0|[1-9][0-9]{0,17}+)(?:\.[0-9]{1,30}+)?+(?:[eE](?:[+]?[0-9]{1,2}|-[0-9]{1,3})(?![0-9]))?+"
_NUMBERS: Final = re.compile(_NUMBER + rb"(?:," + _NUMBER + rb")*+")
# Digits become zeros, and all that belongs to no list of numbers without exponents becomes x.
_CLASSES: Final = bytes(
    ord("0" if chr(code) in "0123456789" else chr(code) if chr(code) in ".-," else "x")
    for code in range(256)
)
_LONG: Final = b"0" * 19  # with fewer digits in a row, a number is short enough
_ENOUGH_RECORDS: Final = 100  # for a check, because each column is a step of Python
_MOST_CELLS: Final = 400_000  # that wait for a check


class _Nothing(msgspec.Struct):
    """An object whose members are all skipped."""


_skip = msgspec.json.Decoder(_Nothing).decode


class NumberColumns:
    """The columns that may hold numbers, as long as no cell says otherwise."""

    def __init__(self, width: int, *, may_have_commas: bool) -> None:
        self._width = width
        self._may_have_commas = may_have_commas  # inside of cells
        self._filled = [False] * width
        self._are_all_filled = False  # each open column had a number
        self._waiting: list[bytes] = []
        self.open = [*range(width)]
        self.marks: set[bytes] = set()  # for missing numbers, other than empty cells

    def note(self, cells: list[bytes]) -> None:
        """Take the cells of some records, one record after the other, with their quotes."""
        if self._waiting:
            cells = self._waiting + cells
        if len(cells) >= min(_ENOUGH_RECORDS * self._width, _MOST_CELLS):
            self._check(cells)
            cells = []
        self._waiting = cells

    def _check(self, cells: Sequence[bytes]) -> None:
        """Check the open columns, all at once if that may do."""
        if self._are_all_filled and self._has_numbers(cells, self.open):
            return
        self.open = [column for column in self.open if self._has_numbers(cells, [column])]
        self._are_all_filled = all(self._filled[column] for column in self.open)

    def are_numbers(self) -> tuple[bool, ...]:
        """Return for each column whether it has numbers, and nothing but numbers and empty cells."""
        if self._waiting:
            self._check(self._waiting)
        chosen = {*self.open}
        return tuple(column in chosen and self._filled[column] for column in range(self._width))

    def _has_numbers(self, cells: Sequence[bytes], columns: Sequence[int]) -> bool:
        """Return whether the filled cells of columns are numbers."""
        chosen: list[bytes] = []
        for column in columns:
            chosen += cells[column :: self._width]
        joined = _joined(chosen)
        if self._may_have_commas and joined.count(b",") != len(chosen) - 1:
            return False
        if not _are_numbers(joined):  # an empty cell is none either
            cells = [cell.strip(b" ") for cell in joined.split(b",")]
            marks = MISSING.intersection(cells)
            joined = b",".join([cell for cell in cells if cell not in marks])
            if joined and not _are_numbers(joined):
                return False
            self.marks |= marks - {b""}
        if joined:
            for column in columns:
                self._filled[column] = True
        return True


def notice_of_marks(marks: set[bytes]) -> tuple[str, ...]:
    """Return a notice if texts stand for missing numbers."""
    named = ", ".join(sorted(map(bytes.decode, marks)))
    return (f"In columns of numbers, {named} is null.",) if marks else ()


def _joined(cells: Sequence[bytes]) -> bytes:
    """Return cells without quotes, and with commas between them."""
    joined = b",".join(cells)
    if QUOTE not in joined:
        return joined
    inner = joined[1:-1].replace(b'","', b",")
    is_each_quoted = joined[:1] == joined[-1:] == QUOTE and QUOTE not in inner
    return inner if is_each_quoted else b",".join(map(unquoted, cells))


def _are_numbers(joined: bytes) -> bool:
    """Return whether texts between commas are numbers."""
    classes = joined.translate(_CLASSES)
    if b"x" in classes or _LONG in classes:
        return _NUMBERS.fullmatch(joined) is not None
    try:
        _skip(b'{"":[' + joined + b"]}")
    except msgspec.DecodeError:
        return False
    return True
