"""The transport: which requests are taken, which are refused, and the form of the answers."""

import json

import pytest
from agents import LEGACY, MODERN, Agent

pytestmark = pytest.mark.django_db


@pytest.fixture
def caller(ada):
    return Agent.of(ada)


def test_json_is_answered_with_json(caller):
    assert caller.ask("ping") == {}
    assert caller.last["Content-Type"] == "application/json"
    assert caller.last["Cache-Control"] == "no-store"


@pytest.mark.parametrize("accept", ["application/json", "*/*", "application/*, text/*"])
def test_whoever_takes_json_gets_it(caller, accept):
    caller.post(caller.message("ping"), Accept=accept)
    assert caller.last["Content-Type"] == "application/json"


def test_whoever_takes_a_stream_alone_gets_one_event(agent):
    response = agent.post(agent.message("tools/list"), Accept="text/event-stream")
    assert response["Content-Type"] == "text/event-stream"
    head, data, *rest = response.content.split(b"\r\n")
    assert (head, rest) == (b"event: message", [b"", b""])
    assert "tools" in json.loads(data.removeprefix(b"data: "))["result"]


def test_a_notification_is_taken(caller):
    response = caller.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (response.status_code, response.content) == (202, b"")


def test_a_batch_of_the_revision_that_had_them(caller):
    caller.era = "2025-03-26"
    body = [caller.message("ping", key=1), caller.message("tools/list", key=2),
            {"jsonrpc": "2.0", "method": "notifications/initialized"}]  # fmt: skip
    answers = caller.post(body).json()
    assert {answer["id"] for answer in answers} == {1, 2}


REFUSED = {
    "no media type": ({"Content-Type": "text/plain"}, 415),
    "nothing that we answer with": ({"Accept": "image/png"}, 406),
    "a page from elsewhere": ({"Origin": "https://evil.example"}, 403),
    "another port": ({"Origin": "http://testserver:8000"}, 403),
    "no page": ({"Origin": "null"}, 403),
    "an unknown version": ({"Mcp-Protocol-Version": "1999-01-01"}, 400),
}


@pytest.mark.parametrize("case", REFUSED)
def test_requests_that_are_refused(caller, case):
    headers, status = REFUSED[case]
    response = caller.post(caller.message("ping"), **headers)
    assert response.status_code == status
    assert response.json()["error"]["message"]


@pytest.mark.parametrize("origin", ["http://testserver", "https://app.example"])
def test_origins_that_are_allowed(caller, settings, origin):
    settings.PENSTOCK = {**settings.PENSTOCK, "ALLOWED_ORIGINS": ["https://app.example"]}
    assert caller.post(caller.message("ping"), Origin=origin).status_code == 200


def test_origins_that_the_site_trusts(caller, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://*.plant.example"]
    assert caller.post(caller.message("ping"), Origin="https://a.plant.example").status_code == 200
    assert caller.post(caller.message("ping"), Origin="https://plantxexample").status_code == 403


@pytest.mark.parametrize("method", ["get", "delete", "put"])
def test_other_methods(caller, method):
    response = getattr(caller.client, method)("/mcp/", headers=caller.headers)
    assert response.status_code == 405
    assert "POST" in response["Allow"]


BODIES = {
    "blank": (b" ", -32700),
    "no JSON": (b"{", -32700),
    "no text": (b"\xff\xfe", -32700),
    "a number": (b"7", -32700),
    "an empty batch": (b"[]", -32600),
    "no method": (b'{"jsonrpc":"2.0","id":1,"method":7}', None),
    "an unknown method": (b'{"jsonrpc":"2.0","id":1,"method":"tools/burn"}', -32601),
    "no name": (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602),
    "no parameters": (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
    "a name of no kind": (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}', -32602),
    "arguments of no kind": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[]}}', -32602,
    ),
    "parameters of no kind": (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":7}', None),
    "a lone surrogate": (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"\\ud800"}}}',
        None,
    ),
    "depth": (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":'
              + b"[" * 5_000 + b"]" * 5_000 + b"}}}", None),
}  # fmt: skip


@pytest.mark.parametrize("case", BODIES)
def test_bodies_that_are_no_request(caller, case):
    body, code = BODIES[case]
    response = caller.post(body)
    assert response.status_code in (200, 202, 400), response.content
    if code is not None:
        answer = response.json()
        assert answer["error"]["code"] == code, answer


def test_a_body_of_fifty_megabytes(caller):
    response = caller.post(
        b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"' + b"x" * 50_000_000 + b'"}'
    )
    assert response.status_code == 413
    assert "DATA_UPLOAD_MAX_MEMORY_SIZE" in response.json()["error"]["message"]


def test_a_large_argument_where_the_site_lets_it(caller, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = None
    text = "x" * 5_000_000
    probe = caller.value("echo", text=text)
    whole = caller.value(
        "read_result", continuation_token=probe["continuation_token"], mode="summary"
    )
    assert whole


# -- the modern era ------------------------------------------------------------------------------


@pytest.fixture
def modern(ada):
    return Agent.of(ada, MODERN)


FAULTS = {
    "another method in the header": ({"Mcp-Method": "tools/call"}, -32020, 400),
    "another version in the header": ({"Mcp-Protocol-Version": LEGACY}, -32020, 400),
}


@pytest.mark.parametrize("case", FAULTS)
def test_headers_that_disagree(modern, case):
    headers, code, status = FAULTS[case]
    response = modern.post(modern.message("tools/list"), **headers)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_an_unknown_method_is_not_found(modern):
    response = modern.post(modern.message("tools/burn"))
    assert (response.status_code, response.json()["error"]["code"]) == (404, -32601)


def test_a_version_that_is_not_spoken(modern):
    message = modern.message("tools/list")
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2027-01-01"
    response = modern.post(message, **{"Mcp-Protocol-Version": "2027-01-01"})
    assert response.status_code == 400
    assert response.json()["error"]["code"] == -32022
    assert MODERN in response.json()["error"]["data"]["supported"]


def test_an_envelope_that_lacks_something(modern):
    message = modern.message("tools/list")
    del message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    response = modern.post(message)
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32602)


def test_results_are_stamped(modern):
    result = modern.call("echo", text="a")
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]


def test_the_wire_is_within_the_budget(agent, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "BUDGET": "2kB", "AUTO_NEGOTIATE_THRESHOLD": 2_000}
    page = agent.value("inventory_device_list")
    for fields in (
        {},
        {"page_size": 100},
        {"mode": "summary"},
        {"mode": "filtered", "filter_keys": ["notes"]},
    ):
        agent.call("inventory_device_list", continuation_token=page["continuation_token"], **fields)
        result = agent.last.json()["result"]
        result.pop("_meta", None)  # models do not see it
        sent = json.dumps(result, separators=(",", ":"), ensure_ascii=False)
        assert len(sent.encode()) <= 2_000


def test_an_endpoint_that_is_switched_off(caller, settings):
    settings.FRISIAN_MCP_ENABLED = False
    response = caller.post(caller.message("tools/list"))
    assert response.status_code == 404
    assert "switched" in response.json()["error"]["message"]
