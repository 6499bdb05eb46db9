"""`paginated`: every row once, in order, continued at the exact row."""

from __future__ import annotations

import msgspec
import pytest

from penstock import Budget, Frame, Result
from penstock.core.budget.measure import line_count
from penstock.core.model.continuation import Position, parse

ROWS = [{"id": n, "text": "x" * (n % 300)} for n in range(600)]


@pytest.fixture
def token(agent):
    return agent.offer(ROWS).value["continuation_token"]


def test_the_shape_of_a_page(agent, token):
    page = agent.look(token, page=3)
    assert page == {
        "items": ROWS[40:60],
        "page": 3,
        "page_size": 20,
        "total": 600,
        "has_more": True,
        "next": page["next"],
        "previous": page["previous"],
    }
    assert agent.look(page["next"])["items"] == ROWS[60:80]
    assert agent.look(page["previous"])["items"] == ROWS[20:40]


def test_no_mode_is_paginated_and_empty_or_null_is_absent(agent, token):
    plain = agent.look(token)
    empty = {"mode": "", "page": None, "page_size": "", "filter_keys": [], "path": "", "query": ""}
    assert agent.look(token, **empty) == plain
    assert agent.look(token, mode=None, filter_keys=None, query={}) == plain
    assert agent.look(token, mode="paginated", page=1) == plain


@pytest.mark.parametrize("written", [3, "3", " 3 ", 3.0])
def test_numbers_may_be_written_in_the_ways_of_models(agent, token, written):
    assert agent.look(token, page=written)["items"][0]["id"] == 40


def test_the_first_has_no_previous_and_the_last_no_next(agent, token):
    first, last = agent.look(token, page=1), agent.look(token, page=30)
    assert (first["previous"], last["next"], last["has_more"]) == (None, None, False)
    assert last["items"] == ROWS[580:]


@pytest.mark.parametrize("page_size", [1, 7, 20, 150, 1_000])
def test_walking_sees_every_row_once(agent, token, page_size):
    pages = agent.walk(token, page_size=page_size)
    assert [row for page in pages for row in page["items"]] == ROWS
    assert {page["page_size"] for page in pages} == {page_size}


def test_a_page_that_does_not_fit_is_cut_and_says_by_how_much(open_agent):
    agent = open_agent(budget="2kB")
    token = agent.offer(ROWS).value["continuation_token"]
    page = agent.look(token, page=10)
    shown = len(page["items"])
    assert 0 < shown < 20
    assert page["truncated"] == 20 - shown
    assert agent.look(page["next"])["items"][0] == ROWS[180 + shown]
    pages = agent.walk(token)
    assert [row for page in pages for row in page["items"]] == ROWS


def test_a_fat_row_is_shown_as_a_summary_of_itself(open_agent):
    agent = open_agent(budget="2kB")
    rows = [{"id": 1}, {"id": 2, "body": "b" * 5_000, "tags": list(range(50))}, {"id": 3}]
    token = agent.offer(rows).value["continuation_token"]
    pages = agent.walk(token)
    items = [item for page in pages for item in page["items"]]
    assert (items[0], items[2]) == (rows[0], rows[2])
    stub = items[1]
    assert stub["$path"] == "/1"
    assert stub["$size"] > 5_000
    assert stub["$summary"]["id"] == 2
    assert stub["$summary"]["body"] == "b" * 100 + "… [+4900 chars]"
    inside = agent.walk(token, path="/1/body")
    assert "".join(page["items"][0] for page in inside) == "b" * 5_000


def test_other_dicts_are_paged_as_entries(agent):
    value = {f"key {n}": {"n": [n]} for n in range(3_000)}
    pages = agent.walk(agent.offer(value).value["continuation_token"], page_size=500)
    items = [item for page in pages for item in page["items"]]
    assert items == [{"key": key, "value": inner} for key, inner in value.items()]


def test_beside_one_list_the_other_keys_are_in_the_envelope(agent):
    token = agent.offer({"query": "x", "rows": ROWS, "took": 5}).value["continuation_token"]
    page = agent.look(token, page=2)
    assert page["envelope"] == {"query": "x", "took": 5}
    assert page["items"] == ROWS[20:40]
    assert agent.look(page["next"])["envelope"] == {"query": "x", "took": 5}


