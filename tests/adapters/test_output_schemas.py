"""Advertised output schemas. Every reply matches its schema, and no schema is advertised that a
reply would not match."""

import dataclasses
from typing import Any

import jsonschema
import pytest
from doors import opened, run, sent, served, text_of, value_of
from pydantic import BaseModel
from typing_extensions import TypedDict


class Station(BaseModel):
    """A place where water is measured."""

    name: str
    levels: list[float]
    inner: "Station | None" = None


class Typed(TypedDict):
    name: str
    levels: list[float]


@dataclasses.dataclass
class Data:
    name: str
    levels: list[float]


class Note(BaseModel):
    text: str


def levels(size: int) -> list[float]:
    return [number / 4 for number in range(size)]


def model(size: int) -> Station:
    return Station(name="Lyon", levels=levels(size), inner=Station(name="in", levels=[]))


def typed(size: int) -> Typed:
    return {"name": "Lyon", "levels": levels(size)}


def data(size: int) -> Data:
    return Data("Lyon", levels(size))


def mapping(size: int) -> dict[str, float]:
    return {f"level {number}": number / 4 for number in range(size)}


def anything(size: int) -> dict[str, Any]:
    return {"levels": levels(size)}


def listed(size: int) -> list[Station]:
    return [Station(name=f"{number}", levels=[0.5]) for number in range(size)]


def text(size: int) -> str:
    return "word " * size


def either(size: int) -> Station | Note:
    return Note(text="few") if size < 10 else model(size)


def optional(size: int) -> list[int] | None:
    return None if size < 10 else list(range(size))


def failing(size: int) -> Station:
    raise ValueError("broken " * size)


TOOLS = [model, typed, data, mapping, anything, listed, text, either, optional]
NAMES = [tool.__name__ for tool in TOOLS]
LARGE = 5_000


def check(tool, result):
    """Check a result against the advertised schema, with a validator that is not the client's."""
    schema = sent(tool)["outputSchema"]
    assert schema["type"] == "object"  # otherwise legacy clients refuse the list
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    validator(schema).validate(sent(result)["structuredContent"])


@pytest.mark.parametrize("name", NAMES)
def test_every_reply_keeps_the_schema(framework, era, name):
    async def scenario():
        async with served(framework, *TOOLS, era=era, list_form="full", budget="3kB") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            tool = tools[name]
            assert tools["read_result"].output_schema is None
            # The client validates each reply too, and raises if it does not match the schema.
            check(tool, await client.call_tool(name, {"size": 3}))
            probe = await client.call_tool(name, {"size": LARGE})
            check(tool, probe)
            assert value_of(probe) == probe.structured_content
            token = probe.structured_content["continuation_token"]
            page = await client.call_tool(name, {"continuation_token": token})
            read = await client.call_tool("read_result", {"continuation_token": token})
            assert "structuredContent" not in sent(read)
            items, more = value_of(page)["items"], value_of(read)["items"]
            # A text that the reply holds once has more room than one that it holds twice.
            assert more == items or (name == "text" and more[0].startswith(items[0]))
            check(tool, page)
            wrong = await client.call_tool(name, {"continuation_token": token, "mode": "no"})
            assert wrong.is_error
            if wrong.structured_content is not None:
                check(tool, wrong)

    run(scenario)


def test_the_same_behind_the_relay_and_by_hand(door, era):
    """Both frameworks wrap rows. Replies match the schema of the wrapper too."""

    async def scenario():
        async with opened(door, era, list_form="full", budget="3kB") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            for tool, few, many in [
                ("rows", {"count": 3}, {"count": 500}),
                ("config", {"services": 1}, {"services": 500}),
                ("log", {"lines": 3}, {"lines": 900}),
            ]:
                check(tools[tool], await client.call_tool(tool, few))
                check(tools[tool], await client.call_tool(tool, many))

    run(scenario)


@pytest.mark.parametrize("size", [1, LARGE], ids=["small", "large"])
def test_errors_need_no_structure(framework, era, size):
    async def scenario():
        async with served(framework, failing, era=era, list_form="full", budget="3kB") as client:
            await client.list_tools()
            result = await client.call_tool("failing", {"size": size})
            assert result.is_error
            assert text_of(result)

    run(scenario)


@pytest.mark.parametrize("list_form", ["auto", "brief", "index"])
@pytest.mark.parametrize("name", ["model", "listed", "either"])
def test_what_is_not_advertised_is_not_sent(framework, era, name, list_form):
    async def scenario():
        settings = {"list_form": list_form, "budget": "3kB"}
        async with served(framework, *TOOLS, era=era, **settings) as client:
            for tool in (await client.list_tools()).tools:
                assert tool.output_schema is None
            probe = await client.call_tool(name, {"size": LARGE})
            assert "structuredContent" not in sent(probe)
            token = value_of(probe)["continuation_token"]
            page = await client.call_tool(name, {"continuation_token": token})
            assert "structuredContent" not in sent(page)

    run(scenario)
