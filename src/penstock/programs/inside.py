"""The Python code that a sandbox runs before the first program. Nothing else imports it.

A sandbox gives its host a text for a value that the host's Python lacks, such as a function. A reader
could not tell that text from an answer. So a program's answer goes through `_penstock_answer`, inside
the sandbox. It returns JSON, or raises an error that names the part without a JSON form. The functions
that read the store exchange JSON with the host too, because that is several times faster.

Other names start with `_penstock`, because a program shares them. If a program has replaced one, its
sandbox runs the first part again, so that the next program of the session has an answer.
"""

import base64 as _penstock_base64
import dataclasses as _penstock_dataclasses
import datetime as _penstock_datetime  # noqa: ICN001 (a program may use the short name)
import decimal as _penstock_decimal
import json as _penstock_json
from typing import Any

# The functions of the host. The sandbox asks its host for names that it does not know.
# ruff: noqa: F821
_penstock_value: Any
_penstock_rows: Any
_penstock_store: Any
_penstock_sql: Any

# A program may give these names to variables of its own, and the variables stay.
_penstock_type, _penstock_isinstance, _penstock_str = type, isinstance, str
_penstock_bool, _penstock_int, _penstock_float, _penstock_bytes = bool, int, float, bytes
_penstock_dict, _penstock_tuple, _penstock_list = dict, tuple, list
_penstock_enumerate, _penstock_getattr, _penstock_len = enumerate, getattr, len

# The classes that have no name to import are known by the names of their types.
_PENSTOCK_LISTS = (
    "list", "tuple", "set", "frozenset", "range", "deque", "dict_keys", "dict_values", "dict_items",
    "map", "filter", "zip", "enumerate", "reversed", "generator",
)  # fmt: skip


def _penstock_answer(value: Any) -> tuple[str, int]:
    """Return a value as JSON, and the number of non-finite numbers in it that became null."""
    try:
        text = _penstock_json.dumps(value)
        if "NaN" not in text and "Infinity" not in text:
            return text, 0
    except (TypeError, ValueError):
        pass
    lost: list[str] = []
    return _penstock_json.dumps(_penstock_plain(value, "", lost)), _penstock_len(lost)


def _penstock_kept(value: Any) -> Any:
    """Store a value, and return its token."""
    return _penstock_store(*_penstock_answer(value))


async def _penstock_await(value: Any) -> Any:
    """Return what an awaitable gives, or the value that the host gave at once."""
    return (await value) if _penstock_type(value).__name__ in ("coroutine", "Future") else value


def _penstock_plain(value: Any, path: str, lost: list[str]) -> Any:
    """Return a value of the types that JSON has. Note the paths of non-finite numbers in `lost`."""
    if value is None or _penstock_isinstance(value, (_penstock_str, _penstock_bool, _penstock_int)):
        return value
    if _penstock_isinstance(value, _penstock_float):
        return _penstock_number(value, path, lost)
    if _penstock_isinstance(value, _penstock_dict):
        return {
            _penstock_key(key, path): _penstock_plain(item, f"{path}/{key}", lost)
            for key, item in value.items()
        }
    if _penstock_isinstance(value, _penstock_tuple) or _penstock_is_list(value):
        return [
            _penstock_plain(item, f"{path}/{n}", lost) for n, item in _penstock_enumerate(value)
        ]
    if _penstock_dataclasses.is_dataclass(value) and _penstock_type(value).__name__ != "type":
        names = _penstock_list(value.__dataclass_fields__)  # a sandbox has no `dataclasses.fields`
        return {
            name: _penstock_plain(_penstock_getattr(value, name), f"{path}/{name}", lost)
            for name in names
        }
    return _penstock_text(value, path)


def _penstock_is_list(value: Any) -> bool:
    return _penstock_type(value).__name__ in _PENSTOCK_LISTS


def _penstock_number(value: float, path: str, lost: list[str]) -> Any:
    if value - value == 0:  # not so for NaN and infinities
        return value
    lost.append(path)
    return None


def _penstock_text(value: Any, path: str) -> Any:
    """Return a value that JSON has as a text, or raise an error."""
    if _penstock_isinstance(value, (_penstock_datetime.date, _penstock_datetime.time)):
        return value.isoformat()
    if _penstock_isinstance(value, (_penstock_decimal.Decimal, _penstock_datetime.timedelta)):
        return _penstock_str(value)
    if _penstock_isinstance(value, _penstock_bytes):
        return _penstock_base64.b64encode(value).decode()
    where = f"{path} in the value" if path else "The value"
    raise TypeError(f"{where} is of type {_penstock_type(value).__name__}, which has no JSON form")


def _penstock_key(key: Any, path: str) -> Any:
    if key is None or _penstock_isinstance(
        key, (_penstock_str, _penstock_bool, _penstock_int, _penstock_float)
    ):
        return key
    if _penstock_isinstance(key, (_penstock_datetime.date, _penstock_datetime.time)):
        return key.isoformat()
    where = f"{path} in the value" if path else "The value"
    raise TypeError(f"{where} has a key of type {_penstock_type(key).__name__}, which JSON lacks")


# -- the functions in scope, which a program may replace -----------------------------------------


def value(token: str) -> Any:
    """Return the value of a stored result."""
    return _penstock_json.loads(_penstock_value(token))


def rows(token: str) -> list[Any]:
    """Return the rows of a stored result."""
    found: list[Any] = _penstock_json.loads(_penstock_rows(token))
    return found


def store(value: Any) -> Any:
    """Store a value, and return its token."""
    return _penstock_kept(value)


def sql(query: str, **tables: Any) -> list[Any]:
    """Return the rows that a SELECT finds in tables, which are tokens or values."""
    tokens = {
        name: table if _penstock_isinstance(table, _penstock_str) else _penstock_kept(table)
        for name, table in tables.items()
    }
    found: list[Any] = _penstock_json.loads(_penstock_sql(query, tokens))
    return found
