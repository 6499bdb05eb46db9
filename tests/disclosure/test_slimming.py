"""Slim schemas lose the noise of generators, and admit what they admitted before."""

from __future__ import annotations

import copy
import json

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.disclosure.schemas.slimming import slim

TEXT = {"type": "string"}
NULL = {"type": "null"}
MAYBE = {"anyOf": [TEXT, NULL]}


def described(properties, **more):
    return {"type": "object", "properties": properties, **more}


def slim_property(schema, **more):
    """Return an optional property after slimming."""
    return slim(described({"user_id": schema}, **more))["properties"]["user_id"]


def test_what_a_generator_makes_of_a_function():
    generated = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "searchArguments",
        "type": "object",
        "properties": {
            "query": {"title": "Query", "type": "string", "description": "What to look for."},
            "max_rows": {
                "anyOf": [{"type": "integer", "minimum": 1}, NULL],
                "default": None,
                "title": "Max Rows",
                "description": "At most so many.",
            },
            "where": {"anyOf": [{"$ref": "#/$defs/Where"}, NULL], "default": None},
        },
        "required": ["query"],
        "additionalProperties": True,
        "$defs": {
            "Where": {
                "title": "Where",
                "type": "object",
                "properties": {"city": {"title": "Town", "type": ["string", "null"]}},
                "required": [],
            },
            "Unused": {"$ref": "#/$defs/UnusedToo"},
            "UnusedToo": {"$ref": "#/$defs/Unused"},
        },
    }
    before = copy.deepcopy(generated)
    shown = slim(generated)
    assert generated == before
    assert shown == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "max_rows": {"type": "integer", "minimum": 1, "description": "At most so many."},
            "where": {"$ref": "#/$defs/Where"},
        },
        "required": ["query"],
        "$defs": {
            "Where": {
                "type": "object",
                "properties": {"city": {"title": "Town", "type": "string"}},
            }
        },
    }
    assert list(shown) == ["type", "properties", "required", "$defs"]
    assert list(shown["properties"]["max_rows"]) == ["type", "minimum", "description"]


@pytest.mark.parametrize("title", ["User Id", "user_id", "UserID", "User-id"])
def test_a_title_that_repeats_the_name_goes(title):
    assert slim_property({"title": title, **TEXT}) == TEXT


@pytest.mark.parametrize("title", ["User", "The user", "", None, 1, ["user_id"]])
def test_any_other_title_stays(title):
    assert slim_property({"title": title}) == {"title": title}


def test_titles_without_a_name_to_repeat_stay():
    schema = {
        "title": "Find a city",
        "items": {"title": "City"},
        "properties": {"→": {"title": "↓"}},
    }
    assert slim(schema) == schema


@pytest.mark.parametrize("title", ["addArguments", "AddParams", "add_parameters_Args"])
def test_the_automatic_title_of_the_root_goes(title):
    assert slim({"title": title, "type": "object"}) == {"type": "object"}


def test_a_property_or_a_value_may_have_the_name_of_a_keyword():
    schema = described(
        {"title": TEXT, "default": TEXT, "required": TEXT, "$schema": TEXT, "anyOf": TEXT},
        default={"default": None, "title": "Default", "required": []},
        examples=[{"default": None}],
        enum=[{"required": []}],
    )
    assert slim(schema) == schema


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (MAYBE, TEXT),
        ({"anyOf": [NULL, TEXT]}, TEXT),
        ({"anyOf": [{}, NULL]}, {}),
        ({"anyOf": [TEXT, {"type": "integer"}, NULL]}, {"anyOf": [TEXT, {"type": "integer"}]}),
        ({"anyOf": [MAYBE, NULL]}, TEXT),
        ({"type": ["string", "null"]}, TEXT),
        ({"type": ["null", "string", "integer"]}, {"type": ["string", "integer"]}),
        ({**MAYBE, "x-mcp-header": "City"}, {**TEXT, "x-mcp-header": "City"}),
        # Beside a rule, or a second description, the option stays an option.
        ({**MAYBE, "maxLength": 3}, {"anyOf": [TEXT], "maxLength": 3}),
        (
            {"anyOf": [{"description": "A name."}, NULL], "description": "Whose?"},
            {"anyOf": [{"description": "A name."}], "description": "Whose?"},
        ),
        ({"anyOf": [False, NULL]}, {"anyOf": [False]}),
    ],
)
def test_null_goes_from_an_optional_property(before, after):
    assert slim_property(before) == after
    assert slim_property(after) == after


