"""Answers are results of their own: paged, queried, passed on, and gone when their parent is gone."""

from __future__ import annotations

import pytest

from penstock import Principal, Result
from penstock.core.model.continuation import parse

pytest.importorskip("jq")
ROWS = [{"id": n, "kind": "ab"[n % 2]} for n in range(3_000)]


@pytest.fixture
def token(agent):
    return agent.offer(ROWS).value["continuation_token"]


QUESTIONS = {
    "sql": "SELECT id FROM result WHERE kind = 'b' ORDER BY id",
    "query": '.[] | select(.kind == "b") | {id}',
    "search": "b",
}


@pytest.mark.parametrize("mode", QUESTIONS)
def test_it_can_be_looked_at_in_every_way(agent, token, mode):
    answer = agent.look(token, mode=mode, query=QUESTIONS[mode])
    child = answer["continuation_token"]
    assert child != token
    column = "path" if mode == "search" else "id"
    assert agent.look(child, page=2)["items"][0][column] in (41, "/41")
    assert agent.look(child, mode="summary")["total"] == 1_500
    assert len(agent.look(child, mode="full")) == 1_500
    assert agent.look(child, mode="filtered", filter_keys=[column])["missing_keys"] == []
    assert agent.look(child, path="/3", mode="full")[column] in (7, "/7")
    counted = agent.look(child, mode="sql", query="SELECT count(*) AS n FROM result")
    assert counted["items"] == [{"n": 1_500}]
    assert agent.look(child, mode="query", query="length")["value"] == 1_500
    assert agent.look(counted["continuation_token"], mode="full") == [{"n": 1_500}]


def test_a_small_answer_has_a_token_too(agent, token):
    answer = agent.look(token, mode="query", query="length")
    assert answer["value"] == 3_000
    assert agent.look(answer["continuation_token"], mode="full") == 3_000


def test_it_can_be_passed_on(agent, token):
    child = agent.look(token, mode="sql", query="SELECT id FROM result LIMIT 3")[
        "continuation_token"
    ]
    agent.call(lambda _: "done", rows=f"@result:{child}")
    assert agent.runs == [{"rows": [{"id": 0}, {"id": 1}, {"id": 2}]}]


def test_it_belongs_to_the_same_caller_and_tool(agent, token):
    child = agent.look(token, mode="query", query=".[0]")["continuation_token"]
    agent.but(principal=Principal("bob")).refused(child)
    agent.but(tool="other").refused(child)
    assert agent.but(tool="read_result", is_reader=True).look(child, mode="full") == ROWS[0]


def test_an_answer_through_the_reader_can_be_read_by_the_tool(agent, token):
    reader = agent.but(tool="read_result", is_reader=True)
    child = reader.look(token, mode="query", query=".[1]")["continuation_token"]
    assert agent.look(child, mode="full") == ROWS[1]


def test_it_ends_with_its_parents(agent, token):
    child = agent.look(token, mode="sql", query="SELECT * FROM result")["continuation_token"]
    grandchild = agent.look(child, mode="query", query=".[:5]")["continuation_token"]
    assert agent.look(grandchild, mode="full") == ROWS[:5]
    agent.gate.store.delete(parse(token).key)
    for orphan in (child, grandchild):
        assert "expired or not found" in agent.refused(orphan)["error"]


def test_reading_a_child_keeps_its_parents_alive(agent, token, clock):
    child = agent.look(token, mode="sql", query="SELECT * FROM result")["continuation_token"]
    for _ in range(5):
        clock.pass_by(200)
        agent.look(child)
    assert agent.look(token)["total"] == 3_000


def test_an_error_result_stays_one_but_its_answers_are_not(agent):
    reply = agent.offer(Result(structured=ROWS, is_error=True))
    assert reply.is_error
    token = reply.value["continuation_token"]
    assert agent.reply(token, mode="full").is_error
    assert not agent.reply(token, mode="query", query="length").is_error
    assert not agent.reply(token).is_error
