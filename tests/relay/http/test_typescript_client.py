"""The official TypeScript client, through the relay and without it."""

import json
import sys

import pytest
from http_rig import PLAIN, serving
from node_runtime import node, package
from typescript_client import run_steps

RUN = [sys.executable, "-m", "penstock", "run", "--list", "full", "--"]
ROWS = {"method": "tools/call", "params": {"name": "rows", "arguments": {}}}


def everything():
    return [node(), package("@modelcontextprotocol/server-everything/dist/index.js"), "stdio"]


def test_the_reference_server_says_the_same_through_the_relay():
    steps = [
        {"method": "tools/list"},
        {"method": "resources/list"},
        {"method": "prompts/list"},
        {"method": "tools/call", "params": {"name": "echo", "arguments": {"message": "hi"}}},
        {"method": "tools/call", "params": {"name": "get-sum", "arguments": {"a": 2, "b": 3}}},
    ]
    direct = run_steps(everything(), steps)
    relayed = run_steps([*RUN, *everything()], steps)
    tools = relayed[0]["result"]["tools"]
    assert tools.pop()["name"] == "read_result"
    without = [{**tool, "outputSchema": None} for tool in tools]
    assert without == [{**tool, "outputSchema": None} for tool in direct[0]["result"]["tools"]]
    assert relayed[1:] == direct[1:]


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("front", ["run", "serve"])
def test_a_large_result_is_a_probe(era, front):
    node()
    if front == "run":
        ask(RUN + PLAIN, era)
    else:
        with serving("--", *PLAIN) as url:
            ask(url, era)


def ask(target, era):
    tools, probe = run_steps(target, [{"method": "tools/list"}, ROWS], era)
    assert tools["result"]["tools"][-1]["name"] == "read_result"
    told = json.loads(probe["result"]["content"][0]["text"])
    assert told["count"] == 2_000
    assert told["continuation_token"].startswith("pen_")