@pytest.mark.parametrize("schema", [MAYBE, {"type": ["string", "null"]}])
def test_null_stays_where_it_means_something(schema):
    assert slim_property(schema, required=["user_id"]) == schema
    assert slim_property(schema, required="user_id") == schema
    for around in (
        {"items": schema},
        {"additionalProperties": schema},
        {"oneOf": [schema]},
        {"patternProperties": {"^x": schema}},
    ):
        assert slim(around) == around


@pytest.mark.parametrize("schema", [NULL, {"anyOf": [{**NULL, "title": "Nothing"}, TEXT]}])
def test_only_null_around_something_goes(schema):
    assert slim_property(schema) == schema


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"required": ["user_id"], "allOf": [described({"user_id": MAYBE})]},
        {"allOf": [described({"user_id": MAYBE}), {"required": ["user_id"]}]},
        described(
            {"user_id": MAYBE, "b": TEXT}, anyOf=[{"required": ["user_id"]}, {"required": ["b"]}]
        ),
        described({"user_id": MAYBE}, dependentRequired={"b": ["user_id"]}),
        {
            "$ref": "#/$defs/A",
            "required": ["user_id"],
            "$defs": {"A": described({"user_id": MAYBE})},
        },
        described(
            {"user_id": MAYBE}, **{"if": {"required": ["b"]}, "then": {"required": ["user_id"]}}
        ),
    ],
)
def test_what_is_required_elsewhere_is_not_optional(elsewhere):
    assert slim(elsewhere) == elsewhere


@pytest.mark.parametrize(
    "reference", ["#/properties/a", "#/properties/a/anyOf/0", "#/properties/%61/anyOf/1"]
)
def test_what_is_referred_to_by_its_place_stays_there(reference):
    schema = described({"a": MAYBE, "b": {"type": "array", "items": {"$ref": reference}}})
    assert slim(schema) == schema


@pytest.mark.parametrize("keyword", ["$id", "$anchor", "$dynamicAnchor"])
def test_what_may_be_referred_to_by_a_name_stays(keyword):
    schema = described({"a": {**MAYBE, keyword: "here"}}, **{"$defs": {"A": TEXT}})
    assert slim(schema) == schema


def test_open_objects_are_said_to_be_open_only_where_it_matters():
    assert slim({"additionalProperties": True}) == {}
    for told in (
        {"additionalProperties": {}},
        {"additionalProperties": False},
        {"allOf": [{"additionalProperties": True}], "unevaluatedProperties": False},
        {"additionalProperties": True, "items": {"$ref": "#/additionalProperties"}},
    ):
        assert slim(told) == told


@pytest.mark.parametrize(
    ("reference", "kept"),
    [
        ("#/$defs/A", {"A", "B"}),
        ("#/$defs/A/properties/x", {"A", "B"}),
        ("#/$defs/B", {"B"}),
        ("#/$defs/c~1d%20~0", {"c/d ~"}),
        ("#/$defs/True", {"True"}),
        ("#", set()),
        ("#/$defs/Missing", set()),
        ("https://example.org/schema#/$defs/A", set()),
    ],
)
def test_definitions_that_nothing_leads_to_go(reference, kept):
    definitions = {
        "A": described({"x": {"$ref": "#/$defs/B"}}),
        "B": described({"x": {"items": {"$ref": "#/$defs/B"}}}),
        "c/d ~": TEXT,
        "True": True,
    }
    for keyword in ("$defs", "definitions"):
        schema = {
            "items": {"$ref": reference.replace("$defs", keyword)},
            keyword: {
                name: eval(repr(value).replace("$defs", keyword))  # noqa: S307 -- our own
                for name, value in definitions.items()
            },
        }
        assert set(slim(schema).get(keyword, ())) == kept
        assert (keyword in slim(schema)) == bool(kept)


