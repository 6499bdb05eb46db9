"""The reader of lists that only the site's own paginator can page."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponseBase

from penstock.core.model.values import LiveWindow
from penstock.django.callers import Caller
from penstock.django.page_words import (
    word_on_circle,
    word_on_count,
    word_on_first_rows,
    word_on_members,
)
from penstock.django.site_pages import PageCapture, Query, SitePage, page_with
from penstock.django.tool_results import FIRST_ERROR
from penstock.django.view_calls import SiteRequest
from penstock.django.view_readers import (
    LiveRowsFailed,
    ViewReader,
    chooses_page,
    refuse_if_throttled,
    result_of_rows,
)
from penstock.wire.request import InsideResult

_LARGEST_PAGE: Final = 1_000
# Servers end a process that does not answer, gunicorn after 30 seconds unless it is told otherwise.
WALK_SECONDS: Final = 10


class RowsMisplaced(LiveRowsFailed):
    """A page of the list does not hold the rows that were asked for: its rows have no sure numbers."""

    next_step = "Read the API's own pages: call the tool again with its parameters for pages."


class ReadTooSlow(LiveRowsFailed):
    """The API's pages take too long to be read for so many rows at once."""

    next_step = "Ask for fewer rows: a smaller page_size, or filters of the tool."

    def __init__(self, rows: Sequence[bytes]) -> None:
        super().__init__()
        self.rows = rows  # the rows that were read in time


