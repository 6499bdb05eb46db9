"""Messages of one process that several clients share: each reaches its own client, or none."""

import json
import sys

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
