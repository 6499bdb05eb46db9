"""The streams of legacy sessions in front of a command: broken off, resumed and cancelled."""

import json
import sys
from contextlib import contextmanager

import anyio
import pytest
from cutting_proxy import cutting
from http_rig import ACCEPT, SERVERS, Raw, messages_of, request, serving, value_of
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

STRAY = [sys.executable, str(SERVERS / "stray_server.py")]
VERSION = "2025-11-25"


@pytest.fixture(scope="module")
def relay():
    with serving("--", *STRAY) as url:
        yield url


@pytest.fixture
def client(relay):
    with Raw(relay) as raw:
        raw.initialize(VERSION)
        yield raw


@contextmanager
def beginning(client, key=1, version=VERSION, **arguments):
    """Call `begin`, and yield the events of the reply. The connection breaks when the block ends."""
    params = {"name": "begin", "arguments": arguments, "_meta": {"progressToken": key}}
    headers = {
        **ACCEPT,
        "content-type": "application/json",
        "mcp-session-id": client.session,
        "mcp-protocol-version": version,
    }
    body = json.dumps(request("tools/call", params, key)).encode()
    with Raw(client.url) as other:
        posting = other.http.stream("POST", client.url, content=body, headers=headers)
        with posting as response:
            assert response.status_code == 200
            yield events_of(response)


@contextmanager
def listening(client, last=None, version=VERSION):
    """Open a GET. Yield the response and its events."""
    headers = {"accept": "text/event-stream", "mcp-session-id": client.session}
    headers |= {"mcp-protocol-version": version} | ({"last-event-id": last} if last else {})
    with (
        Raw(client.url) as other,
        other.http.stream("GET", client.url, headers=headers) as response,
    ):
        yield response, events_of(response)


def events_of(response):
    """Yield the id and the message of each event; None where it has no message."""
    key = None
    for line in response.iter_lines():
        if line.startswith("id: "):
            key = line.removeprefix("id: ")
        if line.startswith("data:"):
            data = line.removeprefix("data:").strip()
            yield key, json.loads(data) if data else None
            key = None


def go_on(client, **arguments):
    assert value_of(client.call("go_on", arguments, key="go")) == "done"


def resumed(client, last):
    """Return all messages of a resumed stream, which ends with the answer."""
    with listening(client, last) as (response, events):
        assert response.status_code == 200
        return [message for _, message in events if message]


def first_message(events):
    return next((key, message) for key, message in events if message)


def test_a_call_goes_on_when_its_client_has_gone(client):
    """A lost connection is no cancellation. A replay gives the same token each time."""
    with beginning(client) as events:
        last, progress = first_message(events)
        assert progress["params"]["progress"] == 0
    go_on(client, count=3)
    messages = resumed(client, last)
    assert [m["params"]["progress"] for m in messages[:-1]] == [1, 2, 3]
    assert messages[-1]["id"] == 1
    assert value_of(client.call("cancelled")) == []
    assert resumed(client, last) == messages
    probe = value_of(messages[-1]["result"])
    read = {"continuation_token": probe["continuation_token"]}
    assert value_of(client.call("read_result", read, key="r"))["total"] == 2_000


def test_a_stream_that_is_resumed_early_goes_on_live(client):
    with beginning(client, key=2) as events:
        last, _ = first_message(events)
    with listening(client, last) as (_, events):
        go_on(client, count=1)
        rest = [message for _, message in events]
    assert [message.get("id") for message in rest] == [None, 2]


def test_each_stream_replays_only_its_own_messages(client):
    with beginning(client, key="a") as one, beginning(client, key="b") as other:
        last, _ = first_message(one)
        first_message(other)
    go_on(client, count=1)
    assert [message.get("id") for message in resumed(client, last)] == [None, "a"]


def test_a_stream_opens_with_an_event_that_can_be_resumed(client):
    """So a client can come back before the first message. Older clients do not expect this."""
    with beginning(client, key=4) as events:
        last, message = next(events)
        assert message is None
    go_on(client)
    assert [message.get("id") for message in resumed(client, last)] == [None, 4]
    with beginning(client, key=5, version="2025-06-18") as events:
        assert next(events)[1] is not None
    go_on(client)


def test_messages_without_a_request_are_replayed_too(client):
    client.call("say", {"words": "before"})
    with listening(client) as (_, events):
        assert next(events)[1] is None
        assert next(events)[1]["params"]["data"] == "before"
        client.call("say", {"words": "heard"})
        last, message = next(events)
        assert message["params"]["data"] == "heard"
    client.call("say", {"words": "missed"})
    with listening(client, last) as (_, events):
        assert next(events)[1]["params"]["data"] == "missed"
        client.call("say", {"words": "live"})
        assert next(events)[1]["params"]["data"] == "live"


