"""The reader of lists that Penstock pages in the place of the view's paginator."""

from __future__ import annotations

from typing import Final

from django.http import HttpResponseBase
from rest_framework.response import Response

from penstock.core.model.values import LiveWindow
from penstock.django.callers import Caller
from penstock.django.list_capture import ListCapture
from penstock.django.page_words import word_on_page, word_on_slice
from penstock.django.tool_results import FIRST_ERROR
from penstock.django.view_calls import SiteRequest
from penstock.django.view_readers import (
    SERVER_ERROR,
    LiveRowsFailed,
    ViewReader,
    refuse_if_throttled,
)
from penstock.log import logger
from penstock.wire.request import InsideResult

_CUT: Final = "The list has {count} rows; this result covers the first {most}."


class LiveReader(ViewReader):
    """A reader that captures the lists of a view, see `list_capture`."""

    def read(
        self, site_request: SiteRequest, caller: Caller, *, is_throttled: bool = True
    ) -> InsideResult:
        policy = self.policy_of(caller)
        capture = ListCapture(stop=policy.page_size, most=policy.query_rows)
        response = self._captured(site_request, caller, capture, is_throttled=is_throttled)
        if response is None:
            return super().read(site_request, caller, is_throttled=False)
        rows = _captured_rows(capture, response)
        if rows is not None and capture.is_rereadable:
            found = self.live(site_request, caller, rows, capture.count or 0)
            return found or self._small(site_request, caller, capture, response, rows)
        if capture.is_part and rows is None:
            # The view computes something from its rows, which makes sense only for all of them.
            return self._whole(site_request, caller)
        return self._result(site_request, caller, capture, response)

    def glance(self, site_request: SiteRequest, caller: Caller) -> HttpResponseBase:
        # Nobody reads the count, nor more than a row: do not ask for them.
        capture = ListCapture(stop=1, most=1, known_count=1)
        found = self._captured(site_request, caller, capture, is_throttled=False)
        return found or super().glance(site_request, caller)

    def _window(
        self,
        site_request: SiteRequest,
        caller: Caller,
        start: int,
        stop: int,
        *,
        counted: int | None,
    ) -> LiveWindow:
        capture = ListCapture(start, stop, known_count=counted)
        response = self.respond(site_request, caller, capture, is_throttled=counted is None)
        refuse_if_throttled(response)
        rows = _captured_rows(capture, response)
        if rows is None:
            why = f": status {response.status_code}" if response.status_code >= FIRST_ERROR else ""
            raise LiveRowsFailed(f"The list could not be read again{why}.")
        # If the list can no longer be read in parts, it was read whole.
        return LiveWindow(rows if capture.is_rereadable else rows[start:stop], capture.count)

    def _captured(
        self,
        site_request: SiteRequest,
        caller: Caller,
        capture: ListCapture,
        *,
        is_throttled: bool,
    ) -> HttpResponseBase | None:
        """Return the response with the list captured; None if the view fails because it needs its
        own paginator. A view that fails before it uses our paginator would fail anyway."""
        try:
            response = self.respond(site_request, caller, capture, is_throttled=is_throttled)
        except Exception:
            if not capture.was_used:
                raise
            logger().exception("%s failed with Penstock's paginator, and keeps its own", self.tool)
            return None
        return None if capture.was_used and response.status_code >= SERVER_ERROR else response

    def _small(
        self,
        site_request: SiteRequest,
        caller: Caller,
        capture: ListCapture,
        response: HttpResponseBase,
        rows: list[bytes],
    ) -> InsideResult:
        """Return the whole of a small list."""
        if (capture.count or 0) > len(rows):
            return self._whole(site_request, caller)
        return self._result(site_request, caller, capture, response)

    def _whole(self, site_request: SiteRequest, caller: Caller) -> InsideResult:
        capture = ListCapture(most=self.policy_of(caller).query_rows)
        response = self.respond(site_request, caller, capture, is_throttled=False)
        return self._result(site_request, caller, capture, response)

    def _result(
        self,
        site_request: SiteRequest,
        caller: Caller,
        capture: ListCapture,
        response: HttpResponseBase,
    ) -> InsideResult:
        notice = _CUT.format(count=capture.count, most=capture.most) if capture.is_cut else ""
        is_list = capture.count is not None
        if is_list:
            word = word_on_slice(capture.count or 0, capture.unsliced_count or 0)
        else:
            word = word_on_page(response, capture.own_page, is_paged=False)
        return self.answer(
            site_request, caller, response, is_list=is_list, word=word, notice=notice
        )


def _captured_rows(capture: ListCapture, response: HttpResponseBase) -> list[bytes] | None:
    if response.status_code >= FIRST_ERROR or not isinstance(response, Response):
        return None
    return capture.plain_rows(response.data)
