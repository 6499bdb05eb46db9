"""An endpoint's documentation by drf-spectacular. Loaded only for views that drf-spectacular documents.

If developers declare nothing, drf-spectacular guesses, and it guesses for answers, not for callers: a
decimal is text if answers hold text. So it is asked only for what developers declared, and for what
Penstock does not know. For these, the operation of one endpoint is generated, once and without its
answers, with a component registry of its own. The generator's messages are kept off the site's
standard error.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry
from drf_spectacular.settings import spectacular_settings
from drf_spectacular.utils import OpenApiRequest
from rest_framework.serializers import BaseSerializer
from rest_framework.settings import api_settings

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.faults import quietly
from penstock.django.inputs.media import JSON
from penstock.django.inputs.openapi import arguments_of, json_schema
from penstock.django.inputs.operation_bodies import documented_body
from penstock.django.inputs.routes import Route
from penstock.django.inputs.schemas import Schema
from penstock.django.inputs.values import Argument, InputPart, InputPlace

# Silencing the generator affects the whole process, so only one thread at a time does that.
_SILENCE: Final = threading.RLock()
_PACKAGES: Final = ("drf_spectacular.", "rest_framework.")


@dataclass(frozen=True, slots=True)
class DocumentedInputs:
    """The inputs that developers declared to drf-spectacular."""

    parameters: frozenset[str]
    excluded: frozenset[str]  # parameters to leave out
    backends: tuple[Any, ...]  # the view's filter backends; none if developers declared so
    has_body: bool
    serializer: BaseSerializer[Any] | None  # None: no body, or only in the operation
    is_own_inspector: bool  # the site's own inspector, which may declare anything

    @property
    def needs_operation(self) -> bool:
        has_only_operation = self.has_body and self.serializer is None
        is_listed = bool(self.parameters or self.excluded)
        return is_listed or has_only_operation or self.is_own_inspector


@dataclass(frozen=True, slots=True)
class Operation:
    """The operation of an endpoint, as drf-spectacular generates it."""

    path: tuple[Argument, ...]
    query: tuple[Argument, ...]
    body: InputPart | None  # None if the operation has none
    definitions: Mapping[str, Schema]  # all that the schemas may refer to


def ask_for_requests_only(inspector: Any, *, is_filtered: bool) -> None:
    """Keep an inspector from describing answers, which takes most of the time. drf-spectacular tells
    from an answer whether filters apply, unless it is told: Penstock tells from the code."""
    inspector._get_response_bodies = lambda *_, **__: {}  # noqa: SLF001 (it has no public name)
    if type(inspector)._is_list_view is AutoSchema._is_list_view:  # noqa: SLF001 (as above)
        inspector._is_list_view = lambda *_, **__: is_filtered  # noqa: SLF001 (as above)


def declared_inputs(inspector: Any, *, has_body: bool) -> DocumentedInputs:
    with _SILENCE, GENERATOR_STATS.silence():
        overrides = inspector.get_override_parameters()
        backends = inspector.get_filter_backends()
        request = _declared_request(inspector) if has_body else None
    excluded = frozenset(item.name for item in overrides if getattr(item, "exclude", False))
    return DocumentedInputs(
        frozenset(name for item in overrides for name in _names_in(item)) - excluded,
        excluded,
        tuple(backends),
        request is not None,
        _serializer_in(request),
        is_own_inspector=not all(
            kind is object or kind.__module__.startswith(_PACKAGES)
            for kind in type(inspector).__mro__
        ),
    )


def _declared_request(inspector: Any) -> Any:
    """Return the declared request, or None: a guess is another object each time."""
    request = inspector.get_request_serializer()
    return request if request is inspector.get_request_serializer() else None


def _serializer_in(request: Any) -> BaseSerializer[Any] | None:
    """Return the serializer in a declared request, also if it is declared for a content type. The
    package's own serializers do not count: they only describe."""
    if isinstance(request, Mapping) and request:
        request = request.get(JSON, next(iter(request.values())))
    if isinstance(request, OpenApiRequest):
        request = request.request
    made = quietly(request) if isinstance(request, type) else request
    is_plain = isinstance(made, BaseSerializer) and not _is_packages(type(made))
    return made if is_plain else None


def _is_packages(kind: type) -> bool:
    return kind.__module__.startswith(_PACKAGES[0])


def _names_in(override: Any) -> Iterator[str]:
    """Yield the names that a developer declared: of a parameter, or of a serializer's fields."""
    if hasattr(override, "location"):
        yield override.name
    else:
        made: Any = quietly(override) if isinstance(override, type) else override
        yield from quietly(lambda: list(made.fields)) or ()


def operation_of(
    endpoint: Endpoint, inspector: Any, route: Route, told: DocumentedInputs
) -> Operation | None:
    """Return the generated operation; None if the endpoint is kept out of the documentation."""
    registry = ComponentRegistry()
    with _SILENCE, GENERATOR_STATS.silence():
        said = inspector.get_operation(
            inspector.path, route.written or endpoint.path, "^/", endpoint.method, registry
        )
        components = registry.build(spectacular_settings.APPEND_COMPONENTS).get("schemas", {})
    if said is None:
        return None
    definitions = {name: json_schema(item) for name, item in components.items()}
    found = arguments_of(said.get("parameters", ()), definitions)
    in_path = (item for item in found if item.place.where == "path")
    in_query = (item for item in found if item.place.where == "query")
    return Operation(
        tuple(_renamed(item, endpoint) for item in in_path if item.place.name in told.parameters),
        tuple(
            item for item in in_query if item.place.name in told.parameters or not _is_format(item)
        ),
        documented_body(said.get("requestBody") or {}, definitions, inspector.view),
        definitions,
    )


def _renamed(argument: Argument, endpoint: Endpoint) -> Argument:
    """Give a path argument its name in the URL: the documentation may say `id` for `pk`."""
    said = argument.place.name
    if said in endpoint.parameters:
        return argument
    name = "pk" if said == "id" else f"{said.removesuffix('_id')}_pk"
    return replace(argument, place=InputPlace("path", name))


def _is_format(argument: Argument) -> bool:
    """Return whether an argument sets the format of the answer, which no agent should choose."""
    return argument.place.name == api_settings.URL_FORMAT_OVERRIDE
