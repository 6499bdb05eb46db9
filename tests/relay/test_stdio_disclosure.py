"""Many tools behind `penstock run`, with the official client in both eras."""

import json
import sys

import pytest
from relay_sdk import ERAS, SdkClient
from relay_weights import o200k

from penstock.disclosure import system_prompt

MANY = [sys.executable, "-m", "penstock.cli.demonstration.control_room"]
RIGHT = {"number": 7, "why": "a test"}


@pytest.fixture(params=ERAS)
def opened(request):
    clients = []

    def opened(*options):
        clients.append(SdkClient(MANY, *options, mode=ERAS[request.param]))
        return clients[-1]

    yield opened
    for client in clients:
        client.close()


def weight(listed):
    """Count the tokens, without what the client itself adds to a legacy list."""
    tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]
    return o200k(json.dumps({"tools": tools}, separators=(",", ":"), ensure_ascii=False))


def said(result):
    return json.loads(result.content[0].text)


def test_the_default(opened):
    """Find, describe and call a tool of an index. The client validates every reply."""

    async def scenario(client, _heard):
        listed = await client.list_tools()
        assert weight(listed) <= 2_000
        assert listed.tools[0].name == "find_tools"
        found = said(await client.call_tool("find_tools", {"query": "stop a turbine"}))["tools"]
        assert found[0]["name"] == "turbine_stop"
        told = said(await client.call_tool("describe_tools", {"tools": ["turbine_stop"]}))
        assert told["turbine_stop"]["inputSchema"]["required"] == ["number", "why"]
        call = {"name": "turbine_stop", "arguments": RIGHT}
        done = await client.call_tool("call_tool", call)
        assert done.content[0].text == "The turbine 7 is stopping: a test."
        wrong = await client.call_tool("call_read_only_tool", call)
        assert wrong.is_error
        assert "call_tool" in said(wrong)["next_step"]

    opened().run(scenario)


@pytest.mark.parametrize("budget", [6_000, 9_000])
def test_in_brief(opened, budget):
    async def scenario(client, _heard):
        listed = await client.list_tools()
        assert weight(listed) <= budget
        assert len(listed.tools) == 102
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        assert str(resources[0].uri) == "resource:///tool_descriptions"
        assert templates[0].uri_template.endswith("{?tools}")
        prompt = system_prompt(
            [tool.model_dump() for tool in listed.tools],
            [{"uri": str(item.uri), "description": item.description} for item in resources],
        )
        assert "PICK" in prompt
        read = await client.read_resource("resource:///tool_descriptions?tools=fan_stop,fan_start")
        assert list(json.loads(read.contents[0].text)) == ["fan_stop", "fan_start"]
        done = await client.call_tool("fan_stop", RIGHT)
        assert not done.is_error

    opened("--list-budget", f"{budget}tok").run(scenario)


def test_a_wrong_call_is_taught(opened):
    async def scenario(client, _heard):
        await client.list_tools()
        wrong = await client.call_tool("fan_limit", {"number": 7, "unit": "volt"})
        error = said(wrong)["error"]
        assert wrong.is_error
        assert error["code"] == "TOOL_DESCRIPTION_REQUIRED"
        enum = error["description"]["inputSchema"]["properties"]["unit"]["enum"]
        right = {"number": 7, "unit": enum[0], "most": 3, "why": "a test"}
        assert not (await client.call_tool("fan_limit", right)).is_error

    opened("--list", "brief").run(scenario)


def test_a_grant_does_not_outlive_its_process_in_a_legacy_session(opened, tmp_path):
    """The principal stays the same, the session does not. Modern clients have only the principal."""
    options = ("--list", "brief", "--gate", "strict", "--store", f"sqlite:///{tmp_path / 'r.db'}")
    first, second = opened(*options), opened(*options)

    async def learn(client, _heard):
        await client.call_tool("describe_tools", {"tools": ["fan_stop"]})
        return (await client.call_tool("fan_stop", RIGHT)).is_error

    async def try_it(client, _heard):
        return (await client.call_tool("fan_stop", RIGHT)).is_error, client.protocol_version

    assert not first.run(learn)
    refused, version = second.run(try_it)
    assert refused == (version < "2026")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--list", "tree"], "auto, full, signatures, brief, index"),
        (["--list-budget", "10tok"], "800"),
        (["--list-budget", "3kB"], "4kB"),
        (["--gate", "maybe"], "off, teach, strict"),
        (["--descriptions", "/nowhere/at/all"], "no such folder"),
    ],
)
def test_settings_that_cannot_be(start, options, says):
    client = start(MANY, *options, greet=False)
    assert client.wait() == 2
    told = client.errors
    assert says in told
    assert "Traceback" not in told
