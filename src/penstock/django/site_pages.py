"""The pages that a site's own paginator gives to a view.

A paginator may choose among rows, or read them in its own way. Penstock must not take its place: it
asks the view for one page after the other, with the paginator's own query parameters, and keeps the
rows that the view passes on as they were serialized. If a cache of the site's answers in the place
of the view, the response itself tells its rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast
from urllib.parse import parse_qsl, urlsplit

from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import HttpResponseBase
from rest_framework.generics import GenericAPIView
from rest_framework.pagination import LimitOffsetPagination, PageNumberPagination

from penstock.django.inputs.faults import quietly
from penstock.django.inputs.query_reads import reads_behind
from penstock.django.ordering import in_order, is_in_random_order, unsliced_count
from penstock.django.tool_results import FIRST_ERROR, encoded_rows, json_of

Query = Sequence[tuple[str, str]]

# The names under which paginators and answers state the number of all rows.
TOTALS: Final = ("count", "total", "total_count", "totalCount")
_OFFSET: Final = "offset"
_ABOUT_PAGES: Final = re.compile(
    "count|next.*|prev.*|first|last|size|links|meta|limit|offset|.*(page|total).*|has_.*|current.*",
    re.IGNORECASE,
)
_USUAL_PARAMETERS: Final = frozenset({"page", "page_size", "limit", "offset", "cursor"})


class PageCapture:
    """A listener that keeps the page of a view's own paginator."""

    def __init__(self) -> None:
        self.given: int | None = None  # the rows of the page; None if the view made none
        self.is_random = False
        self._is_asked = False  # the view has asked its paginator for a page
        # The rows that a view has sliced by itself, and the number of all.
        self.slice: tuple[int, int] | None = None
        self._view: Any = None
        self._passed_on: list[bytes] | None = None  # the rows as the view serialized them

    def capture(self, view: Any) -> None:
        """Listen to a view's calls of its paginator."""
        if not isinstance(view, GenericAPIView) or self._view is view:
            return
        self._view = captured = cast("Any", view)
        captured.paginate_queryset = self._paginating(captured.paginate_queryset)
        captured.get_paginated_response = self._responding(captured.get_paginated_response)
        captured.get_serializer = self._serializing(captured.get_serializer)

    @property
    def is_skipped(self) -> bool:
        """Whether the view made no page. If it usually does, a cache has answered in its place."""
        return not self._is_asked

    @property
    def paginator(self) -> Any:
        return None if self._view is None else self._view.paginator

    def rows_in(self, response: HttpResponseBase) -> list[bytes] | None:
        """Return the rows of the page, unless the view answered with others or changed them."""
        if response.status_code >= FIRST_ERROR:
            return None
        found = map(encoded_rows, _lists_in(json_of(response)))
        if self.is_skipped:
            lists = [*found]
            return lists[0] if len(lists) == 1 else None
        rows = self._passed_on
        return rows if rows is not None and rows in found else None

    def _paginating(self, paginate: Callable[..., Any]) -> Callable[..., Any]:
        def paginate_queryset(queryset: Any, *args: Any, **kwargs: Any) -> Any:
            self._is_asked = True
            page = paginate(self._ordered(queryset), *args, **kwargs)
            self.given = None if page is None else len(page)
            return page

        return paginate_queryset

    def _serializing(self, serialize: Callable[..., Any]) -> Callable[..., Any]:
        def get_serializer(*args: Any, **kwargs: Any) -> Any:
            rows = next(iter(args), kwargs.get("instance"))
            if self.given is None and isinstance(rows, QuerySet) and rows.query.is_sliced:
                self.slice = (len(rows), unsliced_count(rows))
            return serialize(*args, **kwargs)

        return get_serializer

    def _ordered(self, found: Any) -> Any:
        """Break ties in the order of a queryset, so that every row is on one page."""
        if not isinstance(found, QuerySet):
            return found
        self.is_random = is_in_random_order(found)
        ordered = quietly(lambda: in_order(found, self._view))
        return found if ordered is None else ordered

    def _responding(self, respond: Callable[..., Any]) -> Callable[..., Any]:
        def get_paginated_response(*args: Any, **kwargs: Any) -> Any:
            data = next(iter((*args, *kwargs.values())), None)
            self._passed_on = encoded_rows(data) if isinstance(data, list) else None
            return respond(*args, **kwargs)

        return get_paginated_response


