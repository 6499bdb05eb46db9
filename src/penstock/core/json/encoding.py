"""Python values to JSON, once and exactly, including the ones that JSON lacks.

The fast encoder takes datetime, date and time (ISO 8601), Decimal and UUID (string), bytes
(base64), set (list), Enum (value), dataclasses and attrs (object) by itself. It asks `_opened`
about any other class. What it refuses goes the slow way, which either finds a form or says where in
the value there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import NoneType
from typing import Any, Final

import msgspec

from penstock.core.json import frames, rawjson, records, unboxing
from penstock.errors import InvalidResult


def encode(value: Any, path: str = "") -> bytes:
    """Compact JSON of any value that has a JSON form; `InvalidResult` says which part has none.

    `path` is where the value stands in something larger.
    """
    try:
        return _encoded_fast(value)
    except _REFUSALS:
        return b"".join(_pieces(value, path))


def encode_all(values: Sequence[Any]) -> tuple[list[bytes], int]:
    """The JSON of each value, and how many NaN and infinities in them became null.

    In one go where that can be: it takes a fraction of the time.
    """
    try:
        lines = _ENCODER.encode_lines(values)
    except _REFUSALS:
        return _encode_each(values)
    rows = lines.split(b"\n")
    rows.pop()  # every line ends with a newline, the last one too
    if len(rows) != len(values):
        return _encode_each(values)  # JSON that came as bytes has newlines of its own
    if b"[" not in lines and b"null" not in lines:
        return rows, 0
    floats, has_named_tuple = _survey(values)
    return _encode_each(values) if has_named_tuple else (rows, _non_finite(floats))


def _encode_each(values: Sequence[Any]) -> tuple[list[bytes], int]:
    rows = [encode(value) for value in values]
    lost = count_non_finite(values, b"".join(rows))
    return [rawjson.compact(row) if b"\n" in row else row for row in rows], lost


def listed(value: Any) -> Any:
    """Return a frame as its rows, an array or a column as a list or a dict; any other value as it is.

    A large one is opened once, and not each time that something is asked of it.
    """
    opened = value if unboxing.step_of(type(value)) is None else unboxing.unboxed(value)
    reader = frames.reader_of(type(opened))
    if reader is not None:
        return reader(opened)
    return opened if type(opened) in _CONTAINERS else value


def key_of(key: Any, path: str = "") -> str:
    """A key as JSON spells it: the number 7 is "7"."""
    try:
        return unboxing.key_name(key)
    except (TypeError, ValueError, RecursionError):
        raise _without_form("A key", key, path) from None


def count_non_finite(value: Any, encoded: bytes) -> int:
    """How many NaN and infinities became null. Looks at the value only if there is a null."""
    return _non_finite(_survey(value)[0]) if b"null" in encoded else 0


# -- the fast way ------------------------------------------------------------------------------


def _encoded_fast(value: Any) -> bytes:
    """In one go. The encoder makes a list of a named tuple and asks nobody: so where there is a list,
    and not only around it all, the value is looked into."""
    encoded = _ENCODER.encode(value)
    if b"[" not in encoded or (type(value) is list and encoded.find(b"[", 1) < 0):
        return encoded
    if _survey(value)[1]:
        raise TypeError
    return encoded


def _opened(value: Any) -> Any:
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
    is_listed = issubclass(kind, Sequence | AbstractSet | frames.Frame)
    return known or (list if is_listed else None)


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_opened)
_REFUSALS: Final = (TypeError, ValueError, RecursionError, InvalidResult)


# -- what is inside a value --------------------------------------------------------------------

_CONTAINERS: Final = frozenset({list, dict})
_NEVER_FLOATS: Final = frozenset({str, int, bool, NoneType})


def _survey(value: Any) -> tuple[list[float], bool]:
    """Return every float in a value, and whether a named tuple is in it. The commonest types are asked
    for first, and exactly: rows with a null or a list in them are ordinary, and there may be many."""
    floats: list[float] = []
    has_named_tuple = False
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
            has_named_tuple = has_named_tuple or records.is_named_tuple_type(kind)
            pending += _inside(item)
    return floats, has_named_tuple


def _non_finite(floats: Sequence[float]) -> int:
    """How many are NaN or infinite. One of them makes the sum like itself, and most values have none."""
    if math.isfinite(sum(floats)):
        return 0
    return sum(1 for number in floats if not math.isfinite(number))


def _inside(item: Any) -> Collection[Any]:
    """What a value holds, one level down; nothing where it holds no values of its own."""
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


def _pieces(value: Any, path: str) -> Iterator[bytes]:
    """The slow way: no recursion, so that depth is no limit, and a path for the error."""
    pending: list[_Part] = [(path, 0, value)]
    while pending:
        path, depth, item = pending.pop()
        if depth > _DEEPEST:
            raise InvalidResult(f"The value nests over {_DEEPEST:,} levels, or contains itself.")
        if isinstance(item, _Literal):
            yield item
        elif isinstance(item, Mapping):
            pending.extend(reversed(list(_object_parts(path, depth + 1, item))))
        elif records.is_named_tuple_type(type(item)):
            yield from _leaf(path, depth, _opened(item), pending)
        elif isinstance(item, list | tuple):
            pending.extend(reversed(list(_array_parts(path, depth + 1, item))))
        elif isinstance(item, str):
            yield rawjson.string(str.__str__(item))
        else:
            yield from _leaf(path, depth, item, pending)


def _object_parts(path: str, depth: int, item: Mapping[Any, Any]) -> Iterator[_Part]:
    opening = b"{"
    for key, value in item.items():
        name = key_of(key, path)
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


def _leaf(path: str, depth: int, item: Any, pending: list[_Part]) -> Iterator[bytes]:
    try:
        yield _encoded_fast(item)
    except _REFUSALS:
        pending.append((path, depth + 1, _opened_slowly(path, item)))


def _opened_slowly(path: str, item: Any) -> Any:
    """What is inside an object that could not be encoded in one go."""
    try:
        is_model = records.is_model_type(type(item))
        return records.dumped_for_json(item) if is_model else _opened(item)
    except (TypeError, ValueError):
        raise _without_form("A value", item, path) from None


def _without_form(what: str, item: Any, path: str) -> InvalidResult:
    kind = type(item).__name__
    return InvalidResult(
        f"{what} of type {kind} at {path or 'the top'} has no JSON form.", path=path
    )
