"""The figures of several real servers behind one front: each under its own name, and no token twice."""

import json
import re
import subprocess
import sys

import pytest
import token_reading as reads
from environments import clean_environment
from http_rig import MODERN
from relay_processes import RUN, SERVERS, StdioClient

pytest.importorskip("rs_bpe")
SDK = {"command": sys.executable, "args": [str(SERVERS / "sdk_server.py")]}
PLAIN = {"command": sys.executable, "args": [str(SERVERS / "plain_server.py"), "--wide"]}
OLD = {"command": sys.executable, "args": [str(SERVERS / "plain_server.py"), "--legacy"]}


class ModernClient(StdioClient):
    def request(self, method, params=None, **members):
        return super().request(method, {**(params or {}), "_meta": MODERN}, **members)

    def greet(self):
        return self.ask("server/discover")["result"]


@pytest.fixture
def stats(tmp_path):
    def run(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "penstock", "stats", "--json", *arguments],
            env=clean_environment(XDG_STATE_HOME=str(tmp_path)),
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)

    return run


@pytest.fixture(params=[StdioClient, ModernClient])
def start(request, tmp_path):
    clients = []
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"sdk": SDK, "wide": PLAIN, "old": OLD}}))

    def started(form="full"):
        counting = {"XDG_STATE_HOME": str(tmp_path), "PENSTOCK_STATS": "on"}
        command = [*RUN, "--servers", str(file), "--list", form]
        clients.append(request.param(command, environment=counting, behind=False))
        return clients[-1]

    yield started
    for client in clients:
        client.discard()


def test_each_server_has_its_own_figures(start, stats):
    client = start()
    greeting = reads.of_greeting({"result": client.greet()})
    listed = reads.of_list(client.ask("tools/list"))
    seen = {}

    def call(server, name, **arguments):
        answer = client.ask("tools/call", {"name": name, "arguments": arguments})
        seen.setdefault((server, name), []).append(reads.of_result(answer))
        return json.dumps(answer)

    call("sdk", "add", a=1, b=2)
    call("old", "old_echo", text="a few words")
    call("wide", "wide_echo", text="other words")
    for server, name, more in (("sdk", "sdk_rows", {"count": 3_000}), ("old", "old_rows", {})):
        token = re.search(r"pen_\d{39}", call(server, name, **more))[0]
        call(server, "read_result", continuation_token=token)
    call("mcp.json", "no_such_tool")
    client.close()

    told = stats()
    rows = {(one["name"], row["name"]): row for one in told["servers"] for row in one["tools"]}
    sent = {place: row["sent"] + row["read_sent"] for place, row in rows.items()}
    wrong = seen.pop(("mcp.json", "no_such_tool"))
    assert sent == {
        **{place: sum(counts) for place, counts in seen.items()},
        ("mcp.json", "(unknown)"): sum(wrong),
    }
    lists = {one["name"]: one["list"] for one in told["servers"]}
    assert {name: one["listed"] for name, one in lists.items()} == {
        "mcp.json": 1, "sdk": 0, "wide": 0, "old": 0,
    }  # fmt: skip
    assert (lists["mcp.json"]["sent"], lists["mcp.json"]["greeting_sent"]) == (listed, greeting)
    members = {one["name"]: sorted(one["members"]) for one in told["servers"] if one["members"]}
    assert members == {"mcp.json": ["old", "sdk", "wide"]}
    assert told["sent"] == sum(sent.values()) + listed + greeting
    assert [one["name"] for one in stats("--server", "wide")["servers"]] == ["wide"]


def test_tools_that_were_called_before_tell_more_in_the_one_list(start, stats):
    first = start("index")
    before = directory(first)
    assert "field_0" not in before
    assert "[text" not in before
    first.call("call_tool", name="wide_3", arguments={})
    first.call("call_tool", name="old_echo", arguments={"text": "a"})  # as the client knows it
    first.close()
    assert stats()["sent"]
    now = directory(start("index"))
    assert now.count("field_0") == 1
    assert now.count("[text") == 1


def directory(client):
    """Return the description in which a client finds the names of all tools."""
    client.greet()
    tools = {tool["name"]: tool for tool in client.listed()["tools"]}
    return tools["describe_tools"]["description"]
