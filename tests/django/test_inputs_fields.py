"""Schemas of serializer fields: each kind of field, and what a schema leaves out."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import re

import jsonschema
import jsonschema_rs
import pytest
from django.core import validators
from django.utils.translation import gettext_lazy
from gateway_site.fields.models import Keeper, Label, Place, Pump
from gateway_site.fields.serializers import FreeSerializer, PartSerializer
from rest_framework import serializers

from penstock.django.inputs.fields import FieldWalk, schema_of_serializer


class Spelt(serializers.CharField):
    """A field of the site's own, with a known parent."""


class Unheard(serializers.Field):
    """A field of the site's own, without a known parent."""

    def to_internal_value(self, data):
        return data


class GeometryField(serializers.Field):
    """A field as in packages for maps."""


class PointField(GeometryField):
    pass


class ByAnything(serializers.PrimaryKeyRelatedField):
    def to_internal_value(self, data):
        return self.queryset.first()


class ByLabel(serializers.ChoiceField):
    def to_internal_value(self, data):
        return data


class ByCode(serializers.BaseSerializer):
    def to_internal_value(self, data):
        return data


class Freely(serializers.ListSerializer):
    def to_internal_value(self, data):
        return data


class ListedFreely(PartSerializer):
    class Meta:
        list_serializer_class = Freely


class Colour(enum.Enum):
    RED = "red"


class Mapped:
    """A geometry column, with the attributes that a field reads."""

    geom_type = "POINT"
    validators = ()


def named(field, *, is_partial=False, name="it"):
    """Return the schema of an object with only this field, and the field's own schema."""
    made = type("Made", (serializers.Serializer,), {name: field})()
    schema = schema_of_serializer(made, FieldWalk(is_partial=is_partial))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema_rs.validator_for(schema)
    return schema, schema["properties"].get(name)


def pump_field(name, **options):
    meta = type("Meta", (), {"model": Pump, "fields": (name,), "extra_kwargs": {name: options}})
    made = type("Made", (serializers.ModelSerializer,), {"Meta": meta})
    return made().fields[name]


TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
PART = {
    "type": "object",
    "properties": {
        "name": TEXT,
        "number": {"type": "integer", "minimum": 1},
        "weight": {"type": "number"},
    },
    "required": ["name", "number"],
}
FIELDS = {
    "text": (serializers.CharField(), TEXT),
    "text-limits": (
        serializers.CharField(min_length=2, max_length=5),
        {"type": "string", "minLength": 2, "maxLength": 5},
    ),
    "text-blank-has-no-minimum": (
        serializers.CharField(min_length=2, allow_blank=True),
        TEXT,
    ),
    "text-null": (serializers.CharField(allow_null=True), {"type": ["string", "null"]}),
    "descendant": (Spelt(max_length=3), {"type": "string", "maxLength": 3}),
    "unknown": (Unheard(), {}),
    "geometry": (
        PointField(),
        {"type": ["object", "string"], "description": "A geometry, as GeoJSON."},
    ),
    "geometry-of-a-model": (
        serializers.ModelField(model_field=Mapped()),
        {"type": ["object", "string"], "description": "A geometry, as GeoJSON."},
    ),
    "pattern": (
        serializers.RegexField(r"\A[a-z]+-\d\Z"),
        {"type": "string", "pattern": r"^[a-z]+-\d$"},
    ),
    "pattern-blank": (
        serializers.RegexField(r"^a$", allow_blank=True),
        {"type": "string", "pattern": "^a$|^$"},
    ),
    "pattern-of-unicode-words": (serializers.RegexField(r"^\w+$"), TEXT),
    "pattern-with-flags": (serializers.RegexField(re.compile("^a$", re.IGNORECASE)), TEXT),
    "pattern-with-names": (serializers.RegexField(r"^(?P<x>a)$"), TEXT),
    "pattern-that-must-not-match": (
        serializers.CharField(validators=[validators.RegexValidator("a", inverse_match=True)]),
        TEXT,
    ),
    "pattern-too-long": (serializers.RegexField("^" + "a" * 300 + "$"), TEXT),
    "slug": (serializers.SlugField(), {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"}),
    "email": (serializers.EmailField(), {"type": "string", "format": "email"}),
    "url": (serializers.URLField(), {"type": "string", "format": "uri"}),
    "uuid": (serializers.UUIDField(), {"type": "string", "format": "uuid"}),
    "ip": (serializers.IPAddressField(), TEXT),
    "ipv6": (serializers.IPAddressField(protocol="IPv6"), {"type": "string", "format": "ipv6"}),
    "moment": (serializers.DateTimeField(), {"type": "string", "format": "date-time"}),
    "date": (serializers.DateField(), {"type": "string", "format": "date"}),
    "date-as-the-field-has-it": (
        serializers.DateField(input_formats=["%d/%m/%Y"]),
        {"type": "string", "description": "Written DD/MM/YYYY"},
    ),
    "time": (serializers.TimeField(), {"type": "string", "format": "time"}),
    "duration": (serializers.DurationField(), {"type": "string", "format": "duration"}),
    "boolean": (serializers.BooleanField(), {"type": "boolean"}),
    "integer": (
        serializers.IntegerField(min_value=1, max_value=9),
        {"type": "integer", "minimum": 1, "maximum": 9},
    ),
    "integer-with-a-validator": (
        serializers.IntegerField(validators=[validators.MinValueValidator(lambda: 3)]),
        {"type": "integer", "minimum": 3},
    ),
    "integer-within-its-column": (pump_field("turns", required=True), INTEGER),
    "float": (
        serializers.FloatField(max_value=0.5),
        {"type": "number", "maximum": 0.5},
    ),
    "decimal": (
        serializers.DecimalField(
            5, 2, min_value=decimal.Decimal("0.5"), max_value=decimal.Decimal(9)
        ),
        {"type": ["number", "string"], "minimum": 0.5, "maximum": 9},
    ),
    "choice": (
        serializers.ChoiceField(["a", "b"]),
        {"type": "string", "enum": ["a", "b"]},
    ),
    "choice-labels": (
        serializers.ChoiceField([(1, gettext_lazy("One more")), (2, "2")]),
        {"type": "integer", "enum": [1, 2], "description": "1: One more"},
    ),
    "choice-groups": (
        serializers.ChoiceField([("Group", [("a", "A")]), ("b", "B")]),
        {"type": "string", "enum": ["a", "b"]},
    ),
    "choice-blank-null": (
        serializers.ChoiceField(["a"], allow_blank=True, allow_null=True),
        {"type": ["string", "null"], "enum": ["a", "", None]},
    ),
    "choice-mixed": (serializers.ChoiceField([1, "a"]), {"enum": [1, "a"]}),
    "choice-none": (serializers.ChoiceField([]), {}),
    "choice-enumeration": (
        serializers.ChoiceField([(Colour.RED, "Red")]),
        {"type": "string", "enum": ["red"]},
    ),
    "choice-read-its-own-way": (
        ByLabel([("a", "First"), ("b", "Second")]),
        {"description": "Choices: a, b."},
    ),
    "choices": (
        serializers.MultipleChoiceField(choices=["a", "b"], allow_empty=False),
        {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1},
    ),
    "list": (
        serializers.ListField(child=serializers.IntegerField(), min_length=1, max_length=3),
        {"type": "array", "items": INTEGER, "minItems": 1, "maxItems": 3},
    ),
    "list-of-anything": (serializers.ListField(), {"type": "array"}),
    "mapping": (
        serializers.DictField(child=serializers.IntegerField(), allow_empty=False),
        {"type": "object", "additionalProperties": INTEGER, "minProperties": 1},
    ),
    "hstore": (
        serializers.HStoreField(),
        {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
    ),
    "json": (serializers.JSONField(), {}),
    "json-as-text": (
        serializers.JSONField(binary=True),
        {"type": "string", "description": "JSON text."},
    ),
    "nested": (PartSerializer(), PART),
    "nested-null": (PartSerializer(allow_null=True), {**PART, "type": ["object", "null"]}),
    "nested-many": (
        PartSerializer(many=True, min_length=1, max_length=2),
        {"type": "array", "items": PART, "minItems": 1, "maxItems": 2},
    ),
    "nested-read-its-own-way": (
        FreeSerializer(),
        {
            "properties": {
                "slug": {
                    "type": "string",
                    "maxLength": 50,
                    "pattern": "^[-a-zA-Z0-9_]+$",
                    "description": "The short name in URLs.",
                },
                "name": {"type": "string", "maxLength": 50},
            }
        },
    ),
    "nested by code": (ByCode(), {}),
    "nested-many-read-its-own-way": (ListedFreely(many=True), {}),
    "column without a field": (
        serializers.ModelField(model_field=Pump._meta.get_field("name"), max_length=9),
        {"type": "string", "maxLength": 9},
    ),
    "column of numbers without a field": (
        serializers.ModelField(model_field=Pump._meta.get_field("flow")),
        {"type": "number"},
    ),
    "integer-with-a-validator-of-another-kind": (
        serializers.IntegerField(validators=[validators.StepValueValidator(2)]),
        INTEGER,
    ),
    "key": (serializers.PrimaryKeyRelatedField(queryset=Place.objects.all()), INTEGER),
    "key-of-a-uuid": (
        serializers.PrimaryKeyRelatedField(queryset=Keeper.objects),
        {"type": "string", "format": "uuid"},
    ),
    "key-field": (
        serializers.PrimaryKeyRelatedField(
            queryset=Place.objects.all(), pk_field=serializers.CharField(max_length=4)
        ),
        {"type": "string", "maxLength": 4},
    ),
    "key-read-its-own-way": (ByAnything(queryset=Place.objects.all()), {}),
    "slug-of-another": (
        serializers.SlugRelatedField(slug_field="name", queryset=Label.objects.all()),
        TEXT,
    ),
    "slug-of-no-column": (
        serializers.SlugRelatedField(slug_field="title", queryset=Label.objects.all()),
        {},
    ),
    "link": (
        serializers.HyperlinkedRelatedField(view_name="label", queryset=Label.objects.all()),
        {"type": "string", "format": "uri-reference"},
    ),
    "keys": (
        serializers.PrimaryKeyRelatedField(
            queryset=Label.objects.all(), many=True, allow_empty=False
        ),
        {"type": "array", "items": INTEGER, "minItems": 1},
    ),
}


@pytest.mark.parametrize(("field", "schema"), FIELDS.values(), ids=FIELDS)
def test_kinds_of_fields(field, schema):
    assert named(field)[1] == schema


LEFT_OUT = {
    "read only": serializers.CharField(read_only=True),
    "hidden": serializers.HiddenField(default=1),
    "computed": serializers.SerializerMethodField(),
    "file": serializers.FileField(),
    "image": serializers.ImageField(required=False),
    "files": serializers.ListField(child=serializers.FileField()),
}


@pytest.mark.parametrize("field", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_cannot_be_written_is_left_out(field):
    schema, found = named(field)
    assert found is None
    assert "required" not in schema


WORDS = {
    "help text": ({"help_text": "Of <b>all</b>\n  places."}, "Of all places."),
    "help text that only looks like markup": ({"help_text": "If a < b."}, "If a < b."),
    "help text with breaks": ({"help_text": "<ul><li>One.</li><li>Two.</li></ul>"}, "One. Two."),
    "help text with a place": ({"help_text": "As in /sites/<pk>/."}, "As in /sites/<pk>/."),
    "label that says more": ({"label": "Net weight"}, "Net weight"),
    "label that repeats the name": ({"label": "Total_weight"}, None),
    "nothing": ({}, None),
}


@pytest.mark.parametrize(("options", "text"), WORDS.values(), ids=WORDS)
def test_only_what_somebody_wrote_is_a_description(options, text):
    _, found = named(serializers.CharField(**options), name="total_weight")
    assert found.get("description") == text


def test_help_text_comes_before_the_labels_of_choices():
    field = serializers.ChoiceField([(1, "low")], help_text="How loud")
    assert named(field)[1]["description"] == "How loud. 1: low"


DEFAULTS = {
    "false": (serializers.BooleanField(default=False), False),
    "number": (serializers.IntegerField(default=3), 3),
    "date": (serializers.DateField(default=dt.date(2024, 1, 2)), "2024-01-02"),
    "decimal": (serializers.DecimalField(5, 2, default=decimal.Decimal("1.5")), "1.50"),
    "member": (serializers.ChoiceField(Pump.Status.choices, default=Pump.Status.PLANNED), 1),
    "list": (serializers.ListField(default=["a"]), ["a"]),
    "object": (serializers.JSONField(default={"a": [1]}), {"a": [1]}),
    "null": (serializers.CharField(allow_null=True, default=None), None),
    "empty": (serializers.CharField(default=""), None),
    "computed": (serializers.DateTimeField(default=dt.datetime.now), None),
    "unspeakable": (Unheard(default=object()), None),
}


@pytest.mark.parametrize(("field", "default"), DEFAULTS.values(), ids=DEFAULTS)
def test_defaults_that_are_plain_values_are_told(field, default):
    schema, found = named(field)
    assert found.get("default") == default
    assert ("default" in found) == (default is not None)
    assert "required" not in schema


def test_a_change_has_no_defaults_and_requires_nothing():
    assert "default" not in named(serializers.IntegerField(default=3), is_partial=True)[1]
    schema, found = named(PartSerializer(), is_partial=True)
    assert "required" not in schema
    assert "required" not in found


def test_a_very_long_list_of_choices_is_described():
    _, found = named(serializers.ChoiceField([f"zone-{number}" for number in range(300)]))
    assert found == {
        "type": "string",
        "description": "One of 300 choices, such as zone-0, zone-1, zone-2, zone-3, zone-4.",
    }


def test_many_labels_are_left_to_the_values():
    _, found = named(serializers.ChoiceField([(n, f"Number {n}") for n in range(40)]))
    assert found == {"type": "integer", "enum": list(range(40))}


def test_a_relation_without_a_queryset_is_known_by_its_column():
    class Related(serializers.PrimaryKeyRelatedField):
        def get_queryset(self):
            raise AssertionError("it wants to know who asks")

    class Made(serializers.ModelSerializer):
        keeper = Related()
        labels = Related(many=True)

        class Meta:
            model = Pump
            fields = ("keeper", "labels")

    found = schema_of_serializer(Made(), FieldWalk())["properties"]
    assert found["keeper"] == {"type": "string", "format": "uuid"}
    assert found["labels"] == {"type": "array", "items": INTEGER}
