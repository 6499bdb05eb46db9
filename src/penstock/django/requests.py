"""The requests that a tool makes to a view: each is what a client of the API would have sent.

Such a request carries everything that came with the tool's call: headers, cookies, the session and
attributes set by middleware. So a view authenticates the same caller, and refuses as always.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.db import connections, transaction
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.urls import (
    Resolver404,
    ResolverMatch,
    get_script_prefix,
    get_urlconf,
    resolve,
    set_urlconf,
)
from django.utils import translation
from django.utils.datastructures import MultiValueDict

from penstock.django.endpoints import Endpoint
from penstock.django.inputs.media import JSON
from penstock.django.request_bodies import encoded_body

_ACCEPTED: Final = f"{JSON}, */*;q=0.1"
# Headers about the body of the call, and conditions of HTTP caches on another resource.
_NOT_THE_VIEWS: Final = (
    "CONTENT_TYPE",
    "CONTENT_LENGTH",
    "HTTP_ACCEPT",
    "HTTP_TRANSFER_ENCODING",
    "HTTP_CONTENT_ENCODING",
    "HTTP_IF_MATCH",
    "HTTP_IF_NONE_MATCH",
    "HTTP_IF_MODIFIED_SINCE",
    "HTTP_IF_UNMODIFIED_SINCE",
    "HTTP_RANGE",
    "HTTP_X_HTTP_METHOD_OVERRIDE",
)
_PARAMETER: Final = re.compile(r"\{(\w+)\}")
_BODILESS: Final = ("GET", "HEAD", "OPTIONS")
_CAME_WITH: Final = "penstock_came_with"


View = Callable[..., HttpResponseBase]
Answer = TypeVar("Answer")


class NoSuchPlace(Exception):
    """Arguments that lead to no URL, or to the URL of another view."""


def path_of(endpoint: Endpoint, values: Mapping[str, str]) -> str:
    """Return an endpoint's path with these values for its parameters."""
    return _PARAMETER.sub(lambda found: values[found[1]], endpoint.path)


def matched(endpoint: Endpoint, path: str, urlconf: Any) -> ResolverMatch:
    """Resolve a path, with the values in it converted by the URLconf. Refuse a path that leads to
    another view: `devices/export/` is not the device called export."""
    try:
        with translation.override(settings.LANGUAGE_CODE):
            match = resolve(path, urlconf=urlconf)
    except Resolver404 as error:
        raise NoSuchPlace from error
    if match.func is not endpoint.callback:
        raise NoSuchPlace
    return match


def inner_request(
    outer: HttpRequest,
    endpoint: Endpoint,
    match: ResolverMatch | None = None,
    *,
    path: str = "",
    query: Sequence[tuple[str, str]] = (),
    body: Any = None,
    content_type: str = JSON,
    meta: Mapping[str, Any] | None = None,
) -> HttpRequest:
    """Make a request to the view of an endpoint, for the caller of the `outer` request. `meta` is
    the result of `handed_on(outer)`, if it is known already."""
    made = outer.__class__.__new__(outer.__class__)
    # Take the attributes from before REST framework set the endpoint's user. `copy` would leave out
    # those that cannot be pickled.
    made.__dict__.update(getattr(outer, _CAME_WITH, outer.__dict__))
    made.method = endpoint.method
    made.path_info = path or endpoint.path
    made.path = get_script_prefix().rstrip("/") + made.path_info
    made.resolver_match = match
    written = urlencode(query) if query else ""
    made.META = {
        **(handed_on(outer) if meta is None else meta),
        "REQUEST_METHOD": made.method,
        "PATH_INFO": made.path_info,
        "QUERY_STRING": written,
        "HTTP_ACCEPT": _ACCEPTED,
    }
    is_sent = body is not None and endpoint.method not in _BODILESS
    content, sent_as = encoded_body(body, content_type) if is_sent else (b"", "")
    if content:
        made.META |= {"CONTENT_TYPE": sent_as, "CONTENT_LENGTH": str(len(content))}
    _give_content(made, content, sent_as.partition(";")[0], QueryDict(written))
    return made


def remember(request: HttpRequest) -> None:
    """Save the attributes of a request that has just arrived, for `inner_request`."""
    setattr(request, _CAME_WITH, dict(request.__dict__))


def handed_on(outer: HttpRequest) -> dict[str, Any]:
    """Return the part of a request's META that a view is shown."""
    return {name: value for name, value in outer.META.items() if name not in _NOT_THE_VIEWS}


def _give_content(
    request: HttpRequest, content: bytes, content_type: str, query: QueryDict
) -> None:
    """Replace the content that the outer request has read, or would read, from its connection."""
    for cached in ("headers", "accepted_types", "accepted_types_by_precedence", "_upload_handlers"):
        request.__dict__.pop(cached, None)
    request.__dict__["GET"] = query  # where Django caches it
    request.__dict__["COOKIES"] = dict(request.COOKIES)  # a copy, because a view may change it
    attributes: dict[str, Any] = {
        "_body": content,
        "_read_started": True,
        "_post": QueryDict(),
        "_files": MultiValueDict(),
        "content_type": content_type if content else "",
        "content_params": {},
    }
    request.__dict__.update(attributes)


def respond(
    view: View, request: HttpRequest, match: ResolverMatch, urlconf: Any = None
) -> HttpResponseBase:
    """Call a view, with its own URLconf active, and return the response."""
    if urlconf is None:
        return in_transaction(view)(request, *match.args, **match.kwargs)
    before = get_urlconf()
    set_urlconf(urlconf)
    try:
        return in_transaction(view)(request, *match.args, **match.kwargs)
    finally:
        set_urlconf(before)


def in_transaction(view: Callable[..., Answer], callback: Any = None) -> Callable[..., Answer]:
    """Wrap a view as Django does: in a transaction if the site wants one for each request. Wrap a
    check likewise, as it is made in the place of the view of a `callback`."""
    outside: set[str] = getattr(callback or view, "_non_atomic_requests", set())
    for alias, database in connections.settings.items():
        if database["ATOMIC_REQUESTS"] and alias not in outside:
            view = transaction.atomic(using=alias)(view)
    return view
