"""The ways in which the lists of a view are read."""

from __future__ import annotations

from enum import StrEnum

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.handlers import pages_itself, pages_through, reads_list
from penstock.django.view_visits import is_plain


class ListKind(StrEnum):
    """How the lists of an endpoint are read."""

    LIVE = "live"  # in parts, with Penstock's paginator; whole, if parts make no sense
    PAGED = "paged by the site"  # in parts, with the site's own paginator
    OWN_PAGES = "one page at a time"  # the view answers with pages that it makes itself
    WHOLE = "whole"  # as the view answers


def list_kind(endpoint: Endpoint, *, is_covered: bool, is_heavy: bool) -> ListKind:
    """Return how an endpoint's lists are read. `is_covered`: its tool's results are Penstock's.
    Behind a decorator of the URLconf, Penstock sees only a heavy view."""
    if pages_itself(endpoint):
        return ListKind.OWN_PAGES
    if is_covered and (is_heavy or is_plain(endpoint.callback)):
        return ListKind.PAGED if pages_through(endpoint) else ListKind.LIVE
    has_pages = getattr(endpoint.view_class, "pagination_class", None) is not None
    return ListKind.OWN_PAGES if has_pages and reads_list(endpoint) else ListKind.WHOLE
