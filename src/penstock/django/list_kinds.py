"""The ways in which the lists of a view are read."""

from __future__ import annotations

from enum import StrEnum

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.code_names import names_behind
from penstock.django.inputs.handlers import pages_itself, pages_through, reads_list
from penstock.django.known_code import is_decorated
from penstock.django.view_visits import can_be_visited, is_plain


class ListKind(StrEnum):
    """A way to read the lists of an endpoint."""

    LIVE = "live"  # in parts, with Penstock's paginator; whole, if parts make no sense
    PAGED = "paged by the site"  # in parts, with the site's own paginator
    OWN_PAGES = "one page at a time"  # the view answers with pages that it makes itself
    WHOLE = "whole"  # as the view answers


def list_kind(endpoint: Endpoint, *, is_covered: bool) -> ListKind:
    """Return how an endpoint's lists are read. `is_covered`: its tool's results are Penstock's. A
    decorator of the URLconf or of a handler may keep responses in a cache for all clients. Behind
    one, a list gets no paginator but its own."""
    if pages_itself(endpoint):
        return ListKind.OWN_PAGES
    is_free = is_plain(endpoint.callback) and not is_decorated(endpoint.view_class, endpoint.action)
    if is_covered and is_free:
        return ListKind.PAGED if pages_through(endpoint) else ListKind.LIVE
    if getattr(endpoint.view_class, "pagination_class", None) is None:
        return ListKind.WHOLE
    if is_covered and "paginate_queryset" in names_behind(endpoint):
        return ListKind.PAGED if can_be_visited(endpoint.callback) else ListKind.OWN_PAGES
    return ListKind.OWN_PAGES if reads_list(endpoint) else ListKind.WHOLE
