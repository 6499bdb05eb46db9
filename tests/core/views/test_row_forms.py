"""Rows that share their keys: as objects, or as a table whose columns are named once."""

from __future__ import annotations

import json

import msgspec
import pytest
from shown_rows import shown_rows

from penstock import Frame, Result

ROWS = [{"id": n, "kind": "ab"[n % 2], "size": n * 1.5} for n in range(1_000)]
ASKED = {"mode": "sql", "query": "SELECT * FROM result"}
FEW = {"mode": "sql", "query": "SELECT * FROM result LIMIT 20"}
DIGITS = b"123456789012345678901234567890"


@pytest.fixture
def reader(open_agent):
    """Return a function that makes agents which call the reader, from settings of the policy."""
    return lambda **settings: open_agent(call={"is_reader": True}, **settings)


def stored(agent, value):
    return agent.but(is_reader=False, heavy=True).offer(value).value["continuation_token"]


def test_an_answer_names_its_columns_once(agent):
    answer = agent.look(stored(agent, ROWS), **FEW)
    assert answer.keys() == {"columns", "rows", "total", "continuation_token"}
    assert answer["columns"] == ["id", "kind", "size"]
    assert answer["rows"][1] == [1, "b", 1.5]
    assert shown_rows(answer) == ROWS[:20]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("SELECT id FROM result LIMIT 1", {"items"}),
        ("SELECT * FROM result LIMIT 1", {"items"}),
        ("SELECT * FROM result LIMIT 0", {"items"}),
        ("SELECT * FROM result LIMIT 3", {"columns", "rows"}),
    ],
)
def test_an_answer_has_the_shorter_form(agent, query, keys):
    answer = agent.look(stored(agent, ROWS), mode="sql", query=query)
    assert answer.keys() - {"total", "continuation_token"} == keys


@pytest.mark.parametrize(
    "program",
    [".[:20] | map(if .id == 7 then del(.size) else . end)", ".[:20] | map(.id)", ".[:20] | map({})",
     ".[:20] | map([.id, .kind])", ".[:19] + [null]"],
)  # fmt: skip
@pytest.mark.parametrize("form", ["auto", "table"])
def test_rows_that_do_not_share_their_keys_are_items(reader, program, form):
    pytest.importorskip("jq")
    agent = reader(row_form=form)
    answer = agent.look(stored(agent, ROWS), mode="query", query=program)
    assert len(answer["items"]) == answer["total"]
    assert "rows" not in answer


def test_keys_in_another_order_are_other_keys(agent):
    rows = [ROWS[0], dict(reversed(ROWS[1].items()))] * 20
    answer = agent.look(stored(agent, [*rows, *ROWS]), mode="search", query="kind")
    shown = shown_rows(answer)
    assert [[*hit["value"]] for hit in shown[:2]] == [[*ROWS[0]], [*reversed(ROWS[0])]]


def test_next_goes_on_in_the_form_of_the_answer(agent):
    first = agent.look(stored(agent, ROWS), **ASKED)
    second = agent.look(first["next"])
    assert second["columns"] == first["columns"]
    back = agent.look(second["previous"])
    assert back["rows"] == first["rows"]
    third = agent.look(second["next"], page_size=500)
    assert (
        shown_rows(first) + shown_rows(second) + shown_rows(third)
        == ROWS[: 40 + len(third["rows"])]
    )


def test_pages_keep_items(agent):
    token = stored(agent, ROWS)
    answer = agent.look(token, **ASKED)
    filtered = {"mode": "filtered", "filter_keys": ["id"]}
    for page in (
        agent.look(token),
        agent.look(token, **filtered),
        agent.look(answer["continuation_token"]),
        agent.look(answer["next"], **filtered),
    ):
        assert len(page["items"]) == 20
        assert "items" in agent.look(page["next"])


def test_the_setting_objects(open_agent):
    agent = open_agent(row_form="objects")
    first = agent.look(stored(agent, ROWS), **ASKED)
    assert first["items"] == ROWS[:20]
    assert agent.look(first["next"])["items"] == ROWS[20:40]


def test_the_setting_table(open_agent):
    agent = open_agent(row_form="table")
    token = stored(agent, ROWS)
    one = agent.look(token, mode="sql", query="SELECT id FROM result LIMIT 1")
    assert (one["columns"], one["rows"]) == (["id"], [[0]])
    page = agent.look(token)
    assert page.keys() == {
        "columns", "rows", "page", "page_size", "total", "has_more", "next", "previous",
    }  # fmt: skip
    pages = agent.walk(token, page_size=300)
    assert [row for page in pages for row in shown_rows(page)] == ROWS
    assert all("rows" in page for page in pages)
    filtered = agent.look(token, mode="filtered", filter_keys=["id", "kind"])
    assert (filtered["columns"], filtered["rows"][3]) == (["id", "kind"], [3, "b"])


def test_a_setting_of_one_tool(open_agent):
    agent = open_agent(tools={"tool": {"row_form": "table"}})
    assert "rows" in agent.look(stored(agent, ROWS))


@pytest.mark.parametrize("setting", ["auto", "objects", "table"])
@pytest.mark.parametrize(("form", "field"), [("objects", "items"), ("table", "rows")])
@pytest.mark.parametrize("look", [{}, ASKED, {"mode": "filtered", "filter_keys": ["id"]}], ids=str)
def test_a_call_of_the_reader_decides(reader, setting, form, field, look):
    agent = reader(row_form=setting)
    first = agent.look(stored(agent, ROWS), row_form=form, **look)
    second = agent.look(first["next"])
    assert len(first[field]) == len(second[field]) == 20


