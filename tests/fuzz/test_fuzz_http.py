"""Raw bytes on the socket of `penstock serve`: it answers in HTTP or hangs up, and goes on serving."""

import json
import shlex

import pytest
from http_front import Front, fronted, statuses
from http_rig import PLAIN, Raw, started
from hypothesis import given, settings
from hypothesis import strategies as st
from kept import every_kept
from mutations import spoilt_bytes, spoilt_json

SOME = settings(max_examples=settings.default.max_examples // 4)
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
SESSION = b"$SESSION"  # stands for the id of a session that is open
BEGIN = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
ACCEPT = b"accept: application/json, text/event-stream\r\n"
OLD = b"mcp-protocol-version: 2025-11-25\r\nmcp-session-id: $SESSION\r\n"
NEW = b"mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: echo\r\n"


def message(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


CALL = message("tools/call", name="echo", arguments={"text": "x"})
READ = message("tools/call", name="read_result", arguments={"continuation_token": "pen_1"})
MESSAGES = [
    (OLD, CALL),
    (OLD, READ),
    (OLD, message("tools/list")),
    (OLD, message("resources/read", uri="resource:///tool_descriptions?tools=echo")),
    (OLD, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    (OLD, {"jsonrpc": "2.0", "id": 1, "result": {}}),
    (OLD, [message("ping"), CALL]),
    (NEW, message("tools/call", name="echo", arguments={}, _meta=MODERN_META)),
]


def post(headers, body):
    length = b"content-length: %d\r\n" % len(body)
    return BEGIN + ACCEPT + headers + length + b"\r\n" + body


def in_chunks(headers, *parts):
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (*parts, b"") if part)
    return BEGIN + ACCEPT + headers + b"transfer-encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


def encoded(value):
    return json.dumps(value).encode()


PING = encoded(message("ping"))
REQUESTS = [
    *(post(headers, encoded(value)) for headers, value in MESSAGES),
    in_chunks(OLD, PING[:10], PING[10:]),
    in_chunks(NEW, encoded(MESSAGES[-1][1])),
    post(OLD, PING) * 2,  # pipelined
    post(OLD, PING) + b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n",
    b"GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n" + OLD + b"\r\n",
    b"GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nlast-event-id: e1\r\n\r\n",
    b"DELETE /mcp HTTP/1.1\r\nhost: localhost\r\nmcp-session-id: another\r\n\r\n",
    b"OPTIONS /mcp HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\n\r\n",
    b"GET /healthz HTTP/1.0\r\nhost: localhost\r\n\r\n",
]


@st.composite
def sent(draw):
    """Return the parts of one or two requests: spoilt as a whole, or well framed with a spoilt
    message."""
    if draw(st.booleans()):
        raw = draw(spoilt_bytes(draw(st.sampled_from(REQUESTS))))
    else:
        headers, value = draw(st.sampled_from(MESSAGES))
        body = draw(spoilt_json(value).map(encoded) | spoilt_bytes(encoded(value)))
        cut = draw(st.integers(0, len(body)))
        is_chunked = draw(st.booleans())
        raw = in_chunks(headers, body[:cut], body[cut:]) if is_chunked else post(headers, body)
    stops = sorted(draw(st.lists(st.integers(0, len(raw)), max_size=2)))
    return [raw[a:b] for a, b in zip([0, *stops], [*stops, len(raw)], strict=True)]


@pytest.fixture(scope="module", params=["url", "command"])
def front(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("front")
    if request.param == "command":
        # The log is for Penstock alone: this upstream has faults of its own with such messages.
        with fronted(folder, "--", "sh", "-c", f"exec {shlex.join(PLAIN)} 2>/dev/null") as running:
            yield running
        return
    with started([*PLAIN, "--http"]) as upstream, fronted(folder, "--url", upstream) as running:
        yield running


@pytest.fixture(scope="module")
def session(front):
    with Raw(front.url) as client:
        client.initialize()
        yield client.session.encode()


def check(front: Front, parts, session, **how):
    """Send the parts of a request, and check the replies, the log, and that the server is there."""
    replied = front.exchange([part.replace(SESSION, session) for part in parts], **how)
    assert not front.troubles(), parts
    assert 500 not in statuses(replied), (parts, replied)
    assert front.process.poll() is None, parts


def is_serving(front):
    with Raw(front.url) as client:
        return client.initialize()["protocolVersion"] == "2025-11-25"


@given(sent(), st.sampled_from((False, False, False, True)))
@SOME
def test_any_bytes_get_a_reply_in_http_or_none(front, session, parts, leaves_early):
    check(front, parts, session, leaves_early=leaves_early)


def test_the_server_goes_on_serving(front, session):
    for request in REQUESTS:
        check(front, [request], session)
    assert is_serving(front)


@every_kept("http")
def test_kept_requests(front, session, kept):
    check(front, [kept], session)
    assert is_serving(front)
