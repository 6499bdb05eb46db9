"""Views that are tools: a call becomes a request to the view, and its response a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.http import HttpResponseBase
from django.urls import ResolverMatch
from rest_framework.response import Response

from penstock.django.answers import FIRST_ERROR, encoded_rows, failure, result_of_response
from penstock.django.callers import REFUSALS, Caller
from penstock.django.endpoints import Endpoint
from penstock.django.inputs import Inputs, body_of, path_values, query_pairs
from penstock.django.listening import Listener
from penstock.django.requests import NoSuchPlace, inner_request, matched, path_of, respond
from penstock.django.tools import Outcome
from penstock.django.visiting import Visit, attach, visited_view
from penstock.django.writing import VERIFY, essence_of
from penstock.encoding import encode
from penstock.errors import StoreError
from penstock.gate import log
from penstock.model import LiveRows, LiveWindow
from penstock.policy import Policy

_CUT: Final = "The list has {count} rows; this was made from the first {most}."
_OWN_PAGE: Final = "This view pages its list itself: this may be one page of it."
_NOT_FOUND: Final = 404


class LiveRowsFailed(StoreError):
    """The list could not be read again."""

    next_step = "Call the tool again, without continuation_token."


@dataclass(frozen=True)
class Exchange:
    """What is asked of a view: enough to ask it again."""

    path: str
    query: Sequence[tuple[str, str]]
    match: ResolverMatch
    body: Any = None

    @property
    def reference(self) -> dict[str, Any]:
        return {"path": self.path, "query": [list(pair) for pair in self.query]}


@dataclass(frozen=True)
class ViewAction:
    """An action of a view, as what does the work of a tool called `name`."""

    name: str
    endpoint: Endpoint
    inputs: Inputs
    is_heavy: bool
    is_lean: bool
    urlconf: Any = None

    @cached_property
    def _view(self) -> Any:
        return visited_view(self.endpoint)

    # -- who may -------------------------------------------------------------------------------

    def may(self, caller: Caller) -> bool:
        return caller.may(self.endpoint)

    def may_read(self, caller: Caller, origin: Any) -> bool:
        """The view's permissions, for this request; and those for the object, where it is of one."""
        try:
            exchange = self._recalled(origin)
            view: Any = caller.view_for(
                self.endpoint, self._request(exchange, caller), **exchange.match.kwargs
            )
            view.check_permissions(view.request)
            if self._is_of_object(view):
                view.get_object()
        except (*REFUSALS, NoSuchPlace):
            return False
        except Exception:  # noqa: BLE001 (what cannot be found out is not permitted)
            log().warning("%s: may it still be read?", self.endpoint.path, exc_info=True)
            return False
        return True

    def _is_of_object(self, view: Any) -> bool:
        lookup = getattr(view, "lookup_url_kwarg", None) or getattr(view, "lookup_field", "")
        return lookup in view.kwargs and callable(getattr(view, "get_object", None))

    # -- asking --------------------------------------------------------------------------------

    def run(self, arguments: Mapping[str, Any], caller: Caller) -> Outcome:
        given = dict(arguments)
        is_whole = given.pop(VERIFY, False) is True or not self.is_lean
        try:
            exchange = self._exchange(given)
        except NoSuchPlace:
            return Outcome(failure(_NOT_FOUND, None))
        if self.endpoint.is_read:
            return self._read(exchange, caller)
        response = self._respond(exchange, caller)
        essence = None if is_whole else essence_of(response, self.endpoint)
        return Outcome(result_of_response(response), exchange.reference, essence=essence)

    def _exchange(self, arguments: Mapping[str, Any]) -> Exchange:
        path = path_of(self.endpoint, path_values(arguments, self.inputs))
        query = query_pairs(arguments, self.inputs)
        match = matched(self.endpoint, path, self.urlconf)
        return Exchange(path, query, match, body_of(arguments, self.inputs))

    def _recalled(self, reference: Mapping[str, Any]) -> Exchange:
        path, query = reference["path"], [(name, value) for name, value in reference["query"]]
        return Exchange(path, query, matched(self.endpoint, path, self.urlconf))

    def _request(self, exchange: Exchange, caller: Caller) -> Any:
        return inner_request(
            caller.http,
            self.endpoint,
            exchange.match,
            path=exchange.path,
            query=exchange.query,
            body=exchange.body,
        )

    def _respond(
        self,
        exchange: Exchange,
        caller: Caller,
        listener: Listener | None = None,
        *,
        is_throttled: bool = True,
    ) -> HttpResponseBase:
        request = self._request(exchange, caller)
        attach(Visit(caller.identify, listener, is_throttled), request)
        return respond(self._view, request, exchange.match)

    # -- lists ---------------------------------------------------------------------------------

    def _read(self, exchange: Exchange, caller: Caller) -> Outcome:
        policy = caller.policy.for_tool(self.name)
        listener = Listener(stop=policy.page_size)
        try:
            response = self._respond(exchange, caller, listener)
        except Exception:
            if listener.count is None:
                raise
            # It asks its paginator for more than any has to have: then it gets its own.
            log().exception("%s is not read in parts, for it failed on that", self.name)
            response = self._respond(exchange, caller, is_throttled=False)
            return Outcome(result_of_response(response), exchange.reference, notice=_OWN_PAGE)
        rows = _rows_heard(listener, response)
        if rows is not None and listener.is_query:
            return self._listed(exchange, caller, policy, listener, response, rows)
        if rows is None and listener.is_query and _has_more(listener):
            # It has built something of its own from a part: that makes sense of the whole alone.
            return self._whole(exchange, caller, policy)
        return self._outcome(exchange, listener, response)

    def _listed(
        self,
        exchange: Exchange,
        caller: Caller,
        policy: Policy,
        listener: Listener,
        response: HttpResponseBase,
        rows: list[Any],
    ) -> Outcome:
        """A list that can be asked for in parts: so it is, where it is large."""
        count = listener.count or 0
        first = encoded_rows(rows)
        size = sum(map(len, first)) + len(first) + 1
        is_all = count <= len(first)
        estimate = size if is_all else size * count // len(first)
        if not self.is_heavy and policy.inline_budget.surely_admits(estimate):
            if is_all:
                return self._outcome(exchange, listener, response)
            return self._whole(exchange, caller, policy)
        reference = {"tool": self.name, **exchange.reference}
        live = LiveRows(reference, count, first, estimate, estimated=not is_all)
        return Outcome(live, exchange.reference)

    def _whole(self, exchange: Exchange, caller: Caller, policy: Policy) -> Outcome:
        listener = Listener(most=policy.query_rows)
        response = self._respond(exchange, caller, listener, is_throttled=False)
        return self._outcome(exchange, listener, response)

    def _outcome(
        self, exchange: Exchange, listener: Listener, response: HttpResponseBase
    ) -> Outcome:
        cut = _CUT.format(count=listener.count, most=listener.most) if listener.is_cut else ""
        is_list = self.is_heavy or listener.count is not None
        result = result_of_response(response)
        return Outcome(result, exchange.reference, pages_first=is_list, notice=cut)

    def window(self, reference: Any, start: int, stop: int, caller: Caller) -> LiveWindow:
        exchange = self._recalled(reference)
        key = encode(reference)
        counted = caller.counts.get(key)
        listener = Listener(start, stop, counted=counted)
        # Many parts may be asked for in one call; it is one call for a throttle too.
        is_first = counted is None
        try:
            response = self._respond(exchange, caller, listener, is_throttled=is_first)
        except Exception as error:
            log().exception("%s failed on rows %d to %d", self.name, start, stop)
            raise LiveRowsFailed from error
        rows = _rows_heard(listener, response)
        if rows is None:
            why = f"status {response.status_code}" if response.status_code >= FIRST_ERROR else ""
            raise LiveRowsFailed(f"The list could not be read again{': ' + why if why else ''}.")
        if listener.count is not None:
            caller.counts[key] = listener.count
        return LiveWindow(encoded_rows(rows), listener.count)


def _rows_heard(listener: Listener, response: HttpResponseBase) -> list[Any] | None:
    if response.status_code >= FIRST_ERROR or not isinstance(response, Response):
        return None
    return listener.plain_rows(response.data)


def _has_more(listener: Listener) -> bool:
    return listener.stop is not None and (listener.count or 0) > listener.stop