@pytest.mark.parametrize(
    "odd",
    [
        True,
        False,
        None,
        "string",
        [],
        {"properties": ["a"]},
        {"properties": {"a": True, "b": None, "c": [MAYBE], "d": "text"}},
        {"properties": {"a": {"anyOf": {"b": NULL}, "type": {"null": 1}}}},
        {"properties": {"a": {"anyOf": [], "type": []}}, "required": [["a"], 1, None]},
        {"properties": {1: {"title": "1"}}},
        {"$ref": "#"},
        {"$ref": ["#"]},
        {"$ref": "#/"},
        {"$ref": "#/items/99999999999999999999999/-1/²", "items": [True]},
        {"$defs": ["A"], "definitions": None, "dependencies": {"a": ["b"], "c": 1}},
        {"allOf": {"a": 1}, "items": [{"items": 3}]},
    ],
)
def test_what_is_no_proper_schema_passes(odd):
    before = copy.deepcopy(odd)
    assert slim(odd) == before
    assert odd == before


def test_references_in_a_ring():
    ring = {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    assert slim(ring) == ring


@pytest.mark.parametrize("around", ["properties", "anyOf", "items", "$defs", "default", "title"])
def test_depth_does_no_harm(around):
    schema = {"title": "X", "type": ["string", "null"]}
    for _ in range(20_000):
        below = {"x": schema} if around in {"properties", "$defs"} else schema
        schema = {around: [below] if around == "anyOf" else below}
    shown = slim(described({"x": schema}))
    if around == "properties":
        for _ in range(10):
            shown = shown["properties"]["x"]
        assert list(shown) == ["properties"]


# -- what is admitted ---------------------------------------------------------------------------

NAMES = ("a", "b", "c")
RULES = (
    TEXT,
    MAYBE,
    {"type": ["string", "null"], "title": "A", "default": None},
    {"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 1}, NULL], "default": None},
    {"anyOf": [{"type": "string", "maxLength": 2}, NULL], "minLength": 2},
    {"anyOf": [MAYBE, NULL], "description": "Twice."},
    {"anyOf": [{"description": "In."}, NULL], "description": "Out."},
    {"type": ["string", "null"], "enum": ["x", None]},
    {"oneOf": [TEXT, NULL]},
    {"anyOf": [NULL]},
    {"type": ["null"]},
    {"not": MAYBE},
    {"anyOf": [described({"a": MAYBE}, additionalProperties=False), NULL], **described({"b": TEXT})},
    {"const": None},
    True,
    False,
    {},
    {"$ref": "#/$defs/A"},
    {"anyOf": [{"$ref": "#/$defs/B"}, NULL], "title": "B"},
)  # fmt: skip
SOME_NAMES = st.lists(st.sampled_from(NAMES), unique=True, max_size=2)


def objects(rules):
    return st.fixed_dictionaries(
        {"properties": st.dictionaries(st.sampled_from(NAMES), rules, max_size=3)},
        optional={
            "type": st.sampled_from(("object", ["object", "null"])),
            "required": SOME_NAMES,
            "additionalProperties": st.sampled_from((True, False, MAYBE)),
            "title": st.sampled_from(("A", "aArguments", "Something")),
        },
    )


def nested(rules):
    return st.one_of(
        objects(rules),
        st.builds(lambda item: {"type": "array", "items": item}, rules),
        st.builds(lambda *options: {"anyOf": [*options, NULL]}, rules),
        st.builds(lambda *options: {"anyOf": [*options, NULL]}, rules, rules),
    )


SCHEMAS = st.recursive(st.sampled_from(RULES), nested, max_leaves=6)
ROOTS = st.builds(
    lambda root, a, b: {**root, "$defs": {"A": a, "B": b, "Unused": TEXT}},
    objects(SCHEMAS),
    objects(SCHEMAS),
    objects(SCHEMAS),
)
FLAT = objects(st.sampled_from(RULES))
JOINED = st.one_of(
    st.builds(lambda names: {"required": names}, SOME_NAMES),
    st.builds(lambda names: {"not": {"required": names}}, SOME_NAMES),
    st.builds(lambda a, b: {"dependentRequired": {a: [b]}}, *2 * [st.sampled_from(NAMES)]),
    st.builds(lambda one, two: {"if": one, "then": two}, FLAT, FLAT),
    st.builds(lambda one: {"unevaluatedProperties": one}, st.sampled_from((False, TEXT))),
    st.just({"$ref": "#/$defs/B"}),
    FLAT,
)
JOINED_ROOTS = st.builds(
    lambda root, parts, b: {
        **root,
        "allOf": [*parts, REFERS_TO_BOTH],
        "$defs": {"A": TEXT, "B": b},
    },
    FLAT,
    st.lists(JOINED, min_size=1, max_size=3),
    FLAT,
)
REFERS_TO_BOTH = {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, True]}
LEAVES = st.sampled_from((None, "x", "xyz", 1))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.sampled_from((*NAMES, "d")), inner, max_size=4),
    ),
    max_leaves=8,
)
FLAT_INSTANCES = st.dictionaries(st.sampled_from((*NAMES, "d")), LEAVES, max_size=4)
INSTANCES = st.dictionaries(st.sampled_from((*NAMES, "d")), VALUES, max_size=4)