def test_a_call_may_ask_for_what_the_setting_left_out(reader):
    agent = reader(row_form="objects")
    token = stored(agent, ROWS)
    assert "rows" in agent.look(token, row_form="auto", **ASKED)
    assert "items" in agent.look(token, row_form="auto")


@pytest.mark.parametrize("form", ["rows", "Table", 1, ["table"]])
def test_an_unknown_form_is_refused(reader, form):
    agent = reader()
    refused = agent.refused(stored(agent, ROWS), row_form=form)
    assert "There is no row_form" in refused["error"]
    assert refused["next_step"] == "Use one of: auto, objects, table."


def test_a_tool_may_have_an_argument_of_this_name(agent):
    reply = agent.offer(ROWS, row_form="wide")
    token = reply.value["continuation_token"]
    assert "items" in agent.look(token, row_form="wide")
    assert "differ" in agent.refused(token, row_form="table")["error"]


@pytest.mark.parametrize("form", ["auto", "objects", "table"])
def test_a_row_that_is_too_large_is_a_stub_in_every_form(reader, form):
    agent = reader(budget="4kB")
    rows = [{**row, "pad": "x" * 9_000 if row["id"] in (3, 5) else ""} for row in ROWS[:30]]
    answer = agent.look(stored(agent, rows), row_form=form, **ASKED)
    shown = answer["items" if form == "objects" else "rows"]
    assert [n for n, row in enumerate(shown) if "$path" in row] == [3, 5]
    stub = shown[3]
    assert stub["$size"] > 9_000
    whole = agent.look(answer["continuation_token"], path=stub["$path"] + "/pad", row_form="table")
    assert set("".join(whole["items"])) == {"x"}


@pytest.mark.parametrize("form", ["auto", "objects", "table"])
def test_rows_that_are_all_too_large(reader, form):
    agent = reader(budget="4kB")
    rows = [{"id": n, "pad": "x" * 9_000} for n in range(30)]
    seen, token, look = [], stored(agent, rows), {"row_form": form, **ASKED}
    while token:
        page = agent.look(token, **look)
        seen += [stub["$path"] for stub in page.get("items", page.get("rows"))]
        token, look = page.get("next"), {}
    assert seen == [f"/{n}" for n in range(30)]


@pytest.mark.parametrize("budget", ["1kB", "500tok", "1000ch", "4kB", "25kB"])
@pytest.mark.parametrize("form", ["auto", "table"])
def test_walking_sees_every_row_once_and_exactly(reader, budget, form):
    agent = reader(budget=budget, max_page_size=1_000)
    raw = b"[" + b",".join(b'{"n":%s,"t":"\xc3\xa9%d"}' % (DIGITS, n) for n in range(300)) + b"]"
    token = stored(agent, Result(structured=msgspec.Raw(raw)))
    reply = agent.reply(token, mode="search", query="n", row_form=form, page_size=300)
    found = []
    while True:
        page = reply.value
        found += [hit["value"]["t"] for hit in shown_rows(page)]
        assert reply.payload.count(DIGITS) == len(shown_rows(page))
        if not page.get("next"):
            break
        reply = agent.reply(page["next"])
    assert found == [f"é{n}" for n in range(300)]


def test_a_table_holds_more_rows_of_the_same_budget(reader):
    agent = reader(budget="2kB")
    token = stored(agent, ROWS)
    table = agent.look(token, page_size=1_000, **ASKED)
    objects = agent.look(token, page_size=1_000, row_form="objects", **ASKED)
    assert len(table["rows"]) > 1.5 * len(objects["items"])


def test_a_reply_is_never_longer_than_with_objects(reader):
    agent = reader()
    for value in (ROWS[:2], [{"a": 1}] * 2, [{"a": 1}, {"a": 2}], [{"long name": None}] * 2):
        token = stored(agent, value * 800)
        for limit in range(4):
            asked = {"mode": "sql", "query": f"SELECT * FROM result LIMIT {limit}"}  # noqa: S608
            shorter = agent.reply(token, **asked).wire()
            objects = agent.reply(token, row_form="objects", **asked).wire()
            assert len(shorter) <= len(objects)


def test_duplicate_keys_are_all_shown(reader):
    agent = reader(row_form="table")
    raw = b"[" + b",".join([b'{"a":1,"a":2,"b":3}'] * 2_000) + b"]"
    page = agent.look(stored(agent, Result(structured=msgspec.Raw(raw))))
    assert (page["columns"], page["rows"][0]) == (["a", "a", "b"], [1, 2, 3])


def test_entries_of_a_dict_keep_their_form(reader):
    agent = reader(row_form="table")
    page = agent.look(stored(agent, {f"k{n}": "x" * 30 for n in range(2_000)}))
    assert page["items"][0] == {"key": "k0", "value": "x" * 30}


def test_structured_content_repeats_the_table(open_agent):
    agent = open_agent(call={"frame": Frame(structured=True)})
    reply = agent.reply(stored(agent, ROWS), **FEW)
    sent = json.loads(reply.wire())
    assert sent["structuredContent"] == json.loads(sent["content"][0]["text"]) == reply.value
    assert "rows" in reply.value
