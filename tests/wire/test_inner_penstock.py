"""An upstream that has Penstock inside, or only says so: what it gets, and what it does not."""

import json

import pytest
from relay_rig import table
from relay_upstream import Upstream, text, tool

from penstock import Policy
from penstock.wire.reader import input_schema

LIKE_OURS = {"inputSchema": input_schema(Policy())}
THEIRS = "pen_" + "7" * 38 + "0"
THEIR_READ = text("read by upstream")


@pytest.fixture
def opened(open_rig, era):
    def opened(*tools, results=None, **settings):
        listed = [
            *(tools or [tool("read_result") | LIKE_OURS]),
            tool("rows"),
            tool("take", {"a": {}, "b": {}}),
        ]
        answers = {"read_result": THEIR_READ, "rows": text(table()), "take": text("taken")}
        upstream = Upstream(era, tools=listed, results=answers | (results or {}))
        rig = open_rig(upstream, **{"list_form": "full", **settings})
        rig.greet()
        rig.listed()
        return rig

    return opened


def names(rig):
    return [entry["name"] for entry in rig.listed()["tools"]]


def sent(rig):
    return json.dumps(rig.upstream.got("tools/call"))


def test_the_reader_is_listed_once(opened):
    assert names(opened()) == ["rows", "take", "read_result"]


@pytest.mark.parametrize("required", [[], ["continuation_token", "path"], None])
def test_another_tool_of_that_name_stays(opened, required):
    schema = {**LIKE_OURS["inputSchema"], "required": required}
    rig = opened(tool("read_result") | {"inputSchema": schema})
    assert names(rig) == ["read_result", "rows", "take", "penstock_read_result"]


def test_a_token_of_ours_is_answered_here_and_never_sent_on(opened):
    rig = opened()
    token = rig.probe("rows")["continuation_token"]
    assert rig.rows(token) == table()
    rig.call("take", a=f"@result:{token}")
    rig.call("read_result", continuation_token=token, mode="sql", query="x", tables={"b": THEIRS})
    rig.call("read_result", continuation_token=THEIRS, mode="sql", query="x", tables={"b": token})
    rig.call("read_result", continuation_token=THEIRS, tables=f'{{"b": "{token}"}}')
    rig.call("rows", continuation_token=token)
    assert token not in sent(rig)


def test_a_token_of_ours_that_belongs_to_another_server_is_not_sent_on_either(opened, open_rig):
    rig = opened()
    token = rig.probe("rows")["continuation_token"]
    rig.session.connection.server = "another"
    assert rig.call("read_result", continuation_token=token)["isError"]
    assert rig.call("take", a=f"@result:{token}")["isError"]
    assert token not in sent(rig)


def test_other_tokens_go_to_upstreams_reader(opened):
    rig = opened()
    result = rig.call("read_result", continuation_token=THEIRS, mode="summary")
    assert result["content"] == THEIR_READ["content"]
    assert rig.upstream.got("tools/call")[-1]["arguments"] == {
        "continuation_token": THEIRS,
        "mode": "summary",
    }


@pytest.mark.parametrize("settings", [{}, {"list_form": "index", "gate": "strict"}])
def test_whatever_the_list_and_the_gate(opened, settings):
    many = [tool(f"zone{number}", {}, description="It works. " * 60) for number in range(30)]
    rig = opened(tool("read_result") | LIKE_OURS, *many, **settings)
    assert rig.call("read_result", continuation_token=THEIRS)["content"] == THEIR_READ["content"]


def test_references_of_both_sides_in_one_call(opened):
    rig = opened()
    token = rig.probe("rows")["continuation_token"]
    rig.call("take", a=f"@result:{token}", b=f"@result:{THEIRS}")
    arguments = rig.upstream.got("tools/call")[-1]["arguments"]
    assert arguments == {"a": table(), "b": f"@result:{THEIRS}"}
    assert rig.call("take", a=[f"@result:{token}", f"@result:{THEIRS}"])["isError"]
    assert token not in sent(rig)


def test_a_claim_proves_nothing(opened):
    """The answers of upstream's reader are measured like all others."""
    rig = opened(results={"read_result": text(table())})
    assert "continuation_token" in rig.probe("read_result", continuation_token=THEIRS)
