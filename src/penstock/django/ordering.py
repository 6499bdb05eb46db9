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
    if _is_random(query.order_by):
        return None
    if query.combinator or query.distinct_fields or query.extra_order_by or not _has_key(found):
        return None
    if query.order_by:
        return found.order_by(*query.order_by, "pk")
    return found.order_by(*_default_order(found), "pk")


def _has_key(found: QuerySet[Any]) -> bool:
    """Whether each row is one of the model's, or at least holds the key of one."""
    query, key = found.query, found.model._meta.pk  # noqa: SLF001 (documented by Django)
    if query.default_cols:
        return True
    return not query.group_by and key is not None and key.attname in query.values_select


def _default_order(found: QuerySet[Any]) -> tuple[Any, ...]:
    own = found.model._meta.ordering or () if found.query.default_ordering else ()  # noqa: SLF001 (documented by Django)
    return tuple(own)


def _is_random(order: Any) -> bool:
    return any(one == "?" or isinstance(getattr(one, "expression", one), Random) for one in order)
