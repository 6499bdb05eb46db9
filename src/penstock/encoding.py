"""Python values to JSON, once and exactly, including the ones that JSON lacks.

The fast encoder takes datetime, date and time (ISO 8601), Decimal and UUID (string), bytes
(base64), set (list), Enum (value), dataclasses and attrs (object) by itself. What it refuses goes
the slow way, which either finds a form or says where in the value there is none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import msgspec

from penstock import rawjson
from penstock.errors import InvalidResult


def encode(value: Any) -> bytes:
    """Compact JSON of any value that has a JSON form; `InvalidResult` says which part has none."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError, InvalidResult):
        return b"".join(_pieces(value))


def count_non_finite(value: Any, encoded: bytes) -> int:
    """How many NaN and infinities became null. Looks at the value only if there is a null."""
    if b"null" not in encoded:
        return 0
    return sum(1 for leaf in _leaves(value) if isinstance(leaf, float) and not math.isfinite(leaf))


def _adapt(value: Any) -> Any:
    """One step towards JSON, for what the encoder does not know."""
    if callable(getattr(value, "model_dump", None)):  # pydantic, without importing it
        return value.model_dump()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | AbstractSet):
        return list(value)
    raise TypeError


_ENCODER = msgspec.json.Encoder(enc_hook=_adapt)


def _leaves(value: Any) -> Iterator[Any]:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Mapping):
            pending.extend(item.values())
        elif isinstance(item, list | tuple | set | frozenset):
            pending.extend(item)
        elif hasattr(item, "__dataclass_fields__"):
            pending.extend(getattr(item, name) for name in item.__dataclass_fields__)
        elif callable(getattr(item, "model_dump", None)):
            pending.append(item.model_dump())
        else:
            yield item


class _Literal(bytes):
    """A piece of JSON that is done, among values that are not."""


# Far beyond any data; a list that contains itself gets here too.
_DEEPEST = 10_000
_Part = tuple[str, int, Any]


def _pieces(value: Any) -> Iterator[bytes]:
    """The slow way: no recursion, so that depth is no limit, and a path for the error."""
    pending: list[_Part] = [("", 0, value)]
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
            yield rawjson.string(str(item))
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
        return str(key)
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    try:
        return str(next(iter(json.loads(_ENCODER.encode({key: 0})))))
    except (TypeError, ValueError):
        raise InvalidResult(
            f"A key of type {type(key).__name__} at {path or 'the top'} has no JSON form.",
            path=path,
        ) from None


def _leaf(path: str, depth: int, item: Any, pending: list[_Part]) -> Iterator[bytes]:
    try:
        yield _ENCODER.encode(item)
    except (TypeError, ValueError, RecursionError):
        pending.append((path, depth + 1, _opened(path, item)))


def _opened(path: str, item: Any) -> Any:
    """What is inside an object that could not be encoded in one go."""
    try:
        return _adapt(item)
    except TypeError:
        pass
    names = getattr(item, "__dataclass_fields__", None)
    attrs = getattr(item, "__attrs_attrs__", None)
    if names is None and attrs is not None:
        names = [attribute.name for attribute in attrs]
    if names is None:
        raise InvalidResult(
            f"A value of type {type(item).__name__} at {path or 'the top'} has no JSON form.",
            path=path,
        )
    return {name: getattr(item, name) for name in names}
