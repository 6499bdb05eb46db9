"""Conversion of numpy, pandas and polars values, and of subclasses of Python's own types.

No library is imported: the modules of a class and of its bases show where the class comes from.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final

import msgspec

from penstock.core.json.records import Told, cached_by_class

Step = Callable[[Any], Any]


@cached_by_class
def step_of(kind: type) -> Step | None:
    """Return the function that makes a value of this class plainer, or None if the class is plain
    already or unknown here."""
    step = by_origin(kind, _LIBRARIES)
    if step is not None:
        return step
    base = next((base for base in _OWN if issubclass(kind, base)), kind)
    return None if kind is base else _OWN[base]


def by_origin(kind: type, known: Mapping[tuple[str, str], Told]) -> Told | None:
    """Look up a class, then each of its bases, by library and name. Return the first found."""
    return next((known[origin] for origin in origins(kind) if origin in known), None)


def origins(kind: type) -> Iterator[tuple[str, str]]:
    """Yield the library and the name of a class and of each of its bases."""
    for base in kind.__mro__:
        yield base.__module__.partition(".")[0], base.__name__


def unboxed(value: Any) -> Any:
    """Return a value as a built-in Python type. The items of a list or dict stay unchanged."""
    step = step_of(type(value))
    return value if step is None else unboxed(step(value))


def all_unboxed(values: list[Any]) -> list[Any]:
    """Return a column with built-in Python types, which most columns hold already."""
    if any(map(step_of, set(map(type, values)))):
        return [unboxed(value) for value in values]
    return values


def key_name(key: Any) -> str:
    """Return a key as JSON spells it: the number 7 is "7". Raise TypeError if it has no form."""
    key = unboxed(key)
    if isinstance(key, str):
        return key
    if key is None:
        return "null"
    plain = int(key) if isinstance(key, bool) else key
    return str(next(iter(json.loads(msgspec.json.encode({plain: 0})))))


# -- numpy -------------------------------------------------------------------------------------

# Kinds of dtype (see numpy.dtype.kind) that `tolist` converts to Python values exactly.
_TEXTS = frozenset("SUO")
_NUMBERS = frozenset("biuf")
_LONGEST_FLOAT = 8  # bytes; `tolist` does not convert a longer one


def _of_array(array: Any) -> Any:
    """Return an array as nested lists, or the value of an array without dimensions."""
    if _is_listed_exactly(array.dtype):
        return array.tolist()  # masked values become None
    if array.ndim:
        return [unboxed(item) for item in array]
    return _of_record(array) if array.dtype.names else array[()]


def _is_listed_exactly(dtype: Any) -> bool:
    return dtype.kind in _TEXTS or (dtype.kind in _NUMBERS and dtype.itemsize <= _LONGEST_FLOAT)


def _of_scalar(value: Any) -> Any:
    dtype = value.dtype
    if dtype.kind in "mM":
        return None if str(value) == "NaT" else _of_time(value)
    if dtype.names:
        return _of_record(value)
    return float(value) if dtype.kind == "f" else value.item()


def _of_record(value: Any) -> dict[str, Any]:
    return {name: unboxed(value[name]) for name in value.dtype.names}


def _of_time(value: Any) -> Any:
    """Return a datetime64 as text in its own precision, a timedelta64 as a timedelta if exact."""
    if value.dtype.kind == "M":
        return str(value)
    if value.dtype.name.endswith("[ns]") and int(value.view("i8")) % 1_000 == 0:
        return value.astype("m8[us]").item()
    span = value.item()
    return str(value) if isinstance(span, int) else span


# -- pandas and polars -------------------------------------------------------------------------


def _nothing(_value: Any) -> None:
    return None


def _of_timestamp(value: Any) -> Any:
    """Return a datetime, or text if the timestamp is finer than a datetime or out of its range."""
    if not value.nanosecond:
        with suppress(ValueError, OverflowError):
            return value.to_pydatetime()
    return value.isoformat()


def _of_timedelta(value: Any) -> Any:
    if not value.nanoseconds:
        with suppress(ValueError, OverflowError):
            return value.to_pytimedelta()
    return value.isoformat()


def _of_column(value: Any) -> list[Any]:
    return list(value.tolist())


def counts_rows(index: Any) -> bool:
    """Return whether a pandas index has no name and only numbers the rows, from 0 on. That of a
    slice says where the slice comes from."""
    if type(index).__name__ != "RangeIndex" or index.name is not None:
        return False
    last = len(index) - 1
    return last < 0 or (index[0] == 0 and index[last] == last)


def _of_series(series: Any) -> Any:
    """Return a list, a dict if there are labels, or a frame if labels cannot be distinct keys."""
    values = list(series.tolist())
    if counts_rows(series.index):
        return values
    with suppress(TypeError, ValueError):
        keys = [key_name(label) for label in series.index.tolist()]
        if len(set(keys)) == len(keys):
            return dict(zip(keys, values, strict=True))
    return series.to_frame("value" if series.name is None else series.name)


def is_finer(dtype: Any) -> bool:
    """Return whether a polars column may hold times that are finer than Python's."""
    name = str(dtype)
    return "'ns'" in name or "Time" in name.replace("Datetime", "")


def of_polars(column: Any) -> list[Any]:
    """Return a polars column as a list. A time that is finer than Python's becomes text."""
    values: list[Any] = column.to_list()
    kind = str(column.dtype).partition("(")[0]
    if not is_finer(column.dtype):
        return values
    if kind in ("List", "Array"):
        return [None if part is None else of_polars(part) for part in column]
    if kind == "Struct":
        fields = {
            field.name: of_polars(column.struct.field(field.name)) for field in column.dtype.fields
        }
        rows = [
            dict(zip(fields, cells, strict=True)) for cells in zip(*fields.values(), strict=True)
        ]
        return [None if value is None else row for value, row in zip(values, rows, strict=True)]
    rests = (column.to_physical() % 1_000).to_list()
    texts = column.dt.to_string("iso").str.replace(" ", "T").to_list()
    return [text if rest else value for value, text, rest in zip(values, texts, rests, strict=True)]


_LIBRARIES: Final[Mapping[tuple[str, str], Step]] = {
    ("numpy", "MaskedConstant"): _nothing,
    ("numpy", "ndarray"): _of_array,
    ("numpy", "generic"): _of_scalar,
    ("pandas", "NaTType"): _nothing,
    ("pandas", "NAType"): _nothing,
    ("pandas", "Timestamp"): _of_timestamp,
    ("pandas", "Timedelta"): _of_timedelta,
    ("pandas", "Period"): str,
    ("pandas", "Interval"): str,
    ("pandas", "Series"): _of_series,
    ("pandas", "Index"): _of_column,
    ("pandas", "ExtensionArray"): _of_column,
    ("polars", "Series"): of_polars,
}
# These functions call the base's own methods, because a subclass may override them. The order
# matters: a bool is also an int, and a datetime is also a date.
_OWN: Final[Mapping[type, Step]] = {
    bool: bool,
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    bytes: bytes.__bytes__,
    Decimal: Decimal,
    dt.datetime: lambda value: dt.datetime.combine(
        dt.datetime.date(value), dt.datetime.timetz(value)
    ),
    dt.date: lambda value: dt.date(value.year, value.month, value.day),
    dt.time: lambda value: dt.time(
        value.hour, value.minute, value.second, value.microsecond, value.tzinfo
    ),
    dt.timedelta: lambda value: dt.timedelta(value.days, value.seconds, value.microseconds),
}
