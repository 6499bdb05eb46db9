"""The types that a cell or an entry may have, and the reading of their fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import reduce
from operator import attrgetter, itemgetter
from types import NoneType
from typing import Any, Final

from penstock.core.json.records import fields_of, read_keyed, reader_of
from penstock.shaping import arrays
from penstock.shaping.problems import InvalidShape

# The name of the only field of a cell that is a plain number.
VALUE: Final = "value"
MISSING: Final = object()
PLAIN_NUMBERS: Final = frozenset({int, float})

_WHAT_IT_MAY_BE = "Give a dataclass, a named tuple, a pydantic, attrs or msgspec object, a dict, a number, or None."


def is_number(value: object) -> bool:
    return is_number_type(type(value))


def is_number_type(kind: type) -> bool:
    """Return whether a type is a number. A bool is none here, although Python counts with it."""
    if kind in PLAIN_NUMBERS:
        return True
    return (issubclass(kind, int | float | Decimal) and kind is not bool) or arrays.is_number_type(
        kind
    )


def check_kinds(kinds: Iterable[type], what: str) -> None:
    for kind in kinds:
        if kind is not NoneType and not is_number_type(kind) and reader_of(kind) is None:
            raise InvalidShape(f"{what} is a {kind.__name__}.", next_step=_WHAT_IT_MAY_BE)


def field_names(record: Any) -> list[str]:
    """Return the fields of a cell as its JSON names them."""
    read = reader_of(type(record))
    if read is None:
        return [VALUE]
    made = read(record)
    if isinstance(made, list):  # The JSON is a list of values, which only a Struct can name.
        return list(getattr(record, "__struct_fields__", ()))
    return [str(name) for name in made]


def lookup(record: Any, path: str) -> Any:
    """Return the field of that name, or else the value at the dotted path. Return MISSING if there
    is none, and None if the path meets None."""
    found = _step(record, path)
    if found is not MISSING or "." not in path:
        return found
    for name in path.split("."):
        record = _step(record, name)
        if record is MISSING or record is None:
            return record
    return record


def _step(record: Any, name: str) -> Any:
    if record is None:
        return MISSING
    if isinstance(record, Mapping):
        return record.get(name, MISSING)
    if is_number(record):
        return record if name == VALUE else MISSING
    if reader_of(type(record)) is read_keyed:
        return read_keyed(record).get(name, MISSING)
    return getattr(record, _attribute(type(record), name), MISSING)


def _attribute(kind: type, name: str) -> str:
    """Return the attribute that holds a field, whose name in JSON may differ."""
    return (fields_of(kind) or {}).get(name, name)


def read_all(
    records: Sequence[Any], path: str, what: str = "A value", absent: Any = None
) -> Sequence[Any]:
    """Return a field of each record: `absent` if there is no record, MISSING if it lacks the field.

    Records are mostly alike, so the first decides how to read all. If that fails, read each alone.
    """
    first = next((record for record in records if record is not None), None)
    for read in _quick_reads(type(first), path):
        with suppress(LookupError, AttributeError, TypeError):
            return list(map(read, records))
        with suppress(LookupError, AttributeError, TypeError):
            return _read_some(records, path, read, absent)
    kinds = set(map(type, records)) - {NoneType}
    check_kinds(kinds, what)
    if path == VALUE and all(map(is_number_type, kinds)):
        return records
    return [absent if record is None else lookup(record, path) for record in records]


def _read_some(
    records: Sequence[Any], path: str, read: Callable[[Any], Any], absent: Any
) -> list[Any]:
    """Read records of which some are None. A subscript saves a call for each other record."""
    if isinstance(read, itemgetter):
        return [absent if record is None else record[path] for record in records]
    return [absent if record is None else read(record) for record in records]


def _quick_reads(kind: type, path: str) -> list[Callable[[Any], Any]]:
    read = reader_of(kind)
    if read in (dict, read_keyed):
        return [itemgetter(path), _through(path)] if "." in path else [itemgetter(path)]
    return [] if read is None else [attrgetter(_attribute(kind, path))]


def _through(path: str) -> Callable[[Any], Any]:
    steps = [itemgetter(name) for name in path.split(".")]
    return lambda record: reduce(lambda inner, step: step(inner), steps, record)
