"""Words for the agent about an answer that is only a part of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from django.http import HttpResponseBase

from penstock.django.site_pages import PageCapture, links_of, total_in, total_of
from penstock.django.tool_results import FIRST_ERROR, json_of

_ONE_PAGE: Final = (
    "This is one of the API's own pages{extent}; the tool's parameters lead to the others."
)
_MAYBE: Final = (
    "This may be one of the API's own pages, and not the whole list; "
    "the tool's parameters lead to the others."
)
_SLICE: Final = (
    "The view answers with only {shown:,} of {total:,} rows; "
    "if the tool has parameters for pages, they lead to the others."
)
_OTHERS: Final = "The API's own pages also have {names}; ask for a page by the tool's parameters."
_COUNT: Final = "The API counts {total:,} rows; its pages showed {shown:,}."
_CIRCLE: Final = (
    "The links of the API's pages lead back to a page that was read: "
    "these are {shown:,} rows, and the list may have more."
)
_FIRST: Final = "These are only the first {shown:,} rows; the list has {total}."
_ON: Final = "For the next ones, call the tool again with {arguments}."
_FEWER: Final = "For others, call the tool again with its parameters for pages or with filters."


class _Extent(NamedTuple):
    """The part of a list that an answer holds, as far as it is known."""

    shown: int | None
    total: int | None
    is_part: bool | None


def word_on_page(response: HttpResponseBase, capture: PageCapture, *, is_paged: bool) -> str:
    """Return what the agent must know about a response that is a page; "" if it is all there is.
    `is_paged`: the view answers with pages of its own."""
    if response.status_code >= FIRST_ERROR:
        return ""
    if capture.slice is not None:
        return word_on_slice(*capture.slice)
    is_seen = capture.given is not None
    extent = _by_paginator(capture) if is_seen else _by_response(response, is_paged)
    if extent.is_part is None:
        return _MAYBE if is_paged or is_seen else ""
    if not extent.is_part:
        return ""
    is_known = extent.shown is not None and extent.total is not None
    told = f", {extent.shown:,} of {extent.total:,} rows" if is_known else ""
    return _ONE_PAGE.format(extent=told)


def _by_paginator(capture: PageCapture) -> _Extent:
    """Return the extent by the paginator's links and its count. A count of just the rows of a page,
    without links, proves nothing: it may be the count of the page."""
    shown, total, links = capture.given, total_of(capture.paginator), links_of(capture.paginator)
    is_counted = shown is not None and total is not None and shown < total
    if is_counted or links is None:
        return _Extent(shown, total, is_counted or None)
    return _Extent(shown, None, any(links))


def _by_response(response: HttpResponseBase, is_paged: bool) -> _Extent:
    data = json_of(response)
    found = data if isinstance(data, Mapping) else {}
    lists = [item for item in found.values() if isinstance(item, list)]
    shown = len(lists[0]) if len(lists) == 1 else None
    total = total_in(found)
    if lists and {"next", "previous"} & found.keys():
        return _Extent(shown, total, bool(found.get("next") or found.get("previous")))
    if is_paged and shown is not None and total is not None:
        return _Extent(shown, total, shown < total)
    return _Extent(shown, total, None)


def word_on_members(names: Sequence[str]) -> str:
    """Return what the agent must know about a list whose pages hold more than its rows."""
    return _OTHERS.format(names=", ".join(names)) if names else ""


def word_on_slice(shown: int, total: int) -> str:
    return _SLICE.format(shown=shown, total=total) if shown < total else ""


def word_on_first_rows(
    shown: int, total: int | None, way_on: Sequence[tuple[str, str]] = ()
) -> str:
    """Return what the agent must know about a list that was not read to its end. `way_on` holds the
    query parameters for the page that follows, if they are known."""
    known = f"more than {shown:,}" if total is None else f"{total:,}"
    arguments = " and ".join(f"{name}={value}" for name, value in way_on)
    step = _ON.format(arguments=arguments) if arguments else _FEWER
    return f"{_FIRST.format(shown=shown, total=known)} {step}"


def word_on_count(shown: int, total: int | None) -> str:
    """Return what the agent must know about a list with fewer rows than the API counts."""
    is_less = total is not None and shown < total
    return _COUNT.format(shown=shown, total=total) if is_less else ""


def word_on_circle(shown: int) -> str:
    """Return what the agent must know about a list whose pages never end."""
    return _CIRCLE.format(shown=shown)
