"""The capture of a view's list, so that the list can be read in parts.

REST framework's views give their queryset to a paginator, and the paginator's rows to a serializer.
A captured view gets a paginator of Penstock's, which counts the queryset, gives the view the wanted
rows, and keeps the serialized rows. So a part of a list is what the view itself answers for these
rows, with its own permissions, filters and serializers.

In a view that serializes a queryset without a paginator, the serializer is captured likewise.

If the view answers with exactly these rows, its list can be read in parts, and read again. If the
view builds something else from the rows, only the whole makes sense.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from django.db.models import QuerySet
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from penstock.django.inputs.code_names import overrides
from penstock.django.inputs.handlers import chooses_rows
from penstock.django.ordering import in_order, unsliced_count
from penstock.django.site_pages import PageCapture
from penstock.django.tool_results import encoded_rows

_PAGE: Final = ("count", "next", "previous", "results")


@dataclass
class ListCapture:
    """The rows that are wanted of a list, and the rows that were captured."""

    start: int = 0
    stop: int | None = None  # None: up to `most` rows
    most: int = 100_000  # rows
    known_count: int | None = None  # the count, if it is known already
    was_used: bool = False  # the view has touched our paginator or serializer
    count: int | None = None  # of all rows, once the view has passed a queryset or a list
    is_rereadable: bool = False  # the rows can be read again, in parts
    is_cut: bool = False  # the list is longer than `most`
    is_part: bool = False  # the view got fewer rows than the list has
    unsliced_count: int | None = None  # of all rows, if the view has passed only a slice of them
    rows: list[bytes] | None = None  # the rows as the view serialized them, encoded
    # The page of a paginator that must not be replaced.
    own_page: PageCapture = field(default_factory=PageCapture)
    _given: int = 0  # rows given to the view; -1 if it asked for several lists

    def capture(self, view: Any) -> None:
        """Replace the paginator of a view, and capture what the view serializes."""
        if not isinstance(view, GenericAPIView) or isinstance(view.paginator, _Paginator):
            return
        captured, own = cast("Any", view), view.paginator
        captured.get_serializer = _captured_serializer(self, view, captured.get_serializer)
        if own is not None and chooses_rows(type(own)):
            self.own_page.capture(view)
            return
        size = _page_size(own, view.request)
        captured._paginator = _Paginator(self, view, has_pages=size is not None)  # noqa: SLF001 (where REST framework keeps it)

    def rows_of(self, found: Any, view: APIView) -> list[Any]:
        """Return the wanted rows of a list that a view has found."""
        self.was_used = True
        is_second = self.count is not None  # the view makes its answer of several lists
        ordered = in_order(found, view) if isinstance(found, QuerySet) else None
        self.is_rereadable = ordered is not None
        rows = found if ordered is None else ordered
        if not isinstance(rows, QuerySet | Sequence):
            rows = list(rows)
        if isinstance(rows, QuerySet) and rows.query.is_sliced:
            self.unsliced_count = unsliced_count(rows)
        self.count = self.known_count if self.known_count is not None else _length(rows)
        start, stop = (self.start, self.stop) if self.is_rereadable else (0, None)
        if stop is None:
            stop = start + self.most
            self.is_cut = self.count > stop
        given = list(rows[start:stop])
        self._given = -1 if is_second else len(given)
        self.is_part = self.is_part or (self.is_rereadable and len(given) < self.count)
        return given

    def keep_rows(self, data: Any) -> None:
        """Keep the serialized rows, unless the list serializer has a `to_representation` of its
        own: its list may be more than rows, such as ranks or a sum."""
        by = getattr(data, "serializer", None)
        is_by_rows = by is None or not overrides(type(by), "to_representation")
        self.rows = encoded_rows(data) if isinstance(data, list) and is_by_rows else None

    def plain_rows(self, data: Any) -> list[bytes] | None:
        """Return the rows if the view answered with exactly these: as many as it was given, in that
        order, as they were serialized. A value that it adds to a row, such as a rank, may depend on
        other rows."""
        rows = data["results"] if isinstance(data, dict) and tuple(data) == _PAGE else data
        if self.rows is None or not isinstance(rows, list) or len(rows) != self._given:
            return None
        return self.rows if encoded_rows(rows) == self.rows else None


def _length(rows: Any) -> int:
    return int(rows.count()) if isinstance(rows, QuerySet) else len(rows)


def _page_size(own: Any, request: Request) -> int | None:
    """Return the page size of a view's own paginator: None if it does not page, 0 if unknown."""
    for name in ("get_page_size", "get_limit"):
        size = getattr(own, name, None)
        if callable(size):
            own.request = request  # as the paginator would have it when it makes a page
            try:
                found: int | None = size(request)
            except Exception:  # noqa: BLE001 (the site's code: it may need more than a request)
                return 0
            return found
    return None if own is None else 0


class _Paginator(BasePagination):
    """The paginator of a captured view."""

    def __init__(self, capture: ListCapture, view: APIView, *, has_pages: bool) -> None:
        self._capture = capture
        self._view = view
        self._has_pages = has_pages

    def __getattr__(self, name: str) -> Any:
        """Record that the view wants something that only other paginators have."""
        self._capture.was_used = True
        raise AttributeError(name)

    def paginate_queryset(
        self, queryset: Any, request: Request, view: APIView | None = None
    ) -> list[Any]:
        del request, view  # `self._view` is used: some callers pass no view
        return self._capture.rows_of(queryset, self._view)

    def get_paginated_response(self, data: Any) -> Response:
        self._capture.keep_rows(data)
        if not self._has_pages:
            return Response(data)  # as without a paginator
        count = self._capture.count
        return Response(dict(zip(_PAGE, (count, None, None, data), strict=True)))


def _captured_serializer(
    capture: ListCapture, view: GenericAPIView[Any], make: Callable[..., Any]
) -> Callable[..., Any]:
    """Capture the list of a view that serializes a queryset without a paginator."""

    def get_serializer(*args: Any, **kwargs: Any) -> Any:
        found = args[0] if args else kwargs.get("instance")
        many = kwargs.get("many") is True and "data" not in kwargs
        if not many or capture.count is not None or not isinstance(found, QuerySet):
            return make(*args, **kwargs)
        rows = capture.rows_of(found, view)
        serializer = make(rows, *args[1:], **{k: v for k, v in kwargs.items() if k != "instance"})
        capture.keep_rows(serializer.data)
        return serializer

    return get_serializer
