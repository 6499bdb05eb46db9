"""Every structuredContent is valid by the output schema that the client was given."""

from __future__ import annotations

import json

import jsonschema
import pytest

from penstock import Frame, LiveRows, Result
from penstock.core.model.values import ABSENT
from penstock.core.protocol.schema import widen_output_schema
from penstock.errors import StoreUnavailable
from penstock.stores.memory import MemoryStore

ROWS = [{"id": n, "name": f"name {n}"} for n in range(2_000)]
ROW = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
    "required": ["id", "name"],
}
WRAPPED = {
    "type": "object",
    "$defs": {"Row": ROW},
    "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/Row"}}},
    "required": ["result"],
    "additionalProperties": False,
}
STRICT = {
    "type": "object",
    "$defs": {"Row": ROW},
    "properties": {
        "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
        "took": {"type": "integer"},
    },
    "required": ["rows", "took"],
    "additionalProperties": False,
}
MAP = {"type": "object", "additionalProperties": ROW}
CASES = [
    (WRAPPED, {"result": ROWS}),
    (STRICT, {"rows": ROWS, "took": 5}),
    (MAP, {str(n): row for n, row in enumerate(ROWS)}),
]
LOOKS = [
    {},
    {"page": 2, "page_size": 500},
    {"mode": "summary"},
    {"mode": "filtered", "filter_keys": ["id"]},
    {"mode": "search", "query": "name 7"},
    {"mode": "search", "query": "absent"},
    {"mode": "sql", "query": "SELECT count(*) AS n FROM result"},
    {"mode": "sql", "query": "SELECT * FROM result LIMIT 20"},
    {"mode": "sql", "query": "SELECT * FROM result"},
    {"mode": "query", "query": "length"},
    {"mode": "query", "query": "[range(9)]"},
    {"mode": "full"},
]


@pytest.fixture(params=CASES, ids=["wrapped", "strict", "map"])
def case(request):
    schema, value = request.param
    jsonschema.validate(value, schema)
    return widen_output_schema(schema), value


def validate(reply, schema):
    """Validate the reply as it is on the wire."""
    sent = json.loads(reply.wire())
    assert reply.structured_content is not ABSENT
    if sent.get("isError"):
        return  # clients do not validate errors
    jsonschema.validate(sent["structuredContent"], schema)


@pytest.fixture
def opened(open_agent):
    def make(**options):
        return open_agent(call={"frame": Frame(structured=True)}, **options)

    return make


def test_a_probe(opened, case):
    schema, value = case
    validate(opened().offer(Result(structured=value)), schema)


def test_what_passes_whole(opened, case):
    schema, value = case
    agent = opened(inline="10MB")
    content = [{"type": "text", "text": "x"}]
    for given in (Result(structured=value), Result(structured=value, content=content)):
        reply = agent.offer(given)
        validate(reply, schema)
        assert reply.structured_content == value


def test_every_look(opened, case):
    schema, value = case
    agent = opened(ceiling="1MB")
    token = agent.offer(Result(structured=value)).value["continuation_token"]
    for fields in LOOKS:
        reply = agent.reply(token, **fields)
        assert not reply.is_error, fields
        validate(reply, schema)
    assert agent.reply(token, mode="full").structured_content == value


def test_a_link(opened, case):
    schema, value = case
    agent = opened(ceiling="1kB")
    token = agent.offer(Result(structured=value)).value["continuation_token"]
    reply = agent.reply(token, mode="full")
    assert reply.content[1]["type"] == "resource_link"
    validate(reply, schema)


@pytest.mark.parametrize("path", ["/result", "/rows", "/7", "/took", "/7/name"])
@pytest.mark.parametrize("mode", ["full", "paginated", "summary"])
def test_every_part(opened, case, path, mode):
    schema, value = case
    agent = opened()
    token = agent.offer(Result(structured=value)).value["continuation_token"]
    validate(agent.reply(token, path=path, mode=mode), schema)


def test_every_answer_looked_at_again(opened, case):
    schema, value = case
    agent = opened()
    token = agent.offer(Result(structured=value)).value["continuation_token"]
    child = agent.look(token, mode="search", query="name 1")["continuation_token"]
    for fields in LOOKS:
        validate(agent.reply(child, **fields), schema)


def test_a_text_that_is_json_in_the_wrapper_of_a_framework(opened):
    text = {"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]}
    value = {"result": json.dumps(ROWS)}
    jsonschema.validate(value, text)
    agent = opened()
    token = agent.offer(Result(structured=value)).value["continuation_token"]
    for fields in LOOKS:
        validate(agent.reply(token, **fields), widen_output_schema(text))
    small = opened().offer(Result(structured={"result": "[1,2]"}))
    assert small.structured_content == {"result": "[1,2]"}


def test_a_refusal(opened, case):
    schema, _ = case
    agent = opened()
    reply = agent.reply("pen_" + "1" * 39)
    jsonschema.validate(reply.structured_content, schema)


class Down(MemoryStore):
    def put(self, key, record, *, now):
        raise StoreUnavailable


def test_what_could_not_be_stored(opened, case):
    schema, value = case
    validate(opened(store=Down()).offer(Result(structured=value)), schema)


@pytest.mark.parametrize("store", [MemoryStore, Down])
def test_a_page_of_live_rows(opened, case, store):
    schema, _ = case
    rows = [json.dumps(row).encode() for row in ROWS[:20]]
    validate(opened(store=store()).offer(LiveRows("ref", 500, rows, 9_999)), schema)
