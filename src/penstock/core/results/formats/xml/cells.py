"""The texts of an element or attribute in a whole XML text, and whether they are all numbers."""

from __future__ import annotations

from typing import Final

from penstock.core.results.formats.tables.numbers import NumberColumns

_CELLS: Final = 1_000  # that are checked at once
_LONGEST_NUMBER: Final = 60


class XmlCells:
    """The texts of an element or attribute: are they all numbers?"""

    __slots__ = ("_cells", "_numbers")

    def __init__(self) -> None:
        self._cells: list[bytes] = []
        self._numbers: NumberColumns | None = NumberColumns(1, may_have_commas=True)

    def add(self, text: str) -> None:
        if self._numbers is None:
            return
        if len(text) > _LONGEST_NUMBER or '"' in text:  # quotes are for tables only
            self._numbers = None
            return
        self._cells.append(text.encode())
        if len(self._cells) >= _CELLS:
            self._check(self._numbers)

    def are_numbers(self, marks: set[bytes]) -> bool:
        """Return whether all texts are numbers, and add the marks for missing ones to `marks`."""
        numbers = self._numbers
        if numbers is None:
            return False
        self._check(numbers)
        if not numbers.are_numbers()[0]:
            return False
        marks |= numbers.marks
        return True

    def _check(self, numbers: NumberColumns) -> None:
        numbers.note(self._cells)
        self._cells = []
        if not numbers.open:
            self._numbers = None
