"""Python values to JSON, once and exactly, including the ones that JSON lacks.

The fast encoder takes datetime, date and time (ISO 8601), Decimal and UUID (string), bytes
(base64), set (list), Enum (value), dataclasses and attrs (object) by itself. What it refuses goes
the slow way, which either finds a form or says where in the value there is none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from types import NoneType
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.errors import InvalidResult


def encode(value: Any, path: str = "") -> bytes:
    """Compact JSON of any value that has a JSON form; `InvalidResult` says which part has none.

    `path` is where the value stands in something larger.
    """
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError, InvalidResult):
        return b"".join(_pieces(value, path))


def encode_all(values: Sequence[Any]) -> tuple[list[bytes], int]:
    """The JSON of each value, and how many NaN and infinities in them became null.

    In one go where that can be: it takes a fraction of the time.
    """
    try:
        lines = _ENCODER.encode_lines(values)
    except (TypeError, ValueError, RecursionError, InvalidResult):
        return _encode_each(values)
    rows = lines.split(b"\n")
    rows.pop()  # every line ends with a newline, the last one too
    if len(rows) != len(values):
        return _encode_each(values)  # JSON that came as bytes has newlines of its own
    return rows, count_non_finite(values, lines)


def _encode_each(values: Sequence[Any]) -> tuple[list[bytes], int]:
    rows = [encode(value) for value in values]
    lost = count_non_finite(values, b"".join(rows))
    return [rawjson.compact(row) if b"\n" in row else row for row in rows], lost


def count_non_finite(value: Any, encoded: bytes) -> int:
    """How many NaN and infinities became null. Looks at the value only if there is a null."""
    if b"null" not in encoded:
        return 0
    numbers = _floats(value)
    if math.isfinite(sum(numbers)):
        return 0  # one that is not would have made the sum like itself
    return sum(1 for number in numbers if not math.isfinite(number))


def _adapt(value: Any) -> Any:
    """One step towards JSON, for what the encoder does not know."""
    if callable(getattr(value, "model_dump", None)):  # pydantic, without importing it
        return value.model_dump()
    if isinstance(value, Mapping):
        return dict(value)
    for plain, convert in _PLAIN.items():
        if isinstance(value, plain):
            return convert(value)
    if isinstance(value, Sequence | AbstractSet):
        return list(value)
    raise TypeError


# Classes of their own: text that is marked as safe, the floats of numerical libraries. By the
# base's own method, for the class may show itself in another way.
_PLAIN: Mapping[type, Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    bytes: bytes.__bytes__,
}
_ENCODER = msgspec.json.Encoder(enc_hook=_adapt)


_NEVER_FLOATS = frozenset({str, int, bool, NoneType})


def _floats(value: Any) -> list[float]:
    """Every float in a value. The commonest types are asked for first, and exactly: rows with a
    null in them are ordinary, and there may be many."""
    found: list[float] = []
    pending = [value]
    for item in pending:  # which grows on the way
        kind = type(item)
        if kind is float:
            found.append(item)
        elif kind is dict:
            pending += item.values()
        elif kind is list:
            pending += item
        elif kind not in _NEVER_FLOATS:
            pending += _inside(item)
    return found


def _inside(item: Any) -> Iterable[Any]:
    if isinstance(item, float):
        return [float.__float__(item)]
    if isinstance(item, Mapping):
        return item.values()
    if isinstance(item, Sequence | AbstractSet):
        return () if isinstance(item, str | bytes) else item
    if callable(getattr(item, "model_dump", None)):
        return [item.model_dump()]
    return [getattr(item, name) for name in _field_names(item) or ()]


def _field_names(item: Any) -> Sequence[str] | None:
    """The fields of a dataclass, an attrs class or a msgspec one."""
    kind = type(item)
    if hasattr(kind, "__dataclass_fields__"):
        return list(kind.__dataclass_fields__)
    if hasattr(kind, "__attrs_attrs__"):
        return [attribute.name for attribute in kind.__attrs_attrs__]
    return getattr(kind, "__struct_fields__", None)


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
        elif isinstance(item, list | tuple):
            pending.extend(reversed(list(_array_parts(path, depth + 1, item))))
        elif isinstance(item, str):
            yield rawjson.string(str.__str__(item))
        else:
            yield from _leaf(path, depth, item, pending)


def _object_parts(path: str, depth: int, item: Mapping[Any, Any]) -> Iterator[_Part]:
    opening = b"{"
    for key, value in item.items():
        name = _key(path, key)
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


def _key(path: str, key: Any) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    if key is None:
        return "null"
    try:
        own = type(key).__base__ in _PLAIN and not isinstance(key, bool)
        plain = _adapt(key) if own else key
        return str(next(iter(json.loads(_ENCODER.encode({plain: 0})))))
    except (TypeError, ValueError, RecursionError):
        raise InvalidResult(
            f"A key of type {type(key).__name__} at {path or 'the top'} has no JSON form.",
            path=path,
        ) from None


def _leaf(path: str, depth: int, item: Any, pending: list[_Part]) -> Iterator[bytes]:
    try:
        yield _ENCODER.encode(item)
    except (TypeError, ValueError, RecursionError):
        pending.append((path, depth + 1, _opened(path, item)))


def _dumped(model: Any) -> Any:
    """In pydantic's own JSON form (a URL as text), which it has for more types than Python's."""
    with suppress(TypeError, ValueError):
        return model.model_dump(mode="json")
    with suppress(TypeError):
        return model.model_dump()
    return object()  # a model's class: it has a model_dump, and no values


def _opened(path: str, item: Any) -> Any:
    """What is inside an object that could not be encoded in one go."""
    if callable(getattr(item, "model_dump", None)):
        return _dumped(item)
    try:
        return _adapt(item)
    except TypeError:
        pass
    names = _field_names(item)
    if names is None:
        raise InvalidResult(
            f"A value of type {type(item).__name__} at {path or 'the top'} has no JSON form.",
            path=path,
        )
    return {name: getattr(item, name) for name in names}
