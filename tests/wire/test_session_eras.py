"""The two eras of MCP. Penstock never translates, and acts as a server of either."""

import json

import pytest
from relay_rig import LEGACY_GREETING, Rig, table
from relay_upstream import MODERN_META, Upstream, text

UNKNOWN = "pen_x"
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]


def modern(number, method, /, **params):
    params["_meta"] = {**MODERN_META, **params.get("_meta", {})}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def only(messages):
    (message,) = map(json.loads, messages)
    return message


# -- never translated --------------------------------------------------------------------------


def test_a_modern_request_to_a_legacy_upstream(open_rig):
    """Error -32022 lists upstream's versions, so that the client falls back to `initialize`."""
    rig = open_rig(Upstream("legacy"), greet=False)
    answer = only(rig.from_client(modern(1, "tools/list")))
    assert answer["error"]["code"] == -32022
    assert answer["error"]["data"] == {"supported": LEGACY_VERSIONS, "requested": "2026-07-28"}
    assert rig.upstream.got("tools/list") == []
    assert "result" in rig.greet()
    assert "read_result" in [tool["name"] for tool in rig.listed()["tools"]]


def test_a_modern_request_after_the_handshake(open_rig):
    """Penstock knows the era from `initialize`, and does not ask again."""
    rig = open_rig(Upstream("legacy"))
    answer = only(rig.from_client(modern(90, "tools/call", name="rows")))
    assert answer["error"]["code"] == -32022
    assert rig.upstream.got("server/discover") == []
    assert rig.upstream.got("tools/call") == []


def test_the_question_which_era_is_upstreams_to_answer(open_rig, era):
    """`server/discover` goes up. An upstream that does not know it says so itself."""
    rig = open_rig(Upstream(era), greet=False)
    line = json.dumps(modern(1, "server/discover")).encode()
    answer = only(rig.from_client(line))
    assert rig.up[0] == line
    assert len(rig.up) == 1
    if era == "legacy":
        assert answer["error"]["code"] == -32601
    else:
        assert answer["result"]["supportedVersions"] == ["2026-07-28"]


def test_upstream_is_discovered_where_a_client_does_not_ask(open_rig):
    """A client that knows its server sends requests at once. They wait until the era is known."""
    rig = open_rig()
    first, second = modern(1, "tools/list"), modern(2, "vendor/x")
    assert rig.from_client(first) == []
    assert rig.from_client(second) == []
    (asked,) = map(json.loads, rig.up)
    assert asked["method"] == "server/discover"
    assert asked["params"]["_meta"] == MODERN_META
    discovered = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    assert rig.from_upstream({"jsonrpc": "2.0", "id": asked["id"], "result": discovered}) == []
    assert list(map(json.loads, rig.up[1:])) == [first, second]


def test_an_upstream_that_objects_to_the_version_only_is_modern(open_rig):
    """Upstream and the client then settle the version between them."""
    rig = open_rig()
    request = modern(1, "tools/list", _meta={VERSION: "2027-01-01"})
    rig.from_client(request)
    asked = json.loads(rig.up[0])
    error = {"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"]}}
    assert rig.from_upstream({"jsonrpc": "2.0", "id": asked["id"], "error": error}) == []
    assert json.loads(rig.up[1]) == request


def test_initialize_to_a_modern_upstream_is_upstreams_to_refuse(open_rig):
    rig = open_rig(Upstream("modern"), greet=False)
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": LEGACY_GREETING}
    line = json.dumps(request).encode()
    assert only(rig.from_client(line))["error"]["code"] == -32022
    assert rig.up == [line]


def test_a_server_of_both_eras_is_spoken_to_in_the_clients(open_rig):
    """A client that sends `initialize` after `server/discover` is a legacy client."""
    rig = open_rig(Upstream("modern", results={"rows": text(table())}))
    rig.upstream.era = "legacy"
    rig.greet()
    token = rig.probe("rows")["continuation_token"]
    assert "resultType" not in rig.call("read_result", continuation_token=token)


# -- Penstock's own requests -------------------------------------------------------------------


def own_requests(rig):
    found = map(json.loads, rig.up)
    return [message for message in found if str(message.get("id")).startswith("penstock-")]


def test_own_requests_have_ids_that_nobody_else_has(open_rig, era):
    """The ids are text with a random part. The client does not see the responses."""
    ids = set()
    for _ in range(2):
        rig = open_rig(Upstream(era, page_size=1))
        rig.listed()
        (own,) = own_requests(rig)
        assert own["method"] == "tools/list"
        ids.add(own["id"])
        assert not any(b"penstock-" in message for message in rig.down)
    assert len(ids) == 2
    assert all(isinstance(key, str) and len(key) > 20 for key in ids)


def test_a_client_that_uses_such_an_id_is_not_confused_with_the_relay(open_rig):
    rig = open_rig(Upstream(results={"rows": text("small")}))
    answer = rig.ask("tools/call", {"name": "rows"}, id="penstock-0-0")
    assert answer["result"] == text("small")