@pytest.mark.parametrize("last", ["nonsense", "99-1", "0-77", "0--1", "9" * 400])
def test_an_unknown_event(client, last):
    with listening(client, last) as (response, _):
        response.read()
        assert response.status_code == 400
        assert "vent" in response.json()["error"]["message"]


def test_an_event_that_is_too_old_says_how_much_is_lost(client):
    with beginning(client, key=8) as events:
        last, _ = first_message(events)
    go_on(client, count=12, size=1_000_000)
    with listening(client, last) as (response, _):
        response.read()
    assert response.status_code == 400
    assert "no longer kept" in response.json()["error"]["message"]


def test_requests_that_nobody_waits_for_are_limited(client):
    """A client that leaves them again and again must not fill the memory."""
    for key in range(15):
        with beginning(client, key=f"left-{key}", ballast="x" * 2_000_000) as events:
            first_message(events)
    params = {"name": "begin", "arguments": {"ballast": "x" * 2_000_000}}
    refused = client.post(request("tools/call", params, "more"))
    assert refused.status_code == 503
    assert "Cancel" in refused.json()["error"]["message"]
    assert int(refused.headers["retry-after"]) > 0
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": "left-3"}}
    assert client.post({"jsonrpc": "2.0", **cancelled}).status_code == 202
    with beginning(client, key="again", ballast="x" * 1_000_000) as events:
        first_message(events)
    go_on(client)


def test_an_id_that_is_in_use(client):
    with beginning(client, key=9) as events:
        first_message(events)
        refused = client.post(request("ping", {}, 9))
        assert refused.status_code == 400
        assert "same id" in refused.json()["error"]["message"]
        go_on(client)
        assert [message.get("id") for _, message in events] == [9]


def test_a_version_that_is_unknown(client):
    for version in ("2099-01-01", "latest", "2025-11-2"):
        refused = client.post(request("ping", {}, 1), **{"mcp-protocol-version": version})
        assert refused.status_code == 400
        assert version in refused.json()["error"]["message"]
        with listening(client, version=version) as (response, _):
            assert response.status_code == 400
    for version in (VERSION, "2025-03-26"):
        asked = client.post(request("ping", {}, 1), **{"mcp-protocol-version": version})
        assert asked.status_code == 200


def test_a_batch_of_which_one_request_is_cancelled(relay):
    with Raw(relay) as client, Raw(relay) as same:
        client.initialize("2025-03-26")
        same.session = client.session
        begin = {"name": "begin", "arguments": {}, "_meta": {"progressToken": "p"}}
        batch = [request("tools/call", begin, 1), request("tools/call", begin, 2)]
        headers = {**ACCEPT, "content-type": "application/json", "mcp-session-id": client.session}
        body = json.dumps(batch).encode()
        with client.http.stream("POST", relay, content=body, headers=headers) as response:
            events = events_of(response)
            next(events)
            cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1}}
            assert same.post({"jsonrpc": "2.0", **cancelled}).status_code == 202
            go_on(same)
            *_, (_, answers) = events
    assert [answer["id"] for answer in answers] == [2]


def test_all_messages_of_a_reply_that_was_read_arrived(client):
    """The limit of a replay does not limit the messages of a connected client."""
    with beginning(client, key=10) as events:
        go_on_later(client)
        messages = [message for _, message in events if message]
    assert len(messages) == 12
    assert messages[-1]["id"] == 10


def go_on_later(client):
    response = client.post(
        request("tools/call", {"name": "go_on", "arguments": {"count": 10, "size": 900_000}}, "g")
    )
    assert value_of(messages_of(response)[-1]["result"]) == "done"


def test_the_official_client_comes_back_for_its_answer(relay):
    with cutting(relay, b"notifications/progress") as proxy:
        result = anyio.run(call_that_breaks, proxy)
    assert value_of({"content": [{"text": result.content[0].text}]})["count"] == 2_000


async def call_that_breaks(proxy):
    async with Client(streamable_http_client(proxy.url), mode="legacy") as client:
        results = []

        async def begin():
            results.append(await client.call_tool("begin", {}, progress_callback=heard))

        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(begin)
                await anyio.to_thread.run_sync(proxy.has_cut.wait, 60)
                await client.call_tool("go_on", {"count": 2})
        return results[0]


async def heard(*_):
    """Ask for progress, which makes the reply a stream."""
