"""Charts through the gate and a real worker: as many points as the host takes."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

ROWS = [
    {
        "id": n,
        "kind": "abc"[n % 3],
        "x": n / 4,
        "name": f"{n % 25} " + "n" * 90,
        "day": f"2026-{1 + n % 12:02}-{1 + n % 28:02}",
    }
    for n in range(2_500)
]
CHARTS = [("kind", None), ("name", "id"), ("id", None), ("id", "x"), ("day", "id")]


def stored(agent, value):
    return agent.offer(value).value["continuation_token"]


def browse(agent, token, **arguments):
    call = replace(agent.template, arguments={"continuation_token": token, **arguments})
    reply = agent.gate.browse(call)
    assert agent.gate.policy.ceiling.admits(reply.wire(), agent.gate.meter)
    return reply


def test_charts_of_the_filtered_rows(agent):
    token = stored(agent, ROWS)
    where = [{"column": "id", "op": "less", "value": 30}]
    told = browse(agent, token, where=where, chart={"x": "kind", "y": "x"}).structured_content
    assert list(told) == ["chart"]
    chart = told["chart"]
    assert (chart["kind"], chart["rows"], chart["left_out"]) == ("categories", 30, 0)
    assert chart["points"][0] == {"x": "a", "count": 10, "mean": 13.5 / 4}
    found = browse(agent, token, find="B", chart={"x": "kind"}).structured_content["chart"]
    assert (found["points"][0]["x"], found["rows"]) == ("b", 833)


def test_charts_of_values_that_the_table_has_otherwise(agent):
    rows = [{"big": 10**25 + n * 10**24, "price": f"{n}.50", "ok": n < 900} for n in range(2_500)]
    token = stored(agent, rows)
    kinds = {}
    for x in rows[0]:
        chart = browse(agent, token, chart={"x": x}).structured_content["chart"]
        kinds[x] = chart["kind"]
        assert (chart["rows"], chart["left_out"]) == (2_500, 0)
    assert kinds == {"big": "histogram", "price": "histogram", "ok": "categories"}
    assert [(point["x"], point["count"]) for point in chart["points"]] == [
        ("false", 1_600),
        ("true", 900),
    ]


@pytest.mark.parametrize("ceiling", ["1kB", "3kB", "500tok"])
def test_a_chart_has_as_many_points_as_the_host_takes(open_agent, ceiling):
    agent = open_agent(ceiling=ceiling)
    token = stored(agent, ROWS)
    for x, y in CHARTS:
        chart = browse(agent, token, chart={"x": x, "y": y}).structured_content["chart"]
        assert chart["rows"] + chart["left_out"] == len(ROWS)
        assert len(chart["points"]) >= 3
        if chart["kind"] == "scatter":
            assert all(point["y"] == point["x"] / 4 for point in chart["points"])
        else:
            counted = [*chart["points"], chart.get("others", {"count": 0})]
            assert sum(point["count"] for point in counted) == chart["rows"] == len(ROWS)
            if chart["kind"] == "categories":
                names = {row[x] for row in ROWS}
                assert len(chart["points"]) + chart.get("others", {"values": 0})["values"] == len(
                    names
                )


@pytest.mark.parametrize("ceiling", ["1kB", "3kB"])
def test_where_few_points_have_room_the_outermost_are_among_them(open_agent, ceiling):
    agent = open_agent(ceiling=ceiling)
    outermost = [{"id": 701, "x": 9_999}, {"id": 1_203, "x": -9_999}, {"id": 2_499, "x": 2_499 / 4}]
    rows = [next((row for row in outermost if row["id"] == one["id"]), one) for one in ROWS]
    token = stored(agent, rows)
    points = browse(agent, token, chart={"x": "id", "y": "x"}).structured_content["chart"]["points"]
    assert len(points) < 120
    shown = [(point["x"], point["y"]) for point in points]
    assert {(row["id"], row["x"]) for row in outermost} <= {*shown}
    assert shown == sorted(shown)


def test_points_that_were_joined_are_where_they_were(open_agent):
    agent = open_agent(ceiling="1kB")
    chart = browse(agent, stored(agent, ROWS), chart={"x": "day", "y": "id"}).structured_content[
        "chart"
    ]
    points = chart["points"]
    assert (chart["left_out"], points[0]["x"]) == (0, "2026-01-01T00:00:00Z")
    assert points[-1]["x2"] == "2027-01-01T00:00:00Z"
    assert all(one["x2"] <= other["x"] for one, other in itertools.pairwise(points))
    mean = sum(point["mean"] * point["count"] for point in points) / len(ROWS)
    assert mean == pytest.approx(sum(range(2_500)) / 2_500)


def test_a_chart_for_which_there_is_no_room(open_agent):
    agent = open_agent(ceiling="1kB", call={"essence": {}})
    name = "n" * 2_000
    reply = browse(agent, stored(agent, [{name: n} for n in range(9)]), chart={"x": name})
    assert reply.is_error
    assert "room" in reply.value["error"]
