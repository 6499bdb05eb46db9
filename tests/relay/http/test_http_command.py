"""The processes of `penstock serve -- COMMAND`, and the clients that share them."""

import json
import shlex
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial

import psutil
import pytest
from http_rig import (
    ACCEPT,
    MODERN,
    PLAIN,
    Raw,
    eventually,
    messages_of,
    request,
    serving,
    value_of,
)
from raw_http import Wire, head


@pytest.fixture
def client(in_front_of_command):
    with Raw(in_front_of_command) as raw:
        yield raw


def test_each_legacy_session_has_a_process_of_its_own(in_front_of_command):
    with Raw(in_front_of_command) as one, Raw(in_front_of_command) as other:
        one.initialize()
        one.call("echo", {"text": "mine"})
        other.initialize()
        seen = value_of(other.call("seen"))["requests"]
        assert "mine" not in json.dumps(seen)


def test_an_unknown_session(client):
    client.session = "made up"
    response = client.post(request("tools/list", {}, 1))
    assert (response.status_code, response.json()["error"]["code"]) == (404, -32001)


def test_a_request_without_a_session(client):
    assert client.post(request("tools/list", {}, 1)).status_code == 400


def test_an_initialize_that_is_no_request_starts_no_process(client):
    """Only requests are counted, so it would be a way to start processes without end."""
    response = client.post({"jsonrpc": "2.0", "method": "initialize", "params": {}})
    assert response.status_code == 400
    assert "mcp-session-id" not in response.headers


def test_a_session_that_was_ended_is_gone(client):
    client.initialize()
    headers = {"mcp-session-id": client.session}
    assert client.http.delete(client.url, headers=headers).status_code == 204
    assert client.post(request("tools/list", {}, 1)).status_code == 404


def test_sessions_end_though_their_clients_do_not_wait_for_that():
    """Each end takes a second, because `sleep` ignores the end of its input."""
    result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}}
    answer = json.dumps({"jsonrpc": "2.0", "id": 0, "result": result})
    script = f"read line; echo '{answer}'; exec sleep 1000"
    with serving("--", "sh", "-c", script) as url:
        relay = latest_relay()
        for _ in range(40):
            with Raw(url) as client:
                client.initialize()
                with Wire(url) as wire:
                    wire.send(head(url, method="DELETE", **{"mcp-session-id": client.session}))
                assert eventually(partial(is_unknown, client))
        assert eventually(lambda: "sleep" not in names_of(relay.children()))


def names_of(processes):
    """Return the names of those processes that have not ended meanwhile."""
    names = set()
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            names.add(process.name())
    return names


def is_unknown(client):
    """Return whether the session has ended. Penstock itself refuses the version otherwise."""
    response = client.post(request("ping", {}, 1), **{"mcp-protocol-version": "none"})
    return response.status_code == 404


def latest_relay():
    relays = [child for child in psutil.Process().children() if "serve" in child.cmdline()]
    return max(relays, key=lambda child: child.create_time())


def test_a_server_that_dies_answers_with_an_error(client):
    client.initialize()
    answer = client.ask("tools/call", {"name": "die", "arguments": {}})
    assert answer["error"]["code"] == -32010
    assert "exit code 7" in answer["error"]["message"]
    assert client.post(request("tools/list", {}, 2)).status_code == 404


def test_a_shared_server_that_dies_is_started_again(client):
    answer = client.modern("tools/call", {"name": "die", "arguments": {}}).json()
    assert answer["error"]["code"] == -32010
    assert value_of(client.modern_call("echo", {"text": "back"})) == {"text": "back"}


def test_a_modern_client_cancels_by_hanging_up(client):
    """Closing the HTTP request becomes a notification on stdio."""
    meta = {"progressToken": 1}
    params = {"name": "wait", "arguments": {}, "_meta": meta}
    hang_up_after_first_event(client, params)
    assert eventually(lambda: value_of(client.modern_call("seen"))["cancelled"])


def hang_up_after_first_event(client, params):
    params["_meta"] |= MODERN
    headers = {
        **ACCEPT,
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": params["name"],
    }
    body = json.dumps(request("tools/call", params, 1)).encode()
    with client.http.stream("POST", client.url, content=body, headers=headers) as response:
        for line in response.iter_lines():
            if line.startswith("data:"):
                return


def test_a_legacy_client_cancels_by_a_notification(client):
    client.initialize()
    done = []
    asking = threading.Thread(
        target=lambda: done.append(client.post(request("tools/call", {"name": "wait"}, 9)))
    )
    asking.start()
    with Raw(client.url) as same:
        same.session = client.session
        assert eventually(
            lambda: "wait" in json.dumps(value_of(same.call("seen", key="s"))["requests"])
        )
        cancelled = {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": 9},
        }
        assert same.post(cancelled).status_code == 202
        assert eventually(lambda: value_of(same.call("seen", key="s"))["cancelled"] == [9])
        headers = {"mcp-session-id": client.session}
        same.http.delete(client.url, headers=headers)
    asking.join(60)
    assert not asking.is_alive()


def test_what_belongs_to_no_request_goes_to_the_open_get(tmp_path):
    server = tmp_path / "talker.py"
    server.write_text(TALKER)
    with serving("--", sys.executable, str(server)) as url, Raw(url) as client:
        client.initialize()
        headers = {"accept": "text/event-stream", "mcp-session-id": client.session}
        with client.http.stream("GET", url, headers=headers) as response:
            for line in response.iter_lines():
                if line.startswith("data:"):
                    message = json.loads(line.removeprefix("data: "))
                    break
        assert message["params"] == {"level": "info", "data": "hello"}


