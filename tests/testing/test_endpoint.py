"""A model behind an OpenAI-compatible endpoint: the wire, its failures, and a model's mistakes.

The endpoint is real and scripted. The MCP server is the official SDK's, in this process.
"""

import asyncio
import json
import socket
import sys
from pathlib import Path

import pytest
from endpoint import KEY, fault, listening, says, wants
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from penstock.errors import InvalidSetting
from penstock.testing import (
    Agent,
    ChatModel,
    EndpointError,
    Scripted,
    SdkServer,
    TurnsExhausted,
    call,
)
from penstock.testing.functions import OfferedFunctions

MANY_TOOLS = Path(__file__).parents[1] / "servers" / "many_tools_server.py"

server = MCPServer("small", instructions="Add, then stop.")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(name="math.add")
def add_elsewhere(a: int, b: int) -> int:
    """Adds two numbers elsewhere."""
    return a + b + 100


@server.tool(name="math_add")
def add_again() -> str:
    raise ToolError("it does not work")


@server.resource("data://facts")
def facts() -> str:
    return json.dumps({"error": {"code": "NO_FACTS"}})


def query(model, task="How much is 2 and 3?", of=server, **settings):
    """Return the agent after its task, and the error that ended the task, if any."""

    async def run():
        async with Client(of) as client:
            agent = Agent(SdkServer(client), model, **settings)
            try:
                await agent.query(task)
            except (EndpointError, TurnsExhausted) as error:
                return agent, error
            return agent, None

    return asyncio.run(run())


def answered(replies, **settings):
    """Return the trace, the error and the requests for these replies of the endpoint."""
    with listening(replies) as endpoint:
        agent, error = query(endpoint.chat_model(), **settings)
        return agent.trace, error, endpoint.requests


# -- the wire ----------------------------------------------------------------------------------


def test_a_task_through_the_endpoint():
    def script(messages, functions):
        told = yield [call("add", a=2, b=3), call("read_resource", resource_uri="data://facts")]
        assert told == ["5", '{"error": {"code": "NO_FACTS"}}']
        return "It is " + told[0]

    with listening(Scripted(script)) as endpoint:
        agent, error = query(endpoint.chat_model(options={"temperature": 0}))
    assert error is None
    assert agent.trace.answer == "It is 5"
    assert agent.trace.calls == ("add", "read_resource")
    assert agent.trace.last_resource_uri == "data://facts"
    assert agent.trace.contains_result("add")
    assert agent.trace.contains_error("NO_FACTS")
    first, second = endpoint.requests
    assert (first["model"], first["temperature"]) == ("some-model", 0)
    system, task = first["messages"]
    assert "- add: Adds two numbers." in system["content"]
    assert system["content"].endswith("Add, then stop.")
    assert task == {"role": "user", "content": "How much is 2 and 3?"}
    assert [message["role"] for message in second["messages"][2:]] == ["assistant", "tool", "tool"]


def test_names_that_a_function_cannot_have():
    """The endpoint refuses such names, but both names of a function lead to its tool."""
    replies = [wants("math_add", '{"a": 1, "b": 2}'), wants("math.add", '{"a": 1, "b": 2}')]
    replies += [wants("math_add_2", ""), says("done")]
    trace, error, _requests = answered(replies)
    assert error is None
    assert trace.calls == ("math.add", "math.add", "math_add")
    assert [step.text for step in trace.steps[:2]] == ["103", "103"]
    assert trace.steps[2].is_error


def test_messages_go_back_as_they_came():
    """Some endpoints refuse the next request if it lacks their own fields."""
    status, body = wants("add", '{"a": 2, "b": 3}')
    body = body.replace('"id": "call_1"', '"id": "call_1", "extra_content": {"signature": "x"}')
    _trace, error, requests = answered([(status, body), says("5")])
    assert error is None
    assert requests[1]["messages"][2]["tool_calls"][0]["extra_content"] == {"signature": "x"}


@pytest.mark.parametrize(
    ("content", "answer"),
    [(None, ""), ("5", "5"), ([{"type": "text", "text": "It is "}, {"text": "5"}], "It is 5")],
)
def test_ways_to_answer(content, answer):
    assert answered([says(content)])[0].answer == answer


def test_a_server_without_resources():
    target = StdioServerParameters(command=sys.executable, args=[str(MANY_TOOLS)])
    trace, error, requests = answered([says("nothing")], of=target)
    assert (error, trace.answer) == (None, "nothing")
    assert len(requests[0]["tools"]) == 41, "its own, and read_resource"


def test_each_task_has_a_trace_of_its_own():
    def script(messages, functions):
        return (yield call("add", a=2, b=3))

    async def run():
        async with Client(server) as client:
            agent = Agent(SdkServer(client), Scripted(script))
            return [(await agent.query("Add."), len(agent.trace.steps)) for _ in range(2)]

    assert asyncio.run(run()) == [("5", 1), ("5", 1)]


