"""Helpers for tests that ask for the tools of this app, and call its views with arguments."""

import jsonschema
import jsonschema_rs
from rest_framework.test import APIRequestFactory, force_authenticate

from penstock.django.endpoints import find_endpoints
from penstock.django.inputs import body_of, inputs_of, path_values, query_pairs

URLCONF = "gateway_site.fields.urls"


class Anyone:
    is_authenticated = True
    pk = 1
    keeper = "Ada"


def endpoint_at(method, path, urlconf=URLCONF):
    [found] = [e for e in find_endpoints(urlconf) if (e.method, e.path) == (method, path)]
    return found


def inputs_at(method, path, urlconf=URLCONF, **options):
    return inputs_of(endpoint_at(method, path, urlconf), urlconf=urlconf, **options)


def properties_at(method, path, urlconf=URLCONF, **options):
    return inputs_at(method, path, urlconf, **options).schema["properties"]


def is_valid(arguments, inputs):
    """Return whether both validators accept the arguments; they read patterns differently."""
    found = jsonschema_rs.validator_for(inputs.schema).is_valid(arguments)
    assert found == jsonschema.Draft202012Validator(inputs.schema).is_valid(arguments)
    return found


def call(method, path, arguments, urlconf=URLCONF):
    """Return the view's answer to a tool's arguments."""
    endpoint, inputs = endpoint_at(method, path, urlconf), inputs_at(method, path, urlconf)
    values = path_values(arguments, inputs)
    factory = APIRequestFactory()
    if method == "GET":
        request = factory.get(path.format(**values), query_pairs(arguments, inputs))
    else:
        make = getattr(factory, method.lower())
        request = make(path.format(**values), body_of(arguments, inputs), format="json")
    force_authenticate(request, Anyone())
    return endpoint.callback(request, **values)
