"""Refusals: callers that may not look at a result, and arguments of every wrong kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock import Principal
from penstock.core.browsing.request import INPUT_SCHEMA, BrowseRequest

ROWS = [{"id": n, "name": f"name {n}"} for n in range(1_500)]
LOOKS = ("browse", "show")


@pytest.fixture
def token(agent):
    return agent.offer(ROWS).value["continuation_token"]


def looked(agent, name, token, hooks=None, **arguments):
    call = replace(agent.template, arguments={"continuation_token": token, **arguments})
    return getattr(agent.gate, name)(call, **(hooks or {}))


def refusal_of_reader(agent, token, hooks=None):
    call = replace(agent.template, arguments={"continuation_token": token})
    return agent.gate.read(call, **(hooks or {}))


def assert_gone(agent, token, hooks=None):
    """Assert that the refusal is the reader's own, whatever the reason."""
    expected = refusal_of_reader(agent, token, hooks)
    assert expected.is_error
    for name in LOOKS:
        reply = looked(agent, name, token, hooks)
        assert reply.is_error
        assert reply.content == expected.content
        assert reply.structured_content == {**expected.value, "gone": True}


@pytest.mark.parametrize(
    "change",
    [{"principal": Principal("bob")}, {"principal": Principal()}, {"server": "other"}],
    ids=["another principal", "nobody", "another server"],
)
def test_a_result_is_its_owner_s(agent, token, change):
    assert_gone(agent.but(**change), token)
    assert not looked(agent, "browse", token).is_error


@pytest.mark.parametrize("answer", [False, None, 1, "yes"])
def test_the_permission_is_asked_again(agent, token, answer):
    asked = []

    def authorize(tool, origin):
        asked.append((tool, origin))
        return answer

    assert_gone(agent, token, {"authorize": authorize})
    assert set(asked) == {("tool", None)}


def test_permission_for_orders_is_asked_too(agent, token):
    order = looked(agent, "browse", token, find="7").structured_content["order"]
    allowed = [True, False]
    reply = looked(agent, "browse", token, {"authorize": lambda *_: allowed.pop(0)}, order=order)
    assert reply.is_error
    assert not allowed


@pytest.mark.parametrize(
    "token", ["x", "pen_", "pen_" + "1" * 39, "psk_" + "A" * 24, "\ud800", "a" * 10_000]
)
def test_what_is_no_token(agent, token):
    assert_gone(agent, token)


@pytest.mark.parametrize("token", [None, 5, True, ["pen_"], {"a": 1}, 1.5])
@pytest.mark.parametrize("name", LOOKS)
def test_a_token_of_another_type(agent, name, token):
    assert looked(agent, name, token).structured_content["gone"] is True


@pytest.mark.parametrize("name", LOOKS)
def test_no_token_at_all(agent, name):
    reply = getattr(agent.gate, name)(agent.template)
    assert reply.structured_content["gone"] is False
    assert reply.value["error"] == "continuation_token is missing."


def test_a_changed_token(agent, token):
    assert_gone(agent, token[:-1] + ("A" if token[-1] != "A" else "B"))


def test_a_handle_is_no_token(open_agent):
    agent = open_agent(call={"has_link": True}, ceiling="30kB")
    reply = agent.offer(ROWS)
    [link] = [block for block in reply.content if block["type"] == "resource_link"]
    handle = "pen_" + link["uri"].rpartition("/")[2]
    assert len(handle) == len("pen_") + 39
    assert_gone(agent, handle)


def test_expired(agent, token, clock):
    clock.pass_by(301)
    assert_gone(agent, token)


def test_a_wrong_token_says_nothing_of_the_arguments(agent, token):
    plain = looked(agent, "browse", "pen_" + "1" * 39)
    for arguments in ({"count": -5}, {"nope": 1}, {"path": "/x"}, {"sort": {"column": "nope"}}):
        assert looked(agent, "browse", "pen_" + "1" * 39, **arguments).wire() == plain.wire()
        assert looked(agent, "browse", token, **arguments).structured_content["gone"] is False


def test_a_place_in_a_result_is_a_token_of_it(agent, token):
    later = agent.look(token, page=3)["next"]
    assert looked(agent, "browse", later, count=2).structured_content["rows"] == ROWS[:2]


# -- arguments ----------------------------------------------------------------------------------

WRONG = [
    {"path": 5}, {"path": ["a"]}, {"path": "x"}, {"path": "/~5"}, {"path": "/9999999"},
    {"path": "/" + "x" * 20_000}, {"path": "/\ud800"}, {"path": "/~#5"}, {"path": "/0/id/deeper"},
    {"start": -1}, {"start": "5"}, {"start": 1.5}, {"start": True}, {"start": 2**53 + 1}, {"start": 10**400},
    {"start": float("nan")}, {"start": [1]},
    {"count": 0}, {"count": -1}, {"count": 1_001}, {"count": "all"},
    {"columns": "id"}, {"columns": [5]}, {"columns": {"id": 1}}, {"columns": ["x"] * 2_001},
    {"sort": "id"}, {"sort": {}}, {"sort": {"column": 5}}, {"sort": {"column": "id", "way": "up"}},
    {"sort": {"column": "id", "descending": "yes"}}, {"sort": ["id"]},
    {"where": {"column": "id"}}, {"where": ["id"]}, {"where": [{}]}, {"where": [{"column": "id"}]},
    {"where": [{"column": "id", "op": "like", "value": 1}]}, {"where": [None]},
    {"where": [{"column": "id", "op": "equals", "value": [1]}]},
    {"where": [{"column": "id", "op": "equals", "value": {"a": 1}}]},
    {"where": [{"column": "id", "op": "equals", "value": 1, "x": 1}]},
    {"where": [{"column": "id", "op": "less"}]}, {"where": [{"column": "id", "op": "matches"}]},
    {"where": [{"column": "id", "op": "equals", "value": 10**5_000}]},
    {"where": [{"column": "id", "op": "is_null"}] * 51},
    {"find": 5}, {"find": "x" * 10_001}, {"find": ["a"]},
    {"order": 5}, {"order": "nope"}, {"order": ["pen_"]},
    {"offset": -1}, {"offset": "0"}, {"offset": 2**60},
    {"raw": "yes"}, {"raw": 1},
    {"chart": "id"}, {"chart": {}}, {"chart": {"x": None}}, {"chart": {"x": "id", "z": 1}}, {"chart": {"y": "id"}},
    {"nope": 1}, {"Path": ""}, {"continuation_token ": "x"}, {"": 1}, {"mode": "sql"},
]  # fmt: skip


@pytest.mark.parametrize("arguments", WRONG, ids=range(len(WRONG)))
def test_wrong_arguments(agent, token, arguments):
    reply = looked(agent, "browse", token, **arguments)
    assert reply.is_error
    told = reply.structured_content
    assert told["gone"] is False
    assert told["error"]
    assert told["next_step"]
    assert reply.value == {"error": told["error"], "next_step": told["next_step"]}


def test_null_is_absent(agent, token):
    names = (
        "path",
        "start",
        "count",
        "columns",
        "sort",
        "where",
        "find",
        "order",
        "offset",
        "raw",
        "chart",
    )
    nothing = looked(agent, "browse", token, **dict.fromkeys(names))
    assert nothing.wire() == looked(agent, "browse", token).wire()


def test_the_schema_names_every_argument():
    assert tuple(INPUT_SCHEMA["properties"]) == BrowseRequest.__struct_fields__
