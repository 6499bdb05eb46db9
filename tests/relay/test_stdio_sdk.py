"""The official Python SDK on both sides of the relay, in both eras: all of the protocol works."""

import asyncio
import json
import sys

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference
from relay_processes import SCRIPTED, SERVERS, end, wait_until_gone
from relay_sdk import ERAS, SdkClient, payload

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
SDK_SERVER = [sys.executable, str(SERVERS / "sdk_server.py")]
ICON_SERVER = [sys.executable, str(SERVERS / "icon_server.py")]


@pytest.fixture(
    scope="module",
    params=[pytest.param(era, marks=pytest.mark.xdist_group(f"sdk-{era}")) for era in ERAS],
)
def sdk(request):
    """Open one connection per era, for all tests of this file."""
    client = SdkClient(SDK_SERVER, "--list", "full", mode=ERAS[request.param])
    client.era = request.param
    yield client
    client.close()


def told(result):
    return result.content[0].text


@pytest.mark.parametrize("era", ERAS)
def test_an_icon_costs_the_model_nothing(era):
    """A modern server repeats its icon in every reply. No result and no list is cut for it."""

    async def scenario(client, _heard):
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools][:-1] == ["hello", "goodbye", "thank", "invite"]
        assert tools[1].icons[0].src.endswith("A" * 30_000)
        assert tools[3].input_schema["required"] == ["name", "place"]
        result = await client.call_tool("hello", {"name": "Ann"})
        assert told(result) == "hello Ann"
        if era == "modern":
            info = result.meta["io.modelcontextprotocol/serverInfo"]
            assert info["icons"][0]["src"].endswith("A" * 30_000)

    client = SdkClient(ICON_SERVER, mode=ERAS[era])
    try:
        client.run(scenario)
    finally:
        client.close()


def test_the_era_is_the_servers(sdk):
    version = sdk.client.protocol_version
    assert version == ("2026-07-28" if sdk.era == "modern" else "2025-11-25")
    assert sdk.client.instructions.endswith("\n\nCall rows first.")


def test_tools(sdk):
    async def scenario(client, _heard):
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[0] == "add"
        assert names[-1] == "read_result"
        assert payload(await client.call_tool("add", {"a": 2, "b": 3}))["structuredContent"] == {
            "result": 5
        }
        failed = await client.call_tool("fail")
        assert failed.is_error
        assert "it does not work" in told(failed)

    sdk.run(scenario)


def test_a_large_result_keeps_its_promise(sdk):
    """The client validates what it gets against the schema that was listed."""

    async def scenario(client, _heard):
        await client.list_tools()
        result = await client.call_tool("rows", {"count": 3_000})
        probe = json.loads(told(result))
        assert result.structured_content == probe
        token = probe["continuation_token"]
        query = {"mode": "sql", "query": "SELECT max(id) AS m FROM result"}
        answer = await client.call_tool("read_result", {"continuation_token": token, **query})
        assert json.loads(told(answer))["items"] == [{"m": 2_999}]
        summed = await client.call_tool("total", {"items": f"@result:{token}"})
        assert summed.structured_content == {"result": sum(range(3_000))}

    sdk.run(scenario)


def test_progress(sdk):
    seen = []

    async def progress(done, whole, message):
        seen.append((done, whole, message))

    async def scenario(client, _heard):
        result = await client.call_tool("slowly", {"steps": 5}, progress_callback=progress)
        assert told(result) == "done"

    sdk.run(scenario)
    assert seen == [(step, 5, f"step {step}") for step in range(1, 6)]


def test_cancellation(sdk):
    """The call ends at the server too; the connection stays."""

    async def scenario(client, _heard):
        with anyio.CancelScope() as scope:
            async with asyncio.TaskGroup() as group:

                async def cancel_when_running():
                    await client.call_tool("mark", {"name": sdk.era, "at_least": 1})
                    scope.cancel()

                group.create_task(cancel_when_running())
                await client.call_tool("forever", {"name": sdk.era})
        ended = await client.call_tool("mark", {"name": sdk.era, "at_least": 2})
        assert ended.structured_content == {"result": 2}

    sdk.run(scenario)


def test_sampling_elicitation_and_roots(sdk):
    async def scenario(client, heard):
        heard.questions.clear()
        assert told(await client.call_tool("think")) == "The model says 42"
        assert told(await client.call_tool("greet")) == "Hello Ada"
        assert told(await client.call_tool("look")) == "file:///home/ada"
        assert heard.questions == ["How much?", "What is your name?", "roots"]

    sdk.run(scenario)


def test_logging(sdk):
    async def scenario(client, heard):
        if sdk.era == "legacy":
            with pytest.raises(MCPError, match="Method not found"):
                await client.set_logging_level("info")
        await client.call_tool("say", {"words": f"hello {sdk.era}"})
        await heard.until(lambda heard: f"hello {sdk.era}" in heard.logs)

    sdk.run(scenario)