class PagedReader(ViewReader):
    """A reader that asks a view for pages of its own paginator, see `site_pages`."""

    def read(
        self, site_request: SiteRequest, caller: Caller, *, is_throttled: bool = True
    ) -> InsideResult:
        policy = self.policy_of(caller)
        first = self._page(site_request, caller, 0, policy.page_size, is_throttled=is_throttled)
        if first.response.status_code >= FIRST_ERROR:
            return self.answer(site_request, caller, first.response)
        if first.rows is None or _is_chosen(first, site_request):
            # The view has built something else from the page, so it gets the page that it expects.
            # Or the caller has asked for a page, by a parameter that is only known now.
            return super().read(site_request, caller, is_throttled=False)
        if first.total is None or not first.is_regular:
            if first.total is not None and first.total > policy.query_rows:
                # To walk would take long, and not lead to the end. The API's pages lead on.
                return super().read(site_request, caller, is_throttled=False)
            return self._walked(site_request, caller)
        if first.capture.is_random and not first.is_all:
            return self._at_once(site_request, caller, first.total)
        found = self.live(
            site_request,
            caller,
            first.rows,
            first.total,
            refuses_part=True,
            notice=word_on_members(first.other_members),
        )
        return found or self._small(site_request, caller, first, first.total)

    def glance(self, site_request: SiteRequest, caller: Caller) -> HttpResponseBase:
        return self._page(site_request, caller, 0, 1).response

    # -- pages ---------------------------------------------------------------------------------

    def _page(
        self,
        site_request: SiteRequest,
        caller: Caller,
        row: int,
        size: int,
        *,
        paginator: Any = None,
        is_throttled: bool = False,
    ) -> SitePage:
        """Ask for the page with this row. The paginator may give pages of another size."""
        asked = page_with(paginator or self.own_paginator, row, size)
        others = [pair for pair in site_request.query if pair[0] not in asked.parameters]
        query = [*others, *asked.parameters.items()]
        return self._asked(
            site_request, caller, query, place=asked.place, is_throttled=is_throttled
        )

    def _asked(
        self,
        site_request: SiteRequest,
        caller: Caller,
        query: Query,
        *,
        place: tuple[int, int] | None = None,
        is_throttled: bool = False,
    ) -> SitePage:
        capture = PageCapture()
        asked = replace(site_request, query=query)
        response = self.respond(asked, caller, capture, is_throttled=is_throttled)
        return SitePage(response, capture, query, place)

    def _page_at(
        self,
        site_request: SiteRequest,
        caller: Caller,
        row: int,
        size: int,
        *,
        is_throttled: bool = False,
    ) -> SitePage:
        """Return the page with this row. If the list ends before the row, return another of its pages,
        which tells the total."""
        page = self._page(site_request, caller, row, size, is_throttled=is_throttled)
        refuse_if_throttled(page.response)
        if page.rows_from(row, row) is not None:
            return page
        # The list has become shorter, or pages have another size than was asked for.
        known = page if page.place is not None else self._page(site_request, caller, 0, size)
        if known.place is None or known.ends_before(row):
            return known
        found = known.capture.paginator
        return self._page(site_request, caller, row, known.place[1], paginator=found)

    def _window(
        self,
        site_request: SiteRequest,
        caller: Caller,
        start: int,
        stop: int,
        *,
        counted: int | None,
    ) -> LiveWindow:
        size, is_first, is_late = stop - start, counted is None, _deadline()
        page = self._page_at(site_request, caller, start, size, is_throttled=is_first)
        rows: list[bytes] = []
        while len(rows) < size and not page.ends_before(start + len(rows)):
            if rows and is_late():
                raise ReadTooSlow(rows)
            if rows and page.place is not None:
                page = self._page_at(site_request, caller, start + len(rows), page.place[1])
            found = page.rows_from(start + len(rows), stop)
            if not found:
                raise LiveRowsFailed if page.rows is None else RowsMisplaced
            rows += found
        return LiveWindow(rows, page.total)

    # -- whole lists ---------------------------------------------------------------------------

    def _small(
        self, site_request: SiteRequest, caller: Caller, first: SitePage, total: int
    ) -> InsideResult:
        if first.is_all:
            return self.answer(site_request, caller, first.response, is_list=True)
        try:
            rows = self._window(site_request, caller, 0, total, counted=total).rows
        except RowsMisplaced:
            return self._walked(site_request, caller)
        except ReadTooSlow as slow:
            return self._first_rows(site_request, caller, first, slow.rows, ())
        return self._rebuilt(site_request, caller, first, rows)

    def _at_once(self, site_request: SiteRequest, caller: Caller, total: int) -> InsideResult:
        """Return a list in random order, of which two pages may hold the same row."""
        is_small = total <= self.policy_of(caller).query_rows
        page = self._page(site_request, caller, 0, total) if is_small else None
        if page is None or page.rows is None or not page.is_all:
            return super().read(site_request, caller, is_throttled=False)
        return self._rebuilt(site_request, caller, page, page.rows)

    def _walked(self, site_request: SiteRequest, caller: Caller) -> InsideResult:
        """Return a list whose pages have no numbers, or no common size: go from one page to the
        next. Without links, pages must have one size: otherwise the next row has no known number."""
        most, is_late = self.policy_of(caller).query_rows, _deadline()
        first = page = self._page(site_request, caller, 0, _LARGEST_PAGE)
        if page.rows is None or not page.leads_on:
            return super().read(site_request, caller, is_throttled=False)
        rows, seen = [*page.rows], {frozenset(page.query)}
        while (query := page.next_query) is not None and len(rows) < most and not is_late():
            following = self._asked(site_request, caller, query)
            if page.next_link is None and not _is_next(following, page, first):
                return super().read(site_request, caller, is_throttled=False)
            if frozenset(query) in seen or (page.rows and following.rows == page.rows):
                return self._part(site_request, caller, first, rows, word_on_circle(len(rows)))
            seen.add(frozenset(query))
            page = following
            rows += page.rows or ()
        following_query = page.query if page.rows is None else page.next_query
        if following_query is not None:
            return self._first_rows(site_request, caller, first, rows, following_query)
        if page is first and (first.total or 0) > len(rows):
            return super().read(site_request, caller, is_throttled=False)
        notice = word_on_count(len(rows), first.total)
        return self._rebuilt(site_request, caller, first, rows, notice)

    def _first_rows(
        self,
        site_request: SiteRequest,
        caller: Caller,
        first: SitePage,
        rows: Sequence[bytes],
        following: Query,
    ) -> InsideResult:
        """Return the rows that were read of a list, with the query for the page that follows."""
        way_on = [pair for pair in following if pair not in site_request.query]
        word = word_on_first_rows(len(rows), first.total, way_on)
        return self._part(site_request, caller, first, rows, word)

    def _part(
        self,
        site_request: SiteRequest,
        caller: Caller,
        first: SitePage,
        rows: Sequence[bytes],
        word: str,
    ) -> InsideResult:
        """Return rows of a list that has more, or may have more."""
        made, notice = result_of_rows(rows, first.total), word_on_members(first.other_members)
        return self.answer(site_request, caller, made, is_list=True, word=word, notice=notice)

    def _rebuilt(
        self,
        site_request: SiteRequest,
        caller: Caller,
        page: SitePage,
        rows: Sequence[bytes],
        notice: str = "",
    ) -> InsideResult:
        """Return a list made of pages, in place of the form that the paginator gives one page."""
        notice = f"{notice} {word_on_members(page.other_members)}".strip()
        made = result_of_rows(rows, len(rows))
        return self.answer(site_request, caller, made, is_list=True, notice=notice)


def _deadline() -> Callable[[], bool]:
    """Return a function that tells whether the time to read a list page by page is over."""
    until = time.monotonic() + WALK_SECONDS
    return lambda: time.monotonic() >= until


def _is_chosen(first: SitePage, site_request: SiteRequest) -> bool:
    """Return whether a request led to a page of the caller's choice, and not to the first page."""
    is_later = first.place is not None and first.place[0] > 0
    return is_later or chooses_page(site_request, first.capture.paginator)


def _is_next(following: SitePage, page: SitePage, first: SitePage) -> bool:
    """Return whether a page that was found by the number of its first row follows another page. After
    a page that is shorter than the first one, nothing can follow but the end."""
    if following.rows is None or page.rows is None or first.rows is None:
        return False
    is_full = len(page.rows) == len(first.rows)
    return not following.rows or (is_full and following.rows != page.rows)
