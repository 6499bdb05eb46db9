"""Calls of a site's view for a tool. Each is a request that can be made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import ResolverMatch

from penstock.django.callers import Caller
from penstock.django.endpoints import Endpoint
from penstock.django.inputs.media import content_type_of
from penstock.django.requests import inner_request, matched, respond
from penstock.django.view_visits import (
    ViewVisit,
    attach,
    visited_class,
    visited_view,
    visiting,
)


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
class SiteView:
    """The view of an endpoint, as tools call it."""

    endpoint: Endpoint
    urlconf: Any = None

    @cached_property
    def visited_class(self) -> Any:
        return visited_class(self.endpoint.view_class)

    @cached_property
    def _visited(self) -> Any:
        return visited_view(self.endpoint, self.visited_class)

    @cached_property
    def _content_type(self) -> str:
        return content_type_of(self.endpoint.view())

    def request_to(
        self, path: str, query: Sequence[tuple[str, str]], body: Any = None
    ) -> SiteRequest:
        return SiteRequest(path, query, matched(self.endpoint, path, self.urlconf), body)

    def request_again(self, reference: Mapping[str, Any]) -> SiteRequest:
        query = [(name, value) for name, value in reference["query"]]
        return self.request_to(reference["path"], query)

    def http_request(
        self, site_request: SiteRequest, caller: Caller, visit: ViewVisit
    ) -> HttpRequest:
        made = inner_request(
            caller.http,
            self.endpoint,
            site_request.match,
            path=site_request.path,
            query=site_request.query,
            body=site_request.body,
            content_type=self._content_type,
        )
        attach(visit, made)
        return made

    def respond(
        self, site_request: SiteRequest, caller: Caller, visit: ViewVisit
    ) -> HttpResponseBase:
        request = self.http_request(site_request, caller, visit)
        with visiting(self.visited_class):
            return respond(self._visited, request, site_request.match, self.urlconf)
