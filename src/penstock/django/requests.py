"""The request that a view gets: what a client of the API would have sent, made from a call of a tool.

It carries all that the call itself came with, headers and cookies, session and whatever middleware has
put on it; so a view authenticates the same caller, by its own classes, and refuses as it always does.
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

from penstock.core.json.encoding import encode
from penstock.django.endpoints import Endpoint

JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"
_ACCEPTED: Final = f"{JSON}, */*;q=0.1"
# Of the call's own body, and of what an HTTP cache would say of another resource.
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
    """The arguments lead to no URL of the tool's, or to another view's."""


def path_of(endpoint: Endpoint, values: Mapping[str, str]) -> str:
    """The path of a request with these values in it."""
    return _PARAMETER.sub(lambda found: values[found[1]], endpoint.path)


def matched(endpoint: Endpoint, path: str, urlconf: Any) -> ResolverMatch:
    """Where the URLconf leads, with the values in the path converted as it says. One may not lead into
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
    """A request to the view of an endpoint, by whoever made the `outer` one. `meta`: what is handed on
    of that one's, where it is known already."""
    made = outer.__class__.__new__(outer.__class__)
    # As it came, before REST framework wrote on it whom the endpoint has found. `copy` would leave out
    # what cannot be pickled.
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
    content = _encoded(body, content_type) if is_sent else b""
    if content:
        made.META |= {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": str(len(content))}
    _give_content(made, content, content_type, QueryDict(written))
    return made


def remember(request: HttpRequest) -> None:
    """What a request came with, to be called when it has just come."""
    setattr(request, _CAME_WITH, dict(request.__dict__))


def handed_on(outer: HttpRequest) -> dict[str, Any]:
    """Of what a request came with, what a view is shown."""
    return {name: value for name, value in outer.META.items() if name not in _NOT_THE_VIEWS}


def _encoded(body: Any, content_type: str) -> bytes:
    if content_type == JSON or not isinstance(body, Mapping):
        return encode(body)
    pairs = {name: _in_form(value) for name, value in body.items() if value is not None}
    return urlencode(pairs, doseq=True).encode()


def _in_form(value: Any) -> Any:
    """Lists are repeated; what a form has no way of saying is said in JSON."""
    if isinstance(value, list):
        return [_in_form(item) for item in value]
    return value if isinstance(value, str) else encode(value).decode()


def _give_content(
    request: HttpRequest, content: bytes, content_type: str, query: QueryDict
) -> None:
    """In the place of what the outer request has read, or would read, from its connection."""
    for cached in ("headers", "accepted_types", "accepted_types_by_precedence"):
        request.__dict__.pop(cached, None)
    request.__dict__["GET"] = query  # cached there by Django's own requests
    request.__dict__["COOKIES"] = dict(request.COOKIES)  # so is this; a view may write on it
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
    """What a view answers, with the URLs of the URLconf that it is in."""
    if urlconf is None:
        return in_transaction(view)(request, *match.args, **match.kwargs)
    before = get_urlconf()
    set_urlconf(urlconf)
    try:
        return in_transaction(view)(request, *match.args, **match.kwargs)
    finally:
        set_urlconf(before)


def in_transaction(view: Callable[..., Answer]) -> Callable[..., Answer]:
    """As Django calls a view: in a transaction, where the site wants one for each request."""
    outside: set[str] = getattr(view, "_non_atomic_requests", set())
    for alias, database in connections.settings.items():
        if database["ATOMIC_REQUESTS"] and alias not in outside:
            view = transaction.atomic(using=alias)(view)
    return view
