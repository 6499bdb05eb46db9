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


@pytest.mark.parametrize("keyword", ["anyOf", "allOf"])
@pytest.mark.parametrize("fan", [2, 20])
def test_the_work_for_a_schema_is_bounded_and_what_is_cut_is_marked(keyword, fan):
    """With 20 definitions, each used twice by the one before, a schema has a million places."""
    defs = {f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}] * fan} for n in range(20)}
    defs["d20"] = {"type": "object", "properties": {"x": TEXT}}
    root = {keyword: [{"$ref": "#/$defs/d0"}] * fan, "$defs": defs}
    assert "…" in signature(root)
    assert "…" in signature({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs}, depth=1)


@pytest.mark.parametrize("keyword", ["anyOf", "allOf"])
def test_a_deep_root_ends_with_a_mark(keyword):
    schema = {"type": "object", "properties": {"x": TEXT}}
    for _ in range(400):
        schema = {keyword: [schema]}
    assert signature(schema) == "…"


def test_branches_beside_properties_are_joined():
    adding_b = {"properties": {"b": TEXT, "both": TEXT}, "required": ["b", "both"]}
    adding_c = {"properties": {"c": {"type": "integer"}, "both": TEXT}, "required": ["both"]}
    schema = {"type": "object", "properties": {"kind": TEXT}, "oneOf": [adding_b, adding_c]}
    assert signature(schema) == "both* kind b c:int"
    assert of(a=schema) == "a:{both* kind b c:int}"
    assert signature({**schema, "required": ["c"]}) == "both* c*:int kind b"


def test_conditions_add_optional_parameters():
    then = {"properties": {"b": TEXT}, "required": ["b"]}
    schema = {"properties": {"a": TEXT}, "if": {"required": ["a"]}, "then": then}
    assert signature(schema) == "a b"
    assert signature({"properties": {"a": TEXT}, "dependentSchemas": {"a": then}}) == "a b"


def test_a_property_that_branches_describe_differently_has_all_their_types():
    branches = [{"properties": {"b": TEXT}}, {"properties": {"b": {"type": "integer"}}}]
    assert signature({"properties": {"a": TEXT}, "anyOf": branches}) == "a b:str|int"


def test_unions_of_which_one_is_not_read_are_marked():
    parts = [{"anyOf": [{"properties": {"a": TEXT}}]}, {"anyOf": [{"properties": {"b": TEXT}}]}]
    assert signature({"allOf": parts}) == "b | …"


def test_a_required_parameter_without_properties_is_shown():
    assert signature({"type": "object", "required": ["a"]}) == "a*:any"


def test_parameters_whose_names_the_caller_chooses_are_marked():
    assert signature({"properties": {"a": TEXT}, "additionalProperties": TEXT}) == "a …"
    assert signature({"properties": {"a": TEXT}, "patternProperties": {"^x-": TEXT}}) == "a …"
    assert signature({"properties": {"a": TEXT}, "additionalProperties": True}) == "a"
    table = {"type": "object", "properties": {"k": TEXT}, "additionalProperties": TEXT}
    assert of(a=table, b={"type": "object", "additionalProperties": TEXT}) == "a:{k …} b:obj"


def test_a_schema_that_cannot_be_read_gives_a_mark_and_a_log_entry(caplog):
    class Unreadable(dict):
        def get(self, *_):
            raise RecursionError

    assert signature(Unreadable()) == "…"
    assert "cannot be read" in caplog.text


def test_optional_parameters_are_counted_where_they_are_cut_and_required_ones_never_are():
    names = [f"p{number}" for number in range(500)]
    many = {"properties": dict.fromkeys(names, TEXT), "required": names[:40]}
    assert signature(many).split(" … ") == [" ".join(f"{name}*" for name in names[:40]), "460 more"]


def test_shared_optional_parameters_can_be_left_out_and_required_ones_not():
    schema = {"properties": {"top": TEXT, "id": TEXT}, "required": ["id"]}
    assert signature(schema, leaving_out=("top", "id")) == "id*"


def test_a_name_that_would_read_as_something_else_is_quoted_and_a_long_one_is_cut():
    assert of(**{"a b": TEXT, "größe": TEXT, "x*": TEXT}) == '"a b" größe "x*"'
    assert of(**{"a)": TEXT, "b(": TEXT, "c[]": TEXT}) == '"a)" "b(" "c[]"'
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