def _lists_in(data: Any) -> Iterator[list[Any]]:
    """Yield a response's list, or the lists in its objects."""
    if isinstance(data, list):
        yield data
    elif isinstance(data, Mapping):
        for item in data.values():
            yield from _lists_in(item)


@dataclass(frozen=True)
class SitePage:
    """A response of a view, and the page in it."""

    response: HttpResponseBase
    capture: PageCapture
    query: Query = ()
    asked_place: tuple[int, int] | None = None  # the number of the first row, and the size

    @cached_property
    def rows(self) -> list[bytes] | None:
        """The serialized rows; None if the view does not answer with just a page of rows."""
        return self.capture.rows_in(self.response)

    @cached_property
    def total(self) -> int | None:
        """The rows of the whole list, if the paginator counts them. A count that leaves nothing for the
        next page, to which a link leads, is the count of a page."""
        is_skipped = self.capture.is_skipped
        found = total_in(self._members) if is_skipped else total_of(self.capture.paginator)
        is_of_page = self.next_link is not None and (found or 0) <= len(self.rows or ())
        return None if is_of_page else found

    @cached_property
    def place(self) -> tuple[int, int] | None:
        """The number of the page's first row, and the size of pages, if the paginator tells."""
        if self.capture.is_skipped:
            return self.asked_place
        paginator = self.capture.paginator
        page = getattr(paginator, "page", None)
        if isinstance(paginator, PageNumberPagination) and isinstance(page, Page):
            size = page.paginator.per_page
            # With orphans, the last page is longer than the others.
            return None if page.paginator.orphans else ((page.number - 1) * size, size)
        if isinstance(paginator, LimitOffsetPagination) and hasattr(paginator, "offset"):
            return paginator.offset or 0, paginator.limit or self.total or 0
        return None

    @cached_property
    def _members(self) -> Mapping[str, Any]:
        data = json_of(self.response)
        return data if isinstance(data, Mapping) else {}

    @cached_property
    def other_members(self) -> tuple[str, ...]:
        """The members of the response that hold neither the rows nor facts about pages."""
        return tuple(
            str(name)
            for name, item in self._members.items()
            if not _ABOUT_PAGES.fullmatch(str(name)) and not self._holds_rows(item)
        )

    def _holds_rows(self, item: Any) -> bool:
        return any(encoded_rows(listed) == self.rows for listed in _lists_in(item))

    @property
    def is_regular(self) -> bool:
        """Whether the page is full or the last, so that its place tells which rows it has."""
        if self.rows is None or self.total is None or self.place is None:
            return False
        start, size = self.place
        return min(size, self.total - start) <= len(self.rows) <= size

    @property
    def is_all(self) -> bool:
        return self.is_regular and len(self.rows or ()) >= (self.total or 0)

    def rows_from(self, start: int, stop: int) -> list[bytes] | None:
        """Return the rows from number `start` up to `stop`, as far as this page holds them. Return
        None if it does not hold the first of them."""
        if not self.is_regular or self.place is None or self.rows is None:
            return None
        first = self.place[0]
        is_here = first <= start < first + len(self.rows)
        return self.rows[start - first : stop - first] if is_here else None

    def ends_before(self, row: int) -> bool:
        return self.total is not None and self.total <= row

    @cached_property
    def links(self) -> tuple[str | None, str | None] | None:
        """The links to the next page and to the previous one; None if there are none."""
        if self.capture.is_skipped:
            is_linked = "next" in self._members
            return (self._members["next"], self._members.get("previous")) if is_linked else None
        return links_of(self.capture.paginator)

    @property
    def next_link(self) -> str | None:
        return (self.links[0] or None) if self.links is not None else None

    @property
    def leads_on(self) -> bool:
        """Whether this page tells where the next one is, if there is one."""
        return self.rows is not None and (self.links is not None or self._is_by_offset)

    @property
    def _is_by_offset(self) -> bool:
        return self.total is not None and reads_offset(self.capture.paginator)

    @property
    def next_query(self) -> Query | None:
        """The query for the next page, by its link or by the number of its first row; None after the
        last page. A count that is not above the rows of one page may be the count of the page. Then
        only an empty page is the last."""
        if self.next_link is not None:
            return tuple(parse_qsl(urlsplit(self.next_link).query, keep_blank_values=True))
        if not self.rows or not self._is_by_offset:
            return None
        given, total = dict(self.query), self.total or 0
        following = int(given.get(_OFFSET, 0)) + len(self.rows)
        is_proven = self.links is not None or total > len(self.rows)
        if is_proven and total <= following:
            return None
        return tuple({**given, _OFFSET: str(following)}.items())


