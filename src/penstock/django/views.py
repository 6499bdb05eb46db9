"""The MCP endpoint: streamable HTTP, in both eras of MCP.

The endpoint is a REST framework view, so that it authenticates and permits as the site does, and
refuses with the right status and header. It keeps no sessions and starts no messages. Each request
is answered in its own response: as JSON, or as a stream of one event if the client takes only that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.utils.http import is_same_domain
from rest_framework.authentication import BaseAuthentication
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request, clone_request
from rest_framework.views import APIView

from penstock.core.json.rawjson import NotJson
from penstock.django.callers import REFUSALS
from penstock.django.conf import site
from penstock.django.gateway import gateway
from penstock.django.requests import remember
from penstock.errors import InvalidSetting
from penstock.log import logger
from penstock.wire import eras, headers, messages
from penstock.wire.headers import EVENTS, JSON
from penstock.wire.messages import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, Message

REFUSED: Final = -32001  # Penstock's own code: not let in. The HTTP status says why


class RefusedPost(Exception):
    """A request that is refused, with its response."""

    def __init__(self, status: int, error: bytes, key: bytes = b"") -> None:
        super().__init__()
        self.response = _json(messages.error_response(key or b"null", error), status)


class _NoForm(BaseParser):
    """A parser that leaves the body alone: it is a message, not a form."""

    media_type = "*/*"

    def parse(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {}


class _NoNegotiation(BaseContentNegotiation):
    """A negotiation that accepts every request: `McpView.post` reads the header Accept itself."""

    def select_parser(self, request: Request, parsers: Iterable[Any]) -> Any:
        del request
        return next(iter(parsers))

    def select_renderer(
        self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        del request, format_suffix
        chosen = next(iter(renderers))
        return chosen, chosen.media_type


class McpView(APIView):
    """The endpoint: POST a message, get its answer."""

    parser_classes = (_NoForm,)
    renderer_classes = (JSONRenderer,)
    content_negotiation_class = _NoNegotiation
    schema = None
    throttle_classes = ()  # the view that a call leads to counts the call
    _ignore_model_permissions = True  # tells REST framework that this view has no model
    _key = b""  # the JSON-RPC id of the request that is being answered
    http_method_names = ("post", "options")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        try:
            is_enabled = site().is_enabled
        except InvalidSetting as error:
            return _failed(error)
        if not is_enabled:
            told = messages.error(REFUSED, "The site has switched this endpoint off.")
            return RefusedPost(404, told).response
        remember(request)
        return super().dispatch(request, *args, **kwargs)

    def get_authenticators(self) -> list[BaseAuthentication]:
        own = site().authentication_classes
        return super().get_authenticators() if own is None else [one() for one in own]

    def get_permissions(self) -> Sequence[Any]:
        own = site().permission_classes
        return super().get_permissions() if own is None else [one() for one in own]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse a page of another origin before anything is looked up for the request."""
        _require_origin(_http(request))
        super().initial(request, *args, **kwargs)

    def check_permissions(self, request: Request) -> None:
        """Check permissions as for reading. The view that a call leads to permits what it does."""
        super().check_permissions(clone_request(request, "GET"))

    def handle_exception(self, exc: Exception) -> Any:
        """Return what REST framework would have answered, as a JSON-RPC error, with its headers."""
        if isinstance(exc, RefusedPost):
            return exc.response
        if not isinstance(exc, REFUSALS):
            return _failed(exc, self._key)
        said = self._response_of_site(exc)
        data = getattr(said, "data", None)  # a site's exception handler may return any response
        detail = data.get("detail") if isinstance(data, Mapping) else data
        detail = detail or getattr(exc, "detail", None) or said.reason_phrase
        told = messages.error(REFUSED, str(detail), {"status_code": said.status_code})
        made = _json(messages.error_response(b"null", told), said.status_code)
        for name, value in said.headers.items():
            if name.lower() in ("www-authenticate", "retry-after", "allow"):
                made[name] = value
        return made

    def _response_of_site(self, exc: Exception) -> HttpResponse:
        """Return the response of the site's exception handler; if none, the bare status."""
        try:
            return super().handle_exception(exc)
        except REFUSALS:
            status = getattr(exc, "status_code", 404 if isinstance(exc, Http404) else 403)
            challenge = getattr(exc, "auth_header", None)
            return HttpResponse(
                status=status, headers={"WWW-Authenticate": challenge} if challenge else None
            )

    def post(self, request: Request) -> HttpResponse:
        http = _http(request)
        takes_json, takes_events = _accepted(http)
        line = messages.one_line(_body(http))
        message = _read(line)
        self._key = b"" if message is None else message.key
        is_modern = headers.is_modern(message, http.headers.get(headers.VERSION, ""))
        if is_modern:
            _require_agreement(message, http)
        _require_version(http, is_modern=is_modern)
        known = gateway()
        answer = known.answer(known.caller(request), line, is_modern=is_modern)
        if not answer:
            return HttpResponse(status=202)
        if not takes_json and takes_events:
            return _event(answer)
        return _json(answer, headers.status_of(answer) if is_modern else 200)


