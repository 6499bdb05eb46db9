"""The exact JSON of Python values, including types that JSON lacks.

The fast encoder itself handles datetime, date and time (ISO 8601), Decimal and UUID (string), bytes
(base64), set (list), Enum (value), dataclasses and attrs (object). It calls `_step` for any other
class. A value that it refuses goes the slow way, which either finds a JSON form or reports the path
of the part that has none. Both ways write every tuple as a list without calling `_step`. So
`opened` first turns named tuples into dicts, in the places where a result has its rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any, Final

import msgspec

from penstock.core.json import frames, rawjson, records, unboxing
from penstock.core.json.non_finite import count_non_finite, has_non_finite_decimal
from penstock.core.json.openers import opener_of
from penstock.errors import InvalidResult

# Replaces a value that has no JSON form with one that has.
Fallback = Callable[[Any], Any]


def encode(value: Any, path: str = "", fallback: Fallback | None = None) -> bytes:
    """Return the compact JSON of a value, or raise `InvalidResult` with the path that has no form.

    `path` is the place of the value inside a larger one. A `fallback` replaces only the parts that
    have no JSON form.
    """
    try:
        return _encode_fast(value)
    except _REFUSALS:
        return b"".join(_pieces(value, path, fallback))


def encode_all(values: Sequence[Any], fallback: Fallback | None = None) -> tuple[list[bytes], int]:
    """Return the JSON of each value, and the number of NaN and infinities that became null.

    If possible, all values are encoded in one call, which takes a fraction of the time.
    """
    lines = _lines(values)
    if lines is None:
        return _encode_each(values, fallback)
    return lines.split(b"\n")[:-1], count_non_finite(values, lines)


def encode_rows(values: Sequence[Any]) -> list[bytes]:
    """Return the JSON of each value, as `encode_all` does. Raise `InvalidResult` for the first value
    that has none."""
    lines = _lines(values)
    return [encode(value) for value in values] if lines is None else lines.split(b"\n")[:-1]


def _lines(values: Sequence[Any]) -> bytes | None:
    """Return the JSON of each value on a line of its own, or None if they must be encoded one by one."""
    try:
        lines = _ENCODER.encode_lines(values)
    except _REFUSALS:
        return None
    has_newlines = lines.count(b"\n") != len(values)  # a `Raw` value contained some
    return None if has_newlines or has_non_finite_decimal(values, lines) else lines


def _encode_each(values: Sequence[Any], fallback: Fallback | None) -> tuple[list[bytes], int]:
    rows = [encode(value, fallback=fallback) for value in values]
    lost = count_non_finite(values, b"".join(rows))
    return [rawjson.compact(row) if b"\n" in row else row for row in rows], lost


# -- before encoding ---------------------------------------------------------------------------


def opened(value: Any) -> Any:
    """Turn named tuples into dicts: the value itself, its items, and the items of lists in it.

    Deeper named tuples become lists: a search at every level would take longer than encoding.
    """
    is_data = dataclasses.is_dataclass(type(value))
    value = _step(value) if is_data else listed(value)
    if type(value) is dict:
        return {key: with_rows_opened(listed(item)) for key, item in value.items()}
    return with_rows_opened(value)


def with_rows_opened(rows: Any) -> Any:
    """Turn the named tuples of a list into dicts. Return any other value unchanged."""
    if type(rows) not in _LISTS or not any(map(records.is_named_tuple_type, set(map(type, rows)))):
        return rows
    return [listed(row) for row in rows]


def listed(value: Any) -> Any:
    """Return the rows of a frame, a list or dict for an array or column, a dict for a named tuple.

    Return any other value unchanged. Callers keep the outcome, so a large value is converted once.
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
    """Return a key as JSON spells it: the number 7 is "7"."""
    try:
        return unboxing.key_name(key)
    except (TypeError, ValueError, RecursionError):
        if fallback is not None:
            return str(next(iter(fallback({key: None}))))
        raise _without_form("A key", key, path) from None


# -- the fast way ------------------------------------------------------------------------------


def _encode_fast(value: Any) -> bytes:
    """Encode a value, or refuse it. The encoder writes a Decimal that is no number as a text."""
    encoded = _ENCODER.encode(value)
    if has_non_finite_decimal(value, encoded):
        raise TypeError
    return encoded


def _step(value: Any) -> Any:
    """Take a value one step towards JSON. The encoder calls this for a class it does not know."""
    opener = opener_of(type(value))
    if opener is None:
        raise TypeError
    return opener(value)


_ENCODER: Final = msgspec.json.Encoder(enc_hook=_step)
_LISTS: Final = frozenset({list, tuple})
_CONTAINERS: Final = frozenset({list, dict})
_REFUSALS: Final = (TypeError, ValueError, RecursionError, InvalidResult)


# -- the slow way ------------------------------------------------------------------------------


class _Literal(bytes):
    """Encoded JSON among values that are still to be encoded."""


# Far deeper than any real data: a value that contains itself also reaches this limit.
_DEEPEST = 10_000
_Part = tuple[str, int, Any]


def _pieces(value: Any, path: str, fallback: Fallback | None) -> Iterator[bytes]:
    """Yield the JSON in pieces, without recursion: any depth works, and errors name the path."""
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
                yield _encode_fast(item)
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
    """Extend a path, up to the length that is useful in an error message."""
    return f"{path}/{step}" if len(path) < 200 else path  # noqa: PLR2004 (described above)


def _opened_slowly(path: str, item: Any, fallback: Fallback | None) -> Any:
    """Take one step towards JSON with an object that the fast encoder refused."""
    plain = item.value if isinstance(item, Enum) else item
    if isinstance(plain, Decimal):
        return None  # it is no number
    try:
        return _dumped(item) if records.is_model_type(type(item)) else _step(item)
    except (TypeError, ValueError):
        if fallback is not None:
            return fallback(item)
        raise _without_form("A value", item, path) from None


def _dumped(model: Any) -> Any:
    """Return a pydantic model's content in pydantic's JSON form. That would write a Decimal that is
    no number as a text, so a model with one keeps its Python values."""
    values = _step(model)
    return values if has_non_finite_decimal(values) else records.dumped_for_json(model)


def _without_form(what: str, item: Any, path: str) -> InvalidResult:
    kind = type(item).__name__
    return InvalidResult(
        f"{what} of type {kind} at {path or 'the top'} has no JSON form.", path=path
    )
