"""The author's statement of which cells are feasible: a field, a function of the cell, or a mask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeAlias

from penstock.core.json.unboxing import unboxed
from penstock.errors import InvalidSetting
from penstock.shaping import arrays
from penstock.shaping.cells import Cells, rows_of
from penstock.shaping.problems import InvalidShape, clipped, kind_name, no_such_field
from penstock.shaping.records import MISSING

# Return whether each cell of the rows from `start` to `stop` is feasible, row by row.
Verdicts: TypeAlias = Callable[[int, int], Sequence[bool]]

_HOW = (
    "Give the name of a boolean field, a function that takes a cell, or a table of booleans as "
    "large as the grid."
)


def verdicts_of(feasible: Any, cells: Cells) -> Verdicts | None:
    if feasible is None:
        return None
    if isinstance(feasible, str):
        return _by_field(feasible, cells)
    if callable(feasible):
        return _by_function(feasible, cells)
    return _by_mask(feasible, cells)


def _by_field(name: str, cells: Cells) -> Verdicts:
    names = cells.names()
    if names and name not in names and name.partition(".")[0] not in names:
        raise no_such_field("feasible", name, names)
    table = cells.matrix(name)
    if table is not None and table.dtype.kind == "b":
        return lambda start, stop: table[start:stop].ravel()

    def verdicts(start: int, stop: int) -> list[bool]:
        return [_said(value, name) for value in cells.block(name, start, stop)]

    return verdicts


def _said(value: Any, name: str) -> bool:
    if value is None or value is MISSING:
        return False
    if not arrays.is_bool(value):
        why = f"in one cell it is a {kind_name(value)}, not a boolean"
        raise InvalidSetting("feasible", clipped(name, 40), why, next_step=_HOW)
    return bool(value)


def _by_function(feasible: Callable[[Any], Any], cells: Cells) -> Verdicts:
    def verdicts(start: int, stop: int) -> list[bool]:
        places = ((row, column) for row in range(start, stop) for column in range(cells.columns))
        found = (cells.at(row, column) for row, column in places)
        return [cell is not None and bool(feasible(cell)) for cell in found]

    return verdicts


def _by_mask(mask: Any, cells: Cells) -> Verdicts:
    table, shape = _mask(mask)
    if shape != (cells.rows, cells.columns):
        why = f"the mask has {shape[0]} x {shape[1]} values, and the grid {cells.rows} x {cells.columns} cells"
        raise InvalidSetting("feasible", kind_name(mask), why, next_step=_HOW)
    if arrays.is_array(table):
        return lambda start, stop: table[start:stop].ravel()

    def verdicts(start: int, stop: int) -> list[bool]:
        return [_said(value, "a mask") for value in chain.from_iterable(table[start:stop])]

    return verdicts


def _mask(mask: Any) -> tuple[Any, tuple[int, int]]:
    """Return the mask and its shape: an array of booleans unchanged, anything else as rows."""
    if arrays.is_array(mask):
        if mask.dtype.kind == "b" and mask.ndim == 2:  # noqa: PLR2004 (a table has two)
            return mask, mask.shape
        mask = unboxed(mask) if mask.ndim else mask.item()
    try:
        table = rows_of(mask, "feasible")
    except InvalidShape as error:
        raise InvalidSetting("feasible", kind_name(mask), error.message, next_step=_HOW) from None
    return table, (len(table), len(table[0]) if table else 0)
