"""The limits of `penstock serve` on strangers: what it refuses, when, and that others go on meanwhile."""

import json
import select
import threading
import time

import pytest
from http_rig import PLAIN, Raw, one_worker, request, serving, started, value_of
from raw_http import (
    MODERN_HEAD,
    WAIT,
    Wire,
    answers_health,
    asking_health,
    head,
    serving_with,
    wait_until,
)

SIZE = 3_900_000
DEEPEST = 200
PATIENCE = 60  # The bad case takes longer on a slow machine.
HEADERS = {**MODERN_HEAD, "mcp-method": "tools/call", "mcp-name": "echo"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def call(text, key="1"):
    """Return a modern call of the tool `echo`. `text`: its argument, as JSON."""
    meta = json.dumps(META)
    params = f'{{"_meta":{meta},"name":"echo","arguments":{{"text":{text}}}}}'
    return f'{{"jsonrpc":"2.0","id":{key},"method":"tools/call","params":{params}}}'.encode()


def nested(levels):
    return "[" * levels + "]" * levels


def many(part, size=SIZE):
    return part * (size // len(part))


HOSTILE = {
    "brackets": many(b"["),
    "pairs": many(b"[]"),
    "a list of lists": b"[" + many(b"[],") + b"1]",
    "objects": many(b'{"a":'),
    "a deep argument": call(nested(160_000)),
    "a deep argument and half a pair": call("[" * 160_000 + r'"\ud800"' + "]" * 160_000),
    "a batch": b"[" + b",".join([b'{"jsonrpc":"2.0","id":1,"method":"ping"}'] * 90_000) + b"]",
    "many parameters": b'{"id":1,"method":"a","params":{'
    + b",".join(b'"%d":1' % number for number in range(300_000))
    + b"}}",
    "quotes": many(b'"'),
    "an id": call("1", '"' + "i" * SIZE + '"'),
    "half pairs as keys": b'{"id":1,"method":"a","params":{'
    + b",".join(b'"\\ud800%d":[[[[[[[[1]]]]]]]]' % number for number in range(100_000))
    + b"}}",
}


@pytest.fixture(scope="module")
def in_front_of_url():
    """Serve an upstream of this file's own, because it remembers the large requests."""
    with started([*PLAIN, "--http"]) as upstream, serving("--url", upstream) as url:
        yield url


class Others:
    """Another client, which asks again and again."""

    def __init__(self, url):
        self.url = url
        self.worst = 0.0
        self.count = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def _ask(self):
        with Raw(self.url) as client:
            client.http.timeout = WAIT
            while not self._done.is_set() or not self.count:
                began = time.monotonic()
                assert client.modern("tools/list").status_code == 200
                self.worst = max(self.worst, time.monotonic() - began)
                self.count += 1

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_body_delays_nobody(relay_url, name):
    with Others(relay_url) as others, Raw(relay_url) as client:
        client.http.timeout = WAIT
        response = client.post(HOSTILE[name], **MODERN_HEAD)
    assert response.status_code == 400
    assert response.json()["error"]["code"] in (-32700, -32600)
    assert others.count
    assert others.worst < PATIENCE


def test_a_body_of_millions_of_brackets_is_not_read(relay_url):
    with Others(relay_url) as others, Raw(relay_url) as client:
        response = client.post(b"[" * 10_000_000, **MODERN_HEAD)
    assert response.status_code == 413
    assert "4,000,000 bytes" in response.json()["error"]["message"]
    assert others.worst < PATIENCE


def test_a_larger_body_may_be_allowed():
    with serving("--max-body", "30MB", "--", *PLAIN) as url:
        with Others(url) as others, Raw(url) as client:
            client.http.timeout = WAIT
            response = client.post(b"[" * 25_000_000, **MODERN_HEAD)
            echoed = client.modern_call("echo", {"text": "x" * 5_000_000})
        assert response.status_code == 400
        assert f"deeper than {DEEPEST} levels" in response.json()["error"]["message"]
        assert others.worst < PATIENCE
        assert value_of(echoed)["total_size"] > 5_000_000


def test_a_deep_call_of_the_reader_is_refused(raw):
    """A list of 160,000 levels took seconds, on the event loop, in code that walked through it."""
    raw.initialize()
    token = value_of(raw.call("rows"))["continuation_token"]
    params = f'{{"name":"read_result","arguments":{{"continuation_token":"{token}","x":%s}}}}'
    body = '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":' + params + "}"
    response = raw.post((body % nested(160_000)).encode())
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)
    assert "as a string" in response.json()["error"]["message"]
    page = raw.call("read_result", {"continuation_token": token, "page": 100})
    assert value_of(page)["items"][-1]["id"] == 1_999


# -- bodies that must pass ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", [nested(DEEPEST - 3), r'"cut: \ud83d"', r'["\\ud800\ud800"]', '"\uf8f0"']
)
def test_an_odd_body_passes(raw, text):
    response = raw.post(call(text), **HEADERS)
    assert response.status_code == 200, response.text
    assert value_of(response.json()["result"]) == {"text": json.loads(text)}


