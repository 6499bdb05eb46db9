"""`penstock run` before a server with Penstock inside, and before another `penstock run`.

The inner Penstock keeps the results of `rows`, the outer one those of `config`.
"""

import json
import sys
from pathlib import Path

import pytest
from node_runtime import node, package
from relay_calls import value_of
from relay_processes import RUN, SERVERS, StdioClient
from relay_upstream import MODERN_META

from penstock.core.protocol.entries import REFUSED
from penstock.wire.reader import INSTRUCTIONS

SERVER = [sys.executable, str(SERVERS / "adapter_server.py")]
SET = ["--set", "budget=3kB", "--set", "except_=config", "--set", "list_form=full"]
INNER = {
    "run": [
        *RUN,
        "--budget",
        "3kB",
        "--except",
        "config",
        "--list",
        "full",
        "--",
        *SERVER,
        "plain",
    ],
    "mcp": [*SERVER, "mcp", *SET],
    "fastmcp": [*SERVER, "fastmcp", *SET],
}


class EraClient(StdioClient):
    """A client of one era."""

    era = "legacy"

    def request(self, method, params=None, **members):
        params = dict(params or {})
        if self.era == "modern":
            params["_meta"] = {**MODERN_META, **params.get("_meta", {})}
        return super().request(method, params, **members)

    def greet(self):
        return self.ask("server/discover")["result"] if self.era == "modern" else super().greet()


@pytest.fixture(params=["legacy", "modern"])
def era(request):
    return request.param


@pytest.fixture
def opened(era):
    clients = []

    def opened(command, *options):
        client = EraClient(command, "--list", "full", *options)
        clients.append(client)
        client.era = era
        client.greeting = client.greet()
        return client

    yield opened
    for client in clients:
        client.discard()


@pytest.fixture(params=INNER)
def client(request, opened):
    return opened(INNER[request.param])


def tokens(client):
    """Return a token of the inner Penstock, and one of the outer."""
    inner = client.probe("rows", count=300)
    outer = client.probe("config", services=2_000)
    return inner["continuation_token"], outer["continuation_token"]


def test_the_reader_and_its_preamble_are_there_once(client):
    names = [tool["name"] for tool in client.listed()["tools"]]
    assert names.count("read_result") == 1
    assert not [name for name in names if name.startswith("penstock_")]
    assert client.greeting["instructions"].count(INSTRUCTIONS) == 1


def test_each_token_reaches_the_penstock_that_gave_it(client):
    client.listed()
    inner, outer = tokens(client)
    assert len(client.rows(inner)) == 300
    assert client.read(inner, mode="sql", query="SELECT count(*) AS n FROM result")["items"] == [
        {"n": 300}
    ]
    assert client.read(outer, mode="search", query="1999")["total"] > 0
    assert client.read(outer, mode="summary")


def test_full_on_both_sides(client):
    """A full reply of the inner Penstock is over the outer budget, and is kept like any result."""
    client.listed()
    inner = client.probe("rows", count=900)["continuation_token"]
    again = value_of(client.read_result(inner, mode="full"))
    if "continuation_token" in again:
        again = value_of(client.read_result(again["continuation_token"], mode="full"))
    assert "899" in json.dumps(again)
    outer = client.probe("config", services=400)["continuation_token"]
    assert "continuation_token" not in value_of(client.read_result(outer, mode="full"))


def test_a_reference_is_resolved_where_the_result_is(client):
    client.listed()
    inner, outer = tokens(client)
    assert str(sum(range(300))) in json.dumps(client.call("total", items=f"@result:{inner}"))
    length = client.call("length", text=f"@result:{outer}")
    assert not length.get("isError"), length


def test_a_join_of_both_sides_is_refused_and_one_of_one_side_is_not(client):
    client.listed()
    inner, outer = tokens(client)
    query = "SELECT count(*) AS n FROM result JOIN other USING (id)"
    joined = {"mode": "sql", "query": query}
    assert client.read(inner, **joined, tables={"other": inner})["items"] == [{"n": 300}]
    for one, other in ((inner, outer), (outer, inner)):
        result = client.call(
            "read_result", continuation_token=one, **joined, tables={"other": other}
        )
        assert result["isError"]
        assert "kept in one place" in json.dumps(result)


def test_a_token_that_nobody_knows_gets_the_usual_words(client):
    client.listed()
    result = client.call("read_result", continuation_token="pen_" + "1" * 39)
    assert result["isError"]
    assert REFUSED.error in json.dumps(result)


def test_an_index_inside_is_shown_as_it_is(opened):
    inner = [*RUN, "--list", "index", "--", *SERVER, "plain", "--tools", "many"]
    client = opened(inner, "--list", "auto")
    names = [tool["name"] for tool in client.listed()["tools"]]
    assert names == ["find_tools", "describe_tools", "call_tool", "read_result"]


def test_a_short_list_inside_is_shown_as_it_is(opened):
    inner = [*RUN, "--list", "signatures", "--", *SERVER, "plain", "--tools", "few"]
    names = [tool["name"] for tool in opened(inner).listed()["tools"]]
    assert names.count("describe_tools") == 1
    assert not [name for name in names if name.startswith("penstock_")]


def test_three_before_a_server_that_nobody_here_wrote(opened, tmp_path, era):
    if era == "modern":
        pytest.skip("this server has no modern era")
    file = Path(tmp_path, "large.txt")
    file.write_text("\n".join(f"line {number}" for number in range(9_000)))
    script = package("@modelcontextprotocol/server-filesystem/dist/index.js")
    innermost = [*RUN, "--budget", "3kB", "--", node(), script, str(tmp_path)]
    client = opened([*RUN, "--budget", "9kB", "--", *innermost])
    names = [tool["name"] for tool in client.listed()["tools"]]
    assert [name for name in names if "read_result" in name] == ["read_result"]
    assert client.greeting["instructions"].count(INSTRUCTIONS) == 1
    token = client.probe("read_text_file", path=str(file))["continuation_token"]
    assert client.rows(token, page_size=100)[-1] == "line 8999"
