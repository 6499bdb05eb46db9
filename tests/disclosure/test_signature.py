"""The line that tells a model what a tool takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.disclosure.schemas.signature import signature

TEXT = {"type": "string"}
CIRCULAR = {
    "type": "object",
    "properties": {"tree": {"$ref": "#/$defs/node"}},
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"label": TEXT, "left": {"$ref": "#/$defs/node"}},
        }
    },
}


def of(**properties):
    return signature({"type": "object", "properties": properties}, depth=1)


def test_required_parameters_come_first_with_a_star_and_a_text_has_no_type():
    schema = {
        "type": "object",
        "properties": {"head": {"type": "integer", "default": 3}, "path": TEXT},
        "required": ["path"],
    }
    assert signature(schema) == "path* head:int"


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "number"}, "a:num"),
        ({"type": "boolean"}, "a:bool"),
        ({"type": "array", "items": TEXT}, "a:str[]"),
        ({"type": "array"}, "a:any[]"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, "a:int[][]"),
        ({"type": ["string", "null"]}, "a"),
        ({"type": ["integer", "string"]}, "a:int|str"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "a:int"),
        ({"oneOf": [TEXT, {"type": "array", "items": TEXT}]}, "a:str|str[]"),
        ({"type": "array", "items": {"anyOf": [TEXT, {"type": "integer"}]}}, "a:(str|int)[]"),
        ({"allOf": [{"type": "integer"}]}, "a:int"),
        ({"const": "fixed"}, "a:fixed"),
        ({"enum": ["fast", "slow", None]}, "a:fast|slow"),
        ({"enum": ["1", "true", "two words", 2]}, 'a:"1"|"true"|"two words"|2'),
        ({"enum": [f"c{n}" for n in range(14)]}, "a:" + "|".join(f"c{n}" for n in range(12)) + "|…"),
        ({"type": "null"}, "a:null"),
        ({"$ref": "https://elsewhere.example/schema"}, "a:any"),
        (True, "a:any"),
        ({}, "a:any"),
        (False, ""),
        ("no schema", "a:any"),
    ],
)  # fmt: skip
def test_types_are_short(schema, told):
    assert of(a=schema) == told


def test_keys_of_objects_are_shown_as_deep_as_asked_and_read_only_keys_are_not():
    message = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "sent": {"type": "string", "description": "When it was sent. Read-only."},
            "importance": {"enum": ["low", "high"]},
            "subject": TEXT,
            "flag": {"type": "object", "properties": dict.fromkeys("abc", TEXT)},
            "to": {
                "type": "array",
                "items": {"type": "object", "properties": {"address": TEXT, "name": TEXT}},
            },
        },
        "required": ["subject"],
    }
    schema = {"type": "object", "properties": {"body": message}, "required": ["body"]}
    assert signature(schema) == "body*:obj"
    assert signature(schema, depth=1) == (
        "body*:{subject* importance:low|high flag:obj to:{address name}[]}"
    )
    assert "flag:{a b c}" in signature(schema, depth=2)


def test_a_read_only_key_that_is_required_stays():
    inner = {
        "type": "object",
        "properties": {"id": {"type": "string", "readOnly": True}, "x": TEXT},
        "required": ["id"],
    }
    assert of(a=inner) == "a:{id* x}"


def test_a_reference_is_followed_and_a_circular_one_ends():
    assert signature(CIRCULAR) == "tree:obj"
    assert signature(CIRCULAR, depth=3) == "tree:{label left:obj}"
    assert of(a={"$ref": "#/properties/a"}) == "a:any"
    assert of(a={"type": "array", "items": {"$ref": "#/properties/a"}}) == "a:any[][][]"


def test_a_union_in_circles_and_a_deep_nest_end():
    assert signature({"anyOf": [{"$ref": "#"}]}) == ""
    deep = {"type": "integer"}
    for _ in range(200):
        deep = {"allOf": [{"type": "array", "items": deep}]}
    assert of(a=deep).startswith("a:…[]")


def test_parts_of_an_all_of_are_joined():
    parts = [{"properties": {"x": TEXT}, "required": ["x"]}, {"properties": {"y": TEXT}}]
    assert of(a={"allOf": parts, "type": "object"}) == "a:{x* y}"
    assert signature({"anyOf": parts}) == "x* | y"


def test_optional_parameters_are_counted_where_they_are_cut_and_required_ones_never_are():
    names = [f"p{number}" for number in range(500)]
    many = {"properties": dict.fromkeys(names, TEXT), "required": names[:40]}
    assert signature(many).split(" … ") == [" ".join(f"{name}*" for name in names[:40]), "460 more"]


def test_shared_optional_parameters_can_be_left_out_and_required_ones_not():
    schema = {"properties": {"top": TEXT, "id": TEXT}, "required": ["id"]}
    assert signature(schema, leaving_out=("top", "id")) == "id*"


def test_a_name_that_would_read_as_something_else_is_quoted_and_a_long_one_is_cut():
    assert of(**{"a b": TEXT, "größe": TEXT, "x*": TEXT}) == '"a b" größe "x*"'
    assert of(**{"n" * 900: TEXT}) == "n" * 99 + "…"


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "properties", "items", "anyOf", "allOf", "enum", "required", "$ref", "const",
             "description", "x"]
        ),
        below | st.sampled_from(["#", "#/properties/x", "object", "array"]),
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["properties", "allOf", "anyOf", "$ref"]), ANY_JSON))
def test_no_schema_breaks_it_and_the_result_is_one_line(schema):
    assert "\n" not in signature(schema, depth=2)