def test_one_level_more_does_not(raw):
    response = raw.post(call(nested(DEEPEST - 2)), **HEADERS)
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)


def test_a_large_body_passes(raw):
    response = raw.post(call('"' + "x" * 3_000_000 + '"'), **HEADERS)
    assert response.status_code == 200
    assert value_of(response.json()["result"])["total_size"] > 3_000_000


# -- the order ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "change"),
    [
        (403, {"origin": "https://evil.example"}),
        (403, {"host": "evil.example"}),
        (404, {"path": "/other"}),
        (405, {"method": "PUT"}),
        (415, {"content-type": "text/plain"}),
        (406, {"accept": "image/png"}),
        (413, {"length": 4_000_001}),
        (413, {"length": 10**18}),
        (400, {"mcp-session-id": "é"}),
        (400, {"authorization": "Bearer \xff"}),
        (400, {"origin": "http://é"}),
    ],
)
def test_a_request_is_refused_before_its_body(relay_url, status, change):
    with Wire(relay_url) as wire:
        wire.send(head(relay_url, **{"length": 1_000, **MODERN_HEAD, **change}))
        answer = wire.answer()
        assert answer.status == status
        assert answer.error["message"]
        assert answer.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("status", "length", "session"),
    [(404, 1_000, "unknown"), (404, 1_000, "w1-unknown"), (400, 64_001, None)],
)
def test_a_request_without_its_session_is_refused_before_its_body(
    in_front_of_command, status, length, session
):
    with Wire(in_front_of_command) as wire:
        wire.send(head(in_front_of_command, length, **{"mcp-session-id": session}))
        answer = wire.answer()
    assert answer.status == status
    assert "initialize" in answer.error["message"]


def test_a_body_that_grows_too_large_is_refused(relay_url):
    """A body in chunks declares no length."""
    with Wire(relay_url) as wire:
        wire.send(head(relay_url, **MODERN_HEAD, **{"transfer-encoding": "chunked"}))
        for _ in range(5):
            wire.send(b"f4240\r\n" + b" " * 1_000_000 + b"\r\n")
        assert wire.answer().status == 413


def test_a_client_that_sends_everything_first_reads_the_refusal(relay_url):
    with Raw(relay_url) as client:
        response = client.post(b" " * 8_000_000, **{"content-type": "text/plain"})
    assert (response.status_code, response.json()["error"]["code"]) == (415, -32600)


# -- heads -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [65_000, 1_000_000])
@pytest.mark.parametrize("place", ["target", "header"])
def test_a_large_head_is_refused(relay_url, size, place):
    fill = "x" * size
    given = {"path": f"/mcp?{fill}"} if place == "target" else {"x-fill": fill}
    with Wire(relay_url) as wire:
        wire.send(head(relay_url, 2, **given))
        assert wire.answer().status == 431
        assert wire.is_closed()


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused(relay_url, data):
    with Wire(relay_url) as wire:
        wire.send(data)
        answer = wire.answer()
        assert (answer.status, answer.error["code"]) == (400, -32600)
        assert wire.is_closed()


