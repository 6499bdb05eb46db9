"""Real servers, commands and URLs of both eras, behind one hub."""

import json
import sys
import threading
import time
from pathlib import Path

import pytest
from groups import PATIENCE, GroupClient, group_of, server
from http_rig import Raw, started

from penstock.relay.hub.memory_file import load

PLAIN = server("plain_server")
OLD = server("plain_server", "--legacy")


@pytest.fixture(params=["command", "url"])
def old(request):
    """A legacy server, as a command and behind a URL."""
    if request.param == "command":
        yield OLD
    else:
        with started([*OLD, "--http"]) as url:
            yield url


@pytest.fixture(params=["command", "url"])
def new(request):
    """A server that speaks both eras."""
    if request.param == "command":
        yield PLAIN
    else:
        with started([*PLAIN, "--http"]) as url:
            yield url


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def test_commands_and_urls_work_side_by_side(old, new):
    with GroupClient(group_of(old=old, new=new)) as client:
        client.greet()
        names = client.names()
        assert {"old_echo", "new_echo"} <= set(names)
        for name in ("old_echo", "new_echo"):
            text = client.call(name, text=name)["content"][0]["text"]
            assert json.loads(text) == {"text": name}


def test_a_modern_client_has_servers_of_both_eras(old, new):
    with GroupClient(group_of(old=old, new=new)) as client:
        listed = client.ask("tools/list", _meta=META)
        assert listed["resultType"] == "complete"
        for name in ("old_echo", "new_echo"):
            params = {"name": name, "arguments": {"text": name}, "_meta": META}
            assert client.ask("tools/call", **params)["resultType"] == "complete"


def test_a_url_gets_the_headers_that_repeat_arguments(new):
    with GroupClient(group_of(a=OLD, new=new)) as client:
        client.ask("tools/list", _meta=META)
        params = {"name": "new_regional", "arguments": {"region": "north"}, "_meta": META}
        client.ask("tools/call", **params)
        params = {"name": "new_seen", "arguments": {}, "_meta": META}
        seen = json.loads(client.ask("tools/call", **params)["content"][0]["text"])["requests"]
        call = next(
            item for item in seen if item["body"].get("params", {}).get("name") == "regional"
        )
        if "headers" in call:
            assert call["headers"]["mcp-param-region"] == "north"
            assert call["headers"]["mcp-name"] == "regional"


def test_a_server_that_dies_takes_only_its_own_calls_along(old):
    with GroupClient(group_of(dies=PLAIN, lives=old)) as client:
        client.greet()
        client.names()
        waiting = client.begin("tools/call", {"name": "dies_wait", "arguments": {}})
        dying = client.begin("tools/call", {"name": "dies_die", "arguments": {}})
        error = client.answer(waiting)["error"]
        assert error["code"] == -32010
        assert "The server 'dies' has ended: it ended with exit code 7." in error["message"]
        assert client.call("lives_echo", text="x")["content"]
        assert client.call("dies_echo", text="x")["content"]
        assert client.upstream.take_notices().count("'dies' is") == 1
        assert any(message.get("id") == dying for message in client.others)


def test_a_url_that_forgot_the_session_is_no_harm():
    with (
        started([*OLD, "--http"]) as url,
        GroupClient(group_of(far=url, near=PLAIN)) as client,
    ):
        client.greet()
        client.names()
        assert client.call("far_echo", text="x")["content"]
        with Raw(url) as other:
            other.post({"jsonrpc": "2.0", "method": "test/forget-sessions"})
        assert client.call("far_echo", text="x")["content"]
        told = ""
        while "'far' has begun a new session" not in told:  # another thread tells it
            told += client.upstream.take_notices()
            assert client.call("near_echo", text="x")["content"]


def test_a_cancellation_reaches_the_server(old):
    with GroupClient(group_of(a=old, b=PLAIN)) as client:
        client.greet()
        client.names()
        key = client.begin("tools/call", {"name": "a_wait", "arguments": {}})
        client.send(method="notifications/cancelled", params={"requestId": key})
        while True:
            text = client.call("a_seen")["content"][0]["text"]
            if json.loads(text)["cancelled"] == [key]:
                break


def test_progress_passes():
    with GroupClient(group_of(a=OLD, b=PLAIN)) as client:
        client.greet()
        client.names()
        meta = {"progressToken": "t"}
        client.ask("tools/call", name="a_echo", arguments={}, _meta=meta)
        assert client.notified("notifications/progress")["params"]["progressToken"] == "t"


SILENT = [sys.executable, "-c", "import sys; sys.stdin.read()"]
GARBAGE = [
    sys.executable,
    "-c",
    "import sys\nwhile True:\n sys.stdout.write('garbage {[ \\xff\\n'*100); sys.stdout.flush()",
]
DEAF = [sys.executable, "-c", "import time; time.sleep(1000)"]


