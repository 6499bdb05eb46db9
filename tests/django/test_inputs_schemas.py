"""The parts of schemas: columns, OpenAPI's dialect, bodies made of components."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import models
from django.test.utils import isolate_apps
from django.utils.safestring import mark_safe
from gateway_site.fields.models import Keeper, Place, Pump
from rest_framework.authtoken.models import Token

from penstock.django.inputs.columns import column_at, schema_of_column
from penstock.django.inputs.components import flattened, reachable, without_required
from penstock.django.inputs.openapi import arguments_of, json_schema
from penstock.django.inputs.schemas import json_value, or_null, pattern_of

TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
UUID = {"type": "string", "format": "uuid"}
COLUMNS = {
    "key": (Pump, "pk", INTEGER),
    "another key": (Keeper, "pk", UUID),
    "relation": (Pump, "keeper", UUID),
    "key of a relation": (Pump, "keeper__pk", UUID),
    "column of a relation": (Pump, "place__slug", TEXT),
    "relation to many": (Pump, "labels", INTEGER),
    "relation from the other side": (Place, "pump", INTEGER),
    "key that is a relation": (Token, "user__auth_token", TEXT),
    "json": (Pump, "settings", {}),
    "decimal": (Pump, "price", {"type": ["number", "string"]}),
}


@pytest.mark.parametrize(("model", "path", "schema"), COLUMNS.values(), ids=COLUMNS)
def test_columns(model, path, schema):
    assert schema_of_column(column_at(model, path)) == schema


@isolate_apps("gateway_site.fields")
def test_a_foreign_key_may_refer_to_another_column():
    class Letter(models.Model):
        to = models.ForeignKey(Place, models.CASCADE, to_field="slug", related_name="+")

        class Meta:
            app_label = "fields"

        def __str__(self):
            return self.to_id

    assert schema_of_column(column_at(Letter, "to")) == TEXT


@pytest.mark.parametrize("path", ["nothing", "place__nothing", "name__upper"])
def test_no_column(path):
    assert column_at(Pump, path) is None


def test_a_column_of_users():
    assert schema_of_column(column_at(User, "email")) == {"type": "string", "format": "email"}


OPENAPI = {
    "nullable": ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    "nullable enum": (
        {"type": "string", "enum": ["a"], "nullable": True},
        {"type": ["string", "null"], "enum": ["a", None]},
    ),
    "nullable reference": (
        {"allOf": [{"$ref": "#/components/schemas/A"}], "nullable": True, "description": "An A."},
        {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "description": "An A."},
    ),
    "reference with words": (
        {"allOf": [{"$ref": "#/components/schemas/A"}], "description": "An A."},
        {"$ref": "#/$defs/A", "description": "An A."},
    ),
    "exclusive bound": (
        {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
        {"type": "integer", "exclusiveMinimum": 1},
    ),
    "bound that is not exclusive": (
        {"type": "integer", "maximum": 1, "exclusiveMaximum": False},
        {"type": "integer", "maximum": 1},
    ),
    "noise": (
        {"type": "integer", "format": "int64", "title": "A", "example": 1, "x-y": 2, "xml": {}},
        INTEGER,
    ),
    "default of null": ({"type": "string", "default": None}, TEXT),
    "default that JSON lacks": ({"type": "string", "default": object()}, TEXT),
    "default": ({"type": "string", "default": "a"}, {"type": "string", "default": "a"}),
    "read only": (
        {
            "type": "object",
            "properties": {"id": {"type": "integer", "readOnly": True}, "a": TEXT},
            "required": ["id", "a"],
        },
        {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
    ),
    "required in the old way": ({"type": "string", "required": True}, TEXT),
    "choices with labels": (
        {"enum": ["a"], "description": "Of all.\n\n* `a` - Another\n* `b` - B"},
        {"enum": ["a"], "description": "Of all. a: Another"},
    ),
    "items": (
        {"type": "array", "items": {"type": "string", "title": "A"}},
        {"type": "array", "items": TEXT},
    ),
    "any other values": (
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": True},
    ),
}


@pytest.mark.parametrize(("given", "schema"), OPENAPI.values(), ids=OPENAPI)
def test_schemas_of_openapi(given, schema):
    assert json_schema(given) == schema


UNSOUND = {
    "type": {"type": "file", "description": "A file."},
    "pattern": {"type": "string", "pattern": "(", "description": "A file."},
    "reference": {"$ref": "#/components/schemas/Gone", "description": "A file."},
    "reference to elsewhere": {"$ref": "https://example.com/a", "description": "A file."},
}


@pytest.mark.parametrize("schema", UNSOUND.values(), ids=UNSOUND)
def test_a_schema_that_is_none_is_left_out(schema):
    [found] = arguments_of([{"name": "a", "in": "query", "schema": schema}])
    assert found.schema == {"description": "A file."}


DEFINITIONS = {
    "A": {"type": "object", "properties": {"x": TEXT, "y": TEXT}, "required": ["x", "y"]},
    "B": {"type": "object", "properties": {"x": INTEGER, "y": TEXT}, "required": ["x"]},
    "Either": {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
    "Loop": {"$ref": "#/$defs/Loop"},
    "Tree": {"type": "object", "properties": {"up": {"$ref": "#/$defs/Tree"}}},
    "Holder": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}},
    "Free": {"type": "object"},
}
EITHER = {"x": {"anyOf": [TEXT, INTEGER]}, "y": TEXT}
BODIES = {
    "reference": ("A", DEFINITIONS["A"]),
    "one of two": ("Either", {"type": "object", "properties": EITHER, "required": ["x"]}),
    "endless": ("Loop", None),
    "missing": ("Gone", None),
}


@pytest.mark.parametrize(("name", "flat"), BODIES.values(), ids=BODIES)
def test_a_body_is_written_out_at_the_root(name, flat):
    assert flattened({"$ref": f"#/$defs/{name}"}, DEFINITIONS) == flat


def refer(*names):
    return [{"$ref": f"#/$defs/{name}"} for name in names]


def test_all_of_several():
    flat = flattened({"allOf": refer("A", "B")}, DEFINITIONS)
    assert flat == {"type": "object", "properties": EITHER, "required": ["x", "y"]}


def test_a_third_kind_of_the_same_property():
    other = {"type": "object", "properties": {"x": {"type": "boolean"}}}
    flat = flattened({"anyOf": [*refer("A", "B", "A"), other]}, DEFINITIONS)
    assert flat["properties"]["x"] == {"anyOf": [TEXT, INTEGER, {"type": "boolean"}]}
    assert flat["required"] == []


def test_one_of_which_anything_may_be_said_is_open():
    assert flattened({"anyOf": refer("A", "Free")}, DEFINITIONS)["additionalProperties"] is True


@pytest.mark.parametrize("schema", [TEXT, {"type": "array"}, {"anyOf": [TEXT, *refer("A")]}])
def test_what_is_no_object_stays_whole(schema):
    assert flattened(schema, DEFINITIONS) is None


def test_only_what_is_referred_to_comes_along():
    assert reachable(refer("Holder"), DEFINITIONS).keys() == {"Holder", "A"}
    assert reachable(refer("Tree"), DEFINITIONS).keys() == {"Tree"}
    assert reachable(TEXT, DEFINITIONS) == {}


def test_nothing_is_required_at_any_depth():
    schema = {"required": ["a"], "properties": {"required": {"required": ["b"]}}, "allOf": [{}]}
    assert without_required(schema) == {"properties": {"required": {}}, "allOf": [{}]}


def test_null_is_added_once():
    assert or_null({"type": ["string", "null"]}) == {"type": ["string", "null"]}
    assert or_null({}) == {}


def test_keys_of_choices_are_plain_values():
    assert type(json_value(mark_safe("a"))) is str
    assert type(json_value(Pump.Status.PLANNED)) is int
    assert json_value(Keeper) == str(Keeper)
    assert type(json_value(type("Number", (int,), {})(3))) is int


@pytest.mark.parametrize("regex", ["a{,3}", "(?i)a", r"\bA", "[[a]", "[]a]", "a" * 201, b"a"])
def test_patterns_that_others_read_differently_are_not_told(regex):
    assert pattern_of(regex) is None