def _http(request: Request) -> HttpRequest:
    found: HttpRequest = request._request  # noqa: SLF001 (REST framework's name for it)
    return found


def _json(body: bytes, status: int = 200) -> HttpResponse:
    return _private(HttpResponse(body, status=status, content_type=JSON))


def _event(message: bytes) -> HttpResponse:
    return _private(HttpResponse(headers.event(message), content_type=EVENTS))


def _failed(error: Exception, key: bytes = b"") -> HttpResponse:
    """Log an error that the client cannot help, and answer without its details. The HTTP status
    reports the error only if the id of the request is not known."""
    logger().error("a request to the endpoint failed", exc_info=error)
    told = "The endpoint failed on this request; the site's log says why."
    if isinstance(error, InvalidSetting):
        told = "The endpoint is not set up; `manage.py check` says what is missing."
    return _json(messages.failure(key or b"null", INTERNAL_ERROR, told), 200 if key else 503)


def _private(response: HttpResponse) -> HttpResponse:
    """Keep caches on the way from storing a response that is for one caller."""
    response["Cache-Control"] = "no-store"
    return response


# -- checks of the request -------------------------------------------------------------------------


def _require_origin(http: HttpRequest) -> None:
    """Refuse a browser's request unless its page is the site's own or one that the site trusts."""
    origin = http.headers.get("Origin", "")
    if not origin:
        return
    own = f"{http.scheme}://{http.get_host()}"
    allowed = (own, *site().allowed_origins, *settings.CSRF_TRUSTED_ORIGINS)
    if any(_is_origin(origin, one) for one in allowed):
        return
    told = 'This Origin is not allowed. Add it to PENSTOCK["ALLOWED_ORIGINS"].'
    raise RefusedPost(403, messages.error(REFUSED, told))


def _is_origin(origin: str, allowed: str) -> bool:
    """Compare two origins as Django does: with scheme and port, and `*.` for any subdomain."""
    if allowed == "*":
        return True
    given, named = urlsplit(origin.lower()), urlsplit(allowed.rstrip("/").lower())
    if given.scheme != named.scheme:
        return False
    if named.netloc.startswith("*."):
        return is_same_domain(given.netloc, named.netloc[1:])
    return given.netloc == named.netloc


def _accepted(http: HttpRequest) -> tuple[bool, bool]:
    """Return whether the client accepts JSON, and whether it accepts a stream."""
    kind = http.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise RefusedPost(415, messages.error(INVALID_REQUEST, f"The body must be {JSON}."))
    accepted = headers.accepts(http.headers.get("Accept", "*/*"))
    if not any(accepted):
        told = f"This endpoint answers with {JSON} or {EVENTS}: accept them."
        raise RefusedPost(406, messages.error(INVALID_REQUEST, told))
    return accepted


def _body(http: HttpRequest) -> bytes:
    try:
        return http.body
    except RequestDataTooBig as error:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        told = f"The body is over {most:,} bytes, the site's DATA_UPLOAD_MAX_MEMORY_SIZE."
        raise RefusedPost(413, messages.error(INVALID_REQUEST, told)) from error
    except UnreadablePostError as error:
        raise RefusedPost(
            400, messages.error(PARSE_ERROR, "The body could not be read.")
        ) from error


def _read(line: bytes) -> Message | None:
    """Return the message; None for a batch."""
    try:
        if messages.batch_of(line) is not None:
            return None
        message = messages.read_message(line)
        _ = message.key
    except (NotJson, UnicodeDecodeError) as error:
        raise RefusedPost(400, messages.error(PARSE_ERROR, f"Not JSON: {error}.")) from error
    return message


def _require_agreement(message: Message | None, http: HttpRequest) -> None:
    """Refuse a request of the modern era unless it is one message that agrees with the headers."""
    given = [(name.lower(), value) for name, value in http.headers.items()]
    fault = headers.disagreement(message, given)
    if fault is not None:
        raise RefusedPost(400, fault, b"" if message is None else message.key)


def _require_version(http: HttpRequest, *, is_modern: bool) -> None:
    """Refuse an unknown version of the legacy era. The header may be missing."""
    version = http.headers.get(headers.VERSION, "")
    if not is_modern and version and version not in eras.LEGACY_VERSIONS:
        supported = (*eras.MODERN_VERSIONS, *eras.LEGACY_VERSIONS)
        raise RefusedPost(400, eras.unsupported(version, supported))
