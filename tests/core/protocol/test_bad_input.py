"""Bad input of every kind: the answer is clear, names what is allowed, and is not a traceback."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from penstock import Budget, Call, Frame, Gate, Policy, Principal
from penstock.errors import InvalidSetting

ROWS = [{"id": n, "name": f"name {n}"} for n in range(2_000)]


@pytest.mark.parametrize("written", ["999B", 999, "0.9kB", "399tok", "999ch", "0", "0kB", "-1kB"])
def test_a_budget_below_the_least(written):
    with pytest.raises(InvalidSetting) as raised:
        Policy(budget=written)
    assert raised.value.setting == "budget"
    assert raised.value.next_step


@pytest.mark.parametrize(
    "written", ["10 furlongs", "10kBs", "10k", "kB", "", "ten kB", "10kB+10kB"]
)
def test_an_unknown_unit(written):
    with pytest.raises(InvalidSetting) as raised:
        Budget.parse(written)
    assert "25kB" in raised.value.next_step


JQ_LOOP = "def f: f; f"
SQL_LOOP = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) SELECT count(*) FROM t"
SQL_MANY = (
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10000000) "
    "SELECT n, n AS m FROM t"
)
BAD_FIELDS = [
    ({"page": 0}, "page"),
    ({"page": -3}, "page"),
    ({"page": "abc"}, "page"),
    ({"page": 10**9}, "page"),
    ({"page": 10**40}, "page"),
    ({"page": 1.5}, "page"),
    ({"page": True}, "page"),
    ({"page": [1]}, "page"),
    ({"page_size": 0}, "page_size"),
    ({"mode": "paginated", "page_size": 0}, "page_size"),
    ({"mode": "filtered", "filter_keys": ["id"], "page_size": "0"}, "page_size"),
    ({"mode": "summary", "page_size": 0}, "page_size"),
    ({"mode": "sql", "query": "SELECT 1", "page_size": -1}, "0 or more"),
    ({"mode": "sql", "query": "SELECT 1", "page_size": False}, "0 or more"),
    ({"mode": "sql", "query": "SELECT 1", "page_size": 0, "page": 2}, "Leave page out"),
    ({"page_size": -1}, "page_size"),
    ({"page_size": 10**9}, "page_size"),
    ({"page_size": 1_001}, "page_size"),
    ({"page_size": "many"}, "page_size"),
    ({"mode": "filtered", "filter_keys": 7}, "filter_keys"),
    ({"mode": "filtered", "filter_keys": "id"}, "filter_keys"),
    ({"mode": "filtered", "filter_keys": []}, "filter_keys"),
    ({"mode": "filtered"}, "filter_keys"),
    ({"mode": "filtered", "filter_keys": [7]}, "filter_keys"),
    ({"mode": "filtered", "filter_keys": [""]}, "filter_keys"),
    ({"mode": "filtered", "filter_keys": ["k"] * 500}, ""),
    ({"filter_keys": {"id": 1}}, "filter_keys"),
    ({"mode": "magic"}, "sql, query, search, summary, filtered, paginated, full"),
    ({"mode": 7}, "sql, query, search, summary, filtered, paginated, full"),
    ({"mode": ["sql"]}, "sql, query, search, summary, filtered, paginated, full"),
    ({"mode": "SQL"}, "sql"),
    ({"path": "rows/0"}, "/items/0/name"),
    ({"path": "/0/~2"}, "JSON Pointer"),
    ({"path": "/no"}, "path"),
    ({"path": 7}, "path"),
    ({"path": "/" + "x" * 20_000}, "path"),
    ({"query": "SELECT 1"}, "mode"),
    ({"mode": "sql"}, "query"),
    ({"mode": "query", "query": ""}, "jq"),
    ({"mode": "search", "query": 7}, "query"),
    ({"mode": "query", "query": ".["}, "compile"),
    ({"mode": "query", "query": ".[0] | keys | .x"}, "failed"),
    ({"mode": "query", "query": 'import "a" as a; .'}, "modules"),
    ({"mode": "query", "query": "[range(1e9)] | length"}, "ended"),
    ({"mode": "query", "query": '"x" * 10000000000 | length'}, ""),
    ({"mode": "query", "query": "x" * 20_000}, "characters"),
    ({"mode": "sql", "query": "DELETE FROM result"}, "SELECT"),
    ({"mode": "sql", "query": "DROP TABLE result"}, "SELECT"),
    ({"mode": "sql", "query": "INSERT INTO result VALUES (1, 2)"}, "SELECT"),
    ({"mode": "sql", "query": "CREATE TABLE t (x)"}, "SELECT"),
    ({"mode": "sql", "query": "ATTACH '/tmp/x.db' AS x"}, "SELECT"),
    ({"mode": "sql", "query": "PRAGMA journal_mode"}, "SELECT"),
    ({"mode": "sql", "query": "SELECT 1; SELECT 2"}, "one"),
    ({"mode": "sql", "query": "SELECT load_extension('x')"}, ""),
    ({"mode": "sql", "query": "SELECT nope FROM result"}, "id"),
]


@contextmanager
def opened(seconds):
    """Open one gate with short limits, and yield it with a token."""
    gate = Gate(Policy(query_seconds=seconds, query_memory="128MB"))
    call = Call("tool", {"city": "Bern", "opts": {"a": 1, "b": [2]}}, Principal("ann"))
    token = gate.offer(call, ROWS).value["continuation_token"]
    yield gate, token
    gate.close()


@pytest.fixture(scope="module")
def bench():
    with opened(60) as found:
        yield found


@pytest.fixture(scope="module")
def hurried_bench():
    with opened(1) as found:
        yield found


def ask(bench, arguments, frame=None):
    def never(_arguments):
        raise AssertionError("the tool was run")

    gate, _ = bench
    return gate.call(Call("tool", arguments, Principal("ann"), frame=frame or Frame()), never)


def is_clear(reply):
    assert reply.is_error
    assert b'"isError":true' in reply.wire()
    assert set(reply.value) == {"error", "next_step"}
    assert reply.value["error"]
    assert reply.value["next_step"]
    assert "Traceback" not in reply.text
    assert len(reply.wire()) <= 2_000
    return f"{reply.value['error']} {reply.value['next_step']}"


@pytest.mark.parametrize(("fields", "named"), BAD_FIELDS, ids=lambda value: str(value)[:60])
def test_bad_fields(bench, fields, named):
    said = is_clear(ask(bench, {"continuation_token": bench[1], **fields}))
    assert named in said


@pytest.mark.parametrize(("mode", "query"), [("query", JQ_LOOP), ("sql", SQL_LOOP)])
def test_a_loop_is_ended(hurried_bench, mode, query):
    token = hurried_bench[1]
    said = is_clear(ask(hurried_bench, {"continuation_token": token, "mode": mode, "query": query}))
    assert "longer than 1 s" in said


def test_an_unknown_key_is_named_and_no_error(bench):
    reply = ask(
        bench, {"continuation_token": bench[1], "mode": "filtered", "filter_keys": ["nope"]}
    )
    assert reply.value["missing_keys"] == ["nope"]


def test_the_environment_cannot_be_read(bench):
    for program in ("env | length", "$ENV | length", "[env, $ENV] | add | length"):
        arguments = {"continuation_token": bench[1], "mode": "query", "query": program}
        assert ask(bench, arguments).value["value"] == 0


def test_ten_million_rows_are_cut_or_refused(bench):
    reply = ask(bench, {"continuation_token": bench[1], "mode": "sql", "query": SQL_MANY})
    if reply.is_error:
        is_clear(reply)
    else:
        assert reply.value["truncated_at"] == 100_000


@pytest.mark.parametrize("token", [7, 7.5, True, ["pen_x"], {"a": 1}])
def test_a_token_that_is_not_text(bench, token):
    assert "not text" in is_clear(ask(bench, {"continuation_token": token}))


@pytest.mark.parametrize(
    "token", ["pen_" + "a" * 10**6, "x", "pen_" + "1" * 39, "\ud800", "pen_\x00"]
)
def test_a_token_that_is_none(bench, token):
    assert "expired or not found" in is_clear(ask(bench, {"continuation_token": token}))


@pytest.mark.parametrize("token", ["", None, [], {}])
def test_an_empty_token_is_absent(agent, token):
    assert agent.call(lambda _: "ran", continuation_token=token).value == "ran"
    assert agent.runs == [{}]


def test_anothers_token(agent):
    token = agent.offer(ROWS).value["continuation_token"]
    reply = agent.but(principal=Principal("bob")).reply(token)
    assert "expired or not found" in is_clear(reply)


@pytest.mark.parametrize(
    "beside",
    [
        {"city": "Rome"},
        {"opts": {"a": 1}},
        {"opts": {"a": 1, "b": [2, 3]}},
        {"unknown": 1},
        {"city": ["Bern"]},
    ],
    ids=str,
)
def test_arguments_that_differ_are_refused_by_name(bench, beside):
    said = is_clear(ask(bench, {"continuation_token": bench[1], **beside}))
    assert next(iter(beside)) in said


@pytest.mark.parametrize(
    "beside",
    [
        {"city": "Bern"},
        {"opts": {"b": [2], "a": 1}},
        {"city": None, "opts": {}},
        {"city": "Bern", "opts": {"a": 1, "b": [2]}},
    ],
    ids=str,
)
def test_arguments_that_are_equal_or_empty_are_accepted(bench, beside):
    reply = ask(bench, {"continuation_token": bench[1], **beside})
    assert reply.value["total"] == 2_000


def test_the_token_is_checked_before_anything_else(bench):
    bad = {"continuation_token": "pen_" + "1" * 39, "mode": "magic", "page": -1, "city": "Rome"}
    assert "expired or not found" in is_clear(ask(bench, bad))


@pytest.mark.parametrize("structured", [False, True])
def test_errors_are_within_the_smallest_budget(open_agent, structured):
    frame = Frame(structured=structured, fields={"resultType": "complete"})
    agent = open_agent(budget="1kB", call={"frame": frame})
    token = agent.offer(ROWS).value["continuation_token"]
    long = "ü" * 9_000
    for fields in (
        {"mode": long},
        {"path": "/" + long},
        {"page": long},
        {long: 1},
        {"filter_keys": long},
    ):
        reply = agent.reply(token, **fields)
        assert reply.is_error
        assert len(reply.wire()) <= 1_000, fields
