"""Values of numpy, pandas and polars, and of classes derived from Python's own, as Python's own.

No library is imported: a class says where it comes from, by the module of one of its bases.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final

import msgspec

from penstock.core.json.records import Told, once_a_class

Step = Callable[[Any], Any]


@once_a_class
def step_of(kind: type) -> Step | None:
    """Return the function that makes a plainer value of one of this class; None where it is plain
    already, or not known here."""
    step = by_origin(kind, _LIBRARIES)
    if step is not None:
        return step
    base = next((base for base in _OWN if issubclass(kind, base)), kind)
    return None if kind is base else _OWN[base]


def by_origin(kind: type, known: Mapping[tuple[str, str], Told]) -> Told | None:
    """Return what is known of a class, or of the nearest of its bases, by library and name."""
    return next((known[origin] for origin in origins(kind) if origin in known), None)


def origins(kind: type) -> Iterator[tuple[str, str]]:
    """Yield the library and the name of a class and of each of its bases."""
    for base in kind.__mro__:
        yield base.__module__.partition(".")[0], base.__name__


def unboxed(value: Any) -> Any:
    """Return a value as Python's own. What is in a list or a dict stays as it is."""
    step = step_of(type(value))
    return value if step is None else unboxed(step(value))


def all_unboxed(values: list[Any]) -> list[Any]:
    """Return a column as Python's own values, which it mostly holds already."""
    if any(map(step_of, set(map(type, values)))):
        return [unboxed(value) for value in values]
    return values


def key_name(key: Any) -> str:
    """Return a key as JSON spells it: the number 7 is "7". TypeError where it has no form."""
    key = unboxed(key)
    if isinstance(key, str):
        return key
    if key is None:
        return "null"
    plain = int(key) if isinstance(key, bool) else key
    return str(next(iter(json.loads(msgspec.json.encode({plain: 0})))))


# -- numpy -------------------------------------------------------------------------------------

# Kinds of dtype (see numpy.dtype.kind) that `tolist` turns into Python values, exactly.
_TEXTS = frozenset("SUO")
_NUMBERS = frozenset("biuf")
_LONGEST_FLOAT = 8  # bytes; `tolist` leaves a longer one as it is


def _of_array(array: Any) -> Any:
    """Make nested lists of an array, whatever its dimensions; of one without any, its value."""
    if _is_listed_exactly(array.dtype):
        return array.tolist()  # None where a masked array has no value
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
    """Show a point in time in its own precision, and a span as a timedelta where that is exact."""
    if value.dtype.kind == "M":
        return str(value)
    if value.dtype.name.endswith("[ns]") and int(value.view("i8")) % 1_000 == 0:
        return value.astype("m8[us]").item()
    span = value.item()
    return str(value) if isinstance(span, int) else span


# -- pandas, polars, and classes of one's own ----------------------------------------------------


def _nothing(_value: Any) -> None:
    return None


def _of_timestamp(value: Any) -> Any:
    """Python's own, unless it is finer than those, or farther away."""
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
    """Tell whether an index of pandas says nothing but the place of a row."""
    return type(index).__name__ == "RangeIndex" and index.name is None


def _of_series(series: Any) -> Any:
    """Make a list of a column, an object of one with labels, rows of one whose labels are no keys."""
    values = list(series.tolist())
    if counts_rows(series.index):
        return values
    with suppress(TypeError, ValueError):
        keys = [key_name(label) for label in series.index.tolist()]
        if len(set(keys)) == len(keys):
            return dict(zip(keys, values, strict=True))
    return series.to_frame("value" if series.name is None else series.name)


def is_finer(dtype: Any) -> bool:
    """Tell whether a column of polars may hold times that are finer than Python's."""
    told = str(dtype)
    return "'ns'" in told or "Time" in told.replace("Datetime", "")


def of_polars(column: Any) -> list[Any]:
    """Make a list of a column of polars. A time that is finer than Python's is text."""
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
# By the base's own methods, for a class may show itself in another way. A bool is an int too,
# and a datetime a date.
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
