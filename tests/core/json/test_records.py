"""The fields of records of every library, as the encoder writes them."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections import UserDict, namedtuple
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import attrs
import msgspec
import pydantic
import pytest

from penstock.core.json.encoding import encode, opened
from penstock.core.json.records import is_named_tuple_type, reader_of

SLOW = "\ud800"  # half of a surrogate pair, which only the slow way accepts


@dataclasses.dataclass
class Data:
    a: Any
    _own: int = 2
    never_set: int = dataclasses.field(init=False)
    given: dataclasses.InitVar[int] = 3
    shared: ClassVar[int] = 4


@dataclasses.dataclass(slots=True)
class Slotted:
    a: Any
    never_set: int = dataclasses.field(init=False)


@pydantic.dataclasses.dataclass
class PydanticData:
    a: Any


class Model(pydantic.BaseModel):
    a: Any
    hidden: int = pydantic.Field(default=2, exclude=True)

    @pydantic.computed_field
    @property
    def twice(self) -> int:
        return 2


class Extra(pydantic.BaseModel, extra="allow"):
    a: Any


@attrs.define
class Attrs:
    a: Any
    _own: int = 2
    never_set: int = attrs.field(init=False)


class Struct(msgspec.Struct):
    a: Any
    unset: int | msgspec.UnsetType = msgspec.UNSET


class Renamed(msgspec.Struct, rename="camel", tag="renamed", tag_field="kind"):
    first_name: Any


class Listed(msgspec.Struct, array_like=True, tag=True):
    a: Any
    b: int = 2


class Typed(NamedTuple):
    a: Any
    b: int = 2


Named = namedtuple("Named", "a b")  # noqa: PYI024 (tools return these too)


class Keyed:
    """A row with `keys` and items, but not a `Mapping`, as some database libraries return."""

    def keys(self):
        return ["a", "b"]

    def __getitem__(self, name):
        return {"a": SLOW, "b": 2}[name]


def database_row(a):
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT ? AS a, 2 AS b", (a,)).fetchone()
    connection.close()
    return row


RECORDS = {
    "dataclass": (Data, {"_own": 2}),
    "dataclass with slots": (Slotted, {}),
    "dataclass of pydantic": (PydanticData, {}),
    "pydantic": (Model, {"twice": 2}),
    "pydantic with more": (lambda a: Extra(a=a, b=2), {"b": 2}),
    "attrs": (Attrs, {}),
    "msgspec": (Struct, {}),
    "NamedTuple": (Typed, {"b": 2}),
    "namedtuple": (lambda a: Named(a, 2), {"b": 2}),
    "dict": (lambda a: {"a": a}, {}),
    "mapping": (lambda a: MappingProxyType({"a": a}), {}),
    "UserDict": (lambda a: UserDict(a=a), {}),
}


def make(name, value):
    kind = RECORDS[name][0]
    return kind(a=value) if isinstance(kind, type) else kind(value)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("value", [1, SLOW, [1, {"n": None}]], ids=["fast", "slow", "nested"])
def test_a_record_is_an_object_in_both_ways(name, value):
    expected = {"a": value, **RECORDS[name][1]}
    record = make(name, value)
    assert json.loads(encode(opened(record))) == expected
    rows = opened({"rows": [record], "beside": SLOW})
    assert json.loads(encode(rows))["rows"] == [expected]


@pytest.mark.parametrize("name", RECORDS)
def test_the_fields_that_are_read_are_those_that_are_written(name):
    record = make(name, 1)
    assert reader_of(type(record))(record) == json.loads(encode(opened(record)))


def test_a_row_of_a_database_is_an_object():
    row = database_row("x")
    assert json.loads(encode([row])) == [{"a": "x", "b": 2}]
    assert reader_of(sqlite3.Row)(row) == {"a": "x", "b": 2}
    assert json.loads(encode({"row": row, "beside": SLOW}))["row"] == {"a": "x", "b": 2}
    assert json.loads(encode(Keyed())) == {"a": SLOW, "b": 2}


class Sequenced(tuple):
    """A tuple in which two columns have one name, as in SQLAlchemy's rows."""

    __slots__ = ()

    _fields = ("id", "id", "x")

    def _asdict(self):
        return dict(zip(self._fields, self, strict=True))


def test_every_column_of_a_database_is_kept():
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT 1 AS id, 2 AS id, 3 AS id_2, 4 AS id").fetchone()
    connection.close()
    assert json.loads(encode([row])) == [{"id": 1, "id_3": 2, "id_2": 3, "id_4": 4}]
    assert reader_of(Sequenced)(Sequenced((1, 2, 3))) == {"id": 1, "id_2": 2, "x": 3}


@pytest.mark.parametrize("value", ["Ada", SLOW])
def test_a_struct_keeps_its_tag_and_its_names(value):
    record = Renamed(value)
    assert json.loads(encode(record)) == {"kind": "renamed", "firstName": value}
    assert reader_of(Renamed)(record) == {"kind": "renamed", "firstName": value}


class Sparse(msgspec.Struct, omit_defaults=True):
    a: int = 1


def test_a_struct_leaves_out_what_it_says():
    assert encode(opened(Sparse())) == b"{}"


@pytest.mark.parametrize("value", ["Ada", SLOW])
def test_a_struct_that_is_a_list(value):
    assert json.loads(encode(Listed(value))) == ["Listed", value, 2]


@pytest.mark.parametrize(
    "kind", [int, str, list, tuple, set, object, type, float, type(None), type(Model), bytes]
)
def test_what_is_no_record(kind):
    assert reader_of(kind) is None
    assert not is_named_tuple_type(kind)


def test_a_class_is_no_record():
    for kind in (Model, Data, Attrs, Struct, Typed):
        assert reader_of(type(kind)) is None


def test_models_with_a_type_that_only_pydantic_knows():
    class Site(pydantic.BaseModel):
        url: pydantic.AnyUrl
        data: bytes = b"a"

    assert json.loads(encode([Site(url="https://example.org/")])) == [
        {"url": "https://example.org/", "data": "a"}
    ]
