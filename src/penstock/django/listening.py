"""A view whose list is asked for in parts.

REST framework's views hand their queryset to a paginator and what comes back to a serializer. A view
that is listened to gets a paginator of ours: it counts the queryset, gives the view the rows that are
wanted, and hears what the view makes of them. So a part of a list is what the view itself would have
answered with for these rows, under its own permissions, filters, serializers and changes to them.

A view that paginates nothing but serializes a queryset is heard there in the same way.

What the view does with the rows that it got decides. If it answers with just them, the list can be
asked for in parts, and again. If it builds something of its own from them, only the whole makes sense.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import BasePagination, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

_PAGE: Final = ("count", "next", "previous", "results")


@dataclass
class Listener:
    """What is wanted of a list, and what was heard. `stop` None: all there is, up to `most`.

    `heard` are the rows as the view has serialized them, `count` how many there are in all, where a
    queryset or a list was met. `is_query`: they come from a database, and can be asked for again.
    """

    start: int = 0
    stop: int | None = None
    most: int = 100_000
    counted: int | None = None  # if it is known already
    count: int | None = None
    is_query: bool = False
    is_cut: bool = False
    heard: list[Any] | None = None

    def attend(self, view: Any) -> None:
        """Be the paginator of a view, and hear what it serializes."""
        if not isinstance(view, GenericAPIView) or isinstance(view.paginator, _Paginator):
            return
        heard: Any = view
        has_pages = heard.pagination_class is not None
        heard._paginator = _Paginator(self, has_pages=has_pages)  # noqa: SLF001 (where REST framework keeps it)
        heard.get_serializer = _heard_serializer(self, view, heard.get_serializer)

    def rows_of(self, found: Any, view: APIView) -> Sequence[Any]:
        """The rows that are wanted of what a view has found."""
        self.is_query = isinstance(found, QuerySet) and not found.query.is_sliced
        rows = _ordered(found, view) if self.is_query else found
        if not self.is_query and not isinstance(rows, Sequence):
            rows = list(rows)
        self.count = self.counted if self.counted is not None else _length(rows)
        start, stop = (self.start, self.stop) if self.is_query else (0, None)
        if stop is None:
            stop = start + self.most
            self.is_cut = self.count > stop
        return list(rows[start:stop])

    def hear(self, data: Any) -> None:
        self.heard = list(data) if isinstance(data, list) else None

    def plain_rows(self, data: Any) -> list[Any] | None:
        """The rows, if what the view answered is these and nothing else. It may have changed what is
        in one, for that it would do to any; not which there are, or in which order."""
        rows = data["results"] if isinstance(data, dict) and tuple(data) == _PAGE else data
        if self.count is None or self.heard is None or not isinstance(rows, list):
            return None
        # A serializer makes a new list of the same rows each time that it is asked.
        is_same = len(rows) == len(self.heard) and all(map(operator.is_, rows, self.heard))
        return rows if is_same else None


def _length(rows: Any) -> int:
    return int(rows.count()) if isinstance(rows, QuerySet) else len(rows)


def _ordered(found: QuerySet[Any], view: APIView) -> QuerySet[Any]:
    """The same rows in one order, so that every row is on one page. Rows that the view's own order
    leaves equal are told apart by their key."""
    paginator = getattr(view, "pagination_class", None)
    if isinstance(paginator, type) and issubclass(paginator, CursorPagination):
        ordering = paginator().get_ordering(view.request, found, view)
        found = found.order_by(*ordering)
    query = found.query
    is_partial = (
        query.distinct and not query.default_cols
    )  # then the key is not among what is told apart
    if (
        query.combinator
        or query.distinct_fields
        or query.group_by
        or query.extra_order_by
        or is_partial
    ):
        return found
    if not found.ordered:
        return found.order_by("pk")
    if not query.order_by:  # the model's own
        return found.order_by(*(found.model._meta.ordering or ()), "pk")  # noqa: SLF001 (documented by Django)
    return found.order_by(*query.order_by, "pk")


class _Paginator(BasePagination):
    """In the place of the view's own."""

    def __init__(self, listener: Listener, *, has_pages: bool) -> None:
        self._listener = listener
        self._has_pages = has_pages

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        del request
        return list(self._listener.rows_of(queryset, view)) if view is not None else None

    def get_paginated_response(self, data: Any) -> Response:
        self._listener.hear(data)
        if not self._has_pages:
            return Response(data)  # as it would have been without a paginator
        count = self._listener.count
        return Response(dict(zip(_PAGE, (count, None, None, data), strict=True)))


def _heard_serializer(
    listener: Listener, view: GenericAPIView[Any], make: Callable[..., Any]
) -> Callable[..., Any]:
    """Of a view that serializes a queryset without having paginated it."""

    def get_serializer(*args: Any, **kwargs: Any) -> Any:
        found = args[0] if args else kwargs.get("instance")
        many = kwargs.get("many") is True and "data" not in kwargs
        if not many or listener.count is not None or not isinstance(found, QuerySet):
            return make(*args, **kwargs)
        rows = listener.rows_of(found, view)
        serializer = make(rows, *args[1:], **{k: v for k, v in kwargs.items() if k != "instance"})
        listener.hear(serializer.data)
        return serializer

    return get_serializer
