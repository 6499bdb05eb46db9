"""The parameters of a path, typed by the URL's converters, else by the model's columns."""

from __future__ import annotations

import re
from typing import Any, Final

from django.urls import converters
from rest_framework.versioning import URLPathVersioning
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.columns import column_at, schema_of_column
from penstock.django.inputs.faults import attempt
from penstock.django.inputs.routes import Route
from penstock.django.inputs.schemas import Schema, described, pattern_of
from penstock.django.inputs.values import Argument, InputPart, InputPlace
from penstock.django.inputs.views import model_of
from penstock.django.inputs.wording import plain

_TEXT: Final = {"type": "string"}
# Converters without a type. A router writes them for any lookup, so the model knows better.
_UNTYPED: Final = (converters.StringConverter, converters.PathConverter)
_DIGITS: Final = re.compile(r"\(\?P<(\w+)>(?:\\d|\[0-9\])(?:\+|\{\d+(?:,\d*)?\})\)")
_KEY: Final = re.compile(r"(?:\w+_)?(?:pk|id)")
_PARENT: Final = re.compile(r"(?:parent_lookup_)?(\w+?)_+(pk|id|slug|uuid|name)")


def path_part(endpoint: Endpoint, view: APIView | None, route: Route) -> InputPart:
    arguments = (_argument(name, view, route) for name in endpoint.parameters)
    return InputPart(tuple(arguments))


def _argument(name: str, view: APIView | None, route: Route) -> Argument:
    what = f"The parameter {name} of {route.written or 'a path'}"
    schema = attempt(what, lambda: _schema(name, view, route), dict(_TEXT))
    return Argument(InputPlace("path", name), schema, is_required="default" not in schema)


def _schema(name: str, view: APIView | None, route: Route) -> Schema:
    scheme = getattr(view, "versioning_class", None)
    if scheme and issubclass(scheme, URLPathVersioning) and name == scheme.version_param:
        return _version(scheme)
    column = _column(name, view) if view is not None else None
    help_text = plain(getattr(column, "help_text", ""))
    return described(_type(name, column, route), help_text)


def _type(name: str, column: Any, route: Route) -> Schema:
    converter = route.converters.get(name)
    if converter is not None and type(converter) not in _UNTYPED:
        return _type_of_converter(converter)
    if name in _DIGITS.findall(route.written):
        return {"type": "integer", "minimum": 0}
    if column is not None:
        return schema_of_column(column) or dict(_TEXT)
    return {"type": ["string", "integer"]} if _KEY.fullmatch(name) else dict(_TEXT)


def _type_of_converter(converter: Any) -> Schema:
    match converter:
        case converters.IntConverter():
            return {"type": "integer", "minimum": 0}
        case converters.UUIDConverter():
            return {"type": "string", "format": "uuid"}
    pattern = pattern_of(converter.regex)
    return {**_TEXT, **({"pattern": f"^(?:{pattern})$"} if pattern else {})}


def _column(name: str, view: APIView) -> Any:
    """Return the column by which the view finds its object, or its parent: nested routers call such
    a parameter `site_pk`."""
    model = model_of(view)
    if model is None:
        return None
    lookup = getattr(view, "lookup_field", "pk")
    if name in (lookup, getattr(view, "lookup_url_kwarg", None)):
        return column_at(model, lookup)
    found = column_at(model, name)
    parent = _PARENT.fullmatch(name)
    if found is not None or parent is None:
        return found
    relation, key = parent.groups()
    return column_at(model, f"{relation}__{'pk' if key == 'id' else key}")


def _version(scheme: type[URLPathVersioning]) -> Schema:
    allowed = list(dict.fromkeys([*(scheme.allowed_versions or ()), scheme.default_version]))
    known = [version for version in allowed if version is not None]
    default = {} if scheme.default_version is None else {"default": scheme.default_version}
    return {**_TEXT, **({"enum": known} if scheme.allowed_versions else {}), **default}
