"""Frames of pandas and polars as tables.

Neither library is imported here: a frame is known by the module of its class. Only the rows and
columns that are asked for become Python values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.errors import InvalidSetting
from penstock.widgets.fit_values import all_opened, encoded, name_of


def read_frame(rows: Any) -> PandasTable | PolarsTable | None:
    """None where it is no frame."""
    for kind in type(rows).__mro__:
        library, name = kind.__module__.partition(".")[0], kind.__name__
        if library == "pandas" and name == "DataFrame":
            return PandasTable(rows)
        if library == "polars" and name in ("DataFrame", "LazyFrame"):
            return PolarsTable(rows if name == "DataFrame" else rows.collect())
        if library in ("pandas", "polars") and name == "Series":
            advice = "Give the frame; a Series is made one by to_frame()."
            raise InvalidSetting("rows", name, "one column is not rows.", next_step=advice)
    return None


class PandasTable:
    """An index whose levels have names is data, and comes first; one without is left out."""

    def __init__(self, frame: Any) -> None:
        self._count = len(frame)
        self._columns: dict[str, Any] = {}
        for place, key in enumerate(frame.columns):
            name = _column_name(key)
            if name in self._columns:
                advice = "Give each column a name of its own."
                raise InvalidSetting("rows", name, "two columns have this name.", next_step=advice)
            self._columns[name] = frame.iloc[:, place]
        self._columns = _index_levels(frame, self._columns) | self._columns

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def __len__(self) -> int:
        return self._count

    def values(self, name: str) -> list[Any]:
        return all_opened(self._columns[name].tolist())

    def lines(self, indices: Sequence[int], names: Sequence[str]) -> list[bytes]:
        if not names:
            return [b"{}"] * len(indices)
        columns = [all_opened(self._columns[name].take(indices).tolist()) for name in names]
        rows = (dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True))
        return [encoded(row, f"/{at}") for at, row in zip(indices, rows, strict=True)]


def _index_levels(frame: Any, columns: dict[str, Any]) -> dict[str, Any]:
    index = frame.index
    return {
        _column_name(key): index.get_level_values(level)
        for level, key in enumerate(index.names)
        if key is not None and _column_name(key) not in columns
    }


def _column_name(key: Any) -> str:
    if isinstance(key, tuple):
        advice = "Give the frame columns of one level, for example by joining the names."
        raise InvalidSetting("rows", key, "a column with a name of many parts.", next_step=advice)
    return name_of(key)


class PolarsTable:
    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._frame.columns)

    def __len__(self) -> int:
        return int(self._frame.height)

    def values(self, name: str) -> list[Any]:
        return all_opened(self._frame.get_column(name).to_list())

    def lines(self, indices: Sequence[int], names: Sequence[str]) -> list[bytes]:
        some = self._frame.select(list(names))[list(indices)]
        rows = some.iter_rows(named=True)
        return [encoded(row, f"/{at}") for at, row in zip(indices, rows, strict=True)]
