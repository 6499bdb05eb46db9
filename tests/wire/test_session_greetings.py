"""`initialize`, `server/discover` and resources: the capabilities that Penstock adds and serves."""

import json

import pytest
from relay_rig import Rig, table
from relay_upstream import Upstream, text

from penstock.wire.reader import INSTRUCTIONS


def greeting(open_rig, upstream) -> dict:
    return open_rig(upstream, greet=False).greet()["result"]


def test_upstream_without_tools(open_rig, era):
    """Penstock adds nothing, and upstream's greeting passes byte for byte."""
    upstream = Upstream(era, capabilities={"prompts": {}}, members={"instructions": "Read me."})
    rig = open_rig(upstream)
    assert rig.down == [upstream.answer(rig.up[0])[0]]
    rig.upstream.tools = []
    assert rig.listed()["tools"] == []
    before = len(rig.up)
    rig.ask("resources/list")
    assert len(rig.up) == before + 1


def test_upstream_without_resources(open_rig, era):
    """Penstock adds `resources: {}`; everything else stays."""
    capabilities = {"tools": {"listChanged": True}, "logging": {}, "experimental": {"x": {"y": 1}}}
    told = greeting(
        open_rig, Upstream(era, capabilities=capabilities, members={"extra": [1, 2.50]})
    )
    assert told["capabilities"] == {**capabilities, "resources": {}}
    assert told["extra"] == [1, 2.50]
    if era == "legacy":
        assert told["serverInfo"] == {"name": "scripted", "version": "1"}
        assert told["protocolVersion"] == "2025-11-25"
    else:
        assert told["resultType"] == "complete"


def test_upstream_with_resources(open_rig, era):
    """Upstream's own entry for resources stays."""
    capabilities = {"tools": {}, "resources": {"subscribe": True}}
    rig = open_rig(Upstream(era, capabilities=capabilities), greet=False)
    assert rig.greet()["result"]["capabilities"] == capabilities
    for method in ("resources/list", "resources/templates/list", "resources/read"):
        before = len(rig.up)
        assert rig.ask(method, {"uri": "file:///x"})["error"]["code"] == -32601
        assert len(rig.up) == before + 1


@pytest.mark.parametrize("theirs", ["Use rows first.", "", None])
def test_instructions_stay_after_ours(open_rig, era, theirs):
    members = {} if theirs is None else {"instructions": theirs}
    told = greeting(open_rig, Upstream(era, members=members))["instructions"]
    assert told.startswith(INSTRUCTIONS)
    assert told.endswith(f"\n\n{theirs}") if theirs else told == INSTRUCTIONS


def test_a_greeting_that_fails_is_upstreams(open_rig):
    rig = open_rig()
    rig.from_client(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')
    error = b'{"jsonrpc":"2.0", "id":1, "error":{"code":-32602,"message":"no"}}'
    assert rig.from_upstream(error) == [error]


@pytest.mark.parametrize("result", [b"{}", b'{"capabilities":5}', b"[]", b"null", b'"hello"'])
def test_a_greeting_that_is_none(open_rig, result):
    rig = open_rig()
    rig.from_client(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')
    answer = b'{"jsonrpc": "2.0", "id": 1, "result": %b}' % result
    assert rig.from_upstream(answer) == [answer]


# -- resources ---------------------------------------------------------------------------------


@pytest.fixture
def rig(open_rig, era) -> Rig:
    return open_rig(Upstream(era, results={"rows": text(table(10_000))}), list_form="full")


def test_lists_of_an_upstream_without_resources(rig):
    """Penstock answers with an empty list. The request never reaches upstream."""
    before = len(rig.up)
    assert rig.ask("resources/list")["result"]["resources"] == []
    assert rig.ask("resources/templates/list")["result"]["resourceTemplates"] == []
    assert rig.ask("resources/list", {"cursor": None})["result"]["resources"] == []
    assert rig.ask("resources/list", {"cursor": "x"})["error"]["code"] == -32602
    assert len(rig.up) == before


@pytest.mark.parametrize(
    "uri", ["file:///etc/passwd", "penstock://result/nothing", "penstock://result/", "", "é\ud800"]
)
def test_a_resource_that_is_not_there(rig, era, uri):
    """The error is -32602 in the modern era, -32002 in the legacy one."""
    error = rig.ask("resources/read", {"uri": uri})["error"]
    assert error["code"] == (-32602 if era == "modern" else -32002)
    assert error["data"] == {"uri": uri}


@pytest.mark.parametrize("params", [{}, {"uri": None}, {"uri": 5}, {"uri": "x" * 100_000}])
def test_a_resource_with_no_name_or_an_endless_one(open_rig, era, params):
    rig = open_rig(Upstream(era), budget="1kB")
    assert "error" in rig.ask("resources/read", params)


def test_a_link_leads_to_the_stored_result(rig):
    token = rig.probe("rows")["continuation_token"]
    result = rig.call("read_result", continuation_token=token, mode="full")
    (link,) = [block for block in result["content"] if block["type"] == "resource_link"]
    (content,) = rig.ask("resources/read", {"uri": link["uri"]})["result"]["contents"]
    assert json.loads(content["text"]) == table(10_000)
    assert (content["uri"], content["mimeType"]) == (link["uri"], "application/json")


def test_a_link_of_an_upstream_with_resources_is_still_ours(open_rig, era):
    capabilities = {"tools": {}, "resources": {}}
    results = {"rows": text("line\n" * 100_000)}
    rig = open_rig(Upstream(era, capabilities=capabilities, results=results))
    token = rig.probe("rows")["continuation_token"]
    link = rig.call("read_result", continuation_token=token, mode="full")["content"][1]
    before = len(rig.up)
    (content,) = rig.ask("resources/read", {"uri": link["uri"]})["result"]["contents"]
    assert content["text"] == "line\n" * 100_000
    assert content["mimeType"] == "text/plain"
    assert len(rig.up) == before


def test_a_link_ends_with_its_time(rig):
    token = rig.probe("rows")["continuation_token"]
    uri = rig.call("read_result", continuation_token=token, mode="full")["content"][1]["uri"]
    rig.clock.now += 301
    assert "error" in rig.ask("resources/read", {"uri": uri})
