"""An upstream behind a URL: what reaches it, and the errors if it does not answer."""

import json
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from http_rig import PLAIN, Raw, messages_of, request, serving, started, value_of


@contextmanager
def upstream(*options):
    with started([*PLAIN, "--http", *options]) as url:
        yield url


def test_neither_authorization_nor_cookies_are_passed_on(in_front_of_url):
    with Raw(in_front_of_url) as client:
        client.modern("tools/list", authorization="Bearer secret", cookie="a=b")
        seen = json.dumps(value_of(client.modern_call("seen"))["requests"])
        assert "secret" not in seen
        assert "a=b" not in seen


def test_headers_to_upstream_are_made_from_the_body(in_front_of_url):
    """This also holds if the relay changed the body."""
    with Raw(in_front_of_url) as client:
        token = value_of(client.modern_call("rows"))["continuation_token"]
        client.modern_call("echo", {"text": f"@result:{token}#/3/id"}, **{"x-other": "kept?"})
        requests = value_of(client.modern_call("seen"))["requests"]
        call = next(
            r for r in reversed(requests) if r["body"].get("params", {}).get("name") == "echo"
        )
        assert call["body"]["params"]["arguments"] == {"text": 3}
        assert call["headers"]["mcp-method"] == "tools/call"
        assert call["headers"]["mcp-name"] == "echo"
        assert call["headers"]["mcp-protocol-version"] == "2026-07-28"
        assert "x-other" not in call["headers"]


def test_credentials_come_from_the_configuration(monkeypatch):
    monkeypatch.setenv("PENSTOCK_BEARER", "from-the-environment")
    monkeypatch.setenv("PENSTOCK_HEADERS", '{"X-Team": "pumps"}')
    with (
        upstream() as url,
        serving("--url", url, "--header", "X-More=1") as relay,
        Raw(relay) as client,
    ):
        client.initialize()
        seen = value_of(client.call("seen"))["requests"][-1]["headers"]
    assert seen["authorization"] == "Bearer from-the-environment"
    assert (seen["x-team"], seen["x-more"]) == ("pumps", "1")


def test_forwarded_authorization_makes_the_principal():
    with (
        upstream() as url,
        serving("--url", url, "--forward-authorization") as relay,
        Raw(relay) as client,
    ):
        alice, bob = {"authorization": "Bearer alice"}, {"authorization": "Bearer bob"}
        token = value_of(client.modern_call("rows", **alice))["continuation_token"]
        read = {"continuation_token": token}
        assert "items" in value_of(client.modern_call("read_result", read, **alice))
        assert client.modern_call("read_result", read, **bob)["isError"]
        seen = value_of(client.modern_call("seen", **bob))["requests"]
        assert "Bearer alice" in json.dumps(seen)


def test_an_upstream_that_streams():
    with upstream("--events") as url, serving("--url", url) as relay, Raw(relay) as client:
        probe = value_of(client.modern_call("rows"))
        assert probe["count"] == 2_000


def test_a_replay_gives_the_same_token():
    """A legacy client whose stream broke asks again with Last-Event-ID."""
    with upstream("--events") as url, serving("--url", url) as relay, Raw(relay) as client:
        client.initialize()
        client.session = "any"
        meta = {"progressToken": 1}
        params = {"name": "rows", "arguments": {}, "_meta": meta}
        response = client.post(request("tools/call", params, 42))
        first = messages_of(response)[-1]
        headers = {
            "accept": "text/event-stream",
            "mcp-session-id": client.session,
            "last-event-id": "e0",
        }
        replayed = messages_of(client.http.get(relay, headers=headers))
        again = next(message for message in replayed if message.get("id") == 42)
        assert again == first


def test_a_stateless_legacy_upstream():
    with upstream("--stateless") as url, serving("--url", url) as relay, Raw(relay) as client:
        client.initialize()
        assert client.session == ""
        assert client.ask("tools/list")["result"]["tools"][-1]["name"] == "read_result"
        token = value_of(client.call("rows"))["continuation_token"]
        assert value_of(client.call("read_result", {"continuation_token": token}))["total"] == 2_000


# -- upstreams that do not answer --------------------------------------------------------------


@contextmanager
def answering(status, kind, body, headers=()):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            self.send_header("content-type", kind)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def run_url(url, *options, environment=None, leaves_at_once=False):
    """Send one `initialize` through `penstock run --url`; return the answer and the exit code.

    The client leaves after the answer. If it leaves at once, Penstock waits for only a few seconds.
    """
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    line = json.dumps(request("initialize", about, 1)) + "\n"
    command = [sys.executable, "-m", "penstock", "run", "--url", url, *options]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, text=True, env=environment, **pipes) as process:
        process.stdin.write(line)
        process.stdin.flush()
        answer = "" if leaves_at_once else process.stdout.readline()
        told, errors = process.communicate(timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, answer + told, errors)


@pytest.mark.parametrize(
    ("status", "kind", "body", "told"),
    [
        (200, "text/html", b"<html>Welcome</html>", "text/html instead of JSON"),
        (404, "text/plain", b"no", "often ends in /mcp"),
        (401, "text/plain", b"who?", "PENSTOCK_BEARER"),
        (500, "text/plain", b"oops", "HTTP 500: 'oops'"),
        (200, "application/json", b"", "without an answer"),
        (200, "application/json", b"{broken", "without an answer"),
    ],
)
def test_an_answer_that_is_not_mcp(status, kind, body, told):
    with answering(status, kind, body) as url:
        done = run_url(url)
    answer = json.loads(done.stdout)
    assert answer["id"] == 1
    assert answer["error"]["code"] == -32010
    assert told in answer["error"]["message"]
    assert "Traceback" not in done.stderr


