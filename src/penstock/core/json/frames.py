"""Rows of pandas and polars frames.

Neither library is imported: the module of its class identifies a frame. Only the requested rows and
columns become Python values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from penstock.core.json.records import cached_by_class, distinct
from penstock.core.json.unboxing import by_origin, counts_rows, is_finer, key_name, of_polars

Row = dict[str, Any]
_BATCH: Final = 1_000


class DataRows(ABC):
    """The rows of a frame. They support `len`, iteration and slices, as a list does."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]: ...

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def rows(self, indices: Sequence[int], names: Sequence[str]) -> list[Row]:
        """Return these rows, with these columns only."""

    @abstractmethod
    def values(self, name: str) -> list[Any]:
        """Return one column."""

    def __iter__(self) -> Iterator[Row]:
        for start in range(0, len(self), _BATCH):
            yield from self[start : start + _BATCH]

    def __getitem__(self, part: slice) -> list[Row]:
        return self.rows(range(*part.indices(len(self))), self.columns)


def read_frame(value: Any) -> DataRows | None:
    """Return the rows of a frame, or None if the value is not a frame."""
    reader = reader_of(type(value))
    return None if reader is None else reader(value)


@cached_by_class
def reader_of(kind: type) -> Callable[[Any], DataRows] | None:
    """Return the function that reads frames of this class, or None if it is not a frame class."""
    return by_origin(kind, _READERS)


class PandasFrame(DataRows):
    """The rows of a pandas frame. Its index comes first, unless it only counts the rows."""

    def __init__(self, frame: Any) -> None:
        self._count = len(frame)
        cells = (frame.iloc[:, place] for place in range(len(frame.columns)))
        columns = dict(zip(distinct(map(_column_name, frame.columns)), cells, strict=True))
        levels = [
            (name, values)
            for name, values in _index_levels(frame.index)
            if name not in columns
            or columns[name].tolist() != values.tolist()  # an equal column needs no copy
        ]
        names = distinct([*columns, *(name for name, _ in levels)])[len(columns) :]
        self._columns = {name: level[1] for name, level in zip(names, levels, strict=True)}
        self._columns |= columns

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def __len__(self) -> int:
        return self._count

    def values(self, name: str) -> list[Any]:
        return list(self._columns[name].tolist())

    def rows(self, indices: Sequence[int], names: Sequence[str]) -> list[Row]:
        if not names:
            return [{} for _ in indices]
        columns = [self._columns[name].take(indices).tolist() for name in names]
        return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _index_levels(index: Any) -> list[tuple[str, Any]]:
    """Return the name and the values of each level, named as `reset_index` names them."""
    if counts_rows(index):
        return []
    unnamed = "level_{}" if index.nlevels > 1 else "index"
    return [
        (
            unnamed.format(level) if key is None else _column_name(key),
            index.get_level_values(level),
        )
        for level, key in enumerate(index.names)
    ]


def _column_name(key: Any) -> str:
    """Return a column's name as a JSON key. Dots join the parts of a multi-level name."""
    if isinstance(key, tuple):
        return ".".join(filter(None, map(_column_name, key)))
    try:
        return key_name(key)
    except (TypeError, ValueError):
        return str(key)


class PolarsFrame(DataRows):
    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._frame.columns)

    def __len__(self) -> int:
        return int(self._frame.height)

    def values(self, name: str) -> list[Any]:
        return of_polars(self._frame.get_column(name))

    def rows(self, indices: Sequence[int], names: Sequence[str]) -> list[Row]:
        some = self._frame.select(list(names))[list(indices)]
        if not any(map(is_finer, some.dtypes)):
            return list(some.iter_rows(named=True))
        columns = map(of_polars, some.get_columns())
        return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]


_READERS: Final[Mapping[tuple[str, str], Callable[[Any], DataRows]]] = {
    ("pandas", "DataFrame"): PandasFrame,
    ("polars", "DataFrame"): PolarsFrame,
    ("polars", "LazyFrame"): lambda query: PolarsFrame(query.collect()),
}
