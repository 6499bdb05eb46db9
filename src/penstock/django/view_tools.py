"""Views that are tools: a call becomes a request to the view, and the response a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.http import HttpResponseBase
from django.urls import ResolverMatch
from rest_framework.response import Response

from penstock.core.json.encoding import encode
from penstock.core.model.values import LiveRows, LiveWindow
from penstock.django.callers import REFUSALS, Caller
from penstock.django.endpoints import Endpoint
from penstock.django.inputs import Inputs, body_of, path_values, query_pairs
from penstock.django.inputs.handlers import finds_object
from penstock.django.inputs.media import content_type_of
from penstock.django.inspection import Inspection
from penstock.django.list_capture import ListCapture
from penstock.django.requests import (
    NoSuchPlace,
    inner_request,
    matched,
    path_of,
    respond,
)
from penstock.django.tool_results import (
    FIRST_ERROR,
    FIRST_REDIRECT,
    failure,
    result_of_response,
    with_word,
)
from penstock.django.view_visits import (
    ViewVisit,
    attach,
    find_nothing,
    find_object,
    is_guarded_elsewhere,
    is_plain,
    visited_class,
    visited_view,
)
from penstock.django.written_records import VERIFY, VERIFY_SCHEMA, essence_of
from penstock.errors import StoreError
from penstock.log import logger
from penstock.settings.policy import Policy
from penstock.wire.request import InsideResult

_CUT: Final = "The list has {count} rows; this result covers the first {most}."
_OWN_PAGE: Final = (
    "This is one of the API's own pages; `next` or the tool's parameters lead to the others."
)
_NOT_FOUND: Final = 404
_SERVER_ERROR: Final = 500


class LiveRowsFailed(StoreError):
    """The list could not be read again."""

    next_step = "Call the tool again, without continuation_token."


@dataclass(frozen=True)
class SiteRequest:
    """A request to a view. A read can be made again from its `reference`."""

    path: str
    query: Sequence[tuple[str, str]]
    match: ResolverMatch
    body: Any = None

    @property
    def reference(self) -> dict[str, Any]:
        return {"path": self.path, "query": [list(pair) for pair in self.query]}


@dataclass(frozen=True)
class ViewAction:
    """An endpoint that does the work of a tool."""

    name: str  # of the tool
    endpoint: Endpoint
    inspection: Inspection
    is_heavy: bool
    is_captured: bool  # its lists are captured, see `list_capture`
    may_be_lean: bool  # a write answers with what identifies the record, if it can
    urlconf: Any = None

    @property
    def description(self) -> str:
        return self.inspection.description

    @property
    def inputs(self) -> Inputs:
        return self.inspection.inputs

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema of the tool's arguments, with `verify` if the reply to a write may be short."""
        schema = self.inputs.schema
        if not self.is_lean:
            return schema
        return {**schema, "properties": {**schema.get("properties", {}), VERIFY: VERIFY_SCHEMA}}

    @property
    def is_lean(self) -> bool:
        return self.may_be_lean and VERIFY not in self.inputs.schema.get("properties", {})

    @cached_property
    def _view_class(self) -> Any:
        return visited_class(self.endpoint.view_class)

    @cached_property
    def _view(self) -> Any:
        return visited_view(self.endpoint, self._view_class)

    @cached_property
    def _content_type(self) -> str:
        return content_type_of(self.endpoint.view())

    # -- permissions ---------------------------------------------------------------------------

    def ask(self, caller: Caller) -> None:
        caller.ask_view(self.endpoint)

    def may_read(self, caller: Caller, origin: Any) -> bool:
        """Return whether the view would still let this request in, and to its object if any."""
        try:
            return self._lets_in(self._request_again(origin), caller)
        except (*REFUSALS, NoSuchPlace):
            return False
        except Exception:  # noqa: BLE001 (a permission that fails does not permit)
            logger().warning(
                "%s: checking its permissions raised an error", self.endpoint.path, exc_info=True
            )
            return False

    def _lets_in(self, site_request: SiteRequest, caller: Caller) -> bool:
        """Ask the view itself, and everything that guards it, whether it lets a request in. A view
        behind a decorator cannot skip its work: it is called again if it reads, and only its
        permission classes are asked if it writes."""
        if is_plain(self.endpoint.callback):
            ask = find_object if finds_object(self.endpoint) else find_nothing
            visit = ViewVisit(caller.identify, is_throttled=False, instead=ask)
            if not self._is_guarded_elsewhere:
                return self._lets_in_directly(site_request, caller, visit)
        elif self.endpoint.is_read:
            visit = ViewVisit(is_throttled=False)
        else:
            caller.ask_view(self.endpoint)
            return True
        request = self._request(site_request, caller)
        attach(visit, request)
        response = respond(self._view, request, site_request.match, self.urlconf)
        return response.status_code < FIRST_REDIRECT

    @cached_property
    def _is_guarded_elsewhere(self) -> bool:
        return is_guarded_elsewhere(self.endpoint.view_class)

    def _lets_in_directly(
        self, site_request: SiteRequest, caller: Caller, visit: ViewVisit
    ) -> bool:
        """Ask a view that lets requests in only where REST framework does. This is faster than a
        whole request, which matters because every page asks."""
        request = self._request(site_request, caller)
        attach(visit, request)
        kwargs = site_request.match.kwargs
        view: Any = self.endpoint.view(None, kwargs, self._view_class)
        view.request = view.initialize_request(request)
        view.initial(view.request, **kwargs)
        getattr(view, self.endpoint.method.lower())()
        return True

    # -- calls ---------------------------------------------------------------------------------

    def run(self, arguments: Mapping[str, Any], caller: Caller) -> InsideResult:
        given = dict(arguments)
        is_whole = not self.is_lean or given.pop(VERIFY, False) is True
        try:
            site_request = self._site_request(given)
        except NoSuchPlace:
            return InsideResult(failure(_NOT_FOUND, None))
        if not self.endpoint.is_read:
            return self._write(site_request, caller, is_whole=is_whole)
        if self.is_captured:
            return self._read(site_request, caller)
        return self._result(site_request, ListCapture(), self._respond(site_request, caller))

    def _write(self, site_request: SiteRequest, caller: Caller, *, is_whole: bool) -> InsideResult:
        response = self._respond(site_request, caller)
        essence = None
        if not is_whole:
            kwargs = site_request.match.kwargs
            essence = essence_of(response, self.endpoint, kwargs, site_request.body)
        return InsideResult(result_of_response(response), site_request.reference, essence=essence)

    def _site_request(self, arguments: Mapping[str, Any]) -> SiteRequest:
        path = path_of(self.endpoint, path_values(arguments, self.inputs))
        query = query_pairs(arguments, self.inputs)
        match = matched(self.endpoint, path, self.urlconf)
        has_body = self.inputs.rest == "body" or any(
            place.where == "body" for place in self.inputs.places.values()
        )
        body = body_of(arguments, self.inputs) if has_body else None
        return SiteRequest(path, query, match, body)

    def _request_again(self, reference: Mapping[str, Any]) -> SiteRequest:
        path, query = reference["path"], [(name, value) for name, value in reference["query"]]
        return SiteRequest(path, query, matched(self.endpoint, path, self.urlconf))

    def _request(self, site_request: SiteRequest, caller: Caller) -> Any:
        return inner_request(
            caller.http,
            self.endpoint,
            site_request.match,
            path=site_request.path,
            query=site_request.query,
            body=site_request.body,
            content_type=self._content_type,
        )

    def _respond(
        self,
        site_request: SiteRequest,
        caller: Caller,
        capture: ListCapture | None = None,
        *,
        is_throttled: bool = True,
    ) -> HttpResponseBase:
        request = self._request(site_request, caller)
        attach(ViewVisit(caller.identify, capture, is_throttled), request)
        return respond(self._view, request, site_request.match, self.urlconf)

    # -- lists ---------------------------------------------------------------------------------

    def _read(self, site_request: SiteRequest, caller: Caller) -> InsideResult:
        policy = caller.policy.for_tool(self.name)
        capture = ListCapture(stop=policy.page_size, most=policy.query_rows)
        response = self._response_with_capture(site_request, caller, capture)
        if response is None:
            response = self._respond(site_request, caller, is_throttled=False)
            return self._result(site_request, ListCapture(), response)
        rows = _captured_rows(capture, response)
        if rows is not None and capture.is_rereadable:
            return self._list_result(site_request, caller, policy, capture, response, rows)
        if capture.is_part and rows is None:
            # The view computes something from its rows, which makes sense only for all of them.
            return self._whole_result(site_request, caller, policy)
        return self._result(site_request, capture, response)

    def _response_with_capture(
        self, site_request: SiteRequest, caller: Caller, capture: ListCapture
    ) -> HttpResponseBase | None:
        """Return the response with the list captured; None if the view fails because it needs its
        own paginator. A view that fails before it uses our paginator would fail anyway."""
        try:
            response = self._respond(site_request, caller, capture)
        except Exception:
            if not capture.was_used:
                raise
            logger().exception("%s failed with Penstock's paginator, and keeps its own", self.name)
            return None
        return None if capture.was_used and response.status_code >= _SERVER_ERROR else response

    def _list_result(
        self,
        site_request: SiteRequest,
        caller: Caller,
        policy: Policy,
        capture: ListCapture,
        response: HttpResponseBase,
        rows: list[bytes],
    ) -> InsideResult:
        """Return live rows if a list is large or its tool heavy, else the whole list."""
        count = capture.count or 0
        size = sum(map(len, rows)) + len(rows) + 1
        is_all = count <= len(rows)
        estimate = size if is_all or not rows else size * count // len(rows)
        if not self.is_heavy and policy.inline_budget.surely_admits(estimate):
            if not is_all:
                return self._whole_result(site_request, caller, policy)
            if capture.own_form_page_size >= max(count, 1):
                response = self._respond(site_request, caller, is_throttled=False)
            return self._result(site_request, capture, response)
        reference = {"tool": self.name, **site_request.reference}
        live = LiveRows(reference, count, rows, estimate, estimated=not is_all)
        return InsideResult(live, site_request.reference)

    def _whole_result(
        self, site_request: SiteRequest, caller: Caller, policy: Policy
    ) -> InsideResult:
        capture = ListCapture(most=policy.query_rows)
        response = self._respond(site_request, caller, capture, is_throttled=False)
        return self._result(site_request, capture, response)

    def _result(
        self, site_request: SiteRequest, capture: ListCapture, response: HttpResponseBase
    ) -> InsideResult:
        notice = _CUT.format(count=capture.count, most=capture.most) if capture.is_cut else ""
        is_list = self.is_heavy or capture.count is not None
        is_page = capture.count is None and _is_page(response)
        result = result_of_response(response)
        if is_page:
            result = with_word(result, _OWN_PAGE)
        return InsideResult(result, site_request.reference, pages_first=is_list, notice=notice)

    def window(self, reference: Any, start: int, stop: int, caller: Caller) -> LiveWindow:
        site_request = self._request_again(reference)
        key = encode(reference)
        counted = caller.counts.get(key)
        capture = ListCapture(start, stop, known_count=counted)
        # One call may read many parts; a throttle counts them as one call.
        is_first = counted is None
        try:
            response = self._respond(site_request, caller, capture, is_throttled=is_first)
        except Exception as error:
            logger().exception("%s failed on rows %d to %d", self.name, start, stop)
            raise LiveRowsFailed from error
        rows = _captured_rows(capture, response)
        if rows is None:
            why = f": status {response.status_code}" if response.status_code >= FIRST_ERROR else ""
            raise LiveRowsFailed(f"The list could not be read again{why}.")
        if capture.count is not None:
            caller.counts[key] = capture.count
        # If the list can no longer be read in parts, it was read whole.
        return LiveWindow(rows if capture.is_rereadable else rows[start:stop], capture.count)


def _captured_rows(capture: ListCapture, response: HttpResponseBase) -> list[bytes] | None:
    if response.status_code >= FIRST_ERROR or not isinstance(response, Response):
        return None
    return capture.plain_rows(response.data)


def _is_page(response: HttpResponseBase) -> bool:
    """Return whether a response looks like one of several pages of REST framework's."""
    data = response.data if isinstance(response, Response) else None
    return isinstance(data, Mapping) and bool(data.get("next") or data.get("previous"))
