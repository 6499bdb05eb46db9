"""The entries of a series, in any form that the author of the tool has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from penstock.core.json.frames import read_frame
from penstock.core.json.unboxing import all_unboxed, unboxed
from penstock.shaping import arrays
from penstock.shaping.problems import InvalidShape, clipped, kind_name, listed
from penstock.shaping.records import (
    MISSING,
    VALUE,
    check_kinds,
    field_names,
    read_all,
)

_WHAT_ENTRIES_MAY_BE = (
    "Give a list of entries, a numpy array with one dimension, a mapping of field names to such "
    "lists or arrays, or a pandas or polars frame."
)


class Entries(Protocol):
    @property
    def count(self) -> int: ...

    def at(self, index: int) -> Any:
        """Return an entry as its author would see it."""
        ...

    def block(self, name: str, start: int, stop: int) -> Sequence[Any]:
        """Return a field of some entries: MISSING if an entry lacks it."""
        ...

    def array(self, name: str) -> Any | None:
        """Return a field of all entries if it already is an array, else None."""
        ...

    def names(self) -> list[str]:
        """Return the fields that the first entry has."""
        ...

    def check(self) -> None:
        """Raise if an entry has a wrong type. Call this if nothing else looks at all entries."""
        ...


def entries_of(given: Any) -> Entries:
    if arrays.is_array(given):
        return _entries_of_array(given)
    if isinstance(given, Mapping):
        return FieldEntries.of(given)
    frame = read_frame(given)
    if frame is not None:
        return FieldEntries.of({name: all_unboxed(frame.values(name)) for name in frame.columns})
    return ListedEntries.of(_listed(given, "A series"))


def _entries_of_array(array: Any) -> Entries:
    if array.ndim != 1:
        raise InvalidShape(
            f"The entries are an array with {array.ndim} dimensions, and a series has 1.",
            next_step=_WHAT_ENTRIES_MAY_BE,
        )
    if array.dtype.names is not None:
        return FieldEntries.of({name: array[name] for name in array.dtype.names})
    if array.dtype.kind == "O":
        return ListedEntries.of(array.tolist())
    if array.dtype.kind not in "iuf":
        raise InvalidShape(
            f"The entries are an array of {array.dtype}.", next_step=_WHAT_ENTRIES_MAY_BE
        )
    return FieldEntries.of({VALUE: array})


def _listed(given: Any, what: str) -> Sequence[Any]:
    """Return a sequence that can be sliced. A list, perhaps of ten million entries, is not copied."""
    if isinstance(given, list | tuple | range):
        return given
    if isinstance(given, str | bytes | bytearray | Mapping | set | frozenset) or not isinstance(
        given, Iterable
    ):
        raise InvalidShape(
            f"{what} cannot be a {kind_name(given)}.", next_step=_WHAT_ENTRIES_MAY_BE
        )
    return list(given)


@dataclass(frozen=True, slots=True)
class ListedEntries:
    """Entries as a list of objects, dicts, numbers, or None for a missing entry."""

    entries: Sequence[Any]

    @classmethod
    def of(cls, entries: Sequence[Any]) -> ListedEntries:
        listed_entries = cls(entries)
        listed_entries.names()  # This checks the type of the first entry.
        return listed_entries

    @property
    def count(self) -> int:
        return len(self.entries)

    def at(self, index: int) -> Any:
        return self.entries[index]

    def block(self, name: str, start: int, stop: int) -> Sequence[Any]:
        return read_all(self.entries[start:stop], name, f"An entry from {start} on")

    def array(self, name: str) -> Any | None:  # noqa: ARG002 (only arrays have one)
        return None

    def names(self) -> list[str]:
        first = next((entry for entry in self.entries if entry is not None), None)
        if first is None:
            return []
        check_kinds([type(first)], "The first entry")
        return field_names(first)

    def check(self) -> None:
        check_kinds(set(map(type, self.entries)), "An entry")


@dataclass(frozen=True, slots=True)
class FieldEntries:
    """Entries as one list or array for each field."""

    fields: Mapping[str, Any]
    count: int

    @classmethod
    def of(cls, given: Mapping[Any, Any]) -> FieldEntries:
        fields = {str(name): _column(name, values) for name, values in given.items()}
        lengths = {name: len(values) for name, values in fields.items()}
        if len(set(lengths.values())) > 1:
            told = listed(f"{clipped(name, 20)} {length}" for name, length in lengths.items())
            raise InvalidShape(
                f"The fields differ in length: {told}.",
                next_step="Give each field one value for every entry.",
            )
        return cls(fields, next(iter(lengths.values()), 0))

    def at(self, index: int) -> Any:
        return {name: _value(values, index) for name, values in self.fields.items()}

    def block(self, name: str, start: int, stop: int) -> Sequence[Any]:
        values = self.fields.get(name)
        if values is not None:
            part = values[start:stop]
            return unboxed(part) if arrays.is_array(part) else list(part)
        field, _, rest = name.partition(".")
        if not rest or field not in self.fields:
            return [MISSING] * (stop - start)
        inside = self.block(field, start, stop)
        return read_all(inside, rest)

    def array(self, name: str) -> Any | None:
        values: Any = self.fields.get(name)
        return values if arrays.is_array(values) and values.ndim == 1 else None

    def names(self) -> list[str]:
        return list(self.fields)

    def check(self) -> None:
        return


def _column(name: Any, values: Any) -> Any:
    if not arrays.is_array(values):
        return _listed(values, f"The field {clipped(str(name), 40)} of a series")
    if not values.ndim:
        raise InvalidShape(
            f"The field {clipped(str(name), 40)} is a single value.",
            next_step=_WHAT_ENTRIES_MAY_BE,
        )
    return values.tolist() if values.dtype.kind == "O" else values


def _value(values: Any, index: int) -> Any:
    if not arrays.is_array(values):
        return values[index]
    return unboxed(values[index : index + 1])[0]