@pytest.mark.parametrize("value", ["é", "\x01", "\x7f"])
@pytest.mark.parametrize("name", ["mcp-session-id", "mcp-name", "last-event-id", "authorization"])
def test_a_header_that_penstock_reads_is_printable_ascii(relay_url, name, value):
    """No other value can be relied on to reach a server, or another worker, as it is."""
    with Wire(relay_url) as wire:
        wire.send(head(relay_url, 2, **{name: f"a{value}b"}) + b"{}")
        answer = wire.answer()
        assert (answer.status, answer.error["code"]) == (400, -32600)
        assert name in answer.error["message"]


def test_a_header_may_hold_a_tab_and_those_that_are_not_read_may_hold_anything(relay_url):
    with Wire(relay_url) as wire:
        more = {"accept": "application/json,\ttext/event-stream", "x-other": "é\x01"}
        wire.send(head(relay_url, method="GET", path="/healthz", **more))
        assert wire.answer().status == 200


@pytest.mark.parametrize(
    "chunk", [b"2\r\n{}XX", b"2\n{}\n", b"-2\r\n{}\r\n", b"0x2\r\n{}\r\n", b"2 \n\r\n{}\r\n"]
)
def test_a_chunk_that_another_parser_could_end_elsewhere_is_refused(relay_url, chunk):
    """A proxy in front could take a part of it for the next request."""
    hidden = head(relay_url, method="GET", path="/healthz")
    with Wire(relay_url) as wire:
        wire.send(head(relay_url, **MODERN_HEAD, **{"transfer-encoding": "chunked"}))
        wire.send(chunk + b"0\r\n\r\n" + hidden)
        assert wire.answer().status == 400
        assert wire.is_closed()


def test_tiny_chunks_are_refused(relay_url):
    with Wire(relay_url) as wire:
        wire.send(head(relay_url, **MODERN_HEAD, **{"transfer-encoding": "chunked"}))
        wire.send(b"1\r\n \r\n" * 5_000)
        answer = wire.answer()
        assert answer.status == 400
        assert "chunks" in answer.error["message"]


def test_an_upgrade_does_not_hide_a_request(relay_url):
    """A parser that believes in the upgrade takes the rest of the body for another request."""
    hidden = head(relay_url, method="GET", path="/healthz")
    upgrade = {"connection": "upgrade", "upgrade": "h2c"}
    with Wire(relay_url) as wire:
        wire.send(head(relay_url, len(hidden), **MODERN_HEAD, **upgrade) + hidden)
        assert wire.answer().status == 400
        wire.send(head(relay_url, method="GET", path="/healthz", connection="close"))
        assert wire.answer().status == 200
        assert wire.is_closed()


@pytest.mark.parametrize(
    "body", [b'{"id":1,"method":"\xff"}', "{}".encode("utf-16"), b"\xef\xbb\xbf{}", b'{"a":"\xff"}']
)
def test_a_body_that_is_not_utf_8_is_refused(raw, body):
    response = raw.post(body)
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)


def test_a_health_check_and_a_preflight_are_answered():
    page = "https://app.example.com"
    with serving("--allow-origin", page, "--", *PLAIN) as url, Raw(url) as client:
        asked = {"origin": page, "access-control-request-method": "POST"}
        assert client.http.options(url, headers=asked).status_code == 200
        assert client.http.get(url.replace("/mcp", "/healthz")).status_code == 200
        refused = client.post(b"[" * 300, origin=page)
        assert refused.status_code == 400
        assert refused.headers["access-control-allow-origin"] == page


# -- times -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def impatient():
    times = {"head_seconds": 3, "body_seconds": 3, "idle_seconds": 3, "linger_seconds": 0.5}
    with serving_with(**times, body_pace=1_000) as url:
        yield url


def test_a_connection_without_a_request_ends(impatient):
    with Wire(impatient) as wire:
        assert wire.is_closed()


