"""The fields of a record, whatever library its class is made with.

A record is a value that JSON shows as an object: a mapping, a row of a database, a named tuple, a
dataclass, a pydantic model, an attrs or a msgspec object. Its class tells which; no library is
imported for it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, Final, TypeVar, cast

from msgspec import UNSET, Struct
from msgspec.structs import astuple

# More than a program has, unless it makes them as it runs.
_MOST_CLASSES: Final = 1_000
Told = TypeVar("Told")


def once_a_class(function: Callable[[type], Told]) -> Callable[[type], Told]:
    """Remember what a function says of a class: there are few classes, and many values."""
    return cast("Callable[[type], Told]", lru_cache(_MOST_CLASSES)(function))


@once_a_class
def reader_of(kind: type) -> Callable[[Any], Any] | None:
    """Return the function that makes a dict of a record of this class, by the names that JSON shows.
    None where values of the class are no records. (Two kinds may give a list: a `RootModel` of
    pydantic, and a `Struct` with `array_like`.)"""
    if is_model_type(kind):
        return kind.model_dump  # type: ignore[attr-defined, no-any-return]  # as was just asked
    if issubclass(kind, Mapping):
        return dict
    if callable(getattr(kind, "_asdict", None)):  # a named tuple, or a row of SQLAlchemy
        return _read_named
    fields = fields_of(kind)
    if fields is not None:
        return partial(_read, fields, _tag_of(kind))
    if issubclass(kind, Struct):
        return partial(_read_array, _tag_of(kind))
    is_keyed = callable(getattr(kind, "keys", None)) and hasattr(kind, "__getitem__")
    return read_keyed if is_keyed else None  # what `dict` takes: a row of sqlite3 is one


def read_keyed(row: Any) -> dict[Any, Any]:
    """Return a row of a database as a dict, with every column, even where two have one name."""
    keys = list(row.keys())
    return dict(row) if len(set(keys)) == len(keys) else _by_place(keys, row)


def _read_named(row: Any) -> dict[str, Any]:
    keys = getattr(row, "_fields", ())
    return row._asdict() if len(set(keys)) == len(keys) else _by_place(keys, row)


def _by_place(keys: Iterable[Hashable], values: Iterable[Any]) -> dict[str, Any]:
    return dict(zip(distinct(map(str, keys)), values, strict=True))


def distinct(names: Iterable[str]) -> list[str]:
    """Number the names that are there already, as databases do: id, id_2, id_3."""
    given = list(names)
    taken, told = set(given), dict.fromkeys(given, 0)
    for place, name in enumerate(given):
        told[name] += 1
        if told[name] > 1:
            while (numbered := f"{name}_{told[name]}") in taken:
                told[name] += 1
            given[place] = numbered
            taken.add(numbered)
    return given


def is_model_type(kind: type) -> bool:
    """Tell whether a class is a pydantic model."""
    return callable(getattr(kind, "model_dump", None))


@once_a_class
def is_named_tuple_type(kind: type) -> bool:
    return issubclass(kind, tuple) and callable(getattr(kind, "_asdict", None))


@once_a_class
def fields_of(kind: type) -> Mapping[str, str] | None:
    """Return the fields of a dataclass, an attrs or a msgspec class: by the name that the encoder
    writes, the attribute that holds it. None for any other class."""
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
    """Return the member by which msgspec tells the classes of a union apart."""
    if not issubclass(kind, Struct) or kind.__struct_config__.tag is None:
        return {}
    return {str(kind.__struct_config__.tag_field): kind.__struct_config__.tag}


def _read(fields: Mapping[str, str], tag: Mapping[str, Any], record: Any) -> dict[str, Any]:
    """Leave out fields that were never set, as the encoder does."""
    found = {name: getattr(record, attribute, UNSET) for name, attribute in fields.items()}
    return {**tag, **{name: value for name, value in found.items() if value is not UNSET}}


def _read_array(tag: Mapping[str, Any], record: Struct) -> list[Any]:
    return [*tag.values(), *astuple(record)]


def dumped_for_json(model: Any) -> Any:
    """Return what a pydantic model holds in pydantic's own JSON form, which it has for more types
    than Python's; in Python's where it has none for one of them."""
    with suppress(TypeError, ValueError):
        return model.model_dump(mode="json")
    return model.model_dump()
