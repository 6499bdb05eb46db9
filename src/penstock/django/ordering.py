"""One order for the rows of a list, so that every row is on one page."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Random
from rest_framework.pagination import CursorPagination
from rest_framework.views import APIView


def in_order(found: QuerySet[Any], view: APIView) -> QuerySet[Any] | None:
    """The same rows, those that the view's own order leaves equal told apart by their key. None where
    they cannot be: what is read in parts then would not be the whole."""
    if found.query.is_sliced:
        return None
    paginator = getattr(view, "pagination_class", None)
    if isinstance(paginator, type) and issubclass(paginator, CursorPagination):
        found = found.order_by(*paginator().get_ordering(view.request, found, view))
    query = found.query
    if query.combinator or query.distinct_fields or query.extra_order_by or not _has_key(found):
        return None
    order = query.order_by or _default_order(found)
    return None if any(_is_random(one, found) for one in order) else found.order_by(*order, "pk")


def _has_key(found: QuerySet[Any]) -> bool:
    """Whether each row is one of the model's, or at least holds the key of one; and is so once, which
    what is fetched along from many others may change."""
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


def _default_order(found: QuerySet[Any]) -> tuple[Any, ...]:
    own = found.model._meta.ordering or () if found.query.default_ordering else ()  # noqa: SLF001 (documented by Django)
    return tuple(own)


def _is_random(order: Any, found: QuerySet[Any]) -> bool:
    if isinstance(order, str):
        name = order.lstrip("-+")
        order = found.query.annotations.get(name)
        if order is None:
            return name == "?"
    parts = order.flatten() if hasattr(order, "flatten") else [order]
    return any(isinstance(part, Random) for part in parts)
