"""The check whether a view would still answer a request, made at each use of a stored result.

The check repeats what the view checked when it answered, and as little else as it can. The names in
the view's code tell what that was. A `pk` in the path tells nothing: it may be the key of a row, of
a row's parent, or of neither.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpResponseBase
from rest_framework.response import Response

from penstock.django.callers import Caller
from penstock.django.endpoints import Endpoint
from penstock.django.inputs.code_names import may_refuse, names_behind
from penstock.django.tool_results import FIRST_REDIRECT
from penstock.django.view_calls import SiteRequest, SiteView
from penstock.django.view_permissions import ask_view
from penstock.django.view_visits import ViewVisit, is_guarded_elsewhere, is_plain

Glance = Callable[[SiteRequest, Caller], HttpResponseBase]
_Check = Callable[[Any], Response]


def lets_in(view: SiteView, site_request: SiteRequest, caller: Caller, glance: Glance) -> bool:
    """Return whether a view, and everything that guards it, still lets a request in. `glance` calls
    the view, and has it do as little as it can."""
    endpoint = view.endpoint
    if endpoint.is_read and (
        not is_plain(endpoint.callback) or may_refuse(endpoint.view_class, endpoint.action)
    ):
        return glance(site_request, caller).status_code < FIRST_REDIRECT
    if not is_plain(endpoint.callback):
        # A write cannot be repeated, nor can its decorator be asked without it.
        ask_view(caller, endpoint)
        return True
    visit = ViewVisit(caller.identify, is_throttled=False, instead=_check_of(endpoint))
    if is_guarded_elsewhere(endpoint.view_class):
        return view.respond(site_request, caller, visit).status_code < FIRST_REDIRECT
    _ask_directly(view, site_request, caller, visit)
    return True


def _check_of(endpoint: Endpoint) -> _Check:
    """Return the check that takes the place of a view's handler."""
    names = names_behind(endpoint)
    if "get_object" in names and hasattr(endpoint.view_class, "get_object"):
        return _find_object
    if "get_queryset" in names and hasattr(endpoint.view_class, "get_queryset"):
        return partial(_find_queryset, is_filtered="filter_queryset" in names)
    return _find_nothing


def _find_object(view: Any) -> Response:
    """Find the object of a request, or raise the view's refusal to show it."""
    view.get_object()
    return _find_nothing(view)


def _find_queryset(view: Any, *, is_filtered: bool) -> Response:
    """Make the queryset of a request, or raise the view's refusal, and read no row."""
    found = view.get_queryset()
    if is_filtered:
        view.filter_queryset(found)
    return _find_nothing(view)


def _find_nothing(_view: Any) -> Response:
    return Response(status=204)


def _ask_directly(
    view: SiteView, site_request: SiteRequest, caller: Caller, visit: ViewVisit
) -> None:
    """Ask a view that lets requests in only where REST framework does. This is faster than a whole
    request, which matters because every page asks."""
    kwargs = site_request.match.kwargs
    made: Any = view.endpoint.view(None, kwargs, view.visited_class)
    made.request = made.initialize_request(view.http_request(site_request, caller, visit))
    made.initial(made.request, **kwargs)
    getattr(made, view.endpoint.method.lower())()
