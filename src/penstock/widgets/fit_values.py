"""Values and names as JSON has them, those of numpy and pandas too.

Neither library is imported: a value's class says where it comes from, and whoever has such a value
has the library.
"""

from __future__ import annotations

from types import NoneType
from typing import Any

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.errors import InvalidResult
from penstock.shaping import arrays

_PLAIN = frozenset({int, float, str, bool, NoneType})
_NOTHING = frozenset({"NaTType", "NAType"})


def encoded(value: Any, path: str) -> bytes:
    """Compact JSON. Only what the encoder refuses is looked through, for that takes long."""
    try:
        return encode(value)
    except InvalidResult:
        return encode(_opened_if_it_ends(value), path)


def name_of(key: Any) -> str:
    """A key as the encoder writes it: the number 7 is "7"."""
    if isinstance(key, str):
        return str.__str__(key)
    return str(next(iter(rawjson.decode(encode({_opened_key(key): None})))))


def opened(value: Any) -> Any:
    """The same value, with whatever is of numpy or pandas in it as Python values."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    library = kind.__module__.partition(".")[0]
    if library == "pandas":
        return _of_pandas(value)
    if library == "numpy":
        inside = arrays.opened(value)
        return inside if type(inside) is kind else opened(inside)
    if isinstance(value, dict):
        return {_opened_key(key): opened(item) for key, item in value.items()}
    if isinstance(value, list | set | frozenset) or kind is tuple:
        return [opened(item) for item in value]
    return value


def _opened_key(key: Any) -> Any:
    """A tuple has no form as a key, and a list cannot be one."""
    return key if isinstance(key, tuple | frozenset) else opened(key)


def all_opened(values: list[Any]) -> list[Any]:
    """The same for a column, which is mostly plain throughout."""
    return values if _PLAIN.issuperset(map(type, values)) else [opened(value) for value in values]


def _opened_if_it_ends(value: Any) -> Any:
    try:
        return opened(value)
    except RecursionError:
        return value  # it nests too deep, or contains itself: the encoder has words for that


def _of_pandas(value: Any) -> Any:
    """Points and spans of time as the encoder writes Python's, unless they are finer than those."""
    name = type(value).__name__
    if name in _NOTHING:
        return None
    if name == "Timestamp":
        return value.isoformat() if value.nanosecond else value.to_pydatetime()
    if name == "Timedelta":
        return value.isoformat() if value.nanoseconds else value.to_pytimedelta()
    if hasattr(value, "tolist"):  # a Series, or an array, in a cell
        return [opened(item) for item in value.tolist()]
    return str(value)  # a Period or an Interval
