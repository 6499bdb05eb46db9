"""`@result:` arguments: a stored value passed on, in a form that the schema admits."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from penstock import Principal, Result

DIGITS = 123456789012345678901234567890
VALUE = {
    "rows": [{"id": n, "big": DIGITS} for n in range(1_000)],
    "name": "a name",
    "n": 5,
    "f": 1.5,
    "yes": True,
    "nothing": None,
    "a/b": [1],
}
MODEL = {"type": "object", "properties": {"text": {"type": "string"}, "rows": {"type": "array"}}}


def schema_of(**properties):
    return {
        "type": "object",
        "properties": properties,
        "$defs": {
            "Rows": {"type": "array"},
            "Text": {"type": "string"},
            "Model": MODEL,
            "a/b": {"type": "string"},
        },
    }


@pytest.fixture
def token(agent):
    return agent.offer(VALUE).value["continuation_token"]


def run_with(agent, schema=None, **arguments):
    """Return the arguments that the tool got."""
    caller = agent.but(tool="consumer", schema=schema)
    reply = caller.call(lambda _: "done", **arguments)
    assert not reply.is_error, reply.text
    (given,) = caller.runs
    return given


def test_the_whole_and_parts(agent, token):
    given = run_with(
        agent,
        whole=f"@result:{token}",
        part=f"@result:{token}#/rows/7/id",
        escaped=f"@result:{token}#/a~1b",
        text=f"@result:{token}#/name",
        plain="@ result",
    )
    assert given == {
        "whole": VALUE,
        "part": 7,
        "escaped": [1],
        "text": "a name",
        "plain": "@ result",
    }


def test_at_any_depth(agent, token):
    reference = f"@result:{token}#/n"
    given = run_with(
        agent, deep={"list": [1, [reference], {"k": (reference, "x")}]}, other={"a": [1]}
    )
    assert given == {"deep": {"list": [1, [5], {"k": [5, "x"]}]}, "other": {"a": [1]}}


def test_only_a_whole_value_is_a_reference(agent, token):
    text = f"see @result:{token}"
    assert run_with(agent, text=text, **{"@result:x": 1}) == {"text": text, "@result:x": 1}


def test_large_numbers_are_exact(agent):
    raw = b'{"n":[' + str(DIGITS).encode() + b',1.10],"pad":"' + b"x" * 40_000 + b'"}'
    token = agent.offer(Result(structured=msgspec.Raw(raw))).value["continuation_token"]
    assert run_with(agent, n=f"@result:{token}#/n/0") == {"n": DIGITS}
    as_text = run_with(agent, schema_of(n={"type": "string"}), n=f"@result:{token}#/n")
    assert as_text == {"n": f"[{DIGITS},1.10]"}


def test_text_results_are_texts(agent):
    log = "line\n" * 9_000
    token = agent.offer(log).value["continuation_token"]
    assert run_with(agent, log=f"@result:{token}") == {"log": log}
    assert run_with(agent, schema_of(log={"type": "string"}), log=f"@result:{token}") == {
        "log": log
    }


@pytest.mark.parametrize(
    ("schema", "path", "native"),
    [
        ({"type": "array"}, "/a~1b", True),
        ({"type": "string"}, "/a~1b", False),
        ({"type": ["string", "array"]}, "/a~1b", True),
        ({"type": ["string", "null"]}, "/a~1b", False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "/a~1b", False),
        ({"anyOf": [{"type": "array"}, {"type": "string"}]}, "/a~1b", True),
        ({"oneOf": [{"type": "string"}, {"$ref": "#/$defs/Rows"}]}, "/a~1b", True),
        ({"$ref": "#/$defs/Rows"}, "/a~1b", True),
        ({"$ref": "#/$defs/Text"}, "/a~1b", False),
        ({"$ref": "#/$defs/a~1b"}, "/a~1b", False),
        ({}, "/a~1b", True),
        (True, "/a~1b", True),
        ({"anyOf": [{"type": "string"}, {}]}, "/a~1b", True),
        ({"type": "integer"}, "/n", True),
        ({"type": "number"}, "/n", True),
        ({"type": "number"}, "/f", True),
        ({"type": "boolean"}, "/yes", True),
        ({"type": "null"}, "/nothing", True),
        ({"type": "object"}, "", True),
        ({"type": "string"}, "/n", False),
    ],
    ids=str,
)
def test_native_where_the_schema_admits_it_else_text(agent, token, schema, path, native):
    given = run_with(agent, schema_of(x=schema), x=f"@result:{token}#{path}")["x"]
    value = {"/a~1b": [1], "/n": 5, "/f": 1.5, "/yes": True, "/nothing": None, "": VALUE}[path]
    assert given == (value if native else json.dumps(value))


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/Model"},
        {"anyOf": [{"$ref": "#/$defs/Model"}, {"type": "null"}]},
        {"type": "object", "additionalProperties": {"type": "string"}},
    ],
    ids=str,
)
def test_schemas_of_nested_places(agent, token, schema):
    given = run_with(agent, schema_of(x=schema), x={"text": f"@result:{token}#/a~1b"})
    assert given == {"x": {"text": "[1]"}}


def test_schemas_of_items(agent, token):
    schema = {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}
    given = run_with(agent, schema_of(x=schema), x=[f"@result:{token}#/n", "b"])
    assert given == {"x": ["5", "b"]}


def test_a_recursive_schema(agent, token):
    root = schema_of(text={"type": "string"}, child={"$ref": "#"})
    given = run_with(agent, root, child={"child": {"text": f"@result:{token}#/n"}})
    assert given == {"child": {"child": {"text": "5"}}}


@pytest.mark.parametrize(
    ("reference", "schema", "said"),
    [
        ("@result:{token}#/a~1b", {"type": "integer"}, "takes integer"),
        ("@result:{token}#/f", {"type": "integer"}, "takes integer"),
        (
            "@result:{token}#/name",
            {"anyOf": [{"type": "array"}, {"type": "object"}]},
            "array or object",
        ),
        ("@result:{token}#/nowhere", {}, "Nothing at path"),
        ("@result:{token}#no-pointer", {}, "not a JSON Pointer"),
        ("@result:pen_" + "1" * 39, {}, "expired or not found"),
        ("@result:", {}, "expired or not found"),
        ("@result:{token}x", {}, "expired or not found"),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_what_cannot_be_resolved_refuses_the_call(agent, token, reference, schema, said, nested):
    value = reference.format(token=token)
    root = schema_of(x={"type": "array", "items": schema} if nested else schema)
    caller = agent.but(tool="consumer", schema=root)
    reply = caller.call(lambda _: "done", x=[value] if nested else value, ok=1)
    assert reply.is_error
    assert said in reply.value["error"]
    assert ("x[0]" if nested else "x") in reply.value["next_step"] + reply.value["error"]
    assert caller.runs == []


def test_anothers_result_cannot_be_passed_on(agent, token):
    bob = agent.but(principal=Principal("bob"))
    assert bob.call(lambda _: "done", x=f"@result:{token}").is_error
    assert bob.runs == []


def test_a_place_in_a_part_stands_for_that_part(agent, token):
    place = agent.look(token, path="/rows")["next"]
    whole = agent.look(token, path="/rows/1", mode="full")
    assert run_with(agent, x=f"@result:{place}#/1") == {"x": whole}


def test_ten_megabytes_are_handed_on_unread(open_agent):
    agent = open_agent()
    rows = [{"id": n, "text": "x" * 100} for n in range(80_000)]
    reply = agent.offer(rows)
    token = reply.value["continuation_token"]
    given = run_with(agent, rows=f"@result:{token}")
    assert given["rows"] == rows


def test_deep_arguments_without_references_pass(agent):
    value = 1
    for _ in range(300):
        value = [value]
    assert run_with(agent, x=value) == {"x": value}


LISTS = {"type": "array", "items": {"type": "array", "items": {}}}


def test_rows_of_objects_are_no_rows_of_lists(agent, token):
    """The program that the error names makes lists of them."""
    caller = agent.but(tool="consumer", schema=schema_of(rows=LISTS))
    reply = caller.call(lambda _: "done", rows=f"@result:{token}#/rows")
    assert not caller.runs
    assert reply.value["error"].startswith("Argument rows takes a list of lists")
    told = r"path (\S+), mode (\w+), query (.+), page_size (\d)\."
    path, mode, query, size = re.search(told, reply.value["next_step"]).groups()
    fields = {"path": path, "mode": mode, "query": query, "page_size": int(size)}
    held = agent.look(token, **fields)["continuation_token"]
    given = run_with(agent, schema_of(rows=LISTS), rows=f"@result:{held}")
    assert len(given["rows"]) == 1_000


@pytest.mark.parametrize(
    "items", [{"type": "object"}, {}, {"anyOf": [{"type": "array"}, {"type": "object"}]}]
)
def test_rows_of_objects_go_where_they_may_be_objects(agent, token, items):
    schema = schema_of(rows={"type": "array", "items": items})
    assert len(run_with(agent, schema, rows=f"@result:{token}#/rows")["rows"]) == 1_000
