"""Schemas of views that drf-spectacular documents, with what developers declared to it."""

from __future__ import annotations

import importlib
import logging

import jsonschema
import pytest
from django.conf import settings as site
from django.test import override_settings
from gateway_site.fields.asking import call, endpoint_at, inputs_at, is_valid
from gateway_site.fields.models import Place

from penstock.django.endpoints import find_endpoints
from penstock.django.inputs import body_of, describe, faults, inputs_of, query_pairs

URLCONF = "gateway_site.fields.documented"
REST_FRAMEWORK = {
    **site.REST_FRAMEWORK,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
KEY = {"type": ["integer", "string"], "pattern": "^-?[0-9]+$"}
PART = {
    "type": "object",
    "properties": {
        "name": TEXT,
        "number": {"type": "integer", "minimum": 1},
        "weight": {"type": "number"},
    },
    "required": ["name", "number"],
}


@pytest.fixture(autouse=True)
def documented():
    """Import the views: the package's decorators need the site's default when they are applied."""
    with override_settings(REST_FRAMEWORK=REST_FRAMEWORK):
        importlib.import_module(URLCONF)
        yield


def found_at(method, path, **options):
    return inputs_at(method, path, URLCONF, **options)


def plain_at(method, path):
    """Return the inputs without documentation."""
    return inputs_at(method, path).schema["properties"]


def test_every_schema_is_valid_and_nothing_is_printed(capfd, caplog):
    faults._tell_once.cache_clear()
    with caplog.at_level(logging.WARNING, logger="penstock"):
        for endpoint in find_endpoints(URLCONF):
            inputs = inputs_of(endpoint, urlconf=URLCONF)
            jsonschema.Draft202012Validator.check_schema(inputs.schema)
            assert describe(endpoint)
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def test_parameters_that_were_told():
    inputs = found_at("GET", "/pumps/")
    found = inputs.schema["properties"]
    assert found["idle"] == {"type": "boolean", "description": "Only those that stand idle."}
    assert found["floor"] == {"type": "integer", "enum": [1, 2]}
    assert found["sizes"] == {"type": ["array", "integer"], "items": INTEGER}
    assert inputs.schema["required"] == ["floor"]
    assert query_pairs({"floor": 1, "sizes": [1, 2]}, inputs) == [("floor", "1"), ("sizes", "1,2")]


def test_what_was_struck_out_is_gone_and_the_rest_as_it_is_without_documentation():
    found = found_at("GET", "/pumps/").schema["properties"]
    told = {"idle", "floor", "sizes"}
    kept = {name: schema for name, schema in found.items() if name not in told}
    plain = plain_at("GET", "/pumps/")
    assert plain.pop("called")
    assert kept == plain


def test_pages_and_forms_of_answers_are_not_among_them():
    assert not found_at("GET", "/pumps/").schema["properties"].keys() & {"page", "format"}
    shown = found_at("GET", "/pumps/", with_pagination=True).schema["properties"]
    assert {"page", "page_size"} <= shown.keys()


def test_a_parameter_of_the_path_under_another_name():
    inputs = found_at("GET", "/pumps/{pk}/")
    key = {"type": ["string", "integer"], "description": "Its plate."}  # the column takes a number
    assert inputs.schema["properties"] == {"pk": key}


def test_a_parameter_of_the_path_under_its_own_name():
    inputs = found_at("DELETE", "/pumps/{pk}/")
    assert inputs.schema["properties"] == {"pk": {"type": "string", "enum": ["a"]}}


BODIES = {
    "another serializer": (
        "POST",
        "/pumps/{pk}/push/",
        {"pk": KEY, "place": TEXT, "reason": {"type": "string", "maxLength": 40}},
        ["pk", "place"],
    ),
    "a field that was told": (
        "POST",
        "/tracks/",
        {
            "length": {
                "type": "object",
                "properties": {"km": {"type": "number"}},
                "description": "From end to end.",
            },
            "first": PART,
            "last": PART,
        },
        ["length", "first"],
    ),
    "one of two shapes": (
        "POST",
        "/shapes/",
        {
            **PART["properties"],
            "place": {"type": "string", "description": "The short name in URLs."},
            "reason": {"type": "string", "maxLength": 40},
        },
        None,
    ),
    "a text": ("PUT", "/queried/", {"body": TEXT}, ["body"]),
}


@pytest.mark.parametrize(("method", "path", "properties", "required"), BODIES.values(), ids=BODIES)
def test_bodies_that_were_told(method, path, properties, required):
    schema = found_at(method, path).schema
    assert schema["properties"] == properties
    assert schema.get("required") == required
    assert schema["additionalProperties"] is False


def test_a_list_that_was_told():
    inputs = found_at("POST", "/pumps/replace_all/")
    assert inputs.is_list
    assert inputs.schema["properties"]["items"]["type"] == "array"


MANY = {
    "PUT": ({"id", "slug", "name"}, {"id", "slug", "name"}),
    "PATCH": ({"id", "slug", "name"}, {"id"}),
    "DELETE": ({"id"}, {"id"}),
}


@pytest.mark.parametrize(("method", "names", "required"), [(k, *v) for k, v in MANY.items()])
def test_a_list_that_an_inspector_of_the_site_s_own_describes(method, names, required):
    schema = found_at(method, "/many-places/").schema
    assert schema["properties"].keys() == {"items"}
    assert schema["required"] == ["items"]
    row = schema["properties"]["items"]["items"]
    assert row["properties"].keys() == names
    assert {*row["required"]} == required


def test_files_of_a_list_are_left_out():
    note = found_at("PUT", "/many-places/").schema["description"]
    assert note == "Files cannot be sent here: plan."


@pytest.mark.django_db
def test_a_list_that_is_described_is_taken():
    places = [Place.objects.create(slug=f"p{n}", name="old") for n in range(3)]
    rows = [{"id": place.pk, "name": "new"} for place in places[:2]]
    assert call("PATCH", "/many-places/", {"items": rows}, URLCONF).status_code == 204
    assert [*Place.objects.order_by("pk").values_list("name", flat=True)] == ["new", "new", "old"]
    rows = [{"id": place.pk} for place in places[1:]]
    assert call("DELETE", "/many-places/", {"items": rows}, URLCONF).status_code == 204
    assert Place.objects.get() == places[0]


def test_answers_are_not_asked_for():
    assert found_at("GET", "/answering/").schema["properties"] == {"days": INTEGER}


FILTERED = {
    "the documentation guesses that they apply": ("/pumps/{pk}/places/", {"pk", "floor"}),
    "developers declared that they do not": ("/pumps/unsorted/", set()),
}


@pytest.mark.parametrize(("path", "names"), FILTERED.values(), ids=FILTERED)
def test_filters_that_do_not_apply_are_gone(path, names):
    assert found_at("GET", path).schema["properties"].keys() == names


def test_a_body_of_anything():
    inputs = found_at("POST", "/queried/")
    assert inputs.rest == "body"
    assert body_of({"a": 1}, inputs) == {"a": 1}


def test_definitions_come_along():
    inputs = found_at("POST", "/journeys/")
    assert inputs.schema["properties"]["stops"]["items"] == {"$ref": "#/$defs/Stop"}
    assert inputs.schema["$defs"].keys() == {"Stop", "Part"}
    stop = {"at": {"km": 1}, "part": {"name": "bolt", "number": 1}}
    assert is_valid({"stops": [stop]}, inputs)
    assert not is_valid({"stops": [{**stop, "part": {"name": "bolt"}}]}, inputs)


def test_what_the_documentation_takes_for_a_text_is_anything():
    found = found_at("POST", "/guessed/").schema["properties"]
    assert found.pop("maybe")["anyOf"] == [{"$ref": "#/$defs/Stop"}, {"type": "null"}]
    assert found == {
        "unheard": {"description": "Anything."},
        "wrong": {"description": "Of a kind."},
        "text": TEXT,
        "deep": {"type": "array"},
    }


def test_a_told_file_is_left_out_where_the_view_takes_no_forms():
    schema = found_at("POST", "/json-uploads/").schema
    assert schema["properties"] == {"title": TEXT}
    assert schema["required"] == ["title"]
    assert schema["description"] == "Files cannot be sent here: file (required)."


def test_a_field_of_files_that_was_told_goes_with_a_form():
    inputs = found_at("POST", "/plans/")
    assert inputs.schema["properties"]["plan"]["required"] == ["filename"]
    assert inputs.places["plan"].style == "file"


def test_a_told_file_goes_with_a_form():
    inputs = found_at("POST", "/uploads/")
    file = inputs.schema["properties"]["file"]
    assert file["properties"]["base64"]["contentEncoding"] == "base64"
    assert file["description"].endswith("a token. Scanned.")
    assert inputs.schema["required"] == ["title", "file"]
    assert inputs.places["file"].style == "file"


def test_a_serializer_for_a_type_of_content():
    assert found_at("PUT", "/uploads/").schema["properties"] == PART["properties"]


def test_anything_is_an_open_body():
    assert found_at("PATCH", "/uploads/").rest == "body"


def test_an_inspector_of_the_site_s_own():
    schema = found_at("GET", "/near/").schema
    name = {"type": "string", "minLength": 1}
    told = {"tenant": TEXT, **PART["properties"], "name": name}
    assert schema["properties"] == {"near": INTEGER, **told}
    assert sorted(schema["required"]) == ["name", "number", "tenant"]


def test_a_method_and_its_class_both_have_a_say():
    found = found_at("GET", "/mixed/").schema["properties"]
    assert {"told", "tenant"} <= found.keys()


def test_a_change_requires_nothing():
    schema = found_at("PATCH", "/tracks/{pk}/").schema
    assert schema["required"] == ["pk"]
    assert "required" not in schema["properties"]["first"]


SAME = {
    "guesses": ("POST", "/orders/"),
    "files": ("POST", "/albums/"),
    "an action without a body": ("POST", "/pumps/{pk}/restart/"),
    "a serializer in the code": ("POST", "/pumps/{pk}/carry/"),
    "an action that filters": ("GET", "/pumps/cheapest/"),
}


@pytest.mark.parametrize(("method", "path"), SAME.values(), ids=SAME)
def test_what_the_documentation_only_guesses_is_as_without_it(method, path):
    assert found_at(method, path).schema == inputs_at(method, path).schema


def test_a_query_that_was_told_is_known():
    schema = found_at("GET", "/queried/").schema
    assert schema["properties"] == {"days": INTEGER}
    assert schema["additionalProperties"] is False


PLACE = {"slug", "name"}
LOST = {
    "raises": ("POST", "/undocumented/", PLACE),
    "is kept out": ("POST", "/hidden/", PLACE),
    "finds nothing": ("POST", "/warned/{floor}/", {"floor"}),
}


@pytest.mark.parametrize(("method", "path", "names"), LOST.values(), ids=LOST)
def test_a_documentation_that_is_not_there_is_not_missed(method, path, names):
    assert found_at(method, path).schema["properties"].keys() == names


DESCRIPTIONS = {
    "summary and description": (
        "GET",
        "/pumps/",
        "Pumps of the plant. With all that stand idle.",
    ),
    "nothing told": ("POST", "/pumps/", "Create a pump."),
    "an inspector, of a list": ("GET", "/near/", "Of all pumps."),
    "an inspector, of a record": ("GET", "/near/{pk}/", "Of one pump."),
    "docstring": ("POST", "/pumps/{pk}/restart/", "Restart a pump.\n\nIt takes a moment."),
}


@pytest.mark.parametrize(("method", "path", "text"), DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_descriptions(method, path, text):
    assert describe(endpoint_at(method, path, URLCONF)) == text