def test_a_redirect_is_not_followed():
    with answering(307, "text/plain", b"", [("location", "http://elsewhere.example/")]) as url:
        answer = json.loads(run_url(url).stdout)
    assert "http://elsewhere.example/" in answer["error"]["message"]


@contextmanager
def deaf_port():
    """Yield a port on which nothing listens. It is taken, so that nothing else can listen there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_a_url_that_refuses():
    with deaf_port() as port:
        answer = json.loads(run_url(f"http://127.0.0.1:{port}/mcp").stdout)
    assert "Is the server running" in answer["error"]["message"]


def test_a_url_that_has_not_answered_when_the_client_left():
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        done = run_url(f"http://127.0.0.1:{mute.getsockname()[1]}/mcp", leaves_at_once=True)
    error = json.loads(done.stdout)["error"]
    assert error["code"] == -32010
    assert "within 5 seconds after the client left" in error["message"]
    assert done.returncode == 1


def test_a_url_that_hangs(monkeypatch):
    """The test shortens the timeout: a minute is too long."""
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        url = f"http://127.0.0.1:{mute.getsockname()[1]}/mcp"
        line = (
            "import penstock.relay.http.upstream as u; u.QUICK_SECONDS = 0.5\n"
            "import sys; from penstock.cli import main; sys.exit(main(sys.argv[1:]))\n"
        )
        about = json.dumps(request("initialize", {"protocolVersion": "2025-11-25"}, 1)) + "\n"
        done = subprocess.run(
            [sys.executable, "-c", line, "run", "--url", url],
            input=about, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
    assert "did not answer within" in json.loads(done.stdout)["error"]["message"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--url", "ftp://example.com"], "http:// or https://"),
        (["--url", "http://a", "--header", "nonsense"], "NAME=VALUE"),
        (["--url", "http://a", "--header", "Mcp-Session-Id=1"], "set by Penstock itself"),
        (["--url", "http://a", "--header-env", "X=NOT_SET_AT_ALL"], "not set"),
        (["--url", "http://a", "--bearer-env", "NOT_SET_AT_ALL"], "not set"),
        (["--url", "http://a", "--", "cmd"], "Both a command and a URL"),
        ([], "penstock run --"),
        (["--port", "70000", "--", "cmd"], "not a port"),
        (["--forward-authorization", "--", "cmd"], "needs --url"),
    ],
)
def test_options_that_cannot_be_used(options, told):
    done = subprocess.run(
        [sys.executable, "-m", "penstock", "serve", *options],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_in_use():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "penstock", "serve", "--port", port, "--", "cat"],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "in use" in done.stderr


def test_secrets_in_the_url_are_not_told():
    with deaf_port() as port:
        done = run_url(f"http://user:hunter2@127.0.0.1:{port}/mcp?api_key=SECRET")
    assert "hunter2" not in done.stdout + done.stderr
    assert "SECRET" not in done.stdout + done.stderr
    assert f"http://…@127.0.0.1:{port}/mcp?…" in done.stdout


@pytest.mark.parametrize(
    ("name", "value"), [("host", "["), ("origin", "http://["), ("origin", "nonsense")]
)
def test_hosts_and_origins_that_are_none(in_front_of_url, name, value):
    with Raw(in_front_of_url) as client:
        assert client.post(b"{}", **{name: value}).status_code == 403


def test_a_session_belongs_to_who_began_it():
    """Another client cannot use it, even with its id and a token."""
    with (
        upstream() as url,
        serving("--url", url, "--forward-authorization") as relay,
        Raw(relay) as client,
    ):
        alice, mallory = {"authorization": "Bearer alice"}, {"authorization": "Bearer mallory"}
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
        client.session = client.post(request("initialize", about, 0), **alice).headers[
            "mcp-session-id"
        ]
        call = request("tools/call", {"name": "rows", "arguments": {}}, 1)
        probe = value_of(messages_of(client.post(call, **alice))[-1]["result"])
        arguments = {"continuation_token": probe["continuation_token"]}
        read = request("tools/call", {"name": "read_result", "arguments": arguments}, 2)
        assert "items" in value_of(messages_of(client.post(read, **alice))[-1]["result"])
        for other in (mallory, {}):
            assert messages_of(client.post(read, **other))[-1]["result"]["isError"]


def test_an_upstream_that_forgot_the_session(tmp_path):
    """`penstock run --url` starts a new session, and the host does not notice. It hears what the server
    sends unasked, as before."""
    with upstream("--unasked") as url:
        command = [sys.executable, "-m", "penstock", "run", "--url", url]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

        def ask(message):
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            return heard("id", message["id"]) if "id" in message else None

        def heard(member, value):
            """Return the first message with this, of those that have come or will come."""
            while not any(message.get(member) == value for message in messages):
                messages.append(json.loads(process.stdout.readline()))
            return messages.pop(next(n for n, m in enumerate(messages) if m.get(member) == value))

        messages = []
        changed = "notifications/tools/list_changed"
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
        ask(request("initialize", about, 1))
        ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
        heard("method", changed)
        with Raw(url) as other:
            other.post({"jsonrpc": "2.0", "method": "test/forget-sessions"})
        answer = ask(request("tools/call", {"name": "echo", "arguments": {"text": "hi"}}, 2))
        assert value_of(answer["result"]) == {"text": "hi"}
        heard("method", changed)
        process.stdin.close()
        assert process.wait(60) == 0
        process.stdout.close()
