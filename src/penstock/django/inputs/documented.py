"""Checks of whether and how drf-spectacular documents an endpoint. They never load the package: a
view that it documents has loaded it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Container
from typing import Any, Final

from rest_framework.schemas.generators import BaseSchemaGenerator
from rest_framework.schemas.inspectors import DefaultSchema
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint

_MARK: Final = "_spectacular_annotation"


def inspector_of(endpoint: Endpoint, view: APIView) -> Any:
    """Make an inspector of drf-spectacular's for this view alone, or return None. All requests
    share the inspector of the view's class, which keeps the view that used it last. Its path is as
    in the documentation, with `id` for `pk`: inspectors of sites tell records from lists by that."""
    package = sys.modules.get("drf_spectacular.openapi")
    if package is None:
        return None
    kind = _kind_of(endpoint)
    if kind is None or not issubclass(kind, package.AutoSchema):
        return None
    inspector = kind()
    inspector.view, inspector.method = view, endpoint.method
    inspector.path = BaseSchemaGenerator().coerce_path(endpoint.path, endpoint.method, view)
    return inspector


def decides_on_exclusion(endpoint: Endpoint) -> bool:
    """Return whether an endpoint's inspector may exclude it. Most do not, and asking takes long."""
    package = sys.modules.get("drf_spectacular.openapi")
    kind: Any = None if package is None else _kind_of(endpoint)
    if package is None or kind is None or not issubclass(kind, package.AutoSchema):
        return False
    return kind.is_excluded is not package.AutoSchema.is_excluded


def is_told_of(item: Any) -> bool:
    """Return whether a developer declared what a field or a filter takes; its class may differ."""
    return "field" in getattr(item, _MARK, ())


def excluded_fields(serializer: Any) -> Container[str]:
    """Return the fields that a developer keeps out of a serializer's documentation."""
    return getattr(serializer, _MARK, {}).get("exclude_fields", ())  # type: ignore[no-any-return]  # a package's own attribute


def _kind_of(endpoint: Endpoint) -> type | None:
    """Return the inspector class of the action, combined with that of the view: `@extend_schema` on
    a method knows only the site's default class."""
    of_view = _class_of(inspect.getattr_static(endpoint.view_class, "schema", None))
    initial = getattr(endpoint.callback, "initkwargs", {})
    given = initial.get("schema") or getattr(endpoint.handler, "kwargs", {}).get("schema")
    of_action = _class_of(given)
    if of_action is None or of_view is None:
        return of_action or of_view
    if issubclass(of_action, of_view):
        return of_action
    return type(of_action.__name__, (of_action, of_view), {})


def _class_of(schema: Any) -> type | None:
    if schema is None or isinstance(schema, type):
        return schema
    default: Any = api_settings.DEFAULT_SCHEMA_CLASS
    return default if isinstance(schema, DefaultSchema) else type(schema)
