"""Each Python value has one JSON form, or an error names the path of the part that has none."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import re
from collections import OrderedDict, UserDict, UserList, deque, namedtuple
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from uuid import UUID

import attrs
import msgspec
import pandas as pd
import pydantic
import pytest

from penstock.core.json.encoding import encode, encode_all, opened
from penstock.core.json.non_finite import count_non_finite
from penstock.errors import InvalidResult

NAN, INF = float("nan"), float("inf")
Pair = namedtuple("Pair", "x y")  # noqa: PYI024 (tools return these too)


def stable(value):
    """Return a name for a case that is the same in every process."""
    return re.sub(r" (object )?at 0x\w+", "", repr(value))


class Colour(enum.Enum):
    RED = "red"
    RANGE = (1, 2)


class Level(enum.IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = None


@attrs.define
class Box:
    content: Any


class Row(pydantic.BaseModel):
    id: int
    at: Any = None


class Linked(pydantic.BaseModel):
    url: pydantic.AnyUrl


class Struct(msgspec.Struct):
    content: Any


class Safe(str):
    """A str like the marked texts of template engines."""

    __slots__ = ()

    def __str__(self) -> str:
        return "not this"


class Metres(float):
    pass


class Count(int):
    pass


class Blob(bytes):
    pass


class Moment(dt.datetime):
    """A datetime with a format of its own, as pendulum has."""

    def isoformat(self, *_args, **_options) -> str:
        return "not this"


class Day(dt.date):
    pass


class Hour(dt.time):
    pass


class Span(dt.timedelta):
    pass


class Price(Decimal):
    pass


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (2**200, str(2**200)),
        (-(2**70), str(-(2**70))),
        ("é漢😀", '"é漢😀"'),
        (dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC), '"2026-01-02T03:04:05Z"'),
        (dt.datetime(2026, 1, 2, 3, 4, 5, 6), '"2026-01-02T03:04:05.000006"'),  # noqa: DTZ001
        (dt.date(2026, 1, 2), '"2026-01-02"'),
        (dt.time(3, 4), '"03:04:00"'),
        (Decimal("1.10"), '"1.10"'),
        (Decimal("NaN"), "null"),
        ({"a": [Decimal("sNaN"), Colour.RED], "b": "NaN"}, '{"a":[null,"red"],"b":"NaN"}'),
        (UUID(int=7), '"00000000-0000-0000-0000-000000000007"'),
        (b"\xff\x00", '"/wA="'),
        (bytearray(b"a"), '"YQ=="'),
        ({1}, "[1]"),
        (frozenset(["a"]), '["a"]'),
        (Colour.RED, '"red"'),
        (Colour.RANGE, "[1,2]"),
        (Level.HIGH, "3"),
        (Point(1, [Point(2)]), '{"x":1,"y":[{"x":2,"y":null}]}'),
        (Box({"a": Box(1)}), '{"content":{"a":{"content":1}}}'),
        (Row(id=1, at=dt.date(2026, 1, 2)), '{"id":1,"at":"2026-01-02"}'),
        (Linked(url="https://example.com/a"), '{"url":"https://example.com/a"}'),
        (Struct([1]), '{"content":[1]}'),
        (Pair(1, 2), '{"x":1,"y":2}'),
        ([Pair(1, 2)], '[{"x":1,"y":2}]'),
        ({"a": (Pair(1, [Pair(2, "\ud800")]),)}, '{"a":[{"x":1,"y":[{"x":2,"y":"\\ud800"}]}]}'),
        (Point(Pair(1, 2), [Pair(3, 4)]), '{"x":{"x":1,"y":2},"y":[{"x":3,"y":4}]}'),
        # Deeper named tuples become lists.
        ([{"a": Pair(1, 2)}, "\ud800"], '[{"a":[1,2]},"\\ud800"]'),
        ({"a": {"b": Pair(1, 2)}}, '{"a":{"b":[1,2]}}'),
        (Row(id=1, at=Pair(1, 2)), '{"id":1,"at":[1,2]}'),  # as pydantic writes it
        ((1, 2), "[1,2]"),
        (dt.timedelta(days=1, seconds=3.5), '"P1DT3.5S"'),
        (Moment(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC), '"2026-01-02T03:04:05Z"'),
        (Day(2026, 1, 2), '"2026-01-02"'),
        (Hour(3, 4, tzinfo=dt.UTC), '"03:04:00Z"'),
        (Span(days=1), '"P1D"'),
        (Price("1.10"), '"1.10"'),
        (deque([1]), "[1]"),
        (range(3), "[0,1,2]"),
        (UserList([1]), "[1]"),
        (UserDict(a=1), '{"a":1}'),
        (OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
        (MappingProxyType({"a": 1}), '{"a":1}'),
        (msgspec.Raw(b'{"n":1.10}'), '{"n":1.10}'),
        (Safe("ab"), '"ab"'),
        (Metres(1.5), "1.5"),
        (Count(7), "7"),
        (Blob(b"a"), '"YQ=="'),
        (NAN, "null"),
        ([INF, -INF, Metres("nan")], "[null,null,null]"),
        ("\ud800", '"\\ud800"'),
    ],
    ids=stable,
)
def test_forms(value, expected):
    assert encode(opened(value)).decode() == expected


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (1, "1"),
        (1.5, "1.5"),
        (None, "null"),
        (True, "1"),
        (dt.date(2026, 1, 2), "2026-01-02"),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (Decimal("1.10"), "1.10"),
        (Colour.RED, "red"),
        (Safe("ab"), "ab"),
        (Count(7), "7"),
        (Moment(2026, 1, 2), "2026-01-02T00:00:00"),
        (Day(2026, 1, 2), "2026-01-02"),
        (dt.timedelta(days=1), "P1D"),
        ("\ud800", "\ud800"),
        ("", ""),
    ],
    ids=stable,
)
@pytest.mark.parametrize("beside", [0, "\ud800"], ids=["fast", "slow"])
def test_keys(key, name, beside):
    """A key is the same whether or not another part of the dict needs the slow way."""
    assert json.loads(encode({key: beside})) == {name: beside}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (object(), ""),
        (1j, ""),
        (int, ""),
        (Row, ""),
        (lambda: 1, ""),
        ((item for item in "ab"), ""),
        ([0, {"a": 1j}], "/1/a"),
        ({"rows": [{"id": 1}, {"id": object()}]}, "/rows/1/id"),
        (Point(1, 1j), "/y"),
        (Box([Point(object())]), "/content/0/x"),
        (Row(id=1, at=[object()]), "/at/0"),
        ({"a": {(1, 2): 3}}, "/a"),
        ({"a": {object(): 3}}, "/a"),
        ({"a": {Pair(1, 2): 3}}, "/a"),
    ],
    ids=stable,
)
def test_what_has_no_form_is_named_by_its_path(value, path):
    with pytest.raises(InvalidResult) as raised:
        encode(value)
    assert raised.value.path == path
    assert (path or "the top") in raised.value.message
    assert raised.value.next_step


@pytest.mark.parametrize("kind", [list, dict, Point, Box])
def test_a_value_that_contains_itself(kind):
    if kind is list:
        value: Any = []
        value.append(value)
    elif kind is dict:
        value = {}
        value["me"] = value
    else:
        value = kind(1)
        setattr(value, "x" if kind is Point else "content", value)
    with pytest.raises(InvalidResult, match="contains itself"):
        encode(value)


@pytest.mark.parametrize("levels", [1_000, 5_000])
def test_depth_is_no_limit(levels):
    value: Any = 1
    for _ in range(levels):
        value = {"a": [value]}
    assert encode(value) == b'{"a":[' * levels + b"1" + b"]}" * levels


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (1.0, 0),
        (None, 0),
        ([None, NAN], 1),
        ({"a": [INF, {"b": -INF}], "c": (NAN,)}, 3),
        ({"set": {NAN}}, 1),
        (Point(NAN, Point(INF)), 2),
        (Box([NAN]), 1),
        (Struct({"a": NAN}), 1),
        (Row(id=1, at=NAN), 1),
        (deque([NAN]), 1),
        ([Metres("nan"), "null"], 1),
        ([Pair(NAN, Pair(1.5, INF))], 2),
        ([Decimal("NaN"), Decimal(1), "NaN", {"a": Decimal("-Infinity")}], 2),
        (Point(Decimal("sNaN"), {Decimal("Infinity"), NAN}), 3),
    ],
    ids=stable,
)
def test_what_became_null_is_counted(value, count):
    assert count_non_finite(value, encode(value)) == count


def test_a_named_tuple_that_contains_itself():
    inside: list[Any] = []
    inside += [Pair(1, inside)] * 2
    with pytest.raises(InvalidResult, match="contains itself"):
        opened(inside)


def test_only_a_part_without_a_form_takes_another():
    at = pd.Timestamp("2026-01-02T03:04:05.123456789")
    value = {
        1: "a",
        "1": at,
        "bytes": b"\xff",
        "it": [1j, {object: 2j}],
        "x": Point(Decimal(1), 3j),
    }
    assert encode(value, fallback=lambda item: {"k": 0} if type(item) is dict else str(item)) == (
        b'{"1":"a","1":"2026-01-02T03:04:05.123456789","bytes":"/w==","it":["1j",{"k":"2j"}],'
        b'"x":{"x":"1","y":"3j"}}'
    )


def test_many_at_once_are_as_each_alone():
    """Some of the values are named tuples, or hold one."""
    values = [{"a": 1}, Pair(1, NAN), {"a": [Pair(2, 3)]}, [1], Row(id=1, at=None)]
    assert encode_all(values) == ([encode(value) for value in values], 1)


def test_everything_at_once():
    value = {
        "rows": [Row(id=n, at=Point(Decimal(n), {Colour.RED})) for n in range(2)],
        UUID(int=1): Box(deque([b"a", dt.time(1)])),
    }
    assert json.loads(encode(value)) == {
        "rows": [{"id": n, "at": {"x": str(n), "y": ["red"]}} for n in range(2)],
        str(UUID(int=1)): {"content": ["YQ==", "01:00:00"]},
    }