def total_of(paginator: Any) -> int | None:
    """Return the number of rows in the whole list, if a paginator has counted them."""
    counting = getattr(getattr(paginator, "page", None), "paginator", None)
    counts = (
        getattr(counting, "count", None),
        *(getattr(paginator, name, None) for name in TOTALS),
    )
    return next((count for count in counts if type(count) is int), None)


def total_in(members: Mapping[str, Any]) -> int | None:
    """Return the number of rows in the whole list, if a response states it."""
    counts = (members.get(name) for name in TOTALS)
    return next((count for count in counts if type(count) is int), None)


def links_of(paginator: Any) -> tuple[str | None, str | None] | None:
    """Return the links to the next page and to the previous one; None if a paginator has none."""
    previous = getattr(paginator, "get_previous_link", lambda: None)
    # A paginator may make no links, or may have made no page.
    return quietly(lambda: (paginator.get_next_link(), previous()))


def reads_offset(paginator: Any) -> bool:
    """Return whether a paginator of the site's finds a page by the number of its first row."""
    return _OFFSET in _read_by_name(paginator)


def _read_by_name(paginator: Any) -> Sequence[str]:
    """Return the query parameters that a paginator of the site's reads by names in its code."""
    return [*reads_behind(type(paginator), "paginate_queryset").names]


# -- parameters --------------------------------------------------------------------------------


def parameters_of(paginator: Any) -> frozenset[str]:
    """Return the query parameters that choose a page."""
    names = [name for name in dir(paginator) if name.endswith("_query_param")]
    values = (*(getattr(paginator, name) for name in names), *_read_by_name(paginator))
    return frozenset(value for value in values if isinstance(value, str)) or _USUAL_PARAMETERS


@dataclass(frozen=True)
class AskedPage:
    """A page to ask for."""

    parameters: Mapping[str, str]
    place: tuple[int, int] | None  # the number of its first row, and the size of pages


def page_with(paginator: Any, row: int, size: int) -> AskedPage:
    """Return the page with this row, if pages have this size. Of a paginator that finds no page by a
    number, it is the first page."""
    size_name = getattr(paginator, "page_size_query_param", None)
    size = min(size, getattr(paginator, "max_page_size", None) or size)
    asked: dict[str | None, int]
    place: tuple[int, int] | None = None
    if isinstance(paginator, LimitOffsetPagination):
        limit = min(size, paginator.max_limit or size)
        asked = {paginator.limit_query_param: limit, paginator.offset_query_param: row}
        place = (row, limit)
    elif isinstance(paginator, PageNumberPagination):
        size = size if size_name else paginator.page_size or size
        asked = {size_name: size, paginator.page_query_param: row // size + 1}
        place = (row // size * size, size)
    else:
        asked = {size_name: size}
    return AskedPage({name: str(value) for name, value in asked.items() if name}, place)
