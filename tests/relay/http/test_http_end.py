"""`penstock serve` is told to end while requests are in progress."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx2
import pytest
from http_rig import (
    ACCEPT,
    PLAIN,
    Raw,
    eventually,
    messages_of,
    one_worker,
    request,
    serve_command,
    started,
    value_of,
)
from raw_http import MODERN_HEAD, Wire, head

from penstock.relay.http.admission import PATH
from penstock.relay.http.events import Event
from penstock.relay.http.far_end import FarEnd
from penstock.relay.http.server import Listening, application

WAIT = {"name": "wait", "arguments": {}}
SECONDS = 60


class Serving:
    def __init__(self, process, url, log):
        self.process = process
        self.url = url
        self.log = log


@pytest.fixture(params=["command", "url"])
def target(request):
    if request.param == "command":
        yield ["--", *PLAIN]
    else:
        with started([*PLAIN, "--http"]) as url:
            yield ["--url", url]


@pytest.fixture
def served(target, tmp_path):
    with serve_command(*target) as command, running(command, tmp_path / "log") as served:
        yield served


@contextmanager
def running(command, log):
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stderr=stream)
        try:
            assert eventually(lambda: "http://" in log.read_text(), SECONDS)
            yield Serving(process, re.search(r"http://\S+", log.read_text())[0], log)
        finally:
            process.kill()
            process.wait(SECONDS)


@contextmanager
def in_progress(client, send, era):
    """Yield the future response to a call of `wait`. The server has begun it, as `client` has seen."""
    with ThreadPoolExecutor() as threads:
        future = threads.submit(send)
        seen = client.modern_call if era == "modern" else client.call
        assert eventually(lambda: "wait" in str(value_of(seen("seen"))), SECONDS)
        yield future


def ended(served):
    served.process.terminate()
    assert served.process.wait(SECONDS) == 143
    assert "Traceback" not in served.log.read_text()


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("accept", [ACCEPT["accept"], "application/json"])
def test_a_call_in_progress_gets_an_error_that_says_what_to_check(served, era, accept):
    with Raw(served.url) as client, Raw(served.url) as asker:
        client.initialize()
        asker.session = client.session
        given = {"accept": accept}

        def send():
            if era == "modern":
                return client.modern("tools/call", WAIT, 5, **given)
            return client.post(request("tools/call", WAIT, 5), **given)

        with in_progress(asker, send, era) as future:
            ended(served)
            response = future.result(SECONDS)
    answer = response.json()
    assert (response.status_code, answer["id"], answer["error"]["code"]) == (503, 5, -32010)
    assert "told to end" in answer["error"]["message"]
    assert "may have run" in answer["error"]["message"]


@one_worker
def test_a_second_ctrl_c_does_not_wait_for_a_call_in_progress(served):
    with Raw(served.url) as client, Raw(served.url) as asker:
        client.initialize()
        asker.session = client.session
        with in_progress(
            asker, lambda: client.post(request("tools/call", WAIT, 5)), "legacy"
        ) as call:
            served.process.send_signal(signal.SIGINT)
            assert eventually(lambda: not is_listening(served.url), SECONDS)
            served.process.send_signal(signal.SIGINT)
            assert served.process.wait(SECONDS) == 130
            assert "may have run" in call.result(SECONDS).json()["error"]["message"]
    assert "Traceback" not in served.log.read_text()


def is_listening(url):
    try:
        httpx2.get(url)
    except httpx2.TransportError:
        return False
    return True


def test_a_call_whose_stream_is_open_gets_the_error_there(served):
    with Raw(served.url) as client, Raw(served.url) as asker:
        client.initialize()
        asker.session = client.session
        call = request("tools/call", {**WAIT, "_meta": {"progressToken": 7}}, 5)
        with in_progress(asker, lambda: client.post(call), "legacy") as future:
            ended(served)
            progress, answer = messages_of(future.result(SECONDS))
    assert progress["method"] == "notifications/progress"
    assert (answer["id"], answer["error"]["code"]) == (5, -32010)


def test_a_refused_client_that_may_still_send_ends_without_a_traceback(served):
    with Wire(served.url) as wire:
        wire.send(head(served.url, 99_000_000, **MODERN_HEAD))
        assert wire.answer().status == 413
        ended(served)


class SlowToEnd:
    """A gateway that has answered, and then takes its time to end."""

    knows_sessions = False

    def __init__(self):
        self.is_cancelled = asyncio.Event()

    async def session_fault(self, _inbound):
        return None

    async def post(self, _inbound, queue):
        await queue.finish(Event(b'{"jsonrpc":"2.0","id":1,"result":{}}'))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.is_cancelled.set()
            await asyncio.Event().wait()

    listen = leave = close = post


def test_a_request_that_was_answered_gets_no_second_answer_when_the_server_ends():
    sent = []

    async def receive():
        return {"type": "http.request", "body": b'{"jsonrpc":"2.0","id":1,"method":"ping"}'}

    async def send(message):
        sent.append(message["type"])

    async def scenario():
        gateway = SlowToEnd()
        app = application(gateway, Listening("127.0.0.1", 0))
        serving = asyncio.create_task(app(a_post(), receive, send))
        cancelled = asyncio.create_task(gateway.is_cancelled.wait())
        await asyncio.wait({serving, cancelled}, return_when=asyncio.FIRST_COMPLETED)
        serving.cancel()
        await serving

    asyncio.run(scenario())
    assert sent == ["http.response.start", "http.response.body"]


def a_post():
    given = {"host": "localhost", "content-type": "application/json", "content-length": "40"}
    headers = [(name.encode(), value.encode()) for name, value in given.items()]
    state = FarEnd().in_state()
    return {"type": "http", "method": "POST", "path": PATH, "headers": headers, "state": state}


FLOOD = """
import json, sys
def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
    sys.stdout.flush()
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        about = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                 "serverInfo": {"name": "flood", "version": "1"}}
        send({"id": message["id"], "result": about})
    elif message["method"] == "tools/list":
        send({"id": message["id"], "result": {"tools": []}})
    elif message["method"] == "tools/call":
        for number in range(5000):  # more than all buffers hold
            progress = {"progressToken": 7, "progress": number, "message": "x" * 5000}
            send({"method": "notifications/progress", "params": progress})
"""


@pytest.fixture
def flooding(tmp_path):
    server, log = tmp_path / "flood.py", tmp_path / "log"
    server.write_text(FLOOD)
    with (
        serve_command("--", sys.executable, str(server)) as command,
        running(command, log) as served,
    ):
        yield served


def test_a_client_that_does_not_read_does_not_keep_the_server_from_ending(flooding):
    small = [(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)]
    transport = httpx2.HTTPTransport(socket_options=small)
    with Raw(flooding.url) as client, httpx2.Client(transport=transport, timeout=SECONDS) as http:
        client.initialize()
        call = request("tools/call", {"name": "flood", "_meta": {"progressToken": 7}}, 5)
        given = {**ACCEPT, "mcp-session-id": client.session}
        with http.stream("POST", flooding.url, json=call, headers=given) as response:
            parts = response.iter_raw()  # If this were dropped, the connection would be closed.
            assert next(parts)
            ended(flooding)
