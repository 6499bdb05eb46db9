"""Views for inspection: instances with a request of an anonymous caller."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.faults import quietly


def view_of(endpoint: Endpoint) -> APIView:
    """Make a view with a request, which the site's own code may need. `swagger_fake_view` is the
    mark by which sites recognize that their documentation is being generated."""
    request = _request(endpoint.method)
    view = endpoint.view(request)
    scheme = view.versioning_class
    request.version = scheme.default_version if scheme else None
    request.versioning_scheme = scheme() if scheme else None
    view.swagger_fake_view = True  # type: ignore[attr-defined]  # known by its name alone
    return view


def _request(method: str) -> Request:
    """Make a request of an anonymous caller, without a query string or a body."""
    plain = HttpRequest()
    plain.method = method
    plain.META = {"REQUEST_METHOD": method, "SERVER_NAME": "localhost", "SERVER_PORT": "80"}
    request = Request(plain)
    request.accepted_media_type = "application/json"
    return request


def model_of(view: APIView) -> type[models.Model] | None:
    """Return the model of a view. The view's attributes come first, because `get_queryset` is code
    that may need to know the caller."""
    for found in (
        getattr(getattr(view, "queryset", None), "model", None),
        model_of_serializer(getattr(view, "serializer_class", None)),
    ):
        if found is not None:
            return found  # type: ignore[no-any-return]  # a site's attributes have no types
    return getattr(queryset_of(view), "model", None)


def model_of_serializer(serializer: Any) -> Any:
    return getattr(getattr(serializer, "Meta", None), "model", None)


def queryset_of(view: APIView) -> Any:
    """Return the view's queryset, never evaluated, or None."""
    queryset = getattr(view, "queryset", None)
    if queryset is not None:
        return queryset
    make = getattr(view, "get_queryset", None)
    return quietly(make) if make is not None else None


def queryset_or_none(view: APIView) -> Any:
    """Return the view's queryset, else an empty one, for code that reads the model from it."""
    queryset = queryset_of(view)
    if queryset is None and (model := model_of(view)) is not None:
        return model._default_manager.none()  # noqa: SLF001 (public, under Django's promise)
    return queryset


def title_of(model: type[models.Model], *, is_plural: bool = False) -> str:
    meta = model._meta  # noqa: SLF001 (public, under Django's promise)
    return str(meta.verbose_name_plural if is_plural else meta.verbose_name)
