"""Anything that a client or upstream may say: no exception escapes, every request of the client gets
its answer, and every message of Penstock's is one line of JSON within the budget."""

import json
from contextlib import contextmanager

import pytest
from conversation import Conversation, Faults
from hypothesis import given, settings
from hypothesis import strategies as st
from kept import every_kept
from mutations import spoilt_bytes, spoilt_json
from relay_rig import LEGACY_GREETING
from relay_upstream import MODERN_META

HALF = settings(max_examples=settings.default.max_examples // 2)
STORED = "$TOKEN"  # stands for the token of a stored result
SETTINGS = [
    {},
    {"list_form": "index"},
    {"list_form": "brief", "gate": "strict"},
    {"shows_both": True},
]


def request(method, **params):
    return {"jsonrpc": "2.0", "id": 101, "method": method, "params": params}


def call(tool, /, **arguments):
    return request("tools/call", name=tool, arguments=arguments)


FROM_CLIENT = [
    request("initialize", **LEGACY_GREETING),
    request("server/discover", _meta=MODERN_META),
    request("tools/list"),
    request("tools/list", cursor="1"),
    request("ping"),
    request("vendor/method", a=[1, {"b": None}]),
    call("rows"),
    call("echo", text="x"),
    call("take", value=f"@result:{STORED}"),
    call("take", value=f"@result:{STORED}#/3/city"),
    call("read_result", continuation_token=STORED),
    call("read_result", continuation_token=STORED, mode="paginated", page=2, page_size=7),
    call("read_result", continuation_token=STORED, mode="filtered", filter_keys=["id", "city"]),
    call("read_result", continuation_token=STORED, mode="full", path="/3"),
    call("read_result", continuation_token=STORED, mode="search", query="city 3"),
    call("find_tools", query="text"),
    call("describe_tools", names=["echo", "rows"]),
    call("call_tool", name="echo", arguments={"text": "x"}),
    request("resources/list"),
    request("resources/templates/list"),
    request("resources/read", uri="resource:///tool_descriptions?tools=echo"),
    request("resources/read", uri="penstock://result/" + "1" * 39),
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 101}},
    {"jsonrpc": "2.0", "id": 7, "result": {"roots": []}},
    [request("ping"), {**call("rows"), "id": "b"}, {"jsonrpc": "2.0", "method": "notifications/x"}],
]
FROM_UPSTREAM = [
    {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
    {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}},
    {
        "jsonrpc": "2.0",
        "method": "notifications/tasks",
        "params": {"taskId": "1", "status": "done"},
    },
    {"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": {"messages": []}},
    {"jsonrpc": "2.0", "id": 101, "result": {"content": [{"type": "text", "text": "x"}]}},
    {"jsonrpc": "2.0", "id": 999, "error": {"code": -1, "message": "no"}},
    [{"jsonrpc": "2.0", "id": 1_000, "result": {}}],
]
RESULTS = [
    {"content": [{"type": "text", "text": "x" * 3_000}]},
    {"content": [{"type": "text", "text": json.dumps([{"a": n, "b": [n]} for n in range(300)])}]},
    {"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}], "isError": True},
    {"content": [], "structuredContent": {"result": [{"id": n} for n in range(900)]}},
    {
        "content": [{"type": "resource_link", "uri": "file:///x", "name": "x" * 3_000}],
        "_meta": {"dev.penstock/x": 1},
    },
    {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}},
]
LISTS = [
    {"tools": [{"name": "rows", "inputSchema": {"type": "object", "$defs": {"a": {"$ref": "#"}}}}]},
    {
        "tools": [
            {"name": f"t{n}", "description": "x" * 200, "inputSchema": {"type": "object"}}
            for n in range(60)
        ]
    },
]


def encoded(value):
    return json.dumps(value).encode()


def spoilt(value):
    """Return strategies for a message that is a little, or very, wrong."""
    as_json = st.just(value) | spoilt_json(value)
    return as_json.map(encoded) | spoilt_bytes(encoded(value)).map(one_line)


def one_line(line):
    return line.replace(b"\n", b" ")


@contextmanager
def conversing(**settings):
    """Open a conversation. At its end every request must be answered, and no fault be in the log."""
    conversation = Conversation(**settings)
    try:
        with Faults() as faults:
            yield conversation
            conversation.end()
        assert faults.found == []
    finally:
        conversation.close()


@given(st.data(), st.sampled_from(("legacy", "modern")), st.sampled_from(SETTINGS))
@HALF
def test_a_client_may_say_anything(data, era, settings):
    with conversing(era=era, **settings) as conversation:
        token = conversation.token().encode()
        for _ in range(data.draw(st.integers(1, 4))):
            line = data.draw(spoilt(data.draw(st.sampled_from(FROM_CLIENT))))
            conversation.client_sends(line.replace(STORED.encode(), token))


@given(st.data(), st.sampled_from(("legacy", "modern")), st.sampled_from(SETTINGS))
@HALF
def test_upstream_may_say_anything(data, era, settings):
    with conversing(era=era, **settings) as conversation:
        upstream = conversation.upstream
        result = st.sampled_from(RESULTS).flatmap(spoilt_json)
        upstream.results["rows"] = data.draw(result)
        if data.draw(st.booleans()):
            listed = data.draw(st.sampled_from(LISTS).flatmap(spoilt_json))
            upstream._list = lambda _params: listed
        for number in range(data.draw(st.integers(1, 3))):
            asked = data.draw(st.sampled_from((call("rows"), request("tools/list"), call("echo"))))
            conversation.client_sends(encoded({**asked, "id": number}))
            unasked = data.draw(spoilt(data.draw(st.sampled_from(FROM_UPSTREAM))))
            conversation.upstream_sends(unasked)


@pytest.mark.parametrize("era", ["legacy", "modern"])
@every_kept("messages")
def test_kept_messages(kept, era):
    with conversing(era=era) as conversation:
        token = conversation.token().encode()
        for line in kept.replace(STORED.encode(), token).splitlines():
            says = conversation.client_sends if line[:2] == b"> " else conversation.upstream_sends
            says(line[2:])
