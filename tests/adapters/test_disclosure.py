"""A hundred tools behind every door: a list within its budget, and access to every tool."""

import json

import pytest
from adapter_functions import MANY
from adapter_server import build
from doors import DOORS, opened, refused, run, sent, text_of, told, value_of

from penstock.core.budget.measure import default_meter
from wire import Wire, listening

GOOD = {"station": "Lyon", "hours": 2}
OWN = ["find_tools", "describe_tools", "call_tool", "read_result"]  # no tool is read-only
DESCRIPTIONS = "resource:///tool_descriptions"


def names_in(listed):
    return [tool.name for tool in listed.tools]


def test_the_list_is_within_its_budget_on_the_wire(inside, era):
    server, middleware = build(inside, "many")
    with listening(inside, server) as url, Wire(url, era) as wire:
        listed = wire.result("tools/list")
    middleware.close()
    text = json.dumps(json.loads(listed), ensure_ascii=False, separators=(",", ":"))
    assert not default_meter().exceeds(text, 2_000)
    assert [tool["name"] for tool in json.loads(listed)["tools"]] == OWN


def test_index(door, era):
    """The agent finds, describes and calls tools, and calls any tool by its own name."""

    async def scenario():
        async with opened(door, era, "many") as client:
            assert names_in(await client.list_tools()) == OWN
            found = await told(client, "find_tools", query="task number 42")
            assert found["tools"][0]["name"] == "station_task_42"
            described = await told(client, "describe_tools", tools=["station_task_07"])
            assert "task number 7 " in described["station_task_07"]["description"]
            schema = described["station_task_07"]["inputSchema"]
            assert schema["required"] == ["station", "hours"]
            called = await client.call_tool(
                "call_tool", {"name": "station_task_07", "arguments": GOOD}
            )
            assert text_of(called) == "7: Lyon for 2 h"
            assert text_of(await client.call_tool("station_task_08", GOOD)) == "8: Lyon for 2 h"
            nothing = await client.call_tool("call_tool", {"name": "nowhere", "arguments": {}})
            assert nothing.is_error
            assert "nowhere" in text_of(nothing)

    run(scenario)


def test_the_gate_teaches(door, era):
    """Invalid arguments return the description, and the next call runs."""

    async def scenario():
        async with opened(door, era, "many") as client:
            await client.list_tools()
            wrong = await refused(client, "station_task_09", station="Lyon")
            assert wrong["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
            assert "hours" in wrong["error"]["message"]
            assert "task number 9 " in json.dumps(wrong["error"]["description"])
            assert text_of(await client.call_tool("station_task_09", GOOD)) == "9: Lyon for 2 h"

    run(scenario)


def test_the_gate_is_strict(door, era):
    async def scenario():
        async with opened(door, era, "many", gate="strict") as client:
            await client.list_tools()
            closed = await refused(client, "station_task_09", **GOOD)
            assert closed["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
            await told(client, "describe_tools", tools=["station_task_09"])
            assert text_of(await client.call_tool("station_task_09", GOOD)) == "9: Lyon for 2 h"
            closed = await refused(client, "call_tool", name="station_task_10", arguments=GOOD)
            assert closed["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
            await client.read_resource(f"{DESCRIPTIONS}?tools=station_task_10")
            assert text_of(await client.call_tool("station_task_10", GOOD)) == "10: Lyon for 2 h"

    run(scenario)


def test_the_gate_is_strict_without_a_list(inside, era):
    """A client that never lists the tools does not pass the gate."""

    async def scenario():
        async with opened(inside, era, "many", gate="strict") as client:
            closed = await refused(client, "station_task_09", **GOOD)
            assert closed["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"

    run(scenario)


def test_brief(inside, era):
    async def scenario():
        async with opened(inside, era, "many", list_form="brief") as client:
            listed = sent(await client.list_tools())["tools"]
            names = [tool["name"] for tool in listed]
            assert names[:100] == [function.__name__ for function in MANY]
            assert set(names[100:]) == {"describe_tools", "read_result"}
            assert listed[7]["description"] == "Does task number 7 at a station."
            assert "outputSchema" not in listed[7]
            assert not listed[7]["inputSchema"].get("properties")
            assert text_of(await client.call_tool("station_task_07", GOOD)) == "7: Lyon for 2 h"

    run(scenario)


def test_the_resource_of_descriptions(inside, era):
    async def scenario():
        async with opened(inside, era, "many") as client:
            (listed,) = (await client.list_resources()).resources
            assert str(listed.uri) == DESCRIPTIONS
            (template,) = (await client.list_resource_templates()).resource_templates
            assert template.uri_template == DESCRIPTIONS + "{?tools}"
            read = await client.read_resource(
                f"{DESCRIPTIONS}?tools=station_task_01,station_task_02"
            )
            (content,) = read.contents
            assert content.mime_type == "application/json"
            assert str(content.uri).startswith(DESCRIPTIONS)
            assert json.loads(content.text).keys() == {"station_task_01", "station_task_02"}
            none = await client.read_resource(DESCRIPTIONS)
            assert "MISSING_TOOL_SELECTION" in none.contents[0].text

    run(scenario)


@pytest.mark.parametrize("door", DOORS)
def test_few_tools_are_listed_in_full(door, era):
    """A list never costs more than the server's own."""

    async def scenario():
        async with opened(door, era, "few", list_budget="20000tok") as client:
            names = names_in(await client.list_tools())
            assert names[0] == "rows"
            assert names[-1] == "read_result"
            assert not (await client.list_resources()).resources

    run(scenario)


def test_a_heavy_tool_among_many(framework, era):
    """A call through `call_tool` returns a probe. The tool and `read_result` read the result."""

    async def scenario():
        async with opened(framework, era, "heavy", list_form="index") as client:
            await client.list_tools()
            described = await told(client, "describe_tools", tools=["heavy_rows"])
            assert "x-penstock" not in json.dumps(described)
            probe = await told(
                client, "call_tool", name="heavy_rows", arguments={"count": 90, "start": 5}
            )
            assert probe["count"] == 90
            token = probe["continuation_token"]
            page = await told(client, "heavy_rows", continuation_token=token, page=2)
            assert page["items"][0]["id"] == 25
            through = {"continuation_token": token, "mode": "sql", "query": "SELECT 1 AS one"}
            answer = await told(client, "call_tool", name="heavy_rows", arguments=through)
            assert answer["items"] == [{"one": 1}]
            wrong = value_of(await client.call_tool("heavy_rows", {"start": 5}))
            assert "count" in json.dumps(wrong)

    run(scenario)
