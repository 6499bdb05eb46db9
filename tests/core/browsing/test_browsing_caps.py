"""Every reply is within the host's ceiling, and brings at least one row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.core.model.values import Frame

CEILINGS = ["1kB", "1000ch", "500tok", "1kB+3lines", "5kB", "25kB"]
FRAME = Frame(structured=True, fields={"resultType": "complete"})


def nested(depth, name):
    value = ["leaf", {"n": 1}]
    for _ in range(depth):
        value = {name: value, "other": 1}
    return value


VALUES = {
    "rows": [{"id": n, "t": "é" * (n % 90)} for n in range(300)],
    "wide": [{f"column {n}": n for n in range(300)}] * 5,
    "fat": [{"body": "b" * 5_000, "tags": list(range(900))}] * 5,
    "escapes": ["\u0001" * 5_000] * 5,
    "not ASCII": ["漢😀" * 3_000] * 5,
    "newlines": [{"t": "\n" * 1_500}] * 5,
    "entries": {f"{n}" * 40: {"n": n} for n in range(100)},
    "long keys": {f"{n}" * 3_000: {"n": n} for n in range(5)},
    "lines": "\n".join("l" * (n % 200) for n in range(500)),
    "one line": "x" * 9_000,
    "deep": nested(30, "name " * 8),
    "beside": {"about": "a" * 5_000, "items": [{"a": n} for n in range(900)]},
    "cuts": [{f"c{n}": "x" * 2_500 for n in range(40)}] * 3,
    "numbers": [{"n": int("7" * 1_500)}] * 5,
}
LOOKS = [
    {},
    {"count": 1_000},
    {"start": 2, "count": 3},
    {"start": 10**9},
    {"raw": True},
    {"raw": True, "offset": 5},
    {"columns": ["n", "c1", "body"]},
    {"path": "/0"},
    {"path": "/1/body"},
    {"path": "/nowhere/" + "x" * 5_000},
    {"path": ("/" + "name " * 8) * 20},
    {"path": "no pointer"},
    {"no_such_" + "x" * 5_000: 1},
    {"count": "x" * 5_000},
    {"where": [{"column": "x" * 5_000, "op": "y" * 5_000}]},
    {"order": "x" * 5_000},
]


def token_of(agent, value):
    return agent.offer(value).value["continuation_token"]


def reply_to(agent, look, arguments):
    reply = look(replace(agent.template, arguments=arguments))
    policy = agent.gate.policy
    assert policy.ceiling.admits(reply.wire(), agent.gate.meter), reply.wire()[:2_000]
    if reply.is_error:
        assert policy.budget.admits(reply.wire(), agent.gate.meter)
        assert set(reply.structured_content) == {"error", "next_step", "gone"}
    return reply


@pytest.fixture(params=CEILINGS)
def agent(open_agent, request):
    return open_agent(ceiling=request.param, call={"essence": {}, "frame": FRAME})


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_every_reply_is_within_the_ceiling(agent, value):
    token = token_of(agent, value)
    for arguments in LOOKS:
        told = {"continuation_token": token, **arguments}
        reply = reply_to(agent, agent.gate.browse, told).structured_content
        has_rows = "rows" in reply and reply["start"] < reply["total"]
        assert not has_rows or reply["rows"]
        assert "more room" not in reply.get("error", "") or len(arguments["path"]) > 500
    shown = reply_to(agent, agent.gate.show, {"continuation_token": token})
    assert shown.structured_content["page"]["rows"]


@pytest.mark.parametrize("token", ["", "x" * 9_000, None, 5, ["pen"], "pen_" + "1" * 39])
def test_refusals_are_within_the_ceiling(agent, token):
    for look in (agent.gate.browse, agent.gate.show):
        assert reply_to(agent, look, {"continuation_token": token, "x" * 9_000: 1}).is_error


@pytest.mark.parametrize("ceiling", ["1kB", "500tok"])
def test_orders_too(open_agent, ceiling):
    agent = open_agent(ceiling=ceiling)
    for value, asked in (
        (VALUES["rows"], {"sort": {"column": "id", "descending": True}}),
        (VALUES["wide"], {"find": "299"}),
        (VALUES["lines"], {"find": "L"}),
        (VALUES["wide"], {"find": "nowhere"}),
        (VALUES["fat"], {"sort": {"column": "x" * 5_000}}),
    ):
        token = token_of(agent, value)
        reply = reply_to(agent, agent.gate.browse, {"continuation_token": token, **asked})
        seen = reply.structured_content
        while not reply.is_error and len(seen["rows"]) < min(seen["total"], 20):
            more = {"order": seen["order"], "start": len(seen["rows"])}
            page = reply_to(agent, agent.gate.browse, {"continuation_token": token, **more})
            assert page.structured_content["rows"]
            seen["rows"] += page.structured_content["rows"]


def test_columns_that_take_all_the_room_are_left_out(open_agent):
    """The rows matter more."""
    agent = open_agent(ceiling="10kB")
    rows = [{f"a column with number {n}": n for n in range(190)}] * 5
    page = reply_to(agent, agent.gate.browse, {"continuation_token": token_of(agent, rows)})
    assert page.structured_content["rows"] == rows[:1]
    assert "columns" not in page.structured_content


def test_an_ordinary_ceiling_is_used_up(open_agent):
    agent = open_agent(ceiling="50kB")
    rows = [{"id": n, "t": "x" * 80} for n in range(1_000)]
    page = reply_to(
        agent, agent.gate.browse, {"continuation_token": token_of(agent, rows), "count": 1_000}
    )
    assert len(page.wire()) > 49_000
