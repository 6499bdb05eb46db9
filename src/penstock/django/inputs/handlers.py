"""Hints on what the code behind an endpoint does with a request.

REST framework assumes that every action takes what the view's serializer takes, so an action that
only restarts a device would demand a whole new device. The names that a function uses tell the two
kinds of action apart. They are only hints: without one, a schema stays open.
"""

from __future__ import annotations

import inspect
from typing import Any, Final, Literal

from django.core.paginator import Paginator
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.pagination import BasePagination
from rest_framework.serializers import BaseSerializer

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.code_names import (
    MIXED_IN,
    QUERIED,
    READS_QUERY,
    is_frameworks,
    names_behind,
    names_in,
    overrides,
    unwrapped,
)

OfView = Literal["view"]
_METHODS: Final = frozenset({"get", "post", "put", "patch", "delete"})
_ASKS_FOR_SERIALIZER: Final = frozenset(
    {"get_serializer", "get_serializer_class", "serializer_class"}
)
_PAGINATORS: Final = (BasePagination, Paginator)
_FILTERS: Final = frozenset({"filter_queryset", "filterset_class"})


def handler_of(endpoint: Endpoint) -> Any:
    """Return the function that answers: under `@api_view`, the decorated function; if REST
    framework's `post` calls `create`, the view's `create`."""
    found = unwrapped(endpoint.handler)
    seen: set[str] = set()
    while is_frameworks(found) and (called := MIXED_IN.intersection(names_in(found)) - seen):
        seen |= called
        found = unwrapped(getattr(endpoint.view_class, min(called), None))
    return found


def reads_list(endpoint: Endpoint) -> bool:
    """Return whether an endpoint answers with a list of rows, filtered or not."""
    is_read = endpoint.method == "GET"
    is_paged = is_read and "paginate_queryset" in names_in(handler_of(endpoint))
    return is_paged or filters_list(endpoint)


def filters_list(endpoint: Endpoint) -> bool:
    """Return whether an endpoint answers with a list that the view's filter backends filter."""
    if endpoint.method != "GET":
        return False
    if endpoint.action == "list" or _FILTERS.intersection(names_in(handler_of(endpoint))):
        return True
    is_lister = issubclass(endpoint.view_class, ListModelMixin)
    is_finder = issubclass(endpoint.view_class, RetrieveModelMixin)
    return endpoint.action == "get" and is_lister and not is_finder


def reads_own_query(endpoint: Endpoint) -> bool:
    """Return whether the code of a view reads query parameters by itself."""
    view = endpoint.view_class
    return any(map(reads_query, [handler_of(endpoint), *(getattr(view, n, None) for n in QUERIED)]))


def may_read_any_query(endpoint: Endpoint) -> bool:
    """Return whether code that is not looked into may read query parameters."""
    own = getattr(getattr(endpoint.view_class, "pagination_class", None), "paginate_queryset", None)
    if reads_query(own) or pages_itself(endpoint):
        return True
    is_plain_read = endpoint.method == "GET" and not reads_list(endpoint)
    return is_plain_read and not is_standard(endpoint)


def pages_itself(endpoint: Endpoint) -> bool:
    """Return whether an endpoint makes its pages itself: it makes a paginator, it uses one for more
    than pages, or it answers with a page in a form of its own."""
    handler = handler_of(endpoint)
    known = getattr(handler, "__globals__", {})
    values = [known.get(name) for name in names_in(handler)]
    if any(isinstance(one, type) and issubclass(one, _PAGINATORS) for one in values):
        return True
    has_form = overrides(endpoint.view_class, "get_paginated_response")
    return "paginator" in names_in(handler) or (has_form and reads_list(endpoint))


def pages_through(endpoint: Endpoint) -> bool:
    """Return whether only the site's own paginator can page an endpoint's list: it may choose among
    the rows or change them, or the view may choose among paginators."""
    view = endpoint.view_class
    own = inspect.getattr_static(view, "pagination_class", None)
    is_chosen = own is not None and not isinstance(own, type)
    is_special = is_chosen or overrides(view, "paginator") or chooses_rows(own)
    return is_special and "paginate_queryset" in names_behind(endpoint)


def chooses_rows(paginator: type | None) -> bool:
    """Return whether a paginator has its own way to make a page, or its own form of a page, in which
    it may hide or add something."""
    own = ("paginate_queryset", "get_paginated_response")
    return paginator is not None and any(overrides(paginator, name) for name in own)


def reads_query(function: Any) -> bool:
    return not READS_QUERY.isdisjoint(names_in(function))


def reads_body(endpoint: Endpoint) -> bool:
    """Return whether a DELETE reads its body, as bulk actions do."""
    return endpoint.method == "DELETE" and "data" in names_in(handler_of(endpoint))


def is_standard(endpoint: Endpoint) -> bool:
    """Return whether an endpoint does what REST framework does, perhaps with additions."""
    return is_frameworks(handler_of(endpoint)) or _extends(endpoint)


def _extends(endpoint: Endpoint) -> bool:
    return has_standard_action(endpoint) and "super" in names_in(handler_of(endpoint))


def has_standard_action(endpoint: Endpoint) -> bool:
    """Return whether an endpoint's action is one that REST framework defines."""
    return endpoint.action in MIXED_IN | _METHODS


def has_own_serializer(endpoint: Endpoint) -> bool:
    """Return whether the action's decorator names a serializer."""
    return "serializer_class" in getattr(endpoint.handler, "kwargs", {})


def validating_serializer(endpoint: Endpoint) -> type[BaseSerializer[Any]] | OfView | None:
    """Return the serializer with which the function validates: the first that it names. Others are
    for the answer; all are if the function does not validate."""
    names = names_in(handler_of(endpoint))
    known = getattr(handler_of(endpoint), "__globals__", {})
    if "is_valid" not in names:
        return None
    modules: list[Any] = []
    for name in names[: names.index("is_valid")]:
        if name in _ASKS_FOR_SERIALIZER:
            return "view"
        values = [known.get(name), *(getattr(module, name, None) for module in modules)]
        for value in values:
            if isinstance(value, type) and issubclass(value, BaseSerializer):
                return value
        modules += filter(inspect.ismodule, values)
    return None


def reads_many(endpoint: Endpoint) -> bool:
    """Return whether the function validates a list: it passes `many` beside `data`. If that depends
    on what is sent, a single object will do."""
    handler = handler_of(endpoint)
    calls = (item for item in handler.__code__.co_consts if isinstance(item, tuple))
    is_many = any({"data", "many"} <= {*filter(_is_text, names)} for names in calls)
    return is_many and "isinstance" not in names_in(handler)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
