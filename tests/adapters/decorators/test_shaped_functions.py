"""`@shaped` on plain functions: what it adds, and what it refuses."""

import asyncio
import inspect
from dataclasses import dataclass
from functools import partial
from typing import Any

import jsonschema
import pytest
from pydantic import TypeAdapter

from penstock import Grid, Series, shaped
from penstock.errors import InvalidSetting, PenstockError


@dataclass
class Cell:
    cost: float


def cells(size=3):
    return [[Cell(float(row + column)) for column in range(size)] for row in range(size)]


@shaped
def sweep(size: int = 3) -> Grid[Cell]:
    """A sweep."""
    return Grid(cells(size), rank_by="cost")


def advertised(function):
    return TypeAdapter(inspect.signature(function).return_annotation).json_schema()


def test_a_summary_unless_all_is_asked_for():
    assert sweep()["output"] == "summary"
    assert sweep(output="summary") == sweep() == sweep(output=None) == sweep(output="")
    assert len(sweep(4, output="full")["grid"]) == 16


def test_the_function_itself_is_at_hand():
    assert isinstance(sweep.__wrapped__(2), Grid)
    assert sweep.__name__ == "sweep"
    assert [*inspect.signature(sweep).parameters] == ["size", "output"]


@pytest.mark.parametrize("output", ["Full", "all", 1, ["full"]])
def test_another_output(output):
    with pytest.raises(PenstockError, match=r'Give output as "summary" \(default\) or "full"'):
        sweep(output=output)


@pytest.mark.parametrize("form", ["summary", "full"])
def test_both_forms_are_as_promised(form):
    jsonschema.Draft202012Validator(advertised(sweep)).validate(sweep(output=form))
    assert advertised(sweep)["type"] == "object"


def test_the_two_forms_are_told_apart():
    validator = jsonschema.Draft202012Validator(advertised(sweep))
    assert not validator.is_valid({**sweep(), "output": "full"})
    assert not validator.is_valid({**sweep(output="full"), "output": "summary"})


def test_a_cell_that_holds_itself_is_promised_too():
    tree = pytest.importorskip("pydantic").create_model("Tree", cost=(float, 1.0))
    tree = pytest.importorskip("pydantic").create_model(
        "Tree", __base__=tree, below=(list[Any], [])
    )

    def grow() -> Grid[tree]:
        return Grid([[tree()]], rank_by="cost")

    grow.__annotations__["return"] = Grid[tree]
    jsonschema.Draft202012Validator(advertised(shaped(grow))).validate(shaped(grow)())


def test_coroutines_and_generators():
    @shaped
    async def walk(count: int) -> Series[float]:
        return Series(range(count), name="steps")

    @shaped(shape=partial(Series, name="steps"))
    def yielded(count: int):
        yield from range(count)

    @shaped(shape=partial(Series, name="steps"))
    async def awaited(count: int):
        for step in range(count):
            yield step

    expected = asyncio.run(walk(100))
    assert expected["total"] == 100
    assert len(expected["steps"]) == 12
    assert yielded(100) == asyncio.run(awaited(100)) == expected


def test_a_shape_of_ones_own():
    class Both:
        def __init__(self, value):
            self.value = value

        def summary(self):
            return {"output": "summary", "few": self.value[:1]}

        def full(self):
            return {"output": "full", "all": self.value}

    @shaped(shape=Both)
    def numbers():
        return [1, 2, 3]

    assert numbers() == {"output": "summary", "few": [1]}
    assert numbers(output="full") == {"output": "full", "all": [1, 2, 3]}
    jsonschema.Draft202012Validator(advertised(numbers)).validate(numbers())


def test_a_function_that_promises_neither():
    with pytest.raises(InvalidSetting, match=r"Annotate its return as Grid\[...\]"):

        @shaped
        def plain() -> list[int]:
            return [1]


def test_a_function_that_gives_neither():
    @shaped
    def broken() -> Grid[Cell]:
        return [[1]]

    with pytest.raises(PenstockError, match="it returned list"):
        broken()


def test_a_parameter_called_output():
    with pytest.raises(InvalidSetting, match="Rename that parameter"):

        @shaped
        def taken(output: str) -> Grid[Cell]:
            return Grid(cells(), rank_by="cost")


def test_what_is_wrong_with_a_grid_is_told():
    @shaped
    def ragged() -> Grid[float]:
        return Grid([[1.0, 2.0], [3.0]])

    with pytest.raises(PenstockError, match="row"):
        ragged()
