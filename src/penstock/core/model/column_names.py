"""The names of columns that users see: those of SQL, made from the paths to the cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from penstock.core.model.questions import ColumnPath

_VALUE: Final = "value"


def name_of(path: ColumnPath, names: Sequence[str] = ()) -> str:
    """Return the name of a column. If rows are lists, `names` has the names of their places. A place
    without a name gets one: `c1`, `c2` and so on."""
    if not path:
        return _VALUE
    return ".".join(_step_name(step, names) for step in path)


def _step_name(step: str | int, names: Sequence[str]) -> str:
    if isinstance(step, str):
        return step
    return names[step] if step < len(names) else f"c{step + 1}"
