"""Servers that misbehave beside one that does not: the good one works, and the client hears why."""

import json
import sys
import time

import pytest
from relay_processes import RUN, SERVERS, StdioClient, wait_until

PLAIN = {"command": sys.executable, "args": [str(SERVERS / "plain_server.py")]}
SCRIPT = """
import json, sys, threading, time

def send(**message):
    sys.stdout.write(json.dumps({{"jsonrpc": "2.0", **message}}) + "\\n")
    sys.stdout.flush()

def tools():
    return [{{"name": name, "inputSchema": {{"type": "object"}}}} for name in names()]

{code}

for line in sys.stdin:
    asked = json.loads(line)
    able = {{"tools": {{"listChanged": True}}, "resources": {{}}}}
    info = {{"name": "s", "version": "1"}}
    greeting = {{"protocolVersion": "2025-11-25", "capabilities": able, "serverInfo": info}}
    answers = {{
        "initialize": lambda: greeting,
        "tools/list": lambda: {{"tools": tools()}},
        "resources/list": lambda: {{"resources": [{{"uri": "file:///shared", "name": "shared"}}]}},
        "resources/templates/list": lambda: {{"resourceTemplates": []}},
        "resources/read": lambda: {{"contents": [{{"uri": "file:///shared", "text": "{code_id}"}}]}},
        "tools/call": lambda: {{"content": [{{"type": "text", "text": asked["params"]["name"]}}]}},
    }}
    if asked.get("method") in answers:
        send(id=asked["id"], result=answers[asked["method"]]())
    elif "id" in asked:
        send(id=asked["id"], error={{"code": -32601, "message": "no"}})
"""


def scripted(code, code_id="x"):
    return {"command": sys.executable, "args": ["-c", SCRIPT.format(code=code, code_id=code_id)]}


FIVE_THOUSAND = "names = lambda: [f'many_{n}' for n in range(5000)]"
LONG_NAMES = "names = lambda: ['long_' + 'n' * 195, 'long_' + 'n' * 194 + 'm']"
ONE = "names = lambda: ['one']"
RESTLESS = """
count = 0
def names():
    return [f'restless_{count}']
def change():
    global count
    while True:
        time.sleep(0.2)
        count += 1
        send(method='notifications/tools/list_changed')
threading.Thread(target=change, daemon=True).start()
"""


@pytest.fixture
def start(tmp_path):
    clients = []

    def started(**entries):
        file = tmp_path / "mcp.json"
        file.write_text(json.dumps({"mcpServers": {"good": PLAIN, **entries}}))
        command = [*RUN, "--servers", str(file)]
        environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
        clients.append(StdioClient(command, environment=environment, behind=False))
        clients[-1].greet()
        return clients[-1]

    yield started
    for client in clients:
        client.discard()


def text_of(result):
    return " ".join(block["text"] for block in result["content"])


def changes_told(client):
    changed = "notifications/tools/list_changed"
    return sum(message.get("method") == changed for message in client.others)


def works(client):
    assert text_of(client.call("echo", text="fine")).startswith('{"text": "fine"}')


def test_five_thousand_tools_fit_the_list_budget(start):
    client = start(many=scripted(FIVE_THOUSAND))
    listed = client.listed()["tools"]
    assert len(json.dumps(listed)) < 8_000
    works(client)
    assert text_of(client.call("many_4999")) == "many_4999"


def test_long_names_are_cut_and_lead_to_their_tool(start):
    client = start(long=scripted(LONG_NAMES))
    names = [tool["name"] for tool in client.listed()["tools"]]
    long = [name for name in names if name.startswith("long_")]
    assert len(long) == len(set(long)) == 2
    assert max(map(len, names)) <= 64
    assert {text_of(client.call(name))[-1] for name in long} == {"n", "m"}


def test_a_list_that_never_rests_is_told_at_most_twice_a_second(start):
    client = start(restless=scripted(RESTLESS))
    client.listed()
    before = changes_told(client)
    begun = time.monotonic()
    for _ in range(30):
        works(client)
        time.sleep(0.1)
    told = changes_told(client) - before
    assert told <= 2 * (time.monotonic() - begun) + 1
    assert told >= 1


def test_one_resource_on_two_servers_is_two_resources(start):
    client = start(a=scripted(ONE, "of a"), b=scripted(ONE, "of b"))
    client.listed()
    uris = [one["uri"] for one in client.ask("resources/list")["result"]["resources"]]
    shared = [uri for uri in uris if uri.endswith("shared")]
    assert len(shared) == 2
    texts = [
        client.ask("resources/read", {"uri": uri})["result"]["contents"][0]["text"]
        for uri in shared
    ]
    assert texts == ["of a", "of b"]


def test_a_file_of_bad_entries_starts_with_the_good_one(start):
    bad = {
        "unset": {"command": "x", "env": {"KEY": "${NO_SUCH_VARIABLE_ANYWHERE}"}},
        "asked": {"command": "x", "args": ["${input:key}"], "unknown": {"key": 1}},
        "missing": {"command": "no-such-command-anywhere"},
        "garbage": {"command": sys.executable, "args": ["-c", "print('garbage {[')"]},
        "refused": {"type": "http", "url": "http://127.0.0.1:9/mcp"},
    }
    client = start(**bad)
    assert "echo" in [tool["name"] for tool in client.listed()["tools"]]
    heard = []

    def all_are_told():
        heard.append(text_of(client.call("echo", text="fine")))
        told = " ".join(heard)
        return all(f"{name!r} is down" in told for name in bad)

    wait_until(all_are_told, "notices about all bad servers")
    told = " ".join(heard)
    assert "The environment variable NO_SUCH_VARIABLE_ANYWHERE that it uses is not set." in told
    assert "Set the environment variable PENSTOCK_INPUT_KEY." in told


def test_a_file_that_cannot_be_used_tells_the_client(tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {')
    environment = {"PENSTOCK_STATS": "on", "XDG_STATE_HOME": str(tmp_path / "state")}
    command = [*RUN, "--servers", str(file)]
    client = StdioClient(command, environment=environment, behind=False)
    error = client.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})["error"]
    assert "mcp.json" in error["message"]
    assert client.close() == 2
    client.log.seek(0)
    assert b"WARNING" not in client.log.read()
    client.discard()
