"""Grids and series behind both frameworks, in both eras: both forms match their output schema."""

import json
from dataclasses import dataclass
from typing import Any

import jsonschema
import pytest
from doors import client_of, make, run, sent, served, text_of, value_of

from penstock import Grid, Series, heavy, shaped
from penstock.core.budget.measure import default_meter
from penstock.errors import InvalidSetting


@dataclass
class Point:
    loss: float
    note: str = ""


@shaped
def sweep(size: int = 30, note: str = "") -> Grid[Point]:
    """A sweep."""
    cells = [
        [Point((row - 3) ** 2 + column, note) for column in range(size)] for row in range(size)
    ]
    return Grid(cells, rank_by="loss")


@shaped
async def course(count: int = 2_000) -> Series[dict[str, float]]:
    """A course."""
    entries = [{"minute": float(n), "level": n % 50 / 10} for n in range(count)]
    return Series(entries, axis="minute", name="levels")


@shaped
def ragged() -> Grid[float]:
    """Wrong."""
    return Grid([[1.0], [1.0, 2.0]])


@heavy
def total(items: list[dict[str, Any]]) -> int:
    """How many."""
    return len(items)


def test_a_summary_is_small_and_a_part_of_all(framework, era):
    async def scenario():
        async with served(framework, sweep, course, era=era) as client:
            for tool, entries in (("sweep", "grid"), ("course", "levels")):
                result = await client.call_tool(tool, {})
                assert default_meter().count(json.dumps(sent(result))) < 2_000
                summary = value_of(result)
                probe = value_of(await client.call_tool(tool, {"output": "full"}))
                look = {"continuation_token": probe["continuation_token"], "path": f"/{entries}"}
                whole = await client.call_tool("read_result", {**look, "mode": "full"})
                every = value_of(whole)
                shown = summary.get("top_cells") or summary[entries]
                assert all(one in every for one in shown)
                assert summary["total"] == len(every)

    run(scenario)


def test_all_of_it_is_linked_to(framework, era):
    async def scenario():
        async with served(framework, sweep, era=era) as client:
            result = await client.call_tool("sweep", {"output": "full"})
            link = result.content[-1]
            assert link.type == "resource_link"
            read = (await client.read_resource(link.uri)).contents[0]
            assert len(json.loads(read.text)["grid"]) == 900

    run(scenario)


def test_a_full_form_within_the_budget_passes(framework, era):
    async def scenario():
        async with served(framework, sweep, era=era) as client:
            full = value_of(await client.call_tool("sweep", {"size": 3, "output": "full"}))
            assert full["output"] == "full"
            assert len(full["grid"]) == 9

    run(scenario)


def test_every_form_is_as_the_list_promises(framework, era):
    """The SDK's client checks the schema too: a wrong result would fail the call."""

    async def scenario():
        async with served(framework, sweep, course, era=era, list_form="full") as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            for tool in ("sweep", "course"):
                promised = listed[tool].output_schema
                assert promised["type"] == "object"
                assert listed[tool].input_schema["properties"]["output"]["enum"] == [
                    "summary",
                    "full",
                ]
                for arguments in ({}, {"output": "full"}, {"output": "summary"}):
                    result = await client.call_tool(tool, arguments)
                    jsonschema.Draft202012Validator(promised).validate(result.structured_content)
            small = await client.call_tool("sweep", {"size": 2, "output": "full"})
            assert small.structured_content["output"] == "full"

    run(scenario)


def test_cells_that_are_fat(framework):
    async def scenario():
        async with served(framework, sweep, list_form="full") as client:
            result = await client.call_tool("sweep", {"size": 4, "note": "x" * 10_000})
            assert default_meter().count(json.dumps(sent(result))) < 2_000
            assert result.structured_content["best"]["loss"] == 0
            assert "note" in result.structured_content["best"]["$omitted"]

    run(scenario)


@pytest.mark.parametrize("output", ["Full", 7, ["full"]])
def test_another_output(framework, era, output):
    async def scenario():
        async with served(framework, sweep, era=era) as client:
            result = await client.call_tool("sweep", {"output": output})
            assert result.is_error
            assert value_of(result)["next_step"] == 'Give output as "summary" (default) or "full".'

    run(scenario)


def test_what_is_wrong_with_a_grid(framework):
    async def scenario():
        async with served(framework, ragged) as client:
            result = await client.call_tool("ragged", {})
            assert result.is_error
            assert "row" in value_of(result)["error"]

    run(scenario)


def test_the_same_without_the_middleware(framework):
    server, middleware = make(framework, sweep, ragged)
    server.middleware.remove(middleware)
    middleware.close()

    async def scenario():
        async with client_of(server) as client:
            assert (await client.call_tool("sweep", {})).structured_content["total"] == 900
            full = await client.call_tool("sweep", {"output": "full"})
            assert len(full.structured_content["grid"]) == 900
            wrong = await client.call_tool("ragged", {})
            assert wrong.is_error
            assert "row" in text_of(wrong)

    run(scenario)


def test_code_that_calls_a_shaped_function_gets_the_grid(framework):
    def best() -> float:
        """The best."""
        return sweep(3).summary()["best"]["loss"]

    async def scenario():
        async with served(framework, best) as client:
            assert float(text_of(await client.call_tool("best", {}))) == 1

    run(scenario)


def test_a_part_of_a_grid_is_handed_on(framework):
    async def scenario():
        async with served(framework, sweep, total) as client:
            probe = value_of(await client.call_tool("sweep", {"output": "full"}))
            reference = f"@result:{probe['continuation_token']}#/grid"
            assert value_of(await client.call_tool("total", {"items": reference})) == 900

    run(scenario)


@pytest.mark.parametrize("decorators", [(heavy, shaped), (shaped, heavy)])
def test_both_decorators(decorators):
    def both() -> Grid[float]:
        return Grid([[1.0]])

    first, second = decorators
    with pytest.raises(InvalidSetting, match="Use one of them"):
        second(first(both))
