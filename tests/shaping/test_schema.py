"""The schemas of grids and series, which allow every result and distinguish the two forms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, TypedDict

import attrs
import jsonschema
import msgspec
import numpy as np
import pydantic
import pytest

from penstock.errors import InvalidSetting
from penstock.shaping import Grid, Series, cell_schema, output_schema


class Colour(Enum):
    RED = "red"


@dataclass
class Transfer:
    dv: float
    at: datetime = datetime(2026, 1, 1)  # noqa: DTZ001 (naive ones are common, and no RFC 3339)
    cost: Decimal = Decimal("1E+5")
    colour: Colour = Colour.RED
    parts: list[float] = field(default_factory=lambda: [1.0, math.nan])


class Cell(pydantic.BaseModel):
    """A class with the same name as a definition that the schema adds."""

    model_config = pydantic.ConfigDict(extra="forbid", serialize_by_alias=True)
    dv: float = pydantic.Field(alias="deltaV", ge=0)
    kind: Literal["a", "b"] = "a"
    raw: bytes = b"\xff"
    inner: Cell | None = None


class Cat(pydantic.BaseModel):
    kind: Literal["cat"] = "cat"
    dv: float = 1


class Dog(pydantic.BaseModel):
    kind: Literal["dog"] = "dog"
    dv: float = 2


class Owner(pydantic.BaseModel):
    pet: Cat | Dog = pydantic.Field(discriminator="kind")
    dv: float


@attrs.define
class Attrs:
    dv: float


class Struct(msgspec.Struct):
    dv: float
    day: date = date(2026, 1, 1)


class Typed(TypedDict):
    dv: float
    note: str


CELLS = {
    Transfer: Transfer(1.0),
    Cell: Cell(deltaV=1.0, inner=Cell(deltaV=2.0)),
    Owner: Owner(pet=Dog(), dv=3),
    Attrs: Attrs(1.0),
    Struct: Struct(1.0),
    Typed: {"dv": 1.0, "note": "x"},
    dict[str, Any]: {"dv": 1, "x": None},
    dict[str, float]: {"dv": 1, "x": math.nan},
    Any: {"dv": 2},
    Transfer | None: Transfer(1.0),
}  # fmt: skip


def check(schema, *payloads):
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for payload in payloads:
        validator.validate(payload)


@pytest.mark.parametrize("annotation", CELLS)
def test_a_grid_is_valid(annotation):
    cell = CELLS[annotation]
    schema = output_schema("grid", cell_schema(annotation))
    grid = Grid([[cell, None], [cell, cell]], rank_by="dv", rows=["a", "b"])
    check(schema, grid.summary(), grid.full())
    check(schema, Grid([]).summary(), Grid([]).full())


@pytest.mark.parametrize("annotation", CELLS)
def test_a_series_is_valid(annotation):
    cell = CELLS[annotation]
    series = Series([cell, None, *[cell] * 20], name="states")
    payloads = series.summary(), series.full()
    check(output_schema("series", cell_schema(annotation), name="states"), *payloads)
    check(output_schema("series", cell_schema(annotation), name=None), *payloads)


@pytest.mark.parametrize(
    ("annotation", "number"),
    [(float, 1.5), (int, 2), (Decimal, Decimal("1.50")), (float | None, 1.5), (np.float64, 1.5)],
)
def test_plain_numbers_are_in_a_field(annotation, number):
    grid, series = Grid([[number, None]]), Series([number, math.nan])
    check(output_schema("grid", cell_schema(annotation)), grid.summary(), grid.full())
    check(output_schema("series", cell_schema(annotation)), series.summary(), series.full())


def test_a_cut_cell_is_valid():
    fat = {"dv": 1.0, "text": "word " * 3_000}
    grid, series = Grid([[fat, fat]], rank_by="dv"), Series([fat] * 20)
    assert "$omitted" in grid.summary()["best"]
    for cell in ({}, cell_schema(Typed), {"type": "object", "required": ["text"]}):
        check(output_schema("grid", cell), grid.summary(), grid.full())
        check(output_schema("series", cell), series.summary(), series.full())


def test_the_two_forms_are_told_apart_by_a_literal():
    schema = output_schema("grid", cell_schema(Transfer))
    assert schema["type"] == "object"
    outputs = [form["properties"]["output"]["const"] for form in schema["oneOf"]]
    assert outputs == ["summary", "full"]
    grid = Grid([[1]])
    validator = jsonschema.Draft202012Validator(schema)
    assert not validator.is_valid({**grid.summary(), "output": "full"})
    assert not validator.is_valid({**grid.full(), "output": "summary"})
    assert not validator.is_valid({})


def test_what_the_author_says_is_kept():
    schema = output_schema("grid", cell_schema(Owner))
    assert schema["$defs"]["Cell"]["properties"]["dv"]["type"] == ["number", "null"]
    assert "Cat" in schema["$defs"]
    assert output_schema("grid", cell_schema(Cell))["$defs"].keys() >= {"Cell", "Cell_", "CutCell"}
    assert "items" in cell_schema(Transfer)["properties"]["parts"]


@pytest.mark.parametrize("annotation", [np.ndarray, object(), "Later"])
def test_of_what_nobody_can_describe_nothing_is_said(annotation):
    assert cell_schema(annotation) == {}


def test_an_unknown_kind():
    with pytest.raises(InvalidSetting, match="grid"):
        output_schema("cube", {})
