"""The replies to `sql`, `query` and `search`: what they carry, what that costs, and no rows at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shown_rows import shown_rows

from penstock import Call, Gate, Principal
from penstock.core.budget.measure import default_meter
from penstock.errors import StoreError
from penstock.stores.memory import MemoryStore

pytest.importorskip("jq")
ROWS = [{"id": n, "kind": "ab"[n % 2], "pad": "x" * 40} for n in range(1_000)]
BARE = {"total", "continuation_token"}
METER = default_meter()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture(scope="module")
def asked():
    """Return a function that asks a stored result in jq, and returns the text of the reply."""
    with Gate() as gate:
        call = Call("rows", {}, Principal("ann"))
        token = gate.offer(call, ROWS).value["continuation_token"]

        def ask(program):
            arguments = {"continuation_token": token, "mode": "query", "query": program}
            reply = gate.read(Call("rows", arguments, Principal("ann")))
            assert not reply.is_error, reply.text
            return reply.text

        yield ask


@given(VALUES.filter(lambda value: len(compact(value).encode()) < 100))
@example("x")
@example([])
@example({})
@example([{"id": 1}])
@example('"]}')
@example('}":""1!数}:\\",?.,aa[\\')
def test_a_small_value_costs_under_30_tokens_of_envelope(asked, value):
    text = asked(compact(value))
    told = json.loads(text)
    assert told.keys() - {"value", "items", "columns", "rows"} == BARE
    assert (told["value"] if "value" in told else shown_rows(told)) == value
    sent = compact(value)
    if "rows" not in told:
        sent = text[len('{"value":') : text.rindex(',"total":')]  # jq escapes more than `compact`
        assert json.loads(sent) == value
    assert METER.count(text) - METER.count(sent) < 30, text


@pytest.mark.parametrize(
    ("mode", "query"),
    [("sql", "SELECT id FROM result WHERE id < 20"), ("query", ".[:20]"), ("search", '"b"')],
)
def test_an_answer_of_one_page_has_no_fields_of_a_page(agent, mode, query):
    token = agent.offer([*ROWS, {"q": '"b"'}]).value["continuation_token"]
    answer = agent.look(token, mode=mode, query=query)
    assert answer.keys() - {"items", "columns", "rows"} == BARE
    assert len(shown_rows(answer)) == answer["total"]


def test_an_answer_of_several_pages_has_them_on_every_page(agent):
    token = agent.offer(ROWS).value["continuation_token"]
    first = agent.look(token, mode="sql", query="SELECT id FROM result LIMIT 40")
    assert (first["page"], first["page_size"], first["has_more"]) == (1, 20, True)
    last = agent.look(first["next"])
    assert (last["page"], last["has_more"], last["next"]) == (2, False, None)
    asked = {"mode": "sql", "query": "SELECT id FROM result LIMIT 40", "page": 2}
    assert agent.look(token, **asked)["previous"]


def test_the_token_of_an_answer_shows_it_as_pages(agent):
    token = agent.offer(ROWS).value["continuation_token"]
    answer = agent.look(token, mode="sql", query="SELECT id FROM result LIMIT 2")
    page = agent.look(answer["continuation_token"])
    assert page["items"] == answer["items"] == [{"id": 0}, {"id": 1}]
    assert (page["page"], page["has_more"], page["next"]) == (1, False, None)


@pytest.mark.parametrize("size", [0, "0", 0.0])
@pytest.mark.parametrize(
    ("mode", "query", "count", "columns"),
    [
        ("sql", "SELECT id, kind FROM result WHERE id < 500", 500, {"id": "int", "kind": "str"}),
        ("query", "map({id})", 1_000, {"id": "int"}),
        ("query", ".[] | .id", 1_000, None),
        ("query", "{a: 1, list: [1, 2]}", 1, None),
        ("query", "length", 1, None),
        ("search", "xx", 1_000, {"path": "str", "in": "list", "value": "{id, kind, pad}"}),
        ("sql", "SELECT id FROM result WHERE id < 0", 0, None),
    ],
)
def test_page_size_0_stores_the_answer_and_shows_no_row(agent, size, mode, query, count, columns):
    token = agent.offer(ROWS).value["continuation_token"]
    answer = agent.look(token, mode=mode, query=query, page_size=size)
    assert answer.pop("continuation_token") != token
    answer.pop("note", None)
    shown = {} if columns is None else {"columns": columns}
    assert answer == {"total": count, **shown}


def test_an_answer_without_rows_can_be_read_and_handed_on(agent):
    token = agent.offer(ROWS).value["continuation_token"]
    query = "SELECT id FROM result WHERE id >= 990"
    answer = agent.look(token, mode="sql", query=query, page_size=0)
    rows = [{"id": n} for n in range(990, 1_000)]
    assert agent.look(answer["continuation_token"])["items"] == rows
    assert agent.look(answer["continuation_token"])["page_size"] == 20
    handed = f"@result:{answer['continuation_token']}"
    assert agent.call(lambda arguments: arguments["rows"], rows=handed).value == rows


def test_many_columns_are_counted_within_the_budget(open_agent):
    agent = open_agent(budget="1kB")
    token = agent.offer([{f"column {'x' * (n % 7)}{n}": n for n in range(500)}] * 3).value[
        "continuation_token"
    ]
    reply = agent.reply(token, mode="sql", query="SELECT * FROM result", page_size=0)
    answer = reply.value
    assert len(reply.wire()) <= 1_000
    assert answer["total"] == 3
    assert len(answer.get("columns", {})) + answer["columns_omitted"] == 500


class Full(MemoryStore):
    """A store that keeps one result, and no answer."""

    def put(self, key, record, *, now):
        if self._entries:
            raise StoreError("full")
        super().put(key, record, now=now)


def test_rows_are_shown_if_the_answer_cannot_be_stored(open_agent):
    agent = open_agent(store=Full())
    token = agent.offer(ROWS).value["continuation_token"]
    answer = agent.look(token, mode="sql", query="SELECT id FROM result LIMIT 2", page_size=0)
    assert answer["items"] == [{"id": 0}, {"id": 1}]
    assert "could not be stored" in answer["notice"]
    assert "continuation_token" not in answer