def left_out(value, schema, root):
    """Return a value without the nulls that may be left out by its schema."""
    if not isinstance(schema, dict):
        return value
    if "$ref" in schema:
        return left_out(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    for option in schema.get("anyOf", ()):
        value = left_out(value, option, root)
    if isinstance(value, list):
        return [left_out(item, schema.get("items"), root) for item in value]
    if not isinstance(value, dict):
        return value
    properties, required = schema.get("properties", {}), schema.get("required", ())
    return {
        name: left_out(item, properties.get(name), root)
        for name, item in value.items()
        if item is not None or name in required or name not in properties
    }


def anywhere_required(schema):
    if isinstance(schema, list):
        return set().union(*map(anywhere_required, schema))
    if not isinstance(schema, dict):
        return set()
    own = [schema.get("required", ()), *schema.get("dependentRequired", {}).values()]
    return set().union(*own, *map(anywhere_required, schema.values()))


def without_nulls(value, kept):
    """Return a value without any null, except under these names."""
    if isinstance(value, list):
        return [without_nulls(item, kept) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: without_nulls(item, kept)
        for name, item in value.items()
        if item is not None or name in kept
    }


# Slow: each case takes two schemas and two validations.
SELDOM = settings(max_examples=settings.default.max_examples // 4)


def unshared(schema):
    """Return a copy as if read from the wire: no two places hold the same object."""
    return json.loads(json.dumps(schema))


def admits(schema, value):
    return jsonschema.Draft202012Validator(schema).is_valid(value)


@given(ROOTS, INSTANCES)
@SELDOM
def test_the_same_is_admitted(schema, instance):
    schema = unshared(schema)
    before = copy.deepcopy(schema)
    shown = slim(schema)
    assert schema == before
    assert slim(shown) == shown
    value = left_out(instance, schema, schema)
    assert admits(shown, value) == admits(schema, value)


@given(JOINED_ROOTS, FLAT_INSTANCES)
def test_the_same_is_admitted_where_schemas_are_joined(schema, instance):
    schema = unshared(schema)
    value = without_nulls(instance, anywhere_required(schema))
    assert admits(slim(schema), value) == admits(schema, value)
