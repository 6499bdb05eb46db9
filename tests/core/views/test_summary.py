"""`summary`: the shape of a result and some examples, at a low cost."""

from __future__ import annotations

import random

import pytest

from penstock.core.budget.measure import default_meter

ENDPOINT = {"rate_limit": 1, "auth": "x", "timeout_ms": 2}


def summary(agent, value, **fields):
    token = agent.offer(value).value["continuation_token"]
    reply = agent.reply(token, mode="summary", **fields)
    assert not default_meter().exceeds(reply.wire().decode(), 2_000)
    return reply.value


def test_rows_show_five_items_and_a_profile(agent):
    rows = [
        {"id": n, "kind": "ab"[n % 3 == 0], "score": n / 2 if n % 4 else None, "more": [n]}
        for n in range(3_000)
    ]
    told = summary(agent, rows)
    assert (told["total"], told["omitted"]) == (3_000, 2_995)
    assert told["items"] == rows[:5]
    columns = told["columns"]
    assert columns["id"] == {
        "type": "int",
        "distinct": 1_000,
        "distinct_is": "at least",
        "min": 0,
        "max": 2_999,
    }
    assert columns["kind"] == {
        "type": "str",
        "distinct": 2,
        "min": "a",
        "max": "b",
        "commonest": ["a", 2_000],
    }
    assert columns["score"]["nulls"] == 750
    assert (columns["score"]["min"], columns["score"]["max"]) == (0.5, 1_499.5)
    assert columns["more"] == {"type": "list"}


def test_values_are_cut_to_a_hundred_characters_and_marked(agent):
    rows = [{"id": n, "body": "é" * 500} for n in range(200)]
    assert summary(agent, rows)["items"][0]["body"] == "é" * 100 + "… [+400 chars]"


def test_a_nested_value_is_shown_as_its_shape(agent):
    rows = [{"id": n, "inner": {"a": "x" * 90, "b": list(range(60))}} for n in range(200)]
    assert summary(agent, rows)["items"][0]["inner"] == "{a, b}"


def test_of_wide_rows_ten_keys(agent):
    rows = [{f"c{n}": n for n in range(30)} for _ in range(300)]
    first = summary(agent, rows)["items"][0]
    assert list(first) == [*(f"c{n}" for n in range(10)), "…"]
    assert first["…"] == "20 more keys"


def test_a_dict_shows_ten_keys(agent):
    value = {f"key {n}": n if n % 2 else {"deep": {"er": n}} for n in range(3_000)}
    told = summary(agent, value)
    assert (told["total"], told["omitted"]) == (3_000, 2_990)
    assert list(told["summary"]) == [f"key {n}" for n in range(10)]
    assert told["summary"]["key 1"] == 1
    assert told["summary"]["key 2"] == {"deep": "{er}"}


def test_a_map_of_alike_entries_is_profiled(agent):
    told = summary(agent, {f"/v{n}": {**ENDPOINT, "timeout_ms": n} for n in range(900)})
    assert told["columns"]["timeout_ms"]["max"] == 899
    assert told["columns"]["auth"]["commonest"] == ["x", 900]


def test_nested_dicts_show_their_outline(agent):
    told = summary(agent, {"name": "x", "endpoints": {f"/v{n}": ENDPOINT for n in range(899)}})
    assert told["summary"]["endpoints"] == "{899 × {rate_limit, auth, timeout_ms}}"


@pytest.mark.parametrize(
    ("value", "path", "shown"),
    [
        ({"a": 5, "b": "x" * 50_000}, "/a", 5),
        ({"a": None, "b": "x" * 50_000}, "/a", None),
    ],
)
def test_a_literal_is_itself(agent, value, path, shown):
    assert summary(agent, value, path=path) == {"value": shown, "total": 1, "omitted": 0}


# -- text --------------------------------------------------------------------------------------


def log(lines=50_000, seed=1):
    rng = random.Random(seed)
    text = [
        f"at 03:04:{n % 60:02} INFO  worker-{rng.randrange(9)} request {rng.randrange(10**6)} took {rng.randrange(500)} ms"
        for n in range(lines)
    ]
    text[31_337 % lines] = "at 03:04:05 ERROR worker-3 disk /dev/sda1 is on fire"
    text[40_000 % lines] = "at 03:04:05 WARN  worker-3 getting warm: 80 degrees"
    text[20_000 % lines] = "garbage collection was paused by an operator named Quux"
    return text


