"""Whether drf-spectacular documents an endpoint, and by which class. Loads nothing: a view whose
schema is one of its own has loaded it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Container
from typing import Any, Final

from rest_framework.schemas.inspectors import DefaultSchema
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint

_MARK: Final = "_spectacular_annotation"


def inspector_of(endpoint: Endpoint, view: APIView) -> Any:
    """A new inspector of drf-spectacular's for this view alone, or None. The one that hangs on the
    view's class is shared by all its requests, and keeps the view that looked at it last."""
    package = sys.modules.get("drf_spectacular.openapi")
    if package is None:
        return None
    kind = _kind_of(endpoint)
    if kind is None or not issubclass(kind, package.AutoSchema):
        return None
    inspector = kind()
    inspector.view, inspector.method, inspector.path = view, endpoint.method, endpoint.path
    return inspector


def is_told_of(item: Any) -> bool:
    """Whether a developer told what a field or a filter takes, which its class does not show then."""
    return "field" in getattr(item, _MARK, ())


def excluded_fields(serializer: Any) -> Container[str]:
    """Those that a developer keeps out of what is told of a serializer."""
    return getattr(serializer, _MARK, {}).get("exclude_fields", ())  # type: ignore[no-any-return]  # a package's own attribute


def _kind_of(endpoint: Endpoint) -> type | None:
    """The class of the action's inspector, above that of the view's: `@extend_schema` on a method
    knows only the site's default."""
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
