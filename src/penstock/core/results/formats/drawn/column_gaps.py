"""The gaps between the columns of aligned text: columns of the terminal that are free in every line.

Names of columns may have blanks in them, and so may cells. A gap below a single blank of the header
is decided by the data: text on both sides of it in every line makes two columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

_WORD: Final = re.compile(rb"[^ ]++")
_FREE: Final = re.compile(rb"\0++")
_FILLED: Final = bytes(0 if code == ord(" ") else 1 for code in range(256))
_BEYOND: Final = 200  # columns after the header, in which lines are compared
_MARK: Final = re.compile(rb"[^0-9A-Za-z]{0,2}+")  # a sign before a row, such as a dot


def free_places(header: bytes, lines: Iterable[bytes]) -> tuple[int, ...] | None:
    """Return where the columns start that free gaps make; None if the gaps do not tell for certain.
    The lines are read twice."""
    search = _Search(header, filled_columns(lines, len(header) + _BEYOND))
    if not search.is_certain or not all(map(search.note, lines)):
        return None
    return search.places()


def filled_columns(lines: Iterable[bytes], reach: int) -> bytes:
    """Return for each column of the terminal whether a line has something there."""
    filled = 0
    for line in lines:
        filled |= int.from_bytes(line[:reach].translate(_FILLED), "little")
    return filled.to_bytes(reach, "little")


def filled_and_starts(lines: Iterable[bytes], reach: int) -> tuple[bytes, bytes]:
    """Return for each column of the terminal whether a line has something there, and whether a line
    has something there after two blanks, or as its first."""
    filled = starts = 0
    for line in lines:
        mask = int.from_bytes(line[:reach].translate(_FILLED), "little")
        filled |= mask
        starts |= mask & ~(mask << 8 | mask << 16)
    return filled.to_bytes(reach, "little"), starts.to_bytes(reach, "little")


def border_in(filled: bytes, start: int, end: int) -> int | None:
    """Return where the next column starts, between the ends of two names. None if nothing is free
    there, or if it is not certain which of several gaps separates the columns."""
    gaps = [found.span() for found in _FREE.finditer(filled, start, end)]
    if len(gaps) > 1:  # a single blank may be inside of a cell
        gaps = [gap for gap in gaps if gap[1] - gap[0] > 1]
    return gaps[0][1] if len(gaps) == 1 else None


class _Search:
    """The columns that the gaps between words of a header make, before and after all lines are read."""

    def __init__(self, header: bytes, filled: bytes) -> None:
        self._header = header
        self._words = [found.span() for found in _WORD.finditer(header)]
        first, last = self._words[0][0], self._words[-1][1]
        indent = len(filled) - len(filled.lstrip(b"\0"))
        self._has_unnamed = indent < first and b"\0" in filled[indent:first]
        unnamed = border_in(filled, indent, first) if self._has_unnamed else None
        self._starts = [0, *([] if unnamed is None else [unnamed])]
        self._is_narrow = unnamed is not None and filled[unnamed - 2 : unnamed - 1] != b"\0"
        # Single blanks of the header that lines have something below, and the numbers of the columns.
        self._closed: list[tuple[int, int]] = []
        self._single: list[tuple[int, int]] = []  # columns after a single blank, and their starts
        # After the last name, there may be another column.
        self.is_certain = (unnamed is not None) == self._has_unnamed
        self.is_certain &= b"\0\0" not in filled[last:].rstrip(b"\0")
        self._are_close = False  # a gap of one blank is between columns
        self._wide: set[int] = set()  # starts of columns after a single blank, if cells are apart
        self._short: set[int] = (
            set()
        )  # such starts, if a cell before them does not reach to the gap
        for (_, start), (end, _) in pairwise(self._words):
            self._add_border(filled, start, end)
        self._count = 0
        self._cells = [0] * len(self._starts)  # the lines with a cell in each column

    def _add_border(self, filled: bytes, start: int, end: int) -> None:
        place = border_in(filled, start, end)
        is_single = end - start == 1
        if place is not None:
            self._starts.append(place)
            if is_single:
                self._single.append((len(self._starts) - 1, place))
            self._are_close |= not is_single and filled[place - 2] != 0
        elif is_single:
            self._closed.append((len(self._starts) - 1, start))
        else:
            self.is_certain = False

    def note(self, line: bytes) -> bool:
        """Count the cells of a line. Return whether they are certain."""
        self._count += 1
        ends = (*self._starts[1:], len(line))
        cells = [line[start:end] for start, end in zip(self._starts, ends, strict=True)]
        are_filled = [bool(cell) and not cell.isspace() for cell in cells]
        if any(b"  " in cell.strip(b" ") for cell in cells[:-1]):
            return False  # the cell of another column may begin there
        for number, is_filled in enumerate(are_filled):
            self._cells[number] += is_filled
        for number, start in self._single:
            is_short = not are_filled[number - 1] or line[start - 2 : start - 1] in (b" ", b"")
            is_apart = are_filled[number - 1] and (is_short or cells[number].startswith(b" "))
            self._short |= {start} if is_short else set()
            self._wide |= {start} if is_apart and are_filled[number] else set()
        if self._is_narrow and not self._is_number_or_mark(cells[0].strip(b" ")):
            return False
        return not any(self._is_apart(line, *closed) for closed in self._closed)

    def _is_number_or_mark(self, cell: bytes) -> bool:
        """Return whether a cell without a name is the number of its row, counted from 0 or 1."""
        return cell in (b"%d" % self._count, b"%d" % (self._count - 1)) or bool(
            _MARK.fullmatch(cell)
        )

    def _is_apart(self, line: bytes, number: int, place: int) -> bool:
        """Return whether there is a cell on both sides of a blank that other lines have none of, below
        the name of a column."""
        if line[place : place + 1] not in (b" ", b""):
            return False
        start, (end, *_) = self._starts[number], (*self._starts[number + 1 : number + 2], len(line))
        return bool(line[start:place].strip(b" ") and line[place:end].strip(b" "))

    def places(self) -> tuple[int, ...] | None:
        """Return where the columns start. Two words with one blank between them are one name if no
        cell is below the second, unless other columns have only one blank between them too."""
        kept = [self._starts[0]]
        is_joined, is_close = False, self._are_close or bool(self._wide)
        for number, start in enumerate(self._starts[1:], 1):
            left, right = self._cells[number - 1], self._cells[number]
            if (number, start) not in self._single:
                kept.append(start)
            elif start not in self._wide and self._is_same_name(start):
                continue
            elif left and not right:
                is_joined = True
            elif is_close and self._are_two(start, left, right):
                kept.append(start)
            else:
                return None
        return None if is_joined and is_close else tuple(kept)

    def _are_two(self, start: int, left: int, right: int) -> bool:
        """Return whether two words with one blank between them are two names. Cells of the last column
        may be missing, as in `lsblk`, if those before it are all as long as their name."""
        if start in self._wide or left == right == self._count:
            return left > 0
        is_last = start == self._words[-1][0] and self._header.isupper()
        return is_last and start not in self._short

    def _is_same_name(self, start: int) -> bool:
        """Return whether a small letter goes on with a name that starts with a capital."""
        before = self._header[:start].split()
        return self._header[start : start + 1].islower() and before[-1][:1].isupper()
