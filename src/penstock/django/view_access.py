"""The check whether a view would still answer a request, made at each use of a stored result.

The check repeats what the view checked when it answered, and as little else as it can. If REST
framework's own code answers, that is known, see `known_code`. Otherwise the view is called. A `pk` in
the path tells nothing: it may be the key of a row, of a row's parent, or of neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpResponseBase
from rest_framework.response import Response

from penstock.django.callers import Caller
from penstock.django.endpoints import Endpoint
from penstock.django.inputs.code_names import names_behind, overrides
from penstock.django.known_code import is_known
from penstock.django.requests import in_transaction
from penstock.django.tool_results import FIRST_REDIRECT
from penstock.django.view_calls import SiteRequest, SiteView
from penstock.django.view_permissions import ask_view
from penstock.django.view_visits import ViewVisit, is_guarded_elsewhere, is_plain

Glance = Callable[[SiteRequest, Caller], HttpResponseBase]
_Check = Callable[[Any], Response]
# Methods that `get_serializer` calls, and that may refuse a caller.
_OF_SERIALIZER: Final = ("get_serializer_class", "get_serializer_context")


def lets_in(view: SiteView, site_request: SiteRequest, caller: Caller, glance: Glance) -> bool:
    """Return whether a view, and everything that guards it, still lets a request in. `glance` calls
    the view, and has it do as little as it can."""
    endpoint = view.endpoint
    if endpoint.is_read and (
        not is_plain(endpoint.callback) or not is_known(endpoint.view_class, endpoint.action)
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
    """Return the check that takes the place of a view's handler: it finds the object of a request, or
    makes its queryset without reading a row, or raises the view's refusal."""
    kind, names = endpoint.view_class, names_behind(endpoint)
    has_object = "get_object" in names and hasattr(kind, "get_object")
    has_queryset = "get_queryset" in names and hasattr(kind, "get_queryset")
    # The serializer of a write may depend on its body, which is not kept.
    has_serializer = endpoint.is_read and "get_serializer" in names

    def check(view: Any) -> Response:
        for name in _OF_SERIALIZER if has_serializer else ():
            if overrides(kind, name):
                getattr(view, name)()
        if has_object:
            view.get_object()
        elif has_queryset:
            found = view.get_queryset()
            if "filter_queryset" in names:
                view.filter_queryset(found)
        return Response(status=204)

    return check


def _ask_directly(
    view: SiteView, site_request: SiteRequest, caller: Caller, visit: ViewVisit
) -> None:
    """Ask a view that lets requests in only where REST framework does. This is faster than a whole
    request, which matters because every page asks."""
    kwargs = site_request.match.kwargs
    made: Any = view.endpoint.view(None, kwargs, view.visited_class)

    def ask() -> None:
        made.request = made.initialize_request(view.http_request(site_request, caller, visit))
        made.initial(made.request, **kwargs)
        getattr(made, view.endpoint.method.lower())()

    in_transaction(ask, view.endpoint.callback)()