def test_a_large_envelope_is_shown_in_brief(open_agent):
    agent = open_agent(budget="2kB")
    value = {"about": "a" * 2_000, "rows": ROWS}
    page = agent.look(agent.offer(value).value["continuation_token"])
    assert page["envelope"]["about"] == "a" * 100 + "… [+1900 chars]"
    assert page["items"]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"line {n}" for n in range(4_000)),
        "x" * 60_000,
        "short\n" + "é漢😀" * 9_000 + "\nend\n",
        "\n" * 30_000,
        '"quoted" \\ ' * 5_000,
    ],
    ids=["lines", "one line", "fat line", "empty lines", "escapes"],
)
@pytest.mark.parametrize("budget", ["1kB", "25kB", "500tok"])
def test_text_pages_join_to_the_text(open_agent, text, budget):
    agent = open_agent(budget=budget)
    pages = agent.walk(agent.offer(text).value["continuation_token"], page_size=1_000)
    lines = []
    for page in pages:
        window = page.get("window")
        if window and window["from"]:
            lines[-1] += page["items"][0]
        else:
            lines += page["items"]
    assert "\n".join(lines) == text


def test_a_window_says_what_it_shows(open_agent):
    agent = open_agent(budget="2kB")
    token = agent.offer("a\n" + "b" * 5_000).value["continuation_token"]
    second = agent.walk(token)[1]
    assert second["window"] == {"line": 2, "from": 0, "to": len(second["items"][0]), "of": 5_000}


def test_several_blocks_are_one_item_each(agent):
    blocks = [{"type": "text", "text": f"block {n} " + "x" * 5_000} for n in range(10)]
    pages = agent.walk(agent.offer(Result(content=blocks)).value["continuation_token"])
    assert [item for page in pages for item in page["items"]] == [b["text"] for b in blocks]


def test_a_number_keeps_its_digits(agent):
    digits = b"123456789012345678901234567890.10"
    raw = b"[" + b",".join([digits] * 2_000) + b"]"
    token = agent.offer(Result(structured=msgspec.Raw(raw))).value["continuation_token"]
    assert digits in agent.reply(token).payload
    assert digits in agent.reply(token, mode="summary").payload


@pytest.mark.parametrize(
    "position",
    [
        Position(row=-5),
        Position(page_size=-1),
        Position(offset=-1),
        Position(mode="magic"),
        Position(row_form="magic"),
        Position(path="no pointer"),
        Position(row=10**9),
        Position(page_size=10**9),
    ],
)
def test_a_position_that_a_holder_made_up_is_refused(agent, token, position):
    forged = str(parse(token).at(position.pack()))
    assert agent.refused(forged)["next_step"]


def test_an_offset_beyond_the_end_does_no_harm(agent):
    token = agent.offer("x" * 50_000).value["continuation_token"]
    reply = agent.reply(str(parse(token).at(Position(offset=10**9, page_size=20).pack())))
    assert len(reply.wire()) < 1_000


def test_unpackable_positions_are_refused(agent, token):
    for data in (b"\xff", b"\x01\x02", b"\x91\xa1x", b"\x80"):
        assert agent.refused(str(parse(token).at(data)))["next_step"]


@pytest.mark.parametrize(
    ("value", "look"),
    [
        ({"rows": [], "beside": "\n\n\n"}, {}),
        ({"rows": [{"a\nb": 1}] * 3}, {"mode": "filtered", "filter_keys": ["none"]}),
    ],
)
def test_newlines_beside_the_rows_count_in_structured_content(open_agent, value, look):
    call = {"frame": Frame(structured=True), "heavy": True}
    agent = open_agent(call=call, budget=Budget(bytes=1_000, lines=1))
    value["more"] = {"x": "y" * 3_000}
    token = agent.offer(value).value["continuation_token"]
    reply = agent.reply(token, **look)
    assert all(line_count(form) == 1 for form in reply.shown())
