"""The places of columns in aligned text. A cell in the wrong column is worse than no table, so each
way to find the columns is checked on every line.

- `LeftColumns`: each cell starts below the first letter of its name, after two blanks or more. So
  write `kubectl` and `docker`. One blank is part of a name or a cell.
- `GapColumns`: no line has anything between two columns. Cells may be left, right or missing, as in
  `ps` and `df`.
- `WordColumns`: each cell is one word, and none is missing. Long cells may push others to the right.
- `RuledColumns`: dashes below each name show the columns, as in `pip list`.

Lines have one byte for each column of the terminal, and no blanks at the end. They can be read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, pairwise
from typing import Final, Protocol

from penstock.core.results.formats.drawn.column_gaps import (
    border_in,
    filled_and_starts,
    filled_columns,
    free_places,
)

_NAME: Final = re.compile(rb"[^ ]++(?: [^ ]++)*+")
_WORD: Final = re.compile(rb"[^ ]++")
_FEWEST: Final = 2  # columns
_BEYOND: Final = 200  # columns of the terminal after the last start, in which lines are compared
_FEWEST_WORDS: Final = 4  # columns of words, with nothing but their number to tell them


class ColumnPlaces(Protocol):
    """The columns of a table."""

    places: tuple[int, ...]  # where each starts

    def fits(self, line: bytes) -> bool:
        """Return whether a line keeps to the columns."""


class LeftColumns:
    """Columns whose cells start where their names start."""

    def __init__(self, header: bytes) -> None:
        names = [found.span() for found in _NAME.finditer(header)]
        self.places = (0, *(start for start, _ in names[1:]))
        self._indent = names[0][0]
        self._spans = [*pairwise((self._indent, *self.places[1:]))]
        self._is_last_free = b" " not in header[names[-1][0] :]

    def fit_all(self, lines: Iterable[bytes]) -> bool:
        """Return whether all lines fit. That is a few operations on large numbers for each line."""
        filled, starts = filled_and_starts(lines, self.places[-1] + _BEYOND)
        before = {place - back for place in self.places[1:] for back in (1, 2)}
        wanted = {self._indent, *self.places[1:]}
        end = self.places[-1] if self._is_last_free else len(starts)
        found = {at for at, is_start in enumerate(starts[: end + 1]) if is_start}
        return found <= wanted and not any(filled[place] for place in before)

    def fits(self, line: bytes) -> bool:
        if line[: self._indent].strip(b" "):
            return False
        for start, end in self._spans:
            cell = line[start:end].rstrip(b" ")
            if cell and (cell.startswith(b" ") or b"  " in cell or start + len(cell) > end - 2):
                return False
        last = line[self.places[-1] :]
        return not last.startswith(b" ") and (self._is_last_free or b"  " not in last)


class GapColumns:
    """Columns with gaps between them that are free in every line."""

    def __init__(self, places: tuple[int, ...]) -> None:
        self.places = places

    def fits(self, line: bytes) -> bool:
        return all(line[place - 1 : place] in (b" ", b"") for place in self.places[1:])


class WordColumns:
    """Columns of single words. Only the last cell may have blanks in it."""

    def __init__(self, header: bytes) -> None:
        self._names = [found.span() for found in _WORD.finditer(header)]
        self.places = tuple(start for start, _ in self._names)

    def is_below(self, line: bytes) -> bool:
        """Return whether each word is below its name."""
        words = (word.span() for word in _WORD.finditer(line))
        pairs = zip(self._names, words, strict=False)
        return all(word[0] < name[1] and word[1] > name[0] for name, word in pairs)

    def fits(self, line: bytes) -> bool:
        """Return whether each word is below its name, or was pushed to the right: then there is only
        one blank before it."""
        pushed = -1
        found = 0
        for name, word in zip(self._names, _WORD.finditer(line), strict=False):
            start, end = word.span()
            is_below = start < name[1] and end > name[0]
            if not is_below and (start < name[1] or start != pushed):
                return False
            pushed = end + 1
            found += 1
        return found == len(self._names)


def left_columns(header: bytes, lines: Iterable[bytes]) -> ColumnPlaces | None:
    columns = LeftColumns(header)
    is_table = len(columns.places) >= _FEWEST and columns.fit_all(lines)
    return columns if is_table else None


def gap_columns(header: bytes, lines: Iterable[bytes]) -> ColumnPlaces | None:
    places = free_places(header, lines)
    return GapColumns(places) if places is not None and len(places) >= _FEWEST else None


def word_columns(header: bytes, lines: Iterable[bytes]) -> ColumnPlaces | None:
    """Return columns of words, if most lines are aligned: any words could be pushed to the right."""
    columns = WordColumns(header)
    if len(columns.places) < _FEWEST_WORDS or b"  " not in header.strip(b" "):
        return None
    pushed = count = 0
    for line in lines:
        if not columns.fits(line):
            return None
        count += 1
        pushed += not columns.is_below(line)
    return columns if 2 * pushed < count else None


def ruled_columns(rule: bytes, header: bytes, lines: Iterable[bytes]) -> ColumnPlaces | None:
    """Return the columns that dashes show, if each line has a gap where the dashes have one."""
    dashes = [found.span() for found in _WORD.finditer(rule)]
    filled = filled_columns(chain([header], lines), len(rule))
    borders = [border_in(filled, one[1], other[0]) for one, other in pairwise(dashes)]
    places = tuple(place for place in borders if place is not None)
    before = filled[: dashes[0][0]].lstrip(b"\0")
    is_certain = len(places) == len(borders) and b"\0" not in before
    return GapColumns((0, *places)) if is_certain else None
