"""Views that are tools: a call becomes a request to the view, and the response a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, assert_never

from penstock.core.model.values import LiveWindow
from penstock.django.callers import REFUSALS, Caller
from penstock.django.endpoints import Endpoint
from penstock.django.inputs import Inputs, body_of, path_values, query_pairs
from penstock.django.inspection import Inspection
from penstock.django.list_kinds import ListKind
from penstock.django.live_lists import LiveReader
from penstock.django.paged_lists import PagedReader
from penstock.django.requests import NoSuchPlace, path_of
from penstock.django.tool_results import failure, result_of_response
from penstock.django.view_access import lets_in
from penstock.django.view_calls import SiteRequest, SiteView
from penstock.django.view_permissions import ask_view
from penstock.django.view_readers import ViewReader
from penstock.django.view_visits import ViewVisit
from penstock.django.written_records import VERIFY, VERIFY_SCHEMA, essence_of
from penstock.log import logger
from penstock.wire.request import InsideResult

_NOT_FOUND: Final = 404


@dataclass(frozen=True)
class ViewAction:
    """An endpoint that does the work of a tool."""

    name: str  # of the tool
    endpoint: Endpoint
    inspection: Inspection
    is_heavy: bool
    lists: ListKind  # how its lists are read
    may_be_lean: bool  # a write answers with what identifies the record, if it can
    urlconf: Any = None

    @property
    def description(self) -> str:
        return self.inspection.findings.description

    @property
    def inputs(self) -> Inputs:
        return self.inspection.findings.inputs

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
    def _view(self) -> SiteView:
        return SiteView(self.endpoint, self.urlconf)

    @cached_property
    def _reader(self) -> ViewReader:
        match self.lists:
            case ListKind.LIVE:
                return self._reader_of(LiveReader)
            case ListKind.PAGED:
                return self._reader_of(PagedReader)
            case ListKind.OWN_PAGES | ListKind.WHOLE:
                return self._reader_of(ViewReader)
            case _:
                assert_never(self.lists)

    def _reader_of(self, kind: type[ViewReader]) -> ViewReader:
        return kind(self.name, self._view, self.is_heavy, self.lists)

    # -- permissions ---------------------------------------------------------------------------

    def ask(self, caller: Caller) -> None:
        ask_view(caller, self.endpoint)

    def may_read(self, caller: Caller, origin: Any) -> bool:
        """Return whether the view would still let this request in, and to its object if any."""
        try:
            site_request = self._view.request_again(origin)
            return lets_in(self._view, site_request, caller, self._reader.glance)
        except (*REFUSALS, NoSuchPlace):
            return False
        except Exception:  # noqa: BLE001 (a permission that fails does not permit)
            logger().warning(
                "%s: checking its permissions raised an error", self.endpoint.path, exc_info=True
            )
            return False

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
        if self._reader.asks_for_page(site_request):
            return self._reader_of(ViewReader).read(site_request, caller)
        return self._reader.read(site_request, caller)

    def _write(self, site_request: SiteRequest, caller: Caller, *, is_whole: bool) -> InsideResult:
        response = self._view.respond(site_request, caller, ViewVisit(caller.identify))
        essence = None
        if not is_whole:
            kwargs = site_request.match.kwargs
            essence = essence_of(response, self.endpoint, kwargs, site_request.body)
        return InsideResult(result_of_response(response), site_request.reference, essence=essence)

    def _site_request(self, arguments: Mapping[str, Any]) -> SiteRequest:
        has_body = self.inputs.rest == "body" or any(
            place.where == "body" for place in self.inputs.places.values()
        )
        body = body_of(arguments, self.inputs) if has_body else None
        path = path_of(self.endpoint, path_values(arguments, self.inputs))
        return self._view.request_to(path, query_pairs(arguments, self.inputs), body)

    def window(self, reference: Any, start: int, stop: int, caller: Caller) -> LiveWindow:
        return self._reader.window(reference, start, stop, caller)
