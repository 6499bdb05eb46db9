"""`query` and `sql` through the gate, in a real worker process; tests/worker has its limits."""

from __future__ import annotations

import json

import msgspec
import pytest
from shown_rows import shown_rows

from penstock import Result
from penstock.stores.memory import MemoryStore

pytest.importorskip("jq")
ROWS = [{"id": n, "kind": "ab"[n % 2], "at": {"x": n / 4}, "tags": [n]} for n in range(2_000)]
ENDPOINTS = {f"/v{n}": {"auth": "ab"[n % 2], "limits": {"rate": n}} for n in range(900)}
LOG = "\n".join(f"line {n}" if n % 100 else f"ERROR at {n}" for n in range(5_000))


def ask(agent, value, mode, query, **fields):
    token = agent.offer(value).value["continuation_token"]
    return agent.look(token, mode=mode, query=query, **fields)


@pytest.mark.parametrize(
    ("value", "statement", "rows"),
    [
        (ROWS, "SELECT count(*) AS n, sum(id) AS s FROM result", [{"n": 2_000, "s": 1_999_000}]),
        (
            ROWS,
            "SELECT id, \"at.x\" FROM result WHERE kind = 'b' LIMIT 1",
            [{"id": 1, "at.x": 0.25}],
        ),
        (ROWS, "SELECT tags FROM result WHERE id = 7", [{"tags": "[7]"}]),
        (
            ENDPOINTS,
            'SELECT key, "limits.rate" AS r FROM result ORDER BY r DESC LIMIT 1',
            [{"key": "/v899", "r": 899}],
        ),
        (
            LOG,
            "SELECT line, text FROM result WHERE text LIKE 'ERROR%' AND line > 4900",
            [{"line": 4_901, "text": "ERROR at 4900"}],
        ),
        (list(range(20_000)), "SELECT max(value) AS m FROM result", [{"m": 19_999}]),
        ({"page": 1, "rows": ROWS}, "SELECT count(*) AS n FROM result", [{"n": 2_000}]),
        (ROWS, "SELECT 1 AS one FROM result WHERE id < 0", []),
    ],
    ids=range(8),
)
def test_sql(agent, value, statement, rows):
    answer = ask(agent, value, "sql", statement)
    token = answer.pop("continuation_token")
    assert (shown_rows(answer), answer["total"]) == (rows, len(rows))
    assert token.startswith("pen_")


@pytest.mark.parametrize(
    ("value", "program", "expected"),
    [
        (ROWS, "length", {"value": 2_000}),
        (ROWS, ".[7]", {"value": ROWS[7]}),
        (ROWS, ".[:2] | map({id})", {"items": [{"id": 0}, {"id": 1}]}),
        (ROWS, ".[] | select(.id < 2) | .kind", {"items": ["a", "b"]}),
        (ROWS, "empty", {"items": []}),
        (ENDPOINTS, "keys | length", {"value": 900}),
        ({"page": 1, "rows": ROWS}, ".page", {"value": 1}),
        ({"page": 1, "rows": ROWS}, ".rows | length", {"value": 2_000}),
        (ROWS, "env | length", {"value": 0}),
        (ROWS, "$ENV | length", {"value": 0}),
        (ROWS, "null", {"value": None}),
        (ROWS, '"some text"', {"value": "some text"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_jq(agent, value, program, expected):
    answer = ask(agent, value, "query", program)
    answer.pop("continuation_token")
    assert answer == {**expected, "total": len(expected.get("items", [0]))}


def test_digits_survive_both(agent):
    digits = b"123456789012345678901234567890"
    raw = b"[" + b",".join([b'{"n":' + digits + b"}"] * 1_000) + b"]"
    token = agent.offer(Result(structured=msgspec.Raw(raw))).value["continuation_token"]
    assert digits in agent.reply(token, mode="query", query=".[0].n").payload
    assert digits in agent.reply(token, mode="sql", query="SELECT n FROM result LIMIT 1").payload


def test_a_large_answer_pages(agent):
    token = agent.offer(ROWS).value["continuation_token"]
    first = agent.look(token, mode="sql", query="SELECT * FROM result ORDER BY id DESC")
    assert (first["total"], first["has_more"]) == (2_000, True)
    pages = [first]
    while pages[-1]["next"]:
        pages.append(agent.look(pages[-1]["next"]))
    assert [row["id"] for page in pages for row in shown_rows(page)] == list(range(1_999, -1, -1))


def test_a_large_single_value_pages(agent):
    token = agent.offer(ROWS).value["continuation_token"]
    first = agent.look(token, mode="query", query='[.[] | tojson] | join("\\n")')
    pages = [first]
    while pages[-1]["next"]:
        pages.append(agent.look(pages[-1]["next"]))
    lines = [line for page in pages for line in page["items"]]
    assert [json.loads(line) for line in lines] == ROWS


def test_rows_over_the_limit_are_cut_and_it_says_so(open_agent):
    agent = open_agent(query_rows=50)
    token = agent.offer(ROWS).value["continuation_token"]
    for mode, query in (("sql", "SELECT id FROM result"), ("query", ".[].id")):
        answer = agent.look(token, mode=mode, query=query)
        assert (answer["truncated_at"], answer["total"]) == (50, 50)


def test_the_loaded_table_is_kept_for_the_next_question(open_agent):
    """The second question reads no row from the store."""

    class Counting(MemoryStore):
        reads = 0

        def read(self, key, numbers):
            Counting.reads += 1
            return super().read(key, numbers)

    agent = open_agent(store=Counting())
    token = agent.offer(ROWS * 5).value["continuation_token"]
    agent.look(token, mode="sql", query="SELECT count(*) FROM result")
    reads = Counting.reads
    assert reads > 0
    agent.look(token, mode="sql", query="SELECT max(id) FROM result")
    # One row is read to check the mode. The table is not read again.
    assert Counting.reads - reads <= 1


def test_questions_of_different_parts_do_not_mix(agent):
    token = agent.offer({"a": ROWS, "b": ROWS[:10]}).value["continuation_token"]
    for path, count in (("/a", 2_000), ("/b", 10), ("/a", 2_000)):
        answer = agent.look(token, path=path, mode="sql", query="SELECT count(*) AS n FROM result")
        assert answer["items"] == [{"n": count}]


def test_a_mode_refuses_what_it_does_not_fit(agent):
    text = agent.offer(LOG).value["continuation_token"]
    assert "sql" in agent.refused(text, mode="query", query=".")["next_step"]
