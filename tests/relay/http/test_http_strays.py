"""Messages of one process that several clients share: each reaches its own client, or none."""

import json
import queue
import sys
import threading
from contextlib import suppress

import httpx2
import pytest
from http_rig import (
    ACCEPT,
    MODERN,
    SERVERS,
    Raw,
    messages_of,
    request,
    serving,
    value_of,
)

STRAY = [sys.executable, str(SERVERS / "stray_server.py")]


@pytest.fixture(scope="module")
def relay():
    with serving("--", *STRAY) as url:
        yield url


@pytest.fixture
def client(relay):
    with Raw(relay) as raw:
        yield raw


def test_what_names_no_request_reaches_no_other_client(client):
    """The only request that waits may not be the one that the message is about."""
    assert value_of(client.modern_call("tell", {"secret": "of-another-client"})) == "kept"
    params = {"name": "leak", "arguments": {}, "_meta": {"progressToken": 1}}
    response = client.modern("tools/call", params)
    assert "of-another-client" not in response.text
    (answer,) = messages_of(response)
    asked = value_of(answer["result"])
    assert asked["id"] == "sample"
    assert "2026-07-28" in asked["error"]["message"]


def test_a_change_of_the_list_that_names_no_subscription_is_heard_by_the_relay(client):
    known = value_of(client.modern_call("lists"))
    assert value_of(client.modern_call("lists")) == known
    client.modern_call("change")
    client.modern_call("read_result", {"continuation_token": "none"})
    assert value_of(client.modern_call("lists")) == known + 1


def test_a_subscription_that_the_server_closes(client):
    """Over HTTP, the end of the stream says it. Nobody gets the notification of stdio."""
    headers = {
        **ACCEPT,
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
    }
    params = {"notifications": {}, "_meta": MODERN}
    body = json.dumps(request("subscriptions/listen", params, "sub")).encode()
    with client.http.stream("POST", client.url, content=body, headers=headers) as response:
        lines = response.iter_lines()
        first = next(line for line in lines if line.startswith("data: "))
        assert "acknowledged" in first
        with Raw(client.url) as other:
            assert value_of(other.modern_call("close")) == "closed"
        rest = [line for line in lines if line.startswith("data: ")]
    assert rest == []


def test_messages_that_a_process_does_not_read_are_limited():
    """The limit gives a clear answer. Without it, they would fill the memory."""
    with serving("--", *STRAY) as url, Raw(url) as client:
        client.initialize()
        client.call("stop_reading")
        answers = queue.SimpleQueue()

        def send():
            with Raw(url) as other, suppress(httpx2.HTTPError):  # The relay ends with the test.
                other.session = client.session
                told = {
                    "jsonrpc": "2.0",
                    "method": "notifications/x",
                    "params": {"x": "x" * 2_000_000},
                }
                answers.put(other.post(told))

        senders = [threading.Thread(target=send) for _ in range(20)]
        for sender in senders:
            sender.start()
        answered = iter(lambda: answers.get(timeout=60), None)
        refused = next(answer for answer in answered if answer.status_code != 202)
        client.http.delete(url, headers={"mcp-session-id": client.session})
    for sender in senders:
        sender.join(60)
    assert refused.status_code == 503
    assert "does not read" in refused.json()["error"]["message"]
    assert int(refused.headers["retry-after"]) > 0