def test_the_one_error_in_fifty_thousand_lines_survives(agent):
    lines = log()
    told = summary(agent, "\n".join(lines))
    assert told["total"] == 50_000
    assert told["head"] == lines[:5]
    assert told["tail"] == lines[-5:]
    assert told["omitted"] == 49_990
    assert told["counts"] == {"error": 1, "warning": 1}
    texts = [(line["line"], line["text"]) for line in told["notable"]]
    assert texts[0] == (31_338, lines[31_337])
    assert texts[1] == (40_001, lines[40_000])
    assert (20_001, lines[20_000]) in texts


def test_equal_errors_cost_one_line(agent):
    lines = log()
    for n in range(0, 50_000, 50):
        lines[n] = f"at 03:04:05 ERROR connection {n} was lost"
    told = summary(agent, "\n".join(lines))
    lost = [line for line in told["notable"] if "was lost" in line["text"]]
    assert len(lost) == 1
    assert lost[0]["times"] == 1_000
    assert any("on fire" in line["text"] for line in told["notable"])


@pytest.mark.parametrize("budget", ["1kB", "500tok", "1000ch"])
def test_the_error_survives_the_smallest_budget(open_agent, budget):
    told = summary(open_agent(budget=budget), "\n".join(log()))
    assert told["notable"][0]["line"] == 31_338
    assert told["notable"][0]["text"].startswith("at 03:04:05 ERROR")


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):",
        "panic: runtime error",
        "java.lang.NullPointerException: x",
        "FATAL could not start",
        "the build failed",
        "ValueError: nope",
    ],
)
def test_what_counts_as_grave(agent, line):
    lines = log()
    lines[12_345] = line
    told = summary(agent, "\n".join(lines))
    assert line in [found["text"] for found in told["notable"]]


# -- logs --------------------------------------------------------------------------------------


def stamped(lines):
    return [line.replace("at 03:04", "2026-01-02T03:04", 1) for line in lines]


def test_a_log_has_its_levels_and_its_notable_lines(agent):
    lines = stamped(log())
    told = summary(agent, "started by hand\n" + "\n".join(lines))
    assert told["total"] == 49_999  # one line continues an entry
    assert told["levels"] == {"INFO": 49_997, "ERROR": 1, "WARN": 1}
    texts = [(line["line"], line["text"]) for line in told["notable"]]
    assert texts[0] == (31_339, lines[31_337])
    assert texts[1] == (40_002, lines[40_000])
    assert (20_002, lines[20_000]) in texts
    assert told["items"][0]["level"] == "INFO"
    assert told["columns"]["time"]["min"] == "2026-01-02T03:04:00"
    assert told["text_before"] == "started by hand"


@pytest.mark.parametrize("budget", ["1kB", "500tok", "1000ch"])
def test_the_error_in_a_log_survives_the_smallest_budget(open_agent, budget):
    told = summary(open_agent(budget=budget), "\n".join(stamped(log())))
    assert told["notable"][0]["line"] == 31_338
    assert told["levels"]["ERROR"] == 1


def test_a_log_without_levels_counts_its_grave_lines(agent):
    lines = [f"2026-01-02 03:04:05 did {n}" for n in range(3_000)]
    lines[70] = "2026-01-02 03:04:05 the build failed"
    told = summary(agent, "\n".join(lines))
    assert (told["counts"], told["notable"][0]["line"]) == ({"error": 1}, 71)


# -- documents ---------------------------------------------------------------------------------


def test_headings_of_a_document(agent):
    text = "\n".join(f"# Chapter {n}\n\n" + "word " * 200 for n in range(100))
    told = summary(agent, text)
    assert told["counts"]["heading"] == 100
    assert told["notable"][0]["text"] == "# Chapter 0"


def test_a_summary_is_under_its_tokens_whatever_the_budget(open_agent):
    agent = open_agent(budget="1MB", inline="1kB")
    wide = [{f"column {c}": f"{'wide ' * 15}{n}" for c in range(300)} for n in range(50)]
    assert summary(agent, wide)["columns_omitted"] > 0
    assert summary(agent, {f"key {n} {'k' * 200}": "v" * 300 for n in range(500)})["total"] == 500
    assert summary(agent, "\n".join(f"ERROR {'x' * n}" for n in range(400)))["notable"]