def test_a_slow_head_ends(impatient):
    with Wire(impatient) as wire:
        wire.send(b"POST /mcp HTTP/1.1\r\n")
        answer = wire.answer()
        assert (answer.status, "head" in answer.error["message"]) == (408, True)
        assert wire.is_closed()


def test_a_head_that_never_begins_ends(impatient):
    """Empty lines may precede a request; they must not give it more time."""
    with Wire(impatient) as wire:
        try:
            for _ in range(WAIT * 5):
                wire.send(b"\r\n")
                time.sleep(0.2)
        except OSError:
            return
    raise AssertionError("it was never closed")


@pytest.mark.parametrize("begun", [b"", b'{"jsonrpc"'])
def test_a_slow_body_ends(impatient, begun):
    with Wire(impatient) as wire:
        wire.send(head(impatient, 1_000, **MODERN_HEAD) + begun)
        answer = wire.answer()
        assert (answer.status, "body" in answer.error["message"]) == (408, True)
        assert wire.is_closed()


def test_an_idle_connection_ends(impatient):
    with Wire(impatient) as wire:
        wire.send(head(impatient, method="GET", path="/healthz"))
        assert wire.answer().status == 200
        assert wire.is_closed()


def test_a_request_may_wait_for_longer_than_all_of_this(impatient):
    body = call("1").replace(b"echo", b"wait")
    given = {**HEADERS, "mcp-name": "wait"}
    with Wire(impatient) as wire:
        wire.send(head(impatient, len(body), **given) + body)
        assert not select.select([wire.socket], [], [], 4)[0]


# -- places ------------------------------------------------------------------------------------


@one_worker
def test_one_address_gets_half_of_the_connections():
    with serving("--max-connections", "6", "--", *PLAIN) as url:
        wires = [asking_health(url) for _ in range(3)]
        for wire in wires:
            assert wire.answer().status == 200
        with Wire(url) as refused:
            answer = refused.answer()
            assert (answer.status, answer.headers["retry-after"]) == (503, "5")
            assert "connections" in answer.error["message"]
            assert refused.is_closed()
        wires.pop().socket.close()
        wait_until(lambda: answers_health(url))
        for wire in wires:
            wire.socket.close()


@one_worker
def test_a_proxy_gets_all_connections():
    with serving("--max-connections", "6", "--trust-proxy", "--", *PLAIN) as url:
        wires = [asking_health(url) for _ in range(6)]
        for wire in wires:
            assert wire.answer().status == 200
        with Wire(url) as refused:
            assert refused.answer().status == 503
        for wire in wires:
            wire.socket.close()


def test_unfinished_bodies_have_a_limit_together():
    """Clients with small requests go on while others fill the memory."""
    with serving_with(memory=8_000_000, body_seconds=600) as url:
        wires, statuses = [Wire(url) for _ in range(6)], []
        for wire in wires:
            wire.send(head(url, 2_000_000, **MODERN_HEAD) + b" " * 1_900_000)
        unanswered = {wire.socket: wire for wire in wires}
        while len(unanswered) > 2:
            for ready in select.select(list(unanswered), [], [], WAIT)[0]:
                answer = unanswered.pop(ready).answer()
                statuses.append(answer.status)
                assert answer.headers["retry-after"] == "5"
                assert answer.error["code"] == -32011
        assert statuses == [503] * 4
        with Raw(url) as client:
            assert client.modern("tools/list").status_code == 200
        for wire in wires:
            wire.socket.close()
        large = call('"' + "x" * 1_900_000 + '"')
        with Raw(url) as client:
            wait_until(lambda: client.post(large, **HEADERS).status_code == 200)


def test_a_batch_may_hold_a_hundred_messages(raw):
    raw.initialize("2025-03-26")
    pings = [request("ping", {}, number) for number in range(101)]
    response = raw.post(pings)
    assert response.status_code == 400
    assert "100 messages" in response.json()["error"]["message"]
    assert len(raw.post(pings[:100]).json()) == 100
