"""The arguments of an endpoint, from all sources.

Penstock inspects the view. If drf-spectacular documents the view, what developers declared there
comes first: parameters, bodies, and whether filters apply. drf-spectacular also fills in what the
code does not show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.bodies import body_part, has_body, part_of_serializer
from penstock.django.inputs.documented import inspector_of
from penstock.django.inputs.faults import attempt, quietly
from penstock.django.inputs.naming import assembled
from penstock.django.inputs.paths import path_part
from penstock.django.inputs.queries import filter_backends, pagination_part, query_part
from penstock.django.inputs.routes import Route, route_of
from penstock.django.inputs.values import NOTHING, UNKNOWN, InputPart, Inputs
from penstock.django.inputs.views import view_of

if TYPE_CHECKING:
    from penstock.django.inputs.completing import Documentation


def inputs_of(endpoint: Endpoint, *, with_pagination: bool = False, urlconf: Any = None) -> Inputs:
    """Return the arguments of the endpoint's tool. `urlconf` is the one that holds the endpoint, by
    default the site's. If the site's code raises, the schema is open, and a warning says why."""
    what = f"{endpoint.method} {endpoint.path} ({endpoint.view_class.__qualname__})"
    route = attempt(what, lambda: route_of(endpoint, urlconf), Route())
    view = attempt(what, lambda: view_of(endpoint), None)
    path = path_part(endpoint, view, route)
    if view is None:
        is_body = has_body(endpoint)
        return assembled(path, NOTHING if is_body else UNKNOWN, UNKNOWN if is_body else NOTHING)
    documentation = quietly(lambda: _documentation(endpoint, view, route))
    backends = documentation.told.backends if documentation else filter_backends(endpoint, view)
    parts = (
        path,
        attempt(
            what,
            lambda: query_part(endpoint, view, backends, with_pagination=with_pagination),
            UNKNOWN,
        ),
        attempt(what, lambda: _body(endpoint, view, documentation), UNKNOWN),
    )
    if documentation is not None:
        parts = quietly(lambda: documentation.complete(parts, _pages_of(view))) or parts
    return assembled(*parts)


def _pages_of(view: APIView) -> frozenset[str]:
    return frozenset(item.place.name for item in pagination_part(view).arguments)


def _documentation(endpoint: Endpoint, view: APIView, route: Route) -> Documentation | None:
    inspector = inspector_of(endpoint, view)
    if inspector is None:
        return None
    from penstock.django.inputs.completing import Documentation

    return Documentation.of(endpoint, inspector, route)


def _body(endpoint: Endpoint, view: APIView, documentation: Documentation | None) -> InputPart:
    told = documentation.told.serializer if documentation is not None else None
    if told is not None:
        return part_of_serializer(told, view)
    return body_part(endpoint, view)
