"""A total order for the rows of a list, so that every row is on exactly one page."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Random
from rest_framework.pagination import CursorPagination
from rest_framework.views import APIView


def in_order(found: QuerySet[Any], view: APIView) -> QuerySet[Any] | None:
    """Return the same rows in the view's own order, with ties broken by the key. Return None if the
    key cannot break them: the parts of such a list would not add up to the whole. Return None also if
    the view has read the rows: it may have set attributes on them, which other rows would lack."""
    if found.query.is_sliced:
        return None
    paginator = getattr(view, "pagination_class", None)
    if isinstance(paginator, type) and issubclass(paginator, CursorPagination):
        found = found.order_by(*paginator().get_ordering(view.request, found, view))
    if found._result_cache is not None:  # noqa: SLF001 (Django has no other sign of it)
        return None
    query = found.query
    if query.combinator or query.distinct_fields or query.extra_order_by or not _has_key(found):
        return None
    return None if is_in_random_order(found) else found.order_by(*_order_of(found), "pk")


def unsliced_count(rows: QuerySet[Any]) -> int:
    """Return the number of rows that a queryset is a slice of."""
    whole = rows.all()
    whole.query.clear_limits()
    return whole.count()


def is_in_random_order(found: QuerySet[Any]) -> bool:
    return any(_is_random(one, found) for one in _order_of(found))


def _has_key(found: QuerySet[Any]) -> bool:
    """Return whether each row is a row of the model, or holds its key, and appears once. A join to
    many other rows may repeat a row."""
    query, key = found.query, found.model._meta.pk  # noqa: SLF001 (documented by Django)
    if not query.group_by and (query.annotations or query.values_select) and _joins_many(query):
        return False
    if query.default_cols:
        return True
    return not query.group_by and key is not None and key.attname in query.values_select


def _joins_many(query: Any) -> bool:
    fields = (getattr(table, "join_field", None) for table in query.alias_map.values())
    return any(
        getattr(field, "one_to_many", False) or getattr(field, "many_to_many", False)
        for field in fields
    )


def _order_of(found: QuerySet[Any]) -> tuple[Any, ...]:
    own = found.model._meta.ordering or () if found.query.default_ordering else ()  # noqa: SLF001 (documented by Django)
    return tuple(found.query.order_by or own)


def _is_random(order: Any, found: QuerySet[Any]) -> bool:
    if isinstance(order, str):
        name = order.lstrip("-+")
        order = found.query.annotations.get(name)
        if order is None:
            return name == "?"
    parts = order.flatten() if hasattr(order, "flatten") else [order]
    return any(isinstance(part, Random) for part in parts)
