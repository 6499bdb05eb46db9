"""The negotiation fields are merged into a schema and stripped from the arguments."""

from __future__ import annotations

import copy

import jsonschema
import pytest

from penstock.core.protocol.schema import (
    first_call_note,
    merge_input_schema,
    owned_fields,
    required_arguments,
    strip_arguments,
    widen_output_schema,
)
from penstock.core.views.request import FIELDS

PLAIN = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CLOSED = {**PLAIN, "additionalProperties": False}
DEFINED = {
    "$defs": {"City": {"type": "object", "properties": {"name": {"type": "string"}}}},
    "type": "object",
    "properties": {"city": {"$ref": "#/$defs/City"}},
    "required": ["city"],
}
ROOTED = {"$defs": {"Arguments": CLOSED}, "$ref": "#/$defs/Arguments"}
OWN_MODE = {
    "type": "object",
    "properties": {"mode": {"enum": ["fast", "slow"]}, "path": {"type": "string"}},
}
OWN_TOKEN = {
    "type": "object",
    "properties": {"continuation_token": {"type": "integer"}},
    "required": ["continuation_token"],
}
IN_BRANCHES = {
    "type": "object",
    "allOf": [{"$ref": "#/$defs/Search"}],
    "$defs": {"Search": {"properties": {"query": {"type": "string"}}, "required": ["query"]}},
}
SECOND_CALL = {
    "continuation_token": "pen_x",
    "mode": "summary",
    "page": 1,
    "page_size": 5,
    "filter_keys": ["id"],
    "path": "/a",
    "query": "x",
}


@pytest.mark.parametrize("schema", [PLAIN, CLOSED, DEFINED, ROOTED, {}, None, {"type": "object"}])
def test_a_merged_schema_admits_both_calls(schema):
    before = copy.deepcopy(schema)
    merged = merge_input_schema(schema)
    assert schema == before
    jsonschema.Draft202012Validator.check_schema(merged)
    city = {"name": "Bern"} if schema is DEFINED else "Bern"
    jsonschema.validate({"city": city} if schema else {}, merged)
    jsonschema.validate(SECOND_CALL, merged)
    jsonschema.validate({"continuation_token": "pen_x"}, merged)
    assert merged["type"] == "object"
    assert "required" not in merged


@pytest.mark.parametrize("schema", [CLOSED, ROOTED])
def test_what_the_tool_refuses_is_still_refused(schema):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"town": "Bern"}, merge_input_schema(schema))


def test_a_property_of_the_same_name_keeps_the_tools_definition():
    merged = merge_input_schema(OWN_MODE)
    assert merged["properties"]["mode"] == {"enum": ["fast", "slow"]}
    assert set(FIELDS) <= set(merged["properties"])
    assert owned_fields(OWN_MODE) == {"mode", "path"}


def test_a_tool_with_a_token_of_its_own_is_left_alone():
    assert merge_input_schema(OWN_TOKEN) == OWN_TOKEN
    assert first_call_note(OWN_TOKEN) == ""


@pytest.mark.parametrize(
    ("schema", "required"),
    [(PLAIN, ["city"]), (ROOTED, ["city"]), ({}, []), (None, []), ({"required": ["a", 7]}, ["a"])],
)
def test_what_was_required_is_said_in_words(schema, required):
    assert required_arguments(schema) == required
    note = first_call_note(schema)
    assert all(name in note for name in required)
    assert bool(note) == bool(required)


