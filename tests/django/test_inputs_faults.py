"""Faults in a site's code: they cost no tool, and inspecting the code queries no database."""

from __future__ import annotations

import logging

import jsonschema
import jsonschema_rs
import pytest
from gateway_site.fields.asking import URLCONF, inputs_at

from penstock.django.endpoints import find_endpoints
from penstock.django.inputs import describe, faults, inputs_of


@pytest.fixture
def warnings(caplog):
    """Collect warnings, as if none had been logged before."""
    faults._tell_once.cache_clear()
    with caplog.at_level(logging.WARNING, logger="penstock"):
        yield caplog


ENDPOINTS = {f"{e.method} {e.path}": e for e in find_endpoints(URLCONF)}
FAULTY = {"/raising/", "/refusing/{floor}/"}


@pytest.mark.parametrize("endpoint", ENDPOINTS.values(), ids=ENDPOINTS)
@pytest.mark.parametrize("with_pagination", [False, True])
def test_every_schema_is_valid_and_made_without_a_query(endpoint, with_pagination, warnings):
    """There is no database here: a query would raise, and a warning would report it."""
    inputs = inputs_of(endpoint, with_pagination=with_pagination, urlconf=URLCONF)
    jsonschema.Draft202012Validator.check_schema(inputs.schema)
    jsonschema_rs.validator_for(inputs.schema)
    assert inputs.schema["type"] == "object"
    assert inputs.places.keys() == inputs.schema["properties"].keys()
    assert inputs.schema["additionalProperties"] is (inputs.rest is not None)
    assert set(inputs.schema.get("required", ())) <= inputs.places.keys()
    assert describe(endpoint)
    assert bool(warnings.records) == (endpoint.path in FAULTY)


RAISING = {
    "a serializer": ("POST", "/raising/", {}, "body", "no fields today"),
    "one filter of a set": ("GET", "/raising/", {"name"}, "query", "no field today"),
    "the view, asked": ("GET", "/refusing/{floor}/", {"floor"}, "query", "no view today"),
    "the view, told": ("POST", "/refusing/{floor}/", {"floor"}, "body", "no view today"),
}


@pytest.mark.parametrize(("method", "path", "known", "rest", "why"), RAISING.values(), ids=RAISING)
def test_what_raises_leaves_the_rest_and_an_open_schema(method, path, known, rest, why, warnings):
    inputs = inputs_at(method, path)
    assert set(inputs.schema["properties"]) == set(known)
    assert inputs.schema["additionalProperties"] is True
    assert inputs.rest == rest
    [record] = warnings.records
    assert record.name == "penstock"
    assert why in record.getMessage()


def test_a_fault_is_told_once(warnings):
    inputs_at("POST", "/raising/")
    inputs_at("POST", "/raising/")
    assert len(warnings.records) == 1
