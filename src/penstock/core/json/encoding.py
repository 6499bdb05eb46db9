"""Python values to JSON, once and exactly, including the ones that JSON lacks.

The fast encoder takes datetime, date and time (ISO 8601), Decimal and UUID (string), bytes
(base64), set (list), Enum (value), dataclasses and attrs (object) by itself. It asks `_step`
about any other class. What it refuses goes the slow way, which either finds a form or says where in
the value there is none. Both ways write a tuple as a list, and ask nobody: so `opened` makes objects
of named tuples before, where a result has its rows.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import NoneType
from typing import Any, Final

import msgspec

from penstock.core.json import frames, rawjson, records, unboxing
from penstock.errors import InvalidResult

# Makes another value of one that has no JSON form.
Fallback = Callable[[Any], Any]


def encode(value: Any, path: str = "", fallback: Fallback | None = None) -> bytes:
    """Compact JSON of any value that has a JSON form; `InvalidResult` says which part has none.

    `path` is where the value stands in something larger. With a `fallback`, a part without a form is
    shown as that makes of it, and the parts beside it as ever.
    """
    try:
        return _ENCODER.encode(value)
    except _REFUSALS:
        return b"".join(_pieces(value, path, fallback))


def encode_all(values: Sequence[Any], fallback: Fallback | None = None) -> tuple[list[bytes], int]:
    """The JSON of each value, and how many NaN and infinities in them became null.

    In one go where that can be: it takes a fraction of the time.
    """
    try:
        lines = _ENCODER.encode_lines(values)
    except _REFUSALS:
        return _encode_each(values, fallback)
    rows = lines.split(b"\n")
    rows.pop()  # every line ends with a newline, the last one too
    if len(rows) != len(values):
        return _encode_each(values, fallback)  # JSON that came as bytes has newlines of its own
    return rows, count_non_finite(values, lines)


def _encode_each(values: Sequence[Any], fallback: Fallback | None) -> tuple[list[bytes], int]:
    rows = [encode(value, fallback=fallback) for value in values]
    lost = count_non_finite(values, b"".join(rows))
    return [rawjson.compact(row) if b"\n" in row else row for row in rows], lost


# -- what is opened before -----------------------------------------------------------------------


def opened(value: Any) -> Any:
    """Return a value with named tuples as dicts: itself, its items, and the items of lists in it.

    Deeper ones stay lists: to look for them everywhere would take longer than to encode.
    """
    is_data = dataclasses.is_dataclass(type(value))
    value = _step(value) if is_data else listed(value)
    if type(value) is dict:
        return {key: with_rows_opened(listed(item)) for key, item in value.items()}
    return with_rows_opened(value)


def with_rows_opened(rows: Any) -> Any:
    """Return a list with those of its items as dicts that are named tuples; any other value as it is."""
    if type(rows) not in _LISTS or not any(map(records.is_named_tuple_type, set(map(type, rows)))):
        return rows
    return [listed(row) for row in rows]


def listed(value: Any) -> Any:
    """Return a frame as its rows, an array or a column as a list or a dict, and a named tuple as a
    dict; any other value as it is.

    A large one is opened once, and not each time that something is asked of it.
    """
    kind = type(value)
    if records.is_named_tuple_type(kind):
        return _named(value)
    plainer = value if unboxing.step_of(kind) is None else unboxing.unboxed(value)
    reader = frames.reader_of(type(plainer))
    if reader is not None:
        return reader(plainer)
    return plainer if type(plainer) in _CONTAINERS else value


def _named(record: Any) -> dict[str, Any]:
    try:
        return {name: opened(item) for name, item in _step(record).items()}
    except RecursionError:
        raise InvalidResult("A named tuple nests too deep, or contains itself.") from None


def key_of(key: Any, path: str = "", fallback: Fallback | None = None) -> str:
    """A key as JSON spells it: the number 7 is "7"."""
    try:
        return unboxing.key_name(key)
    except (TypeError, ValueError, RecursionError):
        if fallback is not None:
            return str(next(iter(fallback({key: None}))))
        raise _without_form("A key", key, path) from None


def count_non_finite(value: Any, encoded: bytes) -> int:
    """Count the NaN and infinities that became null. The value is looked at only if there is a null."""
    return _non_finite(_floats(value)) if b"null" in encoded else 0


# -- the fast way ------------------------------------------------------------------------------


def _step(value: Any) -> Any:
    """One step towards JSON, for what the encoder does not know."""
    opener = _opener(type(value))
    if opener is None:
        raise TypeError
    return opener(value)


@records.once_a_class
def _opener(kind: type) -> Callable[[Any], Any] | None:
    """Return the function that takes a value of this class one step towards JSON, if there is one."""
    if issubclass(kind, bytes | bytearray | memoryview):
        return unboxing.step_of(kind)  # sequences too, but of no numbers that matter
    known = unboxing.step_of(kind) or frames.reader_of(kind) or records.reader_of(kind)
    is_listed = issubclass(kind, Sequence | AbstractSet | frames.DataRows)
    return known or (list if is_listed else None)


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_step)
_LISTS: Final = frozenset({list, tuple})
_CONTAINERS: Final = frozenset({list, dict})
_REFUSALS: Final = (TypeError, ValueError, RecursionError, InvalidResult)


# -- what is inside a value --------------------------------------------------------------------

_NEVER_FLOATS: Final = frozenset({str, int, bool, NoneType})


def _floats(value: Any) -> list[float]:
    """Return every float in a value. The commonest types are asked for first, and exactly: rows with a
    null in them are ordinary, and there may be many."""
    floats: list[float] = []
    pending = [value]
    for item in pending:  # which grows on the way
        kind = type(item)
        if kind is float:
            floats.append(item)
        elif kind is dict:
            pending += item.values()
        elif kind is list:
            pending += item
        elif kind not in _NEVER_FLOATS:
            pending += _inside(item)
    return floats


def _non_finite(floats: Sequence[float]) -> int:
    """Count the numbers that are NaN or infinite. A finite sum says at once that there are none."""
    if math.isfinite(sum(floats)):
        return 0
    return sum(1 for number in floats if not math.isfinite(number))


def _inside(item: Any) -> Collection[Any]:
    """Return the values inside a value, one level down. There are none in a plain one."""
    if isinstance(item, dict):
        return item.values()
    if isinstance(item, list | tuple | set | frozenset):
        return item
    opener = _opener(type(item))
    return () if opener is None else (opener(item),)


# -- the slow way ------------------------------------------------------------------------------


class _Literal(bytes):
    """A piece of JSON that is done, among values that are not."""


# Far beyond any data; a list that contains itself gets here too.
_DEEPEST = 10_000
_Part = tuple[str, int, Any]


def _pieces(value: Any, path: str, fallback: Fallback | None) -> Iterator[bytes]:
    """The slow way: no recursion, so that depth is no limit, and a path for the error."""
    pending: list[_Part] = [(path, 0, value)]
    while pending:
        path, depth, item = pending.pop()
        if depth > _DEEPEST:
            raise InvalidResult(f"The value nests over {_DEEPEST:,} levels, or contains itself.")
        if isinstance(item, _Literal):
            yield item
        elif isinstance(item, Mapping):
            pending.extend(reversed(list(_object_parts(path, depth + 1, item, fallback))))
        elif isinstance(item, list | tuple):
            pending.extend(reversed(list(_array_parts(path, depth + 1, item))))
        elif isinstance(item, str):
            yield rawjson.string(str.__str__(item))
        else:
            try:
                yield _ENCODER.encode(item)
            except _REFUSALS:
                pending.append((path, depth + 1, _opened_slowly(path, item, fallback)))


def _object_parts(
    path: str, depth: int, item: Mapping[Any, Any], fallback: Fallback | None
) -> Iterator[_Part]:
    opening = b"{"
    for key, value in item.items():
        name = key_of(key, path, fallback)
        yield path, depth, _Literal(opening + rawjson.string(name) + b":")
        yield _below(path, name), depth, value
        opening = b","
    yield path, depth, _Literal(b"}" if item else b"{}")


def _array_parts(path: str, depth: int, item: Sequence[Any]) -> Iterator[_Part]:
    opening = b"["
    for number, value in enumerate(item):
        yield path, depth, _Literal(opening)
        yield _below(path, str(number)), depth, value
        opening = b","
    yield path, depth, _Literal(b"]" if item else b"[]")


def _below(path: str, step: str) -> str:
    """The path is for an error message: past a point, the way down adds nothing to it."""
    return f"{path}/{step}" if len(path) < 200 else path  # noqa: PLR2004 (a length, said above)


def _opened_slowly(path: str, item: Any, fallback: Fallback | None) -> Any:
    """Open an object that could not be encoded in one go."""
    try:
        is_model = records.is_model_type(type(item))
        return records.dumped_for_json(item) if is_model else _step(item)
    except (TypeError, ValueError):
        if fallback is not None:
            return fallback(item)
        raise _without_form("A value", item, path) from None


def _without_form(what: str, item: Any, path: str) -> InvalidResult:
    kind = type(item).__name__
    return InvalidResult(
        f"{what} of type {kind} at {path or 'the top'} has no JSON form.", path=path
    )
