"""The arguments of a query string, by the view's filter backends and its pagination."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from rest_framework.filters import BaseFilterBackend, OrderingFilter, SearchFilter
from rest_framework.pagination import BasePagination
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint
from penstock.django.inputs import handlers
from penstock.django.inputs.code_names import overrides
from penstock.django.inputs.faults import attempt
from penstock.django.inputs.openapi import arguments_of
from penstock.django.inputs.ordering import ordering_schema
from penstock.django.inputs.query_reads import reads_behind
from penstock.django.inputs.schemas import described
from penstock.django.inputs.values import NOTHING, UNKNOWN, Argument, InputPart, InputPlace
from penstock.django.inputs.views import queryset_or_none
from penstock.django.inputs.wording import plain

_PREFIXES: Final = "^=@$"
_OWN_PARAMETERS: Final = "get_schema_operation_parameters"


def filter_backends(endpoint: Endpoint, view: APIView) -> Iterable[Any]:
    """Return the filter backends that an endpoint's list goes through."""
    return getattr(view, "filter_backends", ()) if handlers.filters_list(endpoint) else ()


def query_part(
    endpoint: Endpoint, view: APIView, backends: Iterable[Any], *, with_pagination: bool
) -> InputPart:
    parts = [_part_of_backend(kind, view) for kind in backends]
    if with_pagination and handlers.reads_list(endpoint):
        parts.append(pagination_part(view))
    return together([*parts, _part_of_code(endpoint)])


def _part_of_code(endpoint: Endpoint) -> InputPart:
    """Return the parameters that the view's own code reads. Their types are not known."""
    is_closed = not handlers.may_read_any_query(endpoint)
    if not handlers.reads_own_query(endpoint):
        return InputPart(closed=is_closed)
    reads = reads_behind(endpoint.view_class, endpoint.action)
    return InputPart(_untyped(reads.names), closed=is_closed and reads.are_all)


def _untyped(names: Iterable[str]) -> tuple[Argument, ...]:
    return tuple(Argument(InputPlace("query", name), {}) for name in names)


def together(parts: Iterable[InputPart]) -> InputPart:
    """Merge parts. If two have the same name, the first keeps it."""
    listed = list(parts)
    found: dict[str, Argument] = {}
    for part in listed:
        for argument in part.arguments:
            found.setdefault(argument.place.name, argument)
    return InputPart(tuple(found.values()), closed=all(part.closed for part in listed))


def pagination_part(view: APIView) -> InputPart:
    paginator = attempt(_named(view, "pagination"), lambda: getattr(view, "paginator", None), None)
    if paginator is None:
        return NOTHING
    if overrides(type(paginator), "paginate_queryset") and not _has_parameters(paginator):
        return InputPart(_untyped(reads_behind(type(paginator), "paginate_queryset").names))
    return _part_by_itself(paginator, view)


def _has_parameters(paginator: Any) -> bool:
    """Return whether a paginator tells its parameters, itself or as one of REST framework's."""
    own = type(paginator).get_schema_operation_parameters
    return own is not BasePagination.get_schema_operation_parameters


def _part_of_backend(kind: Callable[[], Any], view: APIView) -> InputPart:
    name = getattr(kind, "__name__", str(kind))
    return attempt(_named(view, name), lambda: _inspected(kind(), view), UNKNOWN)


def _inspected(backend: Any, view: APIView) -> InputPart:
    if overrides(type(backend), _OWN_PARAMETERS) and not _has_filterset(backend):
        return _part_by_itself(backend, view)
    if isinstance(backend, SearchFilter):
        return _search(backend, view)
    if isinstance(backend, OrderingFilter):
        return _ordering(backend, view)
    if _has_filterset(backend):
        from penstock.django.inputs import filtersets

        return filtersets.part_of(backend, view)
    # A backend that reads no query, but filters by the caller for example, takes no parameters.
    return InputPart(closed=isinstance(backend, BaseFilterBackend) and not _reads_query(backend))


def _has_filterset(backend: Any) -> bool:
    return hasattr(backend, "get_filterset_class")


def _reads_query(backend: Any) -> bool:
    return handlers.reads_query(type(backend).filter_queryset)


def _part_by_itself(item: Any, view: APIView) -> InputPart:
    parameters = attempt(
        _named(view, type(item).__name__), lambda: getattr(item, _OWN_PARAMETERS)(view), None
    )
    return UNKNOWN if parameters is None else InputPart(arguments_of(parameters))


def _named(view: APIView, what: str) -> str:
    return f"{what} of {type(view).__qualname__}"


def _search(backend: SearchFilter, view: APIView) -> InputPart:
    fields = backend.get_search_fields(view, view.request)
    if not fields:
        return NOTHING  # without fields, the backend does nothing
    names = ", ".join(str(field).lstrip(_PREFIXES) for field in fields)
    own = backend.search_description
    said = plain(own) if own is not SearchFilter.search_description else ""
    schema = described({"type": "string"}, said, f"Words to look for in {names}.")
    return InputPart((Argument(InputPlace("query", backend.search_param), schema),))


def _ordering(backend: OrderingFilter, view: APIView) -> InputPart:
    context = {"request": view.request, "view": view}
    nothing: list[tuple[str, str]] = []
    fields = attempt(
        _named(view, "The fields to sort by"),
        lambda: backend.get_valid_fields(queryset_or_none(view), view, context),
        nothing,
    )
    schema = ordering_schema([str(name) for name, _ in fields])
    default = backend.get_default_ordering(view)
    if default and all(isinstance(name, str) for name in default):
        schema["default"] = ",".join(default)
    return InputPart((Argument(InputPlace("query", backend.ordering_param), schema),))
