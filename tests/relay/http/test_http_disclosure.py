"""Many tools behind `penstock serve`: lists, descriptions and grants, with real processes."""

import json
import sys
from contextlib import ExitStack

import pytest
from http_rig import Raw, messages_of, serving, value_of

MANY = [sys.executable, "-m", "penstock.cli.demonstration.control_room"]
URI = "resource:///tool_descriptions"
RIGHT = {"number": 7, "why": "a test"}


@pytest.fixture(scope="module")
def upstream():
    """Serve the tools over HTTP, without Penstock."""
    with serving("--list", "full", "--except", "*", "--", *MANY) as url:
        yield url


@pytest.fixture(scope="module", params=["command", "url"])
def strict(request, upstream):
    target = ("--", *MANY) if request.param == "command" else ("--url", upstream)
    with serving("--gate", "strict", *target) as url:
        yield url


def names(result):
    return [tool["name"] for tool in result["tools"]]


def test_a_legacy_session(strict):
    """Grants belong to the session: another has none of them."""
    with Raw(strict) as one, Raw(strict) as other:
        for client in (one, other):
            client.initialize()
        assert names(one.ask("tools/list")["result"])[0] == "find_tools"
        through = {"name": "pump_start", "arguments": RIGHT}
        refused = value_of(one.call("call_tool", through))["error"]
        assert refused["code"] == "TOOL_DESCRIPTION_REQUIRED"
        read = one.ask("resources/read", {"uri": refused["resource_uri"]})["result"]
        assert "pump_start" in json.loads(read["contents"][0]["text"])
        assert "starting" in one.call("call_tool", through)["content"][0]["text"]
        assert "starting" in one.call("pump_start", RIGHT)["content"][0]["text"]
        assert "error" in value_of(other.call("pump_start", RIGHT))


def test_since_2026_07_28_a_handle(strict):
    """Without a login or a session, every caller that shows the handle has the grant."""
    with Raw(strict) as client:
        listed = messages_of(client.modern("tools/list"))[-1]["result"]
        assert names(listed)[0] == "find_tools"
        told = value_of(client.modern_call("describe_tools", {"tools": ["pump_start"]}))
        handle = told["$tool_grant"]
        assert "error" in value_of(client.modern_call("pump_start", RIGHT))
        done = client.modern_call("pump_start", {**RIGHT, "tool_grant": handle})
        assert "starting" in done["content"][0]["text"]
        through = {"name": "pump_start", "arguments": RIGHT, "tool_grant": handle}
        assert "starting" in client.modern_call("call_tool", through)["content"][0]["text"]


def test_a_large_result_through_the_index(strict):
    with Raw(strict) as client:
        client.initialize()
        client.call("describe_tools", {"tools": "pump_history"})
        asked = {"number": 7, "unit": "bar", "hours": 48}
        call = {"name": "pump_history", "arguments": asked}
        probe = value_of(client.call("call_read_only_tool", call))
        assert probe["count"] == 2_880
        question = {"mode": "sql", "query": "SELECT max(value) AS most FROM result"}
        token = probe["continuation_token"]
        reader = names(client.ask("tools/list")["result"])[-1]
        found = value_of(client.call(reader, {"continuation_token": token, **question}))
        assert found["items"] == [{"most": 80.0}]


def test_workers_that_share_a_store_agree(upstream, tmp_path):
    """The description is read through one process, the call goes through another."""
    store = f"sqlite:///{tmp_path / 'shared.db'}"
    with ExitStack() as stack:
        options = ("--store", store, "--list", "brief", "--gate", "strict", "--url", upstream)
        one, other = (
            stack.enter_context(Raw(stack.enter_context(serving(*options)))) for _ in "ab"
        )
        one.initialize()
        other.session = one.session
        told = value_of(one.call("describe_tools", {"tools": ["valve_stop"]}))
        assert list(told) == ["valve_stop"]
        assert "stopping" in other.call("valve_stop", RIGHT)["content"][0]["text"]
        refused = value_of(other.call("valve_start", RIGHT))
        assert refused["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
        handle = value_of(one.modern_call("describe_tools", {"tools": ["fan_stop"]}))["$tool_grant"]
        done = other.modern_call("fan_stop", {**RIGHT, "tool_grant": handle})
        assert "stopping" in done["content"][0]["text"]
