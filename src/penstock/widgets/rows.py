"""Rows as an author has them, read as a table: how many, which columns, and the JSON of some.

Nothing that was given is changed, and a row is made JSON of only when it is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from penstock.core.json.encoding import encode
from penstock.errors import InvalidResult, InvalidSetting
from penstock.widgets.fit_frames import read_frame
from penstock.widgets.fit_values import encoded, name_of

Row = dict[str, Any]


class Table(Protocol):
    @property
    def columns(self) -> tuple[str, ...]:
        """In the order in which they first appear."""
        ...

    def __len__(self) -> int: ...

    def lines(self, indices: Sequence[int], names: Sequence[str]) -> list[bytes]:
        """The JSON of some rows, with these columns only."""
        ...

    def values(self, name: str) -> list[Any]:
        """A column as it was given, None where a row lacks it."""
        ...


def read_table(rows: Any) -> Table:
    """A generator is read to its end, here and once."""
    frame = read_frame(rows)
    if frame is not None:
        return frame
    if isinstance(rows, Mapping):
        raise _refused("rows", rows, "one object is neither a list of rows nor a frame.")
    if isinstance(rows, str | bytes | bytearray) or not isinstance(rows, Iterable):
        raise _refused("rows", rows, "not a list of rows.")
    return Records(rows if isinstance(rows, list) else list(rows))


class Records:
    """Rows that are dicts, or that a dict can be made of."""

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
            return [encode(row) for row in rows]
        except InvalidResult:
            return [self._slowly(index, row) for index, row in zip(indices, rows, strict=True)]

    def _slowly(self, index: int, row: Row) -> bytes:
        """pydantic has a JSON form for more types than the encoder knows."""
        given = self._given[index]
        if _is_model(given):
            with suppress(InvalidResult):
                return encode(row)
            with suppress(TypeError, ValueError):
                row = {
                    name: item
                    for name, item in given.model_dump(mode="json").items()
                    if name in row
                }
        return encoded(row, f"/{index}")


# -- columns -----------------------------------------------------------------------------------


def _named_by_text(rows: list[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """The rows with every key as JSON spells it, and their columns. Most have none but texts."""
    keys = _keys(rows)
    if all(isinstance(key, str) for key in keys):
        return rows, keys
    names = {key: name_of(key) for key in keys}
    twice = next((name for name, count in Counter(names.values()).items() if count > 1), None)
    if twice is not None:
        raise InvalidResult(
            f"Two columns are called {twice!r} in JSON. Rename one of them: 1 and '1' are one name there."
        )
    spelled = [{names[key]: value for key, value in row.items()} for row in rows]
    return spelled, tuple(dict.fromkeys(names.values()))


def _keys(rows: list[Row]) -> tuple[str, ...]:
    """Which there are is soon said; in which order, as soon as all of them were met."""
    missing: set[str] = set().union(*rows)
    found: dict[str, None] = {}
    for row in rows:
        if not missing:
            break
        if not missing.isdisjoint(row):
            found.update(dict.fromkeys(row))
            missing.difference_update(row)
    return tuple(found)


# -- what a row may be -------------------------------------------------------------------------


def _as_dicts(given: list[Any]) -> list[Row]:
    if all(issubclass(kind, dict) for kind in set(map(type, given))):
        return given
    return [_as_dict(index, row) for index, row in enumerate(given)]


def _as_dict(index: int, row: Any) -> Row:
    if isinstance(row, dict):
        return row
    if isinstance(row, type):
        raise _refused(f"rows[{index}]", row, "a class, not a row.")
    if isinstance(row, Mapping) or _is_keyed(row):
        return dict(row)
    if _is_model(row):
        dumped = row.model_dump()
        if isinstance(dumped, dict):
            return dumped
    names = _fields(type(row))
    if names is not None:
        return {name: getattr(row, field) for name, field in names.items()}
    raise _refused(f"rows[{index}]", row, "not a row.")


def _is_keyed(row: Any) -> bool:
    """What `dict` takes for a mapping: a row of sqlite3 is none by its class."""
    return callable(getattr(row, "keys", None)) and hasattr(row, "__getitem__")


def _is_model(row: Any) -> bool:
    """One of pydantic's, without importing it."""
    return callable(getattr(row, "model_dump", None))


def _fields(kind: type) -> dict[str, str] | None:
    """The names that a class's fields have in JSON, and in Python, as the encoder has them."""
    if hasattr(kind, "__dataclass_fields__"):
        return {name: name for name in kind.__dataclass_fields__}
    if hasattr(kind, "__struct_fields__"):
        names = getattr(kind, "__struct_encode_fields__", kind.__struct_fields__)
        return dict(zip(names, kind.__struct_fields__, strict=True))
    if hasattr(kind, "__attrs_attrs__"):
        names = [attribute.name for attribute in kind.__attrs_attrs__]
        return {name: name for name in names if not name.startswith("_")}
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):  # a named tuple
        return {name: name for name in kind._fields}
    return None


def _refused(what: str, value: Any, why: str) -> InvalidSetting:
    """Names the class, for the value may be very long."""
    advice = (
        "Give a list of rows, each a dict, a dataclass, a named tuple, or a pydantic, attrs or "
        "msgspec object; or a pandas or polars DataFrame."
    )
    return InvalidSetting(what, type(value).__name__, why, next_step=advice)
