"""The question whether a view lets a caller in, asked before the arguments of a call are known.

A view checks its permissions as it does for a call, with empty arguments. A refusal counts only if
nothing looked for an argument. Django's permissions of models ask for the view's queryset, only to
find its model. Making the queryset may take a hundred times as long as the check, and look for
arguments on the way. If a view only refines the queryset that its class declares, that one will do.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.db.models import QuerySet
from rest_framework.permissions import BasePermission, DjangoModelPermissions

from penstock.django.callers import REFUSALS, Caller
from penstock.django.endpoints import Endpoint
from penstock.django.inputs.code_names import is_frameworks, overrides
from penstock.django.known_code import extends_framework, may_refuse, names_model, reads_rows
from penstock.django.missing_arguments import Lookups, NotedArguments, NotedQuery, Undecided
from penstock.django.requests import inner_request


def ask_view(caller: Caller, endpoint: Endpoint) -> None:
    """Raise the view's refusal of this caller, or `Undecided` if it depends on arguments."""
    looked_for = Lookups()
    view = _prepared(caller, endpoint, looked_for)
    if _refines_queryset(endpoint) and _need_only_model(view):
        view.get_queryset = view.queryset.all
    try:
        view.check_permissions(view.request)
    except REFUSALS as refusal:
        if looked_for.anything:
            raise Undecided from refusal
        raise


def _prepared(caller: Caller, endpoint: Endpoint, looked_for: Lookups) -> Any:
    """Return the view with a request that has no arguments."""
    inner = inner_request(caller.http, endpoint, meta=caller.meta)
    view: Any = endpoint.view()
    request = view.request = view.initialize_request(inner)
    # As in `APIView.initial`: a version may be part of the media type.
    accepted = view.perform_content_negotiation(request)
    request.accepted_renderer, request.accepted_media_type = accepted
    request.version, request.versioning_scheme = view.determine_version(request)
    caller.identify(view)
    caller.share_user(view)
    view.kwargs = NotedArguments(looked_for)
    inner.__dict__["GET"] = NotedQuery(looked_for)
    request.__dict__["_full_data"] = request.__dict__["_data"] = view.kwargs
    return view


@lru_cache(4_096)
def _refines_queryset(endpoint: Endpoint) -> bool:
    """Return whether a view refines the queryset that its class declares, by code that refuses
    nobody and names no other model."""
    view: Any = endpoint.view_class
    is_refined = extends_framework(view, "get_queryset") and not may_refuse(view, "get_queryset")
    return is_refined and not names_model(view, "get_queryset")


def _need_only_model(view: Any) -> bool:
    """Return whether the view's permissions use its queryset only to find the model."""
    if not isinstance(getattr(view, "queryset", None), QuerySet):
        return False
    return all(map(_needs_only_model, view.get_permissions()))


def _needs_only_model(permission: Any) -> bool:
    kind: Any = type(permission)
    if not isinstance(permission, DjangoModelPermissions):
        return isinstance(permission, BasePermission) and is_frameworks(kind)
    if overrides(kind, "_queryset"):
        return False
    if not overrides(kind, "has_permission"):
        return True
    return extends_framework(kind, "has_permission") and not reads_rows(kind, "has_permission")