TALKER = """
import json, sys, threading, time
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}},
                  "serverInfo": {"name": "t", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    elif message["method"] == "notifications/initialized":
        told = {"level": "info", "data": "hello"}
        notice = {"jsonrpc": "2.0", "method": "notifications/message", "params": told}
        print(json.dumps(notice), flush=True)
"""


def test_a_legacy_server_behind_a_modern_request():
    """The answer is -32022 with HTTP 400, after which `initialize` works."""
    with serving("--", *PLAIN, "--legacy") as url, Raw(url) as client:
        refused = client.modern("tools/list")
        assert refused.status_code == 400
        error = refused.json()["error"]
        assert error["code"] == -32022
        assert "2025-11-25" in error["data"]["supported"]
        assert client.modern("server/discover").status_code >= 400
        client.initialize()
        assert value_of(client.call("echo", {"text": "a"})) == {"text": "a"}


def test_a_server_that_starts_slowly_is_no_legacy_server_for_ever(tmp_path):
    """As with `npx`, which installs the server first. Its answer comes late, and still counts."""
    started = tmp_path / "started"
    server = f"until [ -e {started} ]; do sleep 0.1; done; exec {shlex.join(PLAIN)}"
    with serving("--", "sh", "-c", server, program=IMPATIENT) as url, Raw(url) as client:
        assert client.modern("tools/list").json()["error"]["code"] == -32022
        started.touch()
        assert eventually(lambda: client.modern("tools/list").status_code == 200)


IMPATIENT = (
    "-c",
    """
from penstock.cli import main
from penstock.relay.http import shared_process
shared_process.DISCOVER_SECONDS = 0.1
raise SystemExit(main())
""",
)


def test_no_process_is_left_behind():
    with serving("--", *PLAIN) as url, Raw(url) as client:
        client.initialize()
        client.modern_call("echo", {})
        children = latest_relay().children(recursive=True)
        assert len(children) >= 2
    assert eventually(lambda: not any(child.is_running() for child in children))


def test_a_command_that_is_not_there_is_said_at_once():
    command = [sys.executable, "-m", "penstock", "serve", "--port", "0", "--", "no-such-command"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "no-such-command" in done.stderr
    assert "PATH" in done.stderr


def test_a_command_that_cannot_be_run_is_said_in_the_reply(tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o700)
    with serving("--", str(script)) as url, Raw(url) as client:
        response = client.post(request("initialize", {"protocolVersion": "2025-11-25"}, 1))
        assert response.status_code == 500
        assert "Cannot start" in response.json()["error"]["message"]


def test_progress_goes_to_the_request_it_is_about(client):
    client.initialize()
    params = {"name": "echo", "arguments": {}, "_meta": {"progressToken": "tok"}}
    progress, answer = messages_of(client.post(request("tools/call", params, 4)))
    assert progress["method"] == "notifications/progress"
    assert answer["id"] == 4


def test_a_client_that_does_not_read_holds_up_nobody(tmp_path):
    """Its own request ends; the process and all other requests go on."""
    server = tmp_path / "flood.py"
    server.write_text(FLOOD)
    with serving("--", sys.executable, str(server)) as url, Raw(url) as client:
        params = {"name": "flood", "arguments": {}, "_meta": {"progressToken": 1}}
        reading = threading.Thread(target=hang_up_after_first_event, args=(client, params))
        reading.start()
        with Raw(url) as other:
            assert other.modern_call("echo", {"text": "here"})["content"]
        reading.join(60)


FLOOD = """
import json, sys, threading
def send(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()
def answer(message):
    if message["method"] == "tools/call" and message["params"]["name"] == "flood":
        token = message["params"]["_meta"]["progressToken"]
        for n in range(30000):
            about = {"progressToken": token, "progress": n, "message": "x" * 200}
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": about})
    results = {"server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
               "tools/list": {"tools": []},
               "tools/call": {"content": [{"type": "text", "text": "done"}]}}
    result = {**results[message["method"]], "resultType": "complete"}
    send({"jsonrpc": "2.0", "id": message["id"], "result": result})
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        threading.Thread(target=answer, args=(message,), daemon=True).start()
"""


def test_an_answer_before_the_end_of_a_server_is_an_answer(tmp_path):
    server = tmp_path / "last_words.py"
    server.write_text(LAST_WORDS)
    with serving("--", sys.executable, str(server)) as url, Raw(url) as client:
        client.initialize()
        assert value_of(client.call("anything"))["count"] == 60_000


LAST_WORDS = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "t", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    elif "id" in message:
        rows = json.dumps([{"id": n, "text": "x" * 40} for n in range(60000)])
        result = {"content": [{"type": "text", "text": rows}]}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
        sys.exit(0)
"""


def test_a_made_up_session_is_no_principal_of_the_new_era(client):
    """Otherwise anyone could start any number of processes."""
    token = value_of(client.modern_call("rows"))["continuation_token"]
    client.session = "made up"
    read = client.modern_call("read_result", {"continuation_token": token})
    assert value_of(read)["total"] == 2_000


def test_a_get_is_open_at_once(client):
    client.initialize()
    headers = {"accept": "text/event-stream", "mcp-session-id": client.session}
    with client.http.stream("GET", client.url, headers=headers) as response:
        assert response.status_code == 200
        assert next(response.iter_lines()).startswith(":")
