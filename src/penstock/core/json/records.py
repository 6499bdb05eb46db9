"""The fields of a record, for classes of any library.

A record is a value that becomes a JSON object: a mapping, a database row, a named tuple, a
dataclass, or a pydantic, attrs or msgspec object. Its class shows which of these it is, so no
optional library is imported.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Final, TypeVar, cast

from msgspec import UNSET, Struct
from msgspec.structs import astuple

# More classes than a program has, unless it creates classes while it runs.
_MOST_CLASSES: Final = 1_000
Told = TypeVar("Told")


def cached_by_class(function: Callable[[type], Told]) -> Callable[[type], Told]:
    """Cache a function's answer for each class: there are few classes and many values."""
    return cast("Callable[[type], Told]", lru_cache(_MOST_CLASSES)(function))


@cached_by_class
def reader_of(kind: type) -> Callable[[Any], Any] | None:
    """Return the function that turns a record of this class into a dict with the names of its JSON,
    or None if the class is not a record. Two kinds may give a list: pydantic's `RootModel`, and a
    msgspec `Struct` with `array_like`."""
    if is_model_type(kind):
        return kind.model_dump  # type: ignore[attr-defined, no-any-return]  # checked above
    if issubclass(kind, Mapping):
        return dict
    if callable(getattr(kind, "_asdict", None)):  # a named tuple or a SQLAlchemy row
        return _read_named
    fields = fields_of(kind)
    if fields is not None:
        return partial(_read, fields, _tag_of(kind))
    if issubclass(kind, Struct):
        return partial(_read_array, _tag_of(kind))
    is_keyed = callable(getattr(kind, "keys", None)) and hasattr(kind, "__getitem__")
    return read_keyed if is_keyed else None  # `dict` accepts such a value, e.g. a sqlite3 row


def read_keyed(row: Any) -> dict[Any, Any]:
    """Return a database row as a dict that keeps every column, even if two have the same name."""
    keys = list(row.keys())
    return dict(row) if len(set(keys)) == len(keys) else _by_place(keys, row)


def _read_named(row: Any) -> dict[str, Any]:
    keys = getattr(row, "_fields", ())
    return row._asdict() if len(set(keys)) == len(keys) else _by_place(keys, row)


def _by_place(keys: Iterable[Hashable], values: Iterable[Any]) -> dict[str, Any]:
    return dict(zip(distinct(map(str, keys)), values, strict=True))


def distinct(names: Iterable[str]) -> list[str]:
    """Number repeated names, as databases do: id, id_2, id_3."""
    given = list(names)
    taken, seen = set(given), dict.fromkeys(given, 0)
    for place, name in enumerate(given):
        seen[name] += 1
        if seen[name] > 1:
            while (numbered := f"{name}_{seen[name]}") in taken:
                seen[name] += 1
            given[place] = numbered
            taken.add(numbered)
    return given


def is_model_type(kind: type) -> bool:
    """Return whether a class is a pydantic model."""
    return callable(getattr(kind, "model_dump", None))


@cached_by_class
def is_named_tuple_type(kind: type) -> bool:
    return issubclass(kind, tuple) and callable(getattr(kind, "_asdict", None))


@cached_by_class
def fields_of(kind: type) -> Mapping[str, str] | None:
    """Return the attribute behind each encoded name of a dataclass, attrs class or msgspec class,
    or None for any other class."""
    if dataclasses.is_dataclass(kind):
        return {field.name: field.name for field in dataclasses.fields(kind)}
    if issubclass(kind, Struct):
        names = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
        return None if kind.__struct_config__.array_like else dict(names)
    if hasattr(kind, "__attrs_attrs__"):
        attributes = [attribute.name for attribute in kind.__attrs_attrs__]
        return {name: name for name in attributes if not name.startswith("_")}
    return None


def _tag_of(kind: type) -> dict[str, Any]:
    """Return the tag field with which msgspec tells the classes of a union apart."""
    if not issubclass(kind, Struct) or kind.__struct_config__.tag is None:
        return {}
    return {str(kind.__struct_config__.tag_field): kind.__struct_config__.tag}


def _read(fields: Mapping[str, str], tag: Mapping[str, Any], record: Any) -> dict[str, Any]:
    """Return the fields of a record, without those that were never set, as the encoder does."""
    found = {name: getattr(record, attribute, UNSET) for name, attribute in fields.items()}
    return {**tag, **{name: value for name, value in found.items() if value is not UNSET}}


def _read_array(tag: Mapping[str, Any], record: Struct) -> list[Any]:
    return [*tag.values(), *astuple(record)]


def dumped_for_json(model: Any) -> Any:
    """Return a pydantic model's content in pydantic's JSON form, which covers many extra types, or
    as Python values if pydantic has no JSON form for one of the types."""
    with suppress(TypeError, ValueError):
        return model.model_dump(mode="json")
    return model.model_dump()
