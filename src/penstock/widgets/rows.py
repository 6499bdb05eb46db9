"""An author's rows, read as a table: their number, their columns, and the JSON of some.

The given rows are not changed. A row becomes JSON only when it is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from penstock.core.json import records
from penstock.core.json.encoding import encode, encode_rows, key_of
from penstock.core.json.frames import DataRows, Row, read_frame
from penstock.core.json.unboxing import origins, unboxed
from penstock.errors import InvalidResult, InvalidSetting


class RowTable(Protocol):
    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in the order in which they first appear."""
        ...

    def __len__(self) -> int: ...

    def lines(self, indices: Sequence[int], names: Sequence[str]) -> list[bytes]:
        """Return the JSON of some rows, with only these columns."""
        ...

    def values(self, name: str) -> list[Any]:
        """Return a column as it was given, None if a row lacks it."""
        ...


def read_table(rows: Any) -> RowTable:
    """Return the rows as a table. A generator is read to its end here."""
    frame = read_frame(rows)
    if frame is not None:
        return FrameRows(frame)
    if not {("pandas", "Series"), ("polars", "Series")}.isdisjoint(origins(type(rows))):
        advice = "Give the frame; to_frame() makes one of a Series."
        raise InvalidSetting("rows", "Series", "one column is not rows.", next_step=advice)
    if isinstance(rows, Mapping):
        raise _refused("rows", rows, "one object is neither a list of rows nor a frame.")
    if isinstance(rows, str | bytes | bytearray) or not isinstance(rows, Iterable):
        raise _refused("rows", rows, "not a list of rows.")
    return Records(rows if isinstance(rows, list) else list(rows))


class FrameRows:
    """The rows of a pandas or polars frame."""

    def __init__(self, frame: DataRows) -> None:
        self._frame = frame
        self.columns = frame.columns
        self.values = frame.values

    def __len__(self) -> int:
        return len(self._frame)

    def lines(self, indices: Sequence[int], names: Sequence[str]) -> list[bytes]:
        rows = self._frame.rows(indices, names)
        try:
            return encode_rows(rows)
        except InvalidResult:
            return [encode(row, f"/{index}") for index, row in zip(indices, rows, strict=True)]


class Records:
    """Rows that are dicts or can become dicts."""

    def __init__(self, given: list[Any]) -> None:
        self._given = given
        self._rows, self._columns = _named_by_text(_as_dicts(given))

    @property
    def columns(self) -> tuple[str, ...]:
        return self._columns

    def __len__(self) -> int:
        return len(self._rows)

    def values(self, name: str) -> list[Any]:
        try:
            return [row[name] for row in self._rows]
        except KeyError:
            return [row.get(name) for row in self._rows]

    def lines(self, indices: Sequence[int], names: Sequence[str]) -> list[bytes]:
        rows = [self._rows[index] for index in indices]
        if len(names) < len(self._columns):
            rows = [{name: row[name] for name in names if name in row} for row in rows]
        try:
            return encode_rows(rows)
        except InvalidResult:
            return [self._slowly(index, row) for index, row in zip(indices, rows, strict=True)]

    def _slowly(self, index: int, row: Row) -> bytes:
        """Encode a row, by pydantic if needed: it knows more types than the encoder."""
        with suppress(InvalidResult):
            return encode(row)
        given = self._given[index]
        if records.is_model_type(type(given)):
            dumped = records.dumped_for_json(given)
            row = {name: item for name, item in dumped.items() if name in row}
        return encode(row, f"/{index}")


# -- columns -----------------------------------------------------------------------------------


def _named_by_text(rows: list[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """Return the rows with every key as JSON spells it, and their columns. Most keys are texts."""
    keys = _keys(rows)
    if all(isinstance(key, str) for key in keys):
        return rows, keys
    names = {key: key_of(key) for key in keys}
    twice = next((name for name, count in Counter(names.values()).items() if count > 1), None)
    if twice is not None:
        raise InvalidResult(
            f"Two columns are called {twice!r} in JSON. Rename one: JSON has the same name for 1 and '1'."
        )
    spelled = [{names[key]: value for key, value in row.items()} for row in rows]
    return spelled, tuple(dict.fromkeys(names.values()))


def _keys(rows: list[Row]) -> tuple[str, ...]:
    """Return the keys in the order of their first appearance. Stop once all keys have appeared."""
    missing: set[str] = set().union(*rows)
    found: dict[str, None] = {}
    for row in rows:
        if not missing:
            break
        if not missing.isdisjoint(row):
            found.update(dict.fromkeys(row))
            missing.difference_update(row)
    return tuple(found)


# -- types of rows -----------------------------------------------------------------------------


def _as_dicts(given: list[Any]) -> list[Row]:
    if all(issubclass(kind, dict) for kind in set(map(type, given))):
        return given
    return [_as_dict(index, row) for index, row in enumerate(given)]


def _as_dict(index: int, row: Any) -> Row:
    row = unboxed(row)  # a row of pandas is a Series
    if isinstance(row, dict):
        return row
    read = records.reader_of(type(row))
    made = None if read is None else read(row)
    if not isinstance(made, dict):
        raise _refused(f"rows[{index}]", row, "not a row.")
    return made


def _refused(what: str, value: Any, why: str) -> InvalidSetting:
    """Return an error that names the value's class, because the value may be very long."""
    advice = (
        "Give a list of rows, each a dict, a dataclass, a named tuple, or a pydantic, attrs or "
        "msgspec object; or a pandas or polars DataFrame."
    )
    return InvalidSetting(what, type(value).__name__, why, next_step=advice)
