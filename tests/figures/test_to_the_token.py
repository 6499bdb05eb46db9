"""The figures agree, to the token, with what goes over the wire in front of real servers."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import token_reading as reads
from environments import clean_environment
from http_rig import MODERN, Raw, serving
from node_runtime import node, package
from relay_calls import value_of
from relay_processes import SERVERS, StdioClient

pytest.importorskip("rs_bpe")
ROOT = Path(__file__).parents[2]
SDK = [sys.executable, str(SERVERS / "sdk_server.py")]


def npm(name, *arguments):
    return [node(), package(f"@modelcontextprotocol/{name}/dist/index.js"), *arguments]


class ModernClient(StdioClient):
    def request(self, method, params=None, **members):
        return super().request(method, {**(params or {}), "_meta": MODERN}, **members)

    def greet(self):
        return self.ask("server/discover")["result"]


SCRIPTS = {
    "everything": (StdioClient, npm("server-everything", "stdio"), [
        ("echo", {"message": "é日本 😀 \u2028"}),
        ("get-sum", {"a": 1.5, "b": -2}),
        ("get-structured-content", {"location": "New York"}),
        ("get-tiny-image", {}),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("get-resource-links", {"count": 3}),
    ]),
    "filesystem": (StdioClient, npm("server-filesystem", str(ROOT)), [
        ("directory_tree", {"path": str(ROOT / "src")}),
        ("directory_tree", {"path": str(ROOT / "docs")}),
        ("read_text_file", {"path": str(ROOT / "README.md"), "head": 3}),
        ("read_text_file", {"path": str(ROOT / "docs" / "reference" / "wire.md")}),
        ("read_text_file", {"path": "/nowhere"}),
    ]),
    "sdk": (StdioClient, SDK, [("rows", {"count": 3_000}), ("add", {"a": 1, "b": 2}), ("fail", {})]),
    "sdk, modern": (ModernClient, SDK, [("rows", {"count": 3_000}), ("add", {"a": 1, "b": 2})]),
}  # fmt: skip


@pytest.fixture
def stats(tmp_path):
    """Run `penstock stats` over the figures of this test. It waits for the clerks."""

    def run(*arguments):
        command = [sys.executable, "-m", "penstock", "stats", *arguments]
        environment = clean_environment(XDG_STATE_HOME=str(tmp_path))
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    return run


@pytest.fixture
def opened(tmp_path):
    clients = []

    def start(kind, command, *options, behind):
        counting = {"XDG_STATE_HOME": str(tmp_path), "PENSTOCK_STATS": "on"}
        clients.append(kind(command, *options, environment=counting, behind=behind))
        return clients[-1]

    yield start
    for client in clients:
        client.discard()


class Balance:
    """The tokens that this client has read, by tool."""

    def __init__(self, client):
        self.client = client
        self.greeting = reads.of_greeting({"result": client.greet()})
        self.list = reads.of_list(client.ask("tools/list"))
        self.calls = {}

    def call(self, name, arguments, under=None):
        answer = self.client.ask("tools/call", {"name": name, "arguments": arguments})
        self.calls.setdefault(under or name, []).append(reads.of_result(answer))
        return answer


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("form", ["full", "auto"])
def test_figures_agree_with_what_two_clients_have_read(opened, stats, script, form):
    kind, command, calls = SCRIPTS[script]
    direct = Balance(opened(kind, command, behind=False))
    relayed = Balance(opened(kind, command, "--list", form, behind=True))
    held, errors = 0, 0
    for name, arguments in calls:
        direct.call(name, arguments)
        answer = relayed.call(name, arguments)
        errors += bool(answer.get("result", {}).get("isError") or "error" in answer)
        if found := re.search(r"pen_\d{39}", json.dumps(answer)):
            held += 1
            token = {"continuation_token": found[0]}
            relayed.call("read_result", {**token, "mode": "summary"})
            relayed.call("read_result", token)
    relayed.client.close()

    told = stats("--json")
    (server,) = told["servers"]
    rows = {row["name"]: row for row in server["tools"]}
    listed = server["list"]
    assert told["exact"]
    assert (listed["raw"], listed["sent"]) == (direct.list, relayed.list)
    assert (listed["greeting_raw"], listed["greeting_sent"]) == (direct.greeting, relayed.greeting)
    for name, counts in direct.calls.items():
        assert (rows[name]["raw"], rows[name]["calls"]) == (sum(counts), len(counts)), name
    for name in direct.calls:
        assert rows[name]["sent"] == sum(relayed.calls[name]), name
    read = relayed.calls.get("read_result", [])
    reader = rows.get("read_result", {"reads": 0, "read_sent": 0})
    assert (reader["reads"], reader["read_sent"]) == (len(read), sum(read))
    assert sum(row["held"] for row in rows.values()) == held
    assert sum(row["errors"] for row in rows.values()) == errors
    raw = sum(map(sum, direct.calls.values())) + direct.list + direct.greeting
    sent = sum(map(sum, relayed.calls.values())) + relayed.list + relayed.greeting
    assert (told["raw"], told["sent"], told["saved"]) == (raw, sent, raw - sent)


def test_a_call_that_penstock_answers_itself_has_no_raw_tokens(opened, stats):
    everything = npm("server-everything", "stdio")
    balance = Balance(opened(StdioClient, everything, "--list", "index", behind=True))
    balance.call("describe_tools", {"tools": ["get-sum"]})
    balance.client.close()
    (row,) = stats("--json")["servers"][0]["tools"]
    assert (row["calls"], row["errors"], row["raw"]) == (1, 0, 0)
    assert [row["sent"]] == balance.calls["describe_tools"]


def test_a_token_that_goes_back_to_its_tool_is_a_read(opened, stats):
    client = opened(StdioClient, SDK, behind=True)
    balance = Balance(client)
    first = balance.call("rows", {"count": 3_000})
    token = value_of(first["result"])["continuation_token"]
    balance.call("rows", {"count": 3_000, "continuation_token": token})
    client.close()
    (row,) = stats("--json")["servers"][0]["tools"]
    sent, read = balance.calls["rows"]
    assert (row["calls"], row["held"], row["sent"]) == (1, 1, sent)
    assert (row["reads"], row["read_sent"]) == (1, read)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_serve_adds_to_the_figures(stats, tmp_path, era):
    counting = clean_environment(XDG_STATE_HOME=str(tmp_path), PENSTOCK_STATS="on")
    with serving("--", *SDK, env=counting) as url, Raw(url) as client:
        if era == "legacy":
            client.initialize()
            result = client.call("rows", {"count": 3_000})
        else:
            result = client.modern_call("rows", {"count": 3_000})
    (server,) = stats("--json")["servers"]
    (row,) = server["tools"]
    assert (row["name"], row["calls"], row["held"]) == ("rows", 1, 1)
    assert row["sent"] == reads.of_result({"result": result})


def test_the_table_names_what_was_called(opened, stats):
    client = opened(StdioClient, SDK, behind=True)
    client.greet()
    client.listed()
    client.call("rows", count=3_000)
    client.close()
    told = stats()
    assert "sdk_server: " in told
    assert "rows " in told
    assert "saved (" in told
    assert "figures.sqlite" in told


def test_calls_of_a_program_are_saved_whole_and_its_answer_is_read(opened, stats):
    _, command, _ = SCRIPTS["filesystem"]
    path = str(ROOT / "docs" / "reference" / "wire.md")
    direct = Balance(opened(StdioClient, command, behind=False))
    direct.call("read_text_file", {"path": path})
    relayed = Balance(opened(StdioClient, command, "--programs", "on", behind=True))
    code = f"texts = [await text('read_text_file', {{'path': {path!r}}}) for _ in 'ab']\nlen(texts)"
    answer = relayed.call("run_python", {"code": code})
    assert answer["result"]["content"][0]["text"] == "2"
    relayed.client.close()
    (server,) = stats("--json")["servers"]
    rows = {row["name"]: row for row in server["tools"]}
    (raw,) = direct.calls["read_text_file"]
    assert (rows["read_text_file"]["calls"], rows["read_text_file"]["raw"]) == (2, 2 * raw)
    assert rows["read_text_file"]["saved"] == 2 * raw
    assert rows["run_python"]["saved"] == -relayed.calls["run_python"][0]
