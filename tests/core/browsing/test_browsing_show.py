"""`show`: the facts about a result for the app, and the text for the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock import Principal

ROWS = [{"id": n, "name": f"name {n}"} for n in range(1_500)]
NAMES = {"reader": "read_it", "browser": "browse_it"}


def shown(agent, token, **arguments):
    call = replace(agent.template, arguments={"continuation_token": token, **arguments})
    return agent.gate.show(call)


def token_of(agent, value=ROWS):
    return agent.offer(value).value["continuation_token"]


def test_what_the_app_is_told(open_agent):
    agent = open_agent(call=NAMES)
    token = token_of(agent)
    reply = shown(agent, token)
    told = reply.structured_content
    assert told["result"] == {
        "continuation_token": token,
        "browse": "browse_it",
        "tool": "tool",
        "size": told["result"]["size"],
        "expires_in": 300,
        "slides": True,
        "live": False,
        "context_budget": 25_000,
        "can": ["sort", "filter", "chart"],
    }
    assert told["page"] == agent.gate.browse(_call(agent, token)).structured_content


def _call(agent, token, **arguments):
    return replace(agent.template, arguments={"continuation_token": token, **arguments})


def test_the_size_is_that_of_the_json(open_agent):
    agent = open_agent(call=NAMES, ceiling="10MB")
    token = token_of(agent)
    [whole] = agent.gate.browse(_call(agent, token, raw=True)).structured_content["rows"]
    assert shown(agent, token).structured_content["result"]["size"] == len(whole)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (ROWS, "1,500 rows"),
        ({f"k{n}": "x" * 90 for n in range(400)}, "400 entries"),
        ("line\n" * 9_000, "9,001 lines"),
        (int("7" * 4_000), "1 value"),
    ],
    ids=["rows", "entries", "lines", "value"],
)
def test_what_the_model_is_told(open_agent, value, said):
    agent = open_agent(call={**NAMES, "essence": {}})
    reply = shown(agent, token_of(agent, value))
    [block] = reply.content
    assert f"the stored result of tool ({said})" in block["text"]
    assert "read with read_it" in block["text"]
    assert len(block["text"]) < 500


def test_where_there_is_no_reader_the_tool_itself_is_named(open_agent):
    agent = open_agent()
    assert "read with tool and" in shown(agent, token_of(agent)).text


def test_a_name_of_any_length(open_agent):
    agent = open_agent(budget="1kB", call={**NAMES, "tool": "t" * 3_000})
    reply = shown(agent, token_of(agent))
    assert len(reply.text) < 900
    assert agent.gate.policy.ceiling.admits(reply.wire(), agent.gate.meter)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        ("10kB", 10_000),
        ("9000ch", 9_000),
        ("4000tok", 4_000),
        ("4000tok*2", 2_000),
        ("50kB+8000ch+5000tok", 5_000),
        ("10KiB+256lines", 10_240),
    ],
)
def test_the_context_budget_is_in_bytes_that_fit_whatever_they_say(open_agent, budget, expected):
    agent = open_agent(budget=budget)
    assert shown(agent, token_of(agent)).structured_content["result"]["context_budget"] == expected


def test_the_budget_is_the_tool_s_own(open_agent):
    agent = open_agent(tools={"tool": {"budget": "3kB"}})
    assert shown(agent, token_of(agent)).structured_content["result"]["context_budget"] == 3_000


def test_a_bearer_s_result_does_not_slide(open_agent, clock):
    agent = open_agent(call={"principal": Principal()}, bearer_ttl=120)
    token = token_of(agent)
    clock.pass_by(50.5)
    told = shown(agent, token).structured_content["result"]
    assert (told["slides"], told["expires_in"]) == (False, 69)
    clock.pass_by(70)
    assert shown(agent, token).structured_content["gone"] is True


def test_what_is_read_lives_on(open_agent, clock):
    agent = open_agent()
    token = token_of(agent)
    clock.pass_by(100)
    assert shown(agent, token).structured_content["result"]["expires_in"] == 200
    clock.pass_by(100)
    for _ in range(5):
        assert shown(agent, token).structured_content["result"]["expires_in"] == 300
        clock.pass_by(200)
    assert not shown(agent, token).is_error
    clock.pass_by(301)
    assert shown(agent, token).structured_content["gone"] is True


def test_without_sql_it_can_only_be_paged(open_agent):
    agent = open_agent(modes=["paginated", "full"])
    assert shown(agent, token_of(agent)).structured_content["result"]["can"] == []


def test_there_are_no_other_arguments(open_agent):
    agent = open_agent()
    token = token_of(agent)
    for given in ({"start": 50}, {"start": -1}, {"colour": "x"}):
        reply = shown(agent, token, **given)
        assert reply.is_error
        assert reply.structured_content["gone"] is False
