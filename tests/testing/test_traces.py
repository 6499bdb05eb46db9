"""The questions that a test can ask about a trace."""

import json
import subprocess
import sys

import pytest

from penstock.core.budget.measure import O200kMeter
from penstock.testing import Step, Trace

BASE = "resource:///tool_descriptions"
DESCRIPTION = {"name": "tool_one", "inputSchema": {"type": "object"}}


def read(uri, told, turn=1):
    return Step(turn, "read_resource", {"resource_uri": uri}, json.dumps(told))


def refused(code, **more):
    error = {"code": code, "message": "No.", **more}
    return Step(1, "tool_one", {"query": "x"}, json.dumps({"error": error}), is_error=True)


def test_as_in_the_seed():
    steps = (
        read(f"{BASE}?tools=tool_one", {"tool_one": DESCRIPTION}),
        Step(2, "tool_one", {}, "5"),
    )
    trace = Trace(steps, "It is 5.")
    assert trace.contains_call("read_resource")
    assert "?tools=" in trace.last_resource_uri
    assert trace.contains_call("tool_one")
    assert not trace.contains_error("MISSING_TOOL_SELECTION")
    assert not trace.contains_error("TOOL_DESCRIPTION_REQUIRED")
    assert trace.contains_description("tool_one")
    assert not trace.contains_description("tool_two")
    assert trace.calls == ("read_resource", "tool_one")
    assert trace.errors == ()


def test_nothing():
    trace = Trace()
    assert trace.last_resource_uri == trace.answer == ""
    assert not trace.contains_call("tool_one")
    assert trace.tokens_received() == 0


@pytest.mark.parametrize(
    "step",
    [
        refused("SOME_CODE"),
        read(BASE, {"error": {"code": "SOME_CODE"}}),
        Step(1, "describe_tools", {}, '{"error": {"code": "SOME_CODE"}}'),
    ],
)
def test_codes_in_results_and_in_resources(step):
    trace = Trace((step,))
    assert trace.contains_error("SOME_CODE")
    assert not trace.contains_error("OTHER_CODE")
    assert trace.errors == (step,)
    assert not trace.contains_result(step.name)


@pytest.mark.parametrize(
    "text", ["", "SOME_CODE", '["error"]', '{"error": "SOME_CODE"}', "[" * 9_999]
)
def test_texts_without_a_code(text):
    assert not Trace((Step(1, "tool_one", {}, text),)).contains_error("SOME_CODE")
    assert not Trace((Step(1, "tool_one", {}, text),)).errors


def test_an_error_of_the_protocol():
    step = Step(1, "read_resource", {}, "Resource not found", is_error=True, code=-32002)
    assert Trace((step,)).contains_error(-32002)
    assert "error -32002" in str(step)


def test_calls_through_an_index():
    inner = {"name": "tool_one", "arguments": {}}
    trace = Trace((Step(1, "call_read_only_tool", inner, "5"),))
    assert trace.contains_result("tool_one")
    assert trace.contains_call("call_read_only_tool")
    assert not Trace((Step(1, "call_tool", {"name": 5}, "5"),)).contains_call("tool_one")
    assert not Trace((Step(1, "rename", inner, "5"),)).contains_call("tool_one")


def test_ways_to_be_shown_a_description():
    taught = refused("TOOL_DESCRIPTION_REQUIRED", description=DESCRIPTION)
    by_tool = Step(
        1, "describe_tools", {"tools": ["tool_one"]}, json.dumps({"tool_one": DESCRIPTION})
    )
    for step in (taught, by_tool):
        assert Trace((step,)).contains_description("tool_one")


def test_a_description_that_is_not_there():
    told = {"tool_on": {"error": "There is no tool.", "did_you_mean": ["tool_one"]}, "$omitted": 1}
    trace = Trace((read(f"{BASE}?tools=tool_on,tool_one", told),))
    assert not trace.contains_description("tool_on")
    assert not trace.contains_description("tool_one"), "it did not fit"
    assert not Trace((refused("X"),)).contains_description("tool_one")


def test_what_was_received():
    trace = Trace((Step(1, "a", {}, "hello world"), Step(2, "b", {}, "hello")))
    assert trace.tokens_received(O200kMeter()) == 3


def test_one_line_a_step():
    trace = Trace((refused("SOME_CODE"), Step(2, "tool_one", {}, "5")), "It is 5.")
    first, second, last = str(trace).splitlines()
    assert first.startswith('1. tool_one {"query": "x"} -> error SOME_CODE: ')
    assert second == "2. tool_one {} -> ok: 5"
    assert last == "answer: It is 5."


@pytest.mark.parametrize(
    "what", ["StoreContract", "Trace", "Agent, ChatModel, SdkServer, Scripted"]
)
def test_importing_needs_neither_an_sdk_nor_an_http_client(what):
    code = (
        f"import sys; from penstock.testing import {what}; "
        "print([name for name in ('mcp', 'httpx2', 'pytest') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there():
    import penstock.testing

    for name in penstock.testing.__all__:
        assert getattr(penstock.testing, name) is not None
    with pytest.raises(AttributeError):
        penstock.testing.nothing  # noqa: B018 (asking is the test)


@pytest.mark.parametrize(
    ("name", "is_ours"),
    [("call_tool", True), ("penstock_call_read_only_tool", True), ("crm_call_tool", False)],
)
def test_a_tool_of_the_servers_that_is_called_much_like_ours(name, is_ours):
    trace = Trace((Step(1, name, {"name": "inner"}, "done"),))
    assert trace.contains_call("inner") == is_ours