# -- what a model gets wrong -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "says_what"),
    [
        ("add", '{"a": 2, "b": ', "not JSON"),
        ("add", "[2, 3]", "not an object"),
        ("subtract", "{}", "There is no tool 'subtract'"),
    ],
)
def test_what_cannot_be_sent_is_told_to_the_model(name, arguments, says_what):
    trace, error, requests = answered(
        [wants(name, arguments), wants("add", '{"a": 2, "b": 3}', "call_2"), says("5")]
    )
    assert error is None
    wrong, right = trace.steps
    assert wrong.is_error
    assert not wrong.sent
    assert says_what in requests[1]["messages"][3]["content"]
    assert json.loads(wrong.text)["next_step"]
    assert right.text == "5"
    assert trace.contains_call(name)


@pytest.mark.parametrize("calls", [[{}], [{"id": "x", "function": None}], ["add"]])
def test_calls_that_are_none(calls):
    """An endpoint keeps to the format, but a user's own model need not."""

    class Odd:
        async def reply(self, messages, functions):
            return {"role": "assistant", "tool_calls": calls} if len(messages) == 2 else {}

    agent, error = query(Odd())
    assert error is None
    assert agent.trace.errors[0].text.startswith('{"error": "There is no tool')


def test_what_the_server_refuses():
    """The server refuses with a result, and with a JSON-RPC error."""
    uri = '{"resource_uri": "data://nothing"}'
    replies = [
        wants("add", '{"a": "x"}'),
        wants("read_resource", uri),
        wants("read_resource", "{}"),
    ]
    trace, error, _requests = answered([*replies, says("I give up")])
    assert error is None
    assert [step.is_error for step in trace.steps] == [True, True, True]
    assert all(step.sent for step in trace.steps)
    assert not trace.contains_result("add")
    assert isinstance(trace.steps[1].error_code, int)
    assert trace.contains_error(trace.steps[1].error_code)


def test_a_model_that_never_ends():
    trace, error, requests = answered([wants("add", '{"a": 1, "b": 1}')] * 3, turns=3)
    assert isinstance(error, TurnsExhausted)
    assert "3 turns" in str(error)
    assert error.trace == trace
    assert len(trace.steps) == len(requests) == 3


# -- what goes wrong on the way ----------------------------------------------------------------


def test_a_key_that_is_refused_is_not_shown():
    with listening([]) as endpoint:
        model = endpoint.chat_model(key="sk-wrong")
        _agent, error = query(model)
    assert error.status == 401
    assert "Incorrect API key" in str(error)
    assert "PENSTOCK_MODEL_KEY" in error.next_step
    assert "sk-wrong" not in str(error)
    assert "sk-wrong" not in repr(model)


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (500, "the disk is full", "500: the disk is full"),
        (500, "", "500: nothing more"),
        (503, '{"error": "loading"}', "503: loading"),
        (404, '{"error": {"message": "no such model"}}', "no such model"),
        (307, "http://127.0.0.1:1/v1", "307"),
        (302, "http://127.0.0.1:1/v1", "302"),
        (200, "<html>", "not a chat completion"),
        (200, "{}", "not a chat completion"),
        (200, '{"choices": []}', "not a chat completion"),
        (200, '{"choices": [{"message": "5"}]}', "no message"),
    ],
)
def test_an_endpoint_that_does_not_answer(status, body, told):
    replies = [wants("add", '{"a": 2, "b": 3}'), (status, body)]
    trace, error, _requests = answered(replies)
    assert isinstance(error, EndpointError)
    assert told in str(error)
    assert error.next_step
    assert trace.contains_result("add"), "what happened until then is not lost"


def test_an_endpoint_that_is_not_there():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    _agent, error = query(ChatModel(url, "some-model"))
    assert "cannot be reached" in str(error)
    assert "PENSTOCK_MODEL_URL" in error.next_step


# -- the environment ---------------------------------------------------------------------------


def test_from_the_environment():
    names = ("PENSTOCK_MODEL_URL", "PENSTOCK_MODEL", "PENSTOCK_MODEL_KEY")
    assert ChatModel.from_environment({}) is None
    assert all(name in ChatModel.wanted for name in names)
    given = dict(zip(names, ("http://localhost/v1", "m", KEY), strict=True))
    assert ChatModel.from_environment(given) == ChatModel("http://localhost/v1", "m", KEY)


@pytest.mark.parametrize(
    "given",
    [
        {"PENSTOCK_MODEL_URL": "http://localhost/v1"},
        {"PENSTOCK_MODEL": "m"},
        {"PENSTOCK_MODEL": "m", "PENSTOCK_MODEL_URL": "file:///etc/passwd"},
    ],
)
def test_half_of_an_environment(given):
    with pytest.raises(InvalidSetting, match="PENSTOCK_MODEL"):
        ChatModel.from_environment(given)


def test_lists_that_an_endpoint_would_refuse():
    names = ["a.b", "a/b", "a_b", "a_b_2", "x" * 100, "x" * 101, "ä", "read_resource"]
    offer = OfferedFunctions.of(
        [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    )
    asked = {"tools": offer.functions, "messages": []}
    assert fault("/v1/chat/completions", asked) == ""
    assert list(offer.tools.values()) == names, "no reader of our own beside theirs"
    assert not offer.reads
    assert offer.tool_for("a.b") == offer.tool_for("a_b") == "a.b"
    assert offer.tool_for("nothing") is None
