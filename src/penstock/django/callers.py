"""The caller of a tool, and how the site's views see the caller."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable
from functools import cached_property
from itertools import chain, repeat
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from rest_framework.authentication import BasicAuthentication, TokenAuthentication
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.views import APIView

from penstock.core.model.values import NOBODY, Principal
from penstock.django.conf import Site, tier_for
from penstock.django.inputs.faults import quietly
from penstock.django.missing_arguments import Undecided
from penstock.django.requests import handed_on
from penstock.django.tiers import Tier
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.settings.policy import Policy

# The exceptions with which a view refuses a request.
REFUSALS: Final = (APIException, PermissionDenied, Http404)
# Authentication classes that read only the header, and return only a user and the proof. For a view
# they would find the same user as for the endpoint, with the same queries again.
_KNOWN_BY_HEADER: Final = ("rest_framework_simplejwt.authentication.JWTAuthentication",)
_HEADER_ONLY: Final = (TokenAuthentication, BasicAuthentication)
# Headers that differ from request to request, and say nothing of the caller.
_OF_ONE_REQUEST: Final = re.compile(
    r"HTTP_(MCP_.*|LAST_EVENT_ID|DATE|TRACEPARENT|TRACESTATE|BAGGAGE|SENTRY_TRACE|CF_RAY|X_B3_.*"
    r"|.*REQUEST_ID|.*CORRELATION_ID|.*TRACE_(ID|CONTEXT))"
)
_NOT_KNOWN: Final = (
    "who may use %s is not known without arguments (%s): it is listed, and checked when called;"
    " `manage.py penstock_doctor` names all such tools"
)
# A process warns of the first such tool. On a large site a line for each would hide other lines.
_LEVELS: Final = chain([logging.WARNING], repeat(logging.DEBUG))


class Caller:
    """The caller of one request to the MCP endpoint. Permissions and counts are cached."""

    def __init__(self, request: Request, site: Site, gate: Gate) -> None:
        self.request = request
        self.site = site
        self._gate = gate
        self.is_batch = False  # several calls in one request
        self.is_example = False  # made by the doctor, whose report tells what is not known
        self.counts: dict[bytes, int] = {}  # rows of live lists, by encoded reference
        self.tier: Tier | None = tier_for(request, site)
        self._permitted: dict[str, bool | None] = {}
        # The user, the proof and the authenticator, by authentication classes.
        self._users: dict[tuple[type, ...], tuple[Any, Any, Any]] = {}

    @property
    def policy(self) -> Policy:
        """The policy, with the options of the decorators loaded so far."""
        return self._gate.policy

    @property
    def http(self) -> HttpRequest:
        found: HttpRequest = self.request._request  # noqa: SLF001 (REST framework's name for it)
        return found

    @cached_property
    def meta(self) -> dict[str, Any]:
        """The part of META that every view gets."""
        return handed_on(self.http)

    @property
    def is_anonymous(self) -> bool:
        return not getattr(self.request.user, "is_authenticated", False)

    @property
    def principal(self) -> Principal:
        """The user's key; without one, a digest of the Authorization header; else `NOBODY`."""
        user = self.request.user
        if self.is_anonymous:
            return NOBODY
        key = getattr(user, "pk", None)
        if key is not None:
            meta = getattr(user, "_meta", None)
            kind = meta.label_lower if meta is not None else type(user).__qualname__.lower()
            return Principal(f"user:{kind}:{key}")
        proof = self.http.META.get("HTTP_AUTHORIZATION", "")
        digest = hashlib.sha256(proof.encode()).hexdigest()
        return Principal(f"authorization:{digest}") if proof else NOBODY

    @cached_property
    def rights(self) -> str:
        """A digest of the user's rights in Django, which changes when they do."""
        user: Any = self.request.user
        flags = [getattr(user, f"is_{name}", None) for name in ("active", "staff", "superuser")]
        # A user of an authentication class of the site's may have no such method.
        listed = () if flags[-1] else quietly(getattr(user, "get_all_permissions", tuple)) or ()
        return hashlib.sha256(f"{flags} {sorted(listed)}".encode()).hexdigest()[:16]

    @cached_property
    def credentials(self) -> bytes:
        """A digest of everything in a request by which views may tell callers apart: headers, the
        address, and the proof that the endpoint has found."""
        meta = sorted(item for item in self.meta.items() if _tells_of_caller(item[0]))
        return hashlib.sha256(f"{meta} {_named(self.request.auth)}".encode()).digest()

    # -- permissions ---------------------------------------------------------------------------

    def may(self, name: str, ask: Callable[[], None]) -> bool | None:
        """Return whether the caller may use a tool; None if that depends on arguments. `ask` raises
        if the view refuses, and is called once for each tool."""
        if name not in self._permitted:
            self._permitted[name] = _answer(name, ask, is_told=self.is_example)
        return self._permitted[name]

    def share_user(self, view: APIView) -> None:
        """Authenticate once for all views with the same authentication classes that are only asked
        for their permissions. A call authenticates by itself."""
        request: Any = view.request
        if type(view).get_authenticators is not _DEFAULT_GET_AUTHENTICATORS:
            return
        classes = tuple(type(one) for one in request.authenticators or ())
        if classes not in self._users:
            self._users[classes] = (request.user, request.auth, request.successful_authenticator)
        request.user, request.auth, authenticator = self._users[classes]
        request.__dict__["_authenticator"] = authenticator  # it has no setter

    def identify(self, view: APIView) -> None:
        """Give a view the user that the MCP endpoint has found, to avoid the same queries. Do so only
        if both have the same authentication classes, the one that succeeded reads only a header,
        and those before it are REST framework's."""
        own = self.request
        found: Any = own.successful_authenticator
        if (
            not _is_same_again(found)
            or type(view).get_authenticators is not _DEFAULT_GET_AUTHENTICATORS
        ):
            return
        if self.is_batch:
            return  # one view's changes to the user must not reach the next view
        classes = [type(one) for one in view.request.authenticators or ()]
        if classes == [type(one) for one in own.authenticators or ()]:
            before = classes[: classes.index(type(found))]
            if all(one.__module__.startswith("rest_framework.") for one in before):
                view.request.user, view.request.auth = own.user, own.auth
                view.request.__dict__["_authenticator"] = found  # it has no setter


_DEFAULT_GET_AUTHENTICATORS: Final = APIView.get_authenticators


def _tells_of_caller(name: str) -> bool:
    is_header = name.startswith("HTTP_") and not _OF_ONE_REQUEST.fullmatch(name)
    return is_header or name == "REMOTE_ADDR"


def _named(proof: Any) -> str:
    """Return a text for a proof, which is the same in each request with that proof."""
    kind: Any = type(proof)
    is_by_address = kind.__repr__ is object.__repr__
    return kind.__qualname__ if is_by_address else repr(proof)


def _is_same_again(authenticator: Any) -> bool:
    kind = type(authenticator)
    named = f"{kind.__module__}.{kind.__qualname__}"
    return kind in _HEADER_ONLY or named in _KNOWN_BY_HEADER


def _answer(name: str, ask: Callable[[], None], *, is_told: bool) -> bool | None:
    try:
        ask()
    except Undecided:
        return None
    except REFUSALS:
        return False
    except Exception as fault:  # noqa: BLE001 (the site's own code: it may need arguments)
        level = logging.DEBUG if is_told else next(_LEVELS)
        logger().log(level, _NOT_KNOWN, name, type(fault).__name__)
        return None
    return True
