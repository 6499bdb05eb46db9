"""The reader of a view's answers, and what readers of its lists have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import msgspec
from django.http import HttpResponseBase

from penstock.core.json.encoding import encode
from penstock.core.model.values import LiveRows, LiveWindow, Result
from penstock.django.callers import Caller
from penstock.django.inputs.faults import quietly
from penstock.django.list_kinds import ListKind
from penstock.django.page_words import word_on_page
from penstock.django.site_pages import PageCapture, parameters_of
from penstock.django.tool_results import result_of_response, with_word
from penstock.django.view_calls import SiteRequest, SiteView
from penstock.django.view_visits import ViewListener, ViewVisit
from penstock.errors import StoreError
from penstock.log import logger
from penstock.settings.policy import Policy
from penstock.wire.request import InsideResult

SERVER_ERROR: Final = 500
_TOO_MANY_CALLS: Final = 429
_AROUND_TEXTS: Final = 1_000  # bytes


class LiveRowsFailed(StoreError):
    """The list could not be read again."""

    next_step = "Call the tool again, without continuation_token."


class ViewThrottled(LiveRowsFailed):
    """The API has had too many calls."""

    next_step = "Wait as the error says, and call again with the same continuation_token."

    def __init__(self, seconds: str) -> None:
        wait = f"in {seconds} seconds" if seconds.isdecimal() else "later"
        super().__init__(f"The API has had too many calls (status 429): try again {wait}.")

    @property
    def told(self) -> str:
        return self.message


@dataclass(frozen=True)
class ViewReader:
    """A reader that takes a view's answers as they are, and says which of them are pages."""

    tool: str
    view: SiteView
    is_heavy: bool
    kind: ListKind

    @cached_property
    def own_paginator(self) -> Any:
        """A paginator as the view makes it; None if it has none, or needs a request to make it."""
        return quietly(lambda: getattr(self.view.endpoint.view(), "paginator", None))

    def asks_for_page(self, site_request: SiteRequest) -> bool:
        """Return whether a request asks for a certain page of the view's own paginator."""
        if self.own_paginator is None and self.kind is not ListKind.PAGED:
            return False
        return chooses_page(site_request, self.own_paginator)

    def read(
        self, site_request: SiteRequest, caller: Caller, *, is_throttled: bool = True
    ) -> InsideResult:
        """Return a view's answer, which is one page if the view has pages of its own."""
        capture = PageCapture()
        response = self.respond(site_request, caller, capture, is_throttled=is_throttled)
        is_kept = self.kind is ListKind.PAGED and capture.is_skipped
        is_paged = self.kind is ListKind.OWN_PAGES or is_kept
        word = word_on_page(response, capture, is_paged=is_paged)
        return self.answer(site_request, caller, response, word=word)

    def glance(self, site_request: SiteRequest, caller: Caller) -> HttpResponseBase:
        """Call the view only to see whether it answers."""
        return self.respond(site_request, caller, None, is_throttled=False)

    def window(self, reference: Any, start: int, stop: int, caller: Caller) -> LiveWindow:
        """Return rows of a live list."""
        site_request = self.view.request_again(reference)
        key = encode(reference)
        try:
            window = self._window(site_request, caller, start, stop, counted=caller.counts.get(key))
        except LiveRowsFailed:
            raise
        except Exception as error:
            logger().exception("%s failed on rows %d to %d", self.tool, start, stop)
            raise LiveRowsFailed from error
        if window.count is not None:
            caller.counts[key] = window.count
        return window

    def _window(
        self,
        site_request: SiteRequest,
        caller: Caller,
        start: int,
        stop: int,
        *,
        counted: int | None,
    ) -> LiveWindow:
        """Return rows of a live list; this reader makes none. `counted` is the count of the list, if
        this call has read a part before: throttles count many parts as one call."""
        del site_request, caller, start, stop, counted
        raise LiveRowsFailed

    # -- for readers of lists ------------------------------------------------------------------

    def respond(
        self,
        site_request: SiteRequest,
        caller: Caller,
        listener: ViewListener | None,
        *,
        is_throttled: bool,
    ) -> HttpResponseBase:
        visit = ViewVisit(caller.identify, listener, is_throttled)
        return self.view.respond(site_request, caller, visit)

    def policy_of(self, caller: Caller) -> Policy:
        return caller.policy.for_tool(self.tool)

    def answer(
        self,
        site_request: SiteRequest,
        caller: Caller,
        response: HttpResponseBase | Result,
        *,
        is_list: bool = False,
        word: str = "",
        notice: str = "",
    ) -> InsideResult:
        """Return a view's response, or rows as a result. `word` says that they are a part."""
        result = response if isinstance(response, Result) else result_of_response(response)
        if word and (result.content or isinstance(result.structured, msgspec.Raw)):
            is_small = bool(result.content) or self._passes_inline(result, caller)
            result = with_word(result, word, is_small=is_small)
            notice = f"{notice} {word}".lstrip()
        is_list = is_list or self.is_heavy
        return InsideResult(
            result,
            site_request.reference,
            pages_first=is_list,
            is_part=bool(word),
            notice=notice,
        )

    def _passes_inline(self, result: Result, caller: Caller) -> bool:
        """Return whether a result surely passes as it is, as a text with another text beside it."""
        policy = self.policy_of(caller)
        size = len(encode(bytes(result.structured).decode())) + _AROUND_TEXTS
        return not policy.covers(self.tool) or policy.inline_budget.surely_admits(size)

    def live(
        self,
        site_request: SiteRequest,
        caller: Caller,
        rows: list[bytes],
        count: int,
        *,
        refuses_part: bool = False,
        notice: str = "",
    ) -> InsideResult | None:
        """Return live rows if a list is large or its tool heavy; None if the whole list is small."""
        size = sum(map(len, rows)) + len(rows) + 1
        is_all = count <= len(rows)
        estimate = size if is_all or not rows else size * count // len(rows)
        if not self.is_heavy and self.policy_of(caller).inline_budget.surely_admits(estimate):
            return None
        reference = {"tool": self.tool, **site_request.reference}
        live = LiveRows(reference, count, rows, estimate, not is_all, refuses_part)
        return InsideResult(live, site_request.reference, notice=notice)


def refuse_if_throttled(response: HttpResponseBase) -> None:
    """Raise an error if a view's throttles have refused to read a list again."""
    if response.status_code == _TOO_MANY_CALLS:
        raise ViewThrottled(response.headers.get("Retry-After", ""))


def chooses_page(site_request: SiteRequest, paginator: Any) -> bool:
    """Return whether a request has a parameter by which a paginator chooses a page."""
    names = parameters_of(paginator)
    return any(name in names for name, _ in site_request.query)


def result_of_rows(rows: Sequence[bytes], count: int | None) -> Result:
    """Return rows in the form of a page of REST framework's. `count` is that of the whole list."""
    listed, counted = b",".join(rows), b"null" if count is None else b"%d" % count
    form = b'{"count":%b,"next":null,"previous":null,"results":[%b]}' % (counted, listed)
    return Result(structured=msgspec.Raw(form))