def test_prompts_and_resources_are_outside_the_budget(sdk):
    async def scenario(client, _heard):
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["review"]
        prompt = await client.get_prompt("review", {"code": "é"})
        assert prompt.messages[0].content.text == "Please review:\n" + "é" * 50_000
        assert [str(item.uri) for item in (await client.list_resources()).resources] == [
            "data://long"
        ]
        templates = (await client.list_resource_templates()).resource_templates
        assert [item.uri_template for item in templates] == ["data://{name}/item"]
        content = (await client.read_resource("data://long")).contents[0]
        assert content.text == "x" * 100_000
        item = (await client.read_resource("data://a/item")).contents[0]
        assert json.loads(item.text)["name"] == "a"
        with pytest.raises(MCPError):
            await client.read_resource("data://nowhere")

    sdk.run(scenario)


def test_completion(sdk):
    async def scenario(client, _heard):
        result = await client.complete(
            PromptReference(name="review"), {"name": "code", "value": "a"}
        )
        assert result.completion.values == ["a-done"]

    sdk.run(scenario)


def test_a_list_that_changes(sdk):
    """The notification and the new list arrive, and the new tool can take a stored result."""
    name = f"grown_{sdk.era}"

    async def scenario(client, heard):
        if sdk.era == "legacy":
            await client.call_tool("grow", {"name": name})
            await heard.until(lambda heard: "notifications/tools/list_changed" in heard.messages)
        else:
            async with client.listen(tools_list_changed=True) as news:
                await client.call_tool("grow", {"name": name})
                async with asyncio.timeout(30):
                    assert "ToolsListChanged" in repr(await anext(aiter(news)))
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[-2:] == [name, "read_result"]
        assert told(await client.call_tool(name)) == "new"

    sdk.run(scenario)


def test_subscriptions(sdk):
    async def scenario(client, heard):
        if sdk.era == "legacy":
            await client.subscribe_resource("data://long")
            await client.call_tool("touch", {"uri": "data://long"})
            await heard.until(lambda heard: "notifications/resources/updated" in heard.messages)
        else:
            async with client.listen(resource_subscriptions=["data://long"]) as news:
                await client.call_tool("touch", {"uri": "data://long"})
                async with asyncio.timeout(30):
                    assert "data://long" in repr(await anext(aiter(news)))

    sdk.run(scenario)


def test_concurrent_calls(sdk):
    async def scenario(client, _heard):
        calls = [
            client.call_tool("add", {"a": number, "b": 1})
            if number % 3
            else client.call_tool("rows", {"count": 1_000 + number})
            for number in range(60)
        ]
        results = await asyncio.gather(*calls)
        for number, result in enumerate(results):
            if number % 3:
                assert result.structured_content == {"result": number + 1}
            else:
                assert result.structured_content["count"] == 1_000 + number

    sdk.run(scenario)


def test_ping_and_unknown_tools(sdk):
    async def scenario(client, _heard):
        if sdk.era == "legacy":
            await client.send_ping()
        unknown = await client.call_tool("no_such_tool")
        assert unknown.is_error
        assert told(unknown) == "Unknown tool: no_such_tool"

    sdk.run(scenario)


def test_the_same_as_without_a_relay(sdk):
    """Everything that Penstock did not add is equal to the server's own answer."""
    direct = SdkClient(SDK_SERVER, mode=ERAS[sdk.era], behind=False)

    async def everything(client, _heard):
        tools = (await client.list_tools()).tools
        return {
            "capabilities": client.server_capabilities.model_dump(exclude_none=True),
            "server": client.server_info.model_dump(),
            "tools": {
                tool.name: tool.model_dump(exclude={"output_schema"})
                for tool in tools
                if tool.name != "read_result" and not tool.name.startswith("grown")
            },
            "prompts": payload(await client.list_prompts()),
            "resources": payload(await client.list_resources()),
            "sum": payload(await client.call_tool("add", {"a": 1, "b": 2})),
            "few": payload(await client.call_tool("rows", {"count": 20})),
            "failed": payload(await client.call_tool("fail")),
        }

    try:
        assert sdk.run(everything) == direct.run(everything)
    finally:
        direct.close()


def test_a_host_in_a_hurry():
    """A host closes the pipe, waits two seconds, sends SIGTERM, waits two more, and kills the relay.
    By then the relay must have ended a server that ignores all this, or the server would stay."""
    client = SdkClient([*SCRIPTED, "--stubborn"], mode="legacy")

    async def pids(connection, _heard):
        return json.loads(told(await connection.call_tool("pids")))

    (server,) = client.run(pids)
    client.close()
    try:
        wait_until_gone(server)
    finally:
        end(server)