@pytest.mark.parametrize(
    "bad",
    [
        ["no-such-command-anywhere"],
        "Its ${input:key} has no value.",
        "http://127.0.0.1:9/mcp",
        GARBAGE,
        [sys.executable, "-c", "raise SystemExit(3)"],
    ],
)
def test_a_bad_server_is_no_harm(bad):
    with GroupClient(group_of(bad=bad, good=PLAIN)) as client:
        client.greet()
        assert "echo" in client.names()
        assert client.call("echo", text="x")["content"]
        if bad is not GARBAGE:
            assert "The server 'bad' is down" in client.upstream.take_notices()


def test_a_proxy_of_another_kind_is_told_at_once(monkeypatch):
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    with GroupClient(group_of(far="http://mcp.example/mcp", good=PLAIN)) as client:
        client.greet()
        assert "echo" in client.names()
        notice = client.upstream.take_notices()
        assert (
            "The server 'far' is down: proxy = 'socks5://127.0.0.1:1': is not supported." in notice
        )


def test_a_url_without_the_libraries_for_it_stops_no_other(monkeypatch):
    monkeypatch.delitem(sys.modules, "penstock.relay.hub.remote", raising=False)
    monkeypatch.setitem(sys.modules, "penstock.relay.http.url_connection", None)
    with GroupClient(group_of(far="http://mcp.example/mcp", good=PLAIN)) as client:
        client.greet()
        assert "echo" in client.names()
        assert "needs a library that is not installed" in client.upstream.take_notices()


def test_a_server_that_reads_nothing_stops_no_other():
    with GroupClient(group_of(deaf=DEAF, good=PLAIN)) as client:
        client.greet()
        key = client.begin("tools/list", {})
        for number in range(200):  # more than a pipe holds
            client.send(method="notifications/progress", params={"x": "y" * 20_000, "n": number})
        assert "echo" in [tool["name"] for tool in client.answer(key)["result"]["tools"]]
        assert client.call("echo", text="x")["content"]


def test_a_server_that_never_answers_is_waited_for_once():
    with GroupClient(group_of(silent=SILENT, good=PLAIN)) as client:
        client.greet()
        assert "echo" in client.names()
        begun = time.monotonic()
        for _ in range(3):
            assert "echo" in client.names()
        assert time.monotonic() - begun < 25  # each would wait for ten seconds
        assert "'silent' has not answered yet" in client.upstream.take_notices()


def test_a_client_that_leaves_at_once_gets_its_answers_first(old, new):
    """As after `penstock run --servers FILE < requests`."""
    with GroupClient(group_of(a=old, b=new)) as client:
        client.greet()
        listing = client.begin("tools/list", {})
        calling = client.begin("tools/call", {"name": "a_echo", "arguments": {}})
        client.upstream.end(PATIENCE)
        assert client.answer(listing)["result"]["tools"]
        assert client.answer(calling)["result"]["content"]


def test_lists_are_known_at_the_next_start(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    group = group_of(a=PLAIN, b=OLD)
    with GroupClient(group, load("front", group.identities)) as client:
        client.greet()
        names = client.names()
    (kept,) = (tmp_path / "penstock" / "servers").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    broken = group_of(a=["no-such-command"], b=["no-such-command"])
    with GroupClient(broken, load("front", broken.identities)) as client:
        client.greet()
        assert client.names() == names
    kept.write_bytes(b"damaged")
    with GroupClient(group, load("front", group.identities)) as client:
        client.greet()
        assert sorted(client.names()) == sorted(names)


def test_large_results_and_many_calls_at_once():
    with GroupClient(group_of(a=PLAIN, b=OLD)) as client:
        client.greet()
        client.names()
        keys = [
            client.begin("tools/call", {"name": f"{name}_rows", "arguments": {}})
            for _ in range(20)
            for name in "ab"
        ]
        found = {}
        while len(found) < len(keys):
            message = json.loads(client._lines.get(timeout=60))
            if message.get("id") in keys:
                found[message["id"]] = len(message["result"]["content"][0]["text"])
        assert set(found.values()) == {found[keys[0]]}


def test_nothing_is_left_of_a_group_that_has_ended():
    def weights():
        return threading.active_count(), len(list(open_files.iterdir()))

    open_files = Path("/proc/self/fd")
    if not open_files.is_dir():
        pytest.skip("counts descriptors as Linux shows them")
    seen = []
    for _ in range(4):
        with GroupClient(group_of(a=PLAIN, b=OLD)) as client:
            client.greet()
            client.names()
        del client
        seen.append(weights())
    assert seen[-1][0] <= seen[0][0] + 3
    assert seen[-1][1] <= seen[0][1] + 4
