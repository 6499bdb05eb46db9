"""The cells of a grid, in any form that the author of the tool has them.

Rows of objects stay as they are, and arrays stay arrays. A cell is made only when it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

from penstock.core.json.unboxing import unboxed
from penstock.shaping import arrays
from penstock.shaping.problems import InvalidShape, clipped, kind_name, listed
from penstock.shaping.records import (
    MISSING,
    VALUE,
    check_kinds,
    field_names,
    read_all,
)

_TABLE = 2
_WHAT_CELLS_MAY_BE = (
    "Give a list of rows of cells, a numpy array with two dimensions, or a mapping of field names "
    "to such arrays or lists of rows."
)


class Cells(Protocol):
    @property
    def rows(self) -> int: ...

    @property
    def columns(self) -> int: ...

    def at(self, row: int, column: int) -> Any:
        """Return a cell as its author would see it, or None if there is none."""
        ...

    def block(self, name: str, start: int, stop: int, absent: Any = None) -> Sequence[Any]:
        """Return a field of all cells of some rows, row by row: `absent` if there is no cell,
        MISSING if a cell lacks the field."""
        ...

    def matrix(self, name: str) -> Any | None:
        """Return a field of all cells if it already is an array, else None."""
        ...

    def names(self) -> list[str]:
        """Return the fields that the first cell has."""
        ...


def cells_of(given: Any) -> Cells:
    if arrays.is_array(given):
        return _cells_of_array(given)
    if isinstance(given, Mapping):
        return FieldCells.of(given)
    return NestedCells(rows_of(given, "cells"))


def _cells_of_array(array: Any) -> Cells:
    if array.ndim != _TABLE:
        raise InvalidShape(
            f"The cells are an array with {array.ndim} dimensions, and a grid has 2.",
            next_step=_WHAT_CELLS_MAY_BE,
        )
    if array.dtype.names is not None:
        return FieldCells.of({name: array[name] for name in array.dtype.names})
    if array.dtype.kind == "O":
        return NestedCells(array.tolist())
    return FieldCells.of({VALUE: array}, of_numbers=True)


def rows_of(given: Any, what: str) -> Sequence[Sequence[Any]]:
    """Return the rows as lists of equal length. Lists and tuples are not copied."""
    if isinstance(given, str | bytes | Mapping | set) or not isinstance(given, Iterable):
        raise InvalidShape(
            f"{what} is a {kind_name(given)}, not rows of cells.", next_step=_WHAT_CELLS_MAY_BE
        )
    rows = [_row(row, number, what) for number, row in enumerate(given)]
    lengths = set(map(len, rows))
    if len(lengths) > 1:
        raise _ragged(rows, what)
    return rows


def _row(row: Any, number: int, what: str) -> Sequence[Any]:
    if type(row) is list or type(row) is tuple:
        return row
    if arrays.is_array(row) and row.ndim == 1:
        return list(unboxed(row))
    if isinstance(row, str | bytes | Mapping | set) or not isinstance(row, Iterable):
        raise InvalidShape(
            f"Row {number} of {what} is a {kind_name(row)}, not a list of cells.",
            next_step=_WHAT_CELLS_MAY_BE,
        )
    return list(row)


def _ragged(rows: Sequence[Sequence[Any]], what: str) -> InvalidShape:
    width = len(rows[0])
    odd = next(number for number, row in enumerate(rows) if len(row) != width)
    return InvalidShape(
        f"Row {odd} of {what} has length {len(rows[odd])}, and row 0 has length {width}.",
        next_step="Give every row the same length; use None for a missing cell.",
    )


@dataclass(frozen=True, slots=True)
class NestedCells:
    """Rows of cells. Each cell is an object, a dict, a number or None."""

    table: Sequence[Sequence[Any]]

    @property
    def rows(self) -> int:
        return len(self.table)

    @property
    def columns(self) -> int:
        return len(self.table[0]) if self.table else 0

    def at(self, row: int, column: int) -> Any:
        return self.table[row][column]

    def block(self, name: str, start: int, stop: int, absent: Any = None) -> Sequence[Any]:
        rows = self.table[start:stop]
        cells = rows[0] if len(rows) == 1 else list(chain.from_iterable(rows))
        last = "" if len(rows) == 1 else f" to {stop - 1}"
        return read_all(cells, name, f"A cell in row {start}{last}", absent)

    def matrix(self, name: str) -> Any | None:  # noqa: ARG002 (only arrays have one)
        return None

    def names(self) -> list[str]:
        first = next((cell for row in self.table for cell in row if cell is not None), None)
        if first is None:
            return []
        check_kinds([type(first)], "The first cell")
        return field_names(first)


@dataclass(frozen=True, slots=True)
class FieldCells:
    """Cells as one table for each field."""

    fields: Mapping[str, Any]
    rows: int
    columns: int
    of_numbers: bool = False  # The author gave one table of plain numbers.

    @classmethod
    def of(cls, given: Mapping[Any, Any], *, of_numbers: bool = False) -> FieldCells:
        fields = {str(name): _table(name, values) for name, values in given.items()}
        shapes = {name: _shape(table) for name, table in fields.items()}
        if len(set(shapes.values())) > 1:
            told = listed(f"{clipped(n, 20)} {r} x {c}" for n, (r, c) in shapes.items())
            raise InvalidShape(
                f"The fields differ in shape: {told}.",
                next_step="Give each field one value for every cell.",
            )
        rows, columns = next(iter(shapes.values()), (0, 0))
        return cls(fields, rows, columns, of_numbers)

    def at(self, row: int, column: int) -> Any:
        cell = {name: _value(table, row, column) for name, table in self.fields.items()}
        return cell[VALUE] if self.of_numbers else cell

    def block(self, name: str, start: int, stop: int, absent: Any = None) -> Sequence[Any]:
        table = self.fields.get(name)
        if table is None:
            return self._inside(name, start, stop, absent)
        if arrays.is_array(table):
            table = unboxed(table[start:stop])
            start, stop = 0, stop - start
        return list(chain.from_iterable(table[start:stop]))

    def _inside(self, path: str, start: int, stop: int, absent: Any) -> Sequence[Any]:
        """Follow a dotted path into the objects that a field holds."""
        name, _, rest = path.partition(".")
        if not rest or name not in self.fields:
            return [MISSING] * (self.columns * (stop - start))
        values = self.block(name, start, stop)
        return read_all(values, rest, absent=absent)

    def matrix(self, name: str) -> Any | None:
        table: Any = self.fields.get(name)
        return table if arrays.is_array(table) and table.ndim == _TABLE else None

    def names(self) -> list[str]:
        return list(self.fields)


def _table(name: Any, values: Any) -> Any:
    if not arrays.is_array(values):
        return rows_of(values, f"The field {clipped(str(name), 40)}")
    if values.ndim < _TABLE:
        raise InvalidShape(
            f"The field {clipped(str(name), 40)} is an array of {values.ndim} dimensions.",
            next_step=_WHAT_CELLS_MAY_BE,
        )
    return values.tolist() if values.dtype.kind == "O" else values


def _shape(table: Any) -> tuple[int, int]:
    if arrays.is_array(table):
        return table.shape[0], table.shape[1]
    return len(table), len(table[0]) if table else 0


def _value(table: Any, row: int, column: int) -> Any:
    if not arrays.is_array(table):
        return table[row][column]
    return unboxed(table[row : row + 1, column])[0]
