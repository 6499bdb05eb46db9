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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from django.db.models import QuerySet
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from penstock.django.inputs.handlers import overrides
from penstock.django.ordering import in_order
from penstock.django.tool_results import encoded_rows

_PAGE: Final = ("count", "next", "previous", "results")


@dataclass
class ListCapture:
    """What is wanted of a list, and what was heard. `stop` None: all there is, up to `most`.

    `heard` are the rows as the view has serialized them, encoded, and `count` how many there are in
    all, where a queryset or a list was met. `is_query`: they can be asked for again, in parts.
    """

    start: int = 0
    stop: int | None = None
    most: int = 100_000
    counted: int | None = None  # if it is known already
    was_met: bool = False  # by the view, as its paginator
    count: int | None = None
    is_query: bool = False
    is_cut: bool = False
    is_part: bool = False
    own_form: int = 0  # how many rows a page of the view's own has, where it says more than that
    heard: list[bytes] | None = None
    _given: int = 0

    def attend(self, view: Any) -> None:
        """Be the paginator of a view, and hear what it serializes."""
        if not isinstance(view, GenericAPIView) or isinstance(view.paginator, _Paginator):
            return
        heard, own = cast("Any", view), view.paginator
        size = _page_size(own, view.request)
        if own is not None and overrides(type(own), "get_paginated_response"):
            self.own_form = size or 0
        heard._paginator = _Paginator(self, view, has_pages=size is not None)  # noqa: SLF001 (where REST framework keeps it)
        heard.get_serializer = _heard_serializer(self, view, heard.get_serializer)

    def rows_of(self, found: Any, view: APIView) -> list[Any]:
        """The rows that are wanted of what a view has found."""
        self.was_met = True
        is_second = self.count is not None  # then the answer is made of several
        ordered = in_order(found, view) if isinstance(found, QuerySet) else None
        self.is_query = ordered is not None
        rows = found if ordered is None else ordered
        if not isinstance(rows, QuerySet | Sequence):
            rows = list(rows)
        self.count = self.counted if self.counted is not None else _length(rows)
        start, stop = (self.start, self.stop) if self.is_query else (0, None)
        if stop is None:
            stop = start + self.most
            self.is_cut = self.count > stop
        given = list(rows[start:stop])
        self._given = -1 if is_second else len(given)
        self.is_part = self.is_part or (self.is_query and len(given) < self.count)
        return given

    def hear(self, data: Any) -> None:
        """One that is serialized as a list may be more than its rows: ranked, or summed up."""
        by = getattr(data, "serializer", None)
        is_by_rows = by is None or not overrides(type(by), "to_representation")
        self.heard = encoded_rows(data) if isinstance(data, list) and is_by_rows else None

    def plain_rows(self, data: Any) -> list[bytes] | None:
        """The rows, if what the view answered is these and nothing else: as many as it was given, in
        that order, and as they were serialized. What it has added to each, a rank for instance, may
        depend on the others."""
        rows = data["results"] if isinstance(data, dict) and tuple(data) == _PAGE else data
        if self.heard is None or not isinstance(rows, list) or len(rows) != self._given:
            return None
        return self.heard if encoded_rows(rows) == self.heard else None


def _length(rows: Any) -> int:
    return int(rows.count()) if isinstance(rows, QuerySet) else len(rows)


def _page_size(own: Any, request: Request) -> int | None:
    """Of a view's own paginator; one without a size does not page."""
    for name in ("get_page_size", "get_limit"):
        size = getattr(own, name, None)
        if callable(size):
            found: int | None = size(request)
            return found
    return None if own is None else 0


class _Paginator(BasePagination):
    """In the place of the view's own."""

    def __init__(self, listener: ListCapture, view: APIView, *, has_pages: bool) -> None:
        self._listener = listener
        self._view = view
        self._has_pages = has_pages

    def __getattr__(self, name: str) -> Any:
        """What other paginators have, this one has not."""
        self._listener.was_met = True
        raise AttributeError(name)

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any]:
        del request, view  # not everybody gives it
        return self._listener.rows_of(queryset, self._view)

    def get_paginated_response(self, data: Any) -> Response:
        self._listener.hear(data)
        if not self._has_pages:
            return Response(data)  # as it would have been without a paginator
        count = self._listener.count
        return Response(dict(zip(_PAGE, (count, None, None, data), strict=True)))


def _heard_serializer(
    listener: ListCapture, view: GenericAPIView[Any], make: Callable[..., Any]
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
