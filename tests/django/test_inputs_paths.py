"""The parameters of a path: their types, and the names of other arguments beside them."""

from __future__ import annotations

import pytest
from django.test import override_settings
from gateway_site.fields.asking import (
    URLCONF,
    call,
    endpoint_at,
    inputs_at,
    is_valid,
    properties_at,
)

from penstock.django.inputs import InputPlace, inputs_of, path_values

TEXT = {"type": "string"}
INTEGER = {"type": ["integer", "string"], "pattern": "^-?[0-9]+$"}
DIGITS = {"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$"}
SLUG = {"type": "string", "description": "The short name in URLs."}
PATHS = {
    "the model's key": ("/pumps/{pk}/", {"pk": INTEGER}),
    "a lookup field, with its help text": ("/places/{slug}/", {"slug": SLUG}),
    "a parent's column": (
        "/places/{place_slug}/pumps/{pk}/",
        {"place_slug": SLUG, "pk": INTEGER},
    ),
    "a column by its name": (
        "/by-name/{name}/",
        {"name": {"type": "string", "description": "As it stands on the label."}},
    ),
    "an integer in the URL": ("/typed/{pk}/", {"pk": DIGITS}),
    "other converters": (
        "/by-key/{key}/{part}/{rest}/",
        {
            "key": {"type": "string", "format": "uuid"},
            "part": {"type": "string", "pattern": "^(?:[-a-zA-Z0-9_]+)$"},
            "rest": TEXT,
        },
    ),
    "regular expressions": ("/years/{year}/{rest}/", {"year": DIGITS, "rest": TEXT}),
    "the version": (
        "/{version}/versioned/",
        {"version": {"type": "string", "enum": ["v1", "v2"], "default": "v2"}},
    ),
}


@pytest.mark.parametrize(("path", "properties"), PATHS.values(), ids=PATHS)
def test_types_of_parameters(path, properties):
    assert properties_at("GET", path) == properties


@pytest.mark.parametrize("path", ["/pumps/{pk}/", "/places/{place_slug}/pumps/{pk}/"])
def test_parameters_are_required(path):
    inputs = inputs_at("GET", path)
    assert inputs.schema["required"] == list(inputs.schema["properties"])


def test_a_url_outside_the_urlconf_is_typed_by_its_model_alone():
    endpoint = endpoint_at("GET", "/typed/{pk}/")
    assert inputs_of(endpoint).schema["properties"] == {"pk": INTEGER}


def test_the_site_s_own_urlconf_needs_no_telling():
    with override_settings(ROOT_URLCONF=URLCONF):
        found = inputs_of(endpoint_at("GET", "/typed/{pk}/"))
    assert found.schema["properties"] == {"pk": DIGITS}


KEYS = {
    "a column of numbers": "/pumps/{pk}/",
    "an integer in the URL": "/typed/{pk}/",
    "nothing known": "/unknown/{pk}/",
}


@pytest.mark.parametrize("key", [1, "1"])
@pytest.mark.parametrize("path", KEYS.values(), ids=KEYS)
def test_digits_are_a_number_or_a_text(path, key):
    inputs = inputs_at("GET", path)
    assert is_valid({"pk": key}, inputs)
    assert path_values({"pk": key}, inputs) == {"pk": "1"}


@pytest.mark.parametrize("key", ["a", "1.5", "", 1.5, None])
def test_other_texts_are_no_digits(key):
    assert not is_valid({"pk": key}, inputs_at("GET", "/typed/{pk}/"))


def test_a_field_of_the_body_makes_way_for_the_path():
    inputs = inputs_at("PUT", "/places/{slug}/")
    assert list(inputs.schema["properties"]) == ["slug", "body_slug", "name"]
    assert inputs.places == {
        "slug": InputPlace("path", "slug"),
        "body_slug": InputPlace("body", "slug"),
        "name": InputPlace("body", "name"),
    }


VALUES = {
    "integer": (5, "5"),
    "an integer as JSON may have it": (5.0, "5"),
    "text": ("a/b", "a/b"),
    "boolean": (True, "true"),
}


@pytest.mark.parametrize(("value", "text"), VALUES.values(), ids=VALUES)
def test_values_as_text(value, text):
    assert path_values({"pk": value}, inputs_at("GET", "/pumps/{pk}/")) == {"pk": text}


def test_what_has_a_default_may_be_left_out():
    inputs = inputs_at("GET", "/{version}/versioned/")
    assert is_valid({}, inputs)
    assert call("GET", "/{version}/versioned/", {}).data == {"version": "v2"}
    assert call("GET", "/{version}/versioned/", {"version": "v1"}).data == {"version": "v1"}
    assert not is_valid({"version": "v3"}, inputs)