def test_own_requests_say_who_asks_and_take_no_progress(open_rig, era):
    """Our requests have the `_meta` of the client's request, without `progressToken`."""
    rig = open_rig(Upstream(era, page_size=1))
    meta = {"progressToken": 7, "vendor/trace": "abc", "traceparent": "00-1-2-01"}
    rig.ask("tools/list", {"_meta": meta})
    (own,) = own_requests(rig)
    expected = {**(MODERN_META if era == "modern" else {}), **meta}
    del expected["progressToken"]
    assert own["params"]["_meta"] == expected
    assert own["params"]["cursor"] == "1"


def test_no_own_requests_before_the_client_is_ready(open_rig):
    """In the legacy era Penstock sends its own requests only after `initialized`."""
    rig = open_rig(Upstream(), greet=False)
    rig.ask("initialize", LEGACY_GREETING)
    result = rig.call("read_result", continuation_token=UNKNOWN)
    assert result["isError"]
    assert own_requests(rig) == []
    rig.from_client({"jsonrpc": "2.0", "method": "notifications/initialized"})
    rig.call("read_result", continuation_token=UNKNOWN)
    assert [request["method"] for request in own_requests(rig)] == ["tools/list"]


# -- a server's duties -------------------------------------------------------------------------


@pytest.fixture
def rig(open_rig) -> Rig:
    rig = open_rig(Upstream("modern", results={"rows": text(table())}))
    rig.listed()
    return rig


def local_requests(token):
    """Return requests that Penstock answers itself."""
    return [
        ("tools/call", {"name": "read_result", "arguments": {"continuation_token": token}}),
        ("tools/call", {"name": "rows", "arguments": {"continuation_token": token}}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "penstock://result/x"}),
        ("resources/read", {"uri": "file:///x"}),
    ]


def test_own_replies_are_stamped(rig):
    """Every result has a `resultType`."""
    token = rig.probe("rows")["continuation_token"]
    for method, params in local_requests(token)[:4]:
        assert rig.ask(method, params)["result"]["resultType"] == "complete"
    probed = rig.call("rows")
    assert probed["resultType"] == "complete"


@pytest.mark.parametrize("missing", [VERSION, CAPABILITIES, None])
def test_a_request_whose_meta_is_incomplete(rig, missing):
    """The error is -32602, as the specification demands, also if there is no `_meta`."""
    token = rig.probe("rows")["continuation_token"]
    meta = {name: value for name, value in MODERN_META.items() if missing not in (name, None)}
    before = len(rig.up)
    for number, (method, params) in enumerate(local_requests(token), 100):
        told = {**params, "_meta": meta} if missing else params
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": told}
        assert only(rig.from_client(request))["error"]["code"] == -32602
    assert len(rig.up) == before


def test_a_request_of_an_unknown_version(rig):
    """The error is -32022, with the supported versions and the requested one."""
    token = rig.probe("rows")["continuation_token"]
    for number, (method, params) in enumerate(local_requests(token), 100):
        request = modern(number, method, **params, _meta={VERSION: "2031-01-01"})
        error = only(rig.from_client(request))["error"]
        assert error["code"] == -32022
        assert error["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


@pytest.mark.parametrize("version", [5, ["x"], None, {"a": 1}])
def test_a_version_that_is_not_text(rig, version):
    request = modern(100, "resources/list", _meta={VERSION: version})
    assert only(rig.from_client(request))["error"]["code"] == -32602


def test_a_version_of_any_length_fits_into_the_error(open_rig):
    rig = open_rig(Upstream("modern"), budget="1kB")
    request = modern(100, "resources/list", _meta={VERSION: "9" * 5_000})
    assert only(rig.from_client(request))["error"]["code"] == -32022
    legacy = open_rig(Upstream("legacy"), budget="1kB")
    request = modern(100, "tools/list", _meta={VERSION: "9" * 5_000})
    assert only(legacy.from_client(request))["error"]["code"] == -32022


def test_what_holds_a_token_is_private_and_ends_with_it(rig):
    """Only its reader may cache a stored result that is read as a resource, and no longer than it
    exists."""
    rig.upstream.results["rows"] = text(table(10_000))
    token = rig.probe("rows")["continuation_token"]
    link = rig.call("read_result", continuation_token=token, mode="full")["content"][1]
    assert link["type"] == "resource_link"
    rig.clock.now += 200
    result = rig.ask("resources/read", {"uri": link["uri"]})["result"]
    assert json.loads(result["contents"][0]["text"]) == table(10_000)
    assert result["cacheScope"] == "private"
    assert 0 <= result["ttlMs"] <= 100_000


def test_a_uri_reaches_logs_and_so_holds_no_token(rig):
    """The URI has a read handle of its own. Neither works in the place of the other."""
    rig.upstream.results["rows"] = text(table(10_000))
    token = rig.probe("rows")["continuation_token"]
    uri = rig.call("read_result", continuation_token=token, mode="full")["content"][1]["uri"]
    assert token.removeprefix("pen_") not in uri
    as_token = "pen_" + uri.removeprefix("penstock://result/")
    assert rig.call("read_result", continuation_token=as_token)["isError"]
    as_uri = "penstock://result/" + token.removeprefix("pen_")
    assert rig.ask("resources/read", {"uri": as_uri})["error"]["code"] == -32602


def test_legacy_replies_have_none_of_this(open_rig):
    """A legacy client would not know the fields."""
    rig = open_rig(Upstream("legacy", results={"rows": text(table())}))
    assert set(rig.call("rows")) == {"content"}
    assert rig.ask("resources/list")["result"] == {"resources": []}