@pytest.mark.parametrize(
    ("arguments", "schema", "kept", "vain"),
    [
        ({"city": "Bern"}, PLAIN, {"city": "Bern"}, []),
        ({"city": "Bern", **SECOND_CALL}, PLAIN, {"city": "Bern"}, list(FIELDS)),
        ({"city": "Bern", "page": None, "path": ""}, PLAIN, {"city": "Bern"}, []),
        ({"mode": "fast", "page": 2}, OWN_MODE, {"mode": "fast"}, ["page"]),
        ({"path": ""}, OWN_MODE, {"path": ""}, []),
        ({"continuation_token": 7}, OWN_TOKEN, {"continuation_token": 7}, []),
        ({"mode": "x", "continuation_token": ""}, None, {"mode": "x"}, []),
        ({"query": "x", "page": 2}, IN_BRANCHES, {"query": "x"}, ["page"]),
        ({"other": 1}, ROOTED, {"other": 1}, []),
    ],
)
def test_strip(arguments, schema, kept, vain):
    before = copy.deepcopy(arguments)
    assert strip_arguments(arguments, schema) == (kept, vain)
    assert arguments == before


# -- output schemas ----------------------------------------------------------------------------

TREE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#"}},
    },
    "required": ["name"],
    "additionalProperties": False,
}
SIBLING = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"$ref": "#/properties/x"}},
    "required": ["x", "y"],
    "additionalProperties": False,
}
WITH_DEFS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {
        "Row": {
            "type": "object",
            "properties": {"next": {"$ref": "#/$defs/Row"}, "top": {"$ref": "#"}},
        },
        "ToolResult": {"type": "integer"},
    },
    "type": "object",
    "properties": {
        "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
        "n": {"$ref": "#/$defs/ToolResult"},
    },
    "required": ["rows"],
    "additionalProperties": False,
}
OLD_STYLE = {
    "type": "object",
    "definitions": {"Id": {"type": "integer"}},
    "properties": {"id": {"$ref": "#/definitions/Id"}},
    "required": ["id"],
    "additionalProperties": False,
}
WRAPPED = {
    "type": "object",
    "properties": {"result": {"type": "array"}},
    "required": ["result"],
    "x-fastmcp-wrap-result": True,
}


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (
            TREE,
            {"name": "a", "children": [{"name": "b", "children": []}]},
            {"name": "a", "children": [{}]},
        ),
        (SIBLING, {"x": 1, "y": 2}, {"x": 1, "y": "two"}),
        (
            WITH_DEFS,
            {"rows": [{"next": {}, "top": {"rows": []}}], "n": 1},
            {"rows": [{"top": {"rows": 1}}]},
        ),
        (WITH_DEFS, {"rows": []}, {"rows": [], "n": "x"}),
        (OLD_STYLE, {"id": 1}, {"id": "one"}),
        (WRAPPED, {"result": []}, {"result": 5}),
    ],
)
def test_a_widened_schema_admits_what_it_did_and_envelopes(schema, good, bad):
    jsonschema.validate(good, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(bad, schema)
    before = copy.deepcopy(schema)
    widened = widen_output_schema(schema)
    assert schema == before
    assert widened is not None
    jsonschema.Draft202012Validator.check_schema(widened)
    assert widened["type"] == "object"
    jsonschema.validate(good, widened)
    jsonschema.validate({"continuation_token": "pen_x", "preview": ""}, widened)
    own = {
        "$ref": "#/anyOf/0",
        **{key: widened[key] for key in ("anyOf", "$defs") if key in widened},
    }
    del own["anyOf"][1]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(bad, own)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {},
        {"anyOf": [{"type": "object"}]},
        {"type": "object", "$id": "https://example.com/s"},
        {"type": "object", "properties": {"a": {"$dynamicRef": "#x"}}},
        {"type": "object", "$defs": {"A": {"$anchor": "a"}}},
    ],
)
def test_where_it_cannot_be_widened(schema):
    assert widen_output_schema(schema) is None


@pytest.mark.parametrize("union", ["anyOf", "oneOf", "allOf"])
def test_a_second_call_is_valid_where_a_union_binds_the_first(union):
    branches = [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"required": ["b"]}]
    schema = {"type": "object", union: branches}
    merged = merge_input_schema(schema)
    jsonschema.validate({"continuation_token": "pen_x", "mode": "full"}, merged)
    jsonschema.validate({"a": "x"}, merged)
    assert merged["properties"]["a"] == {"type": "string"}
