"""Who calls, and how a view sees him."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.views import APIView

from penstock.django.conf import Site, tier_for
from penstock.django.endpoints import Endpoint
from penstock.django.requests import handed_on, inner_request
from penstock.django.tiers import Tier
from penstock.gate import log
from penstock.model import NOBODY, Principal
from penstock.policy import Policy

# What a view raises that refuses a request.
REFUSALS = (APIException, PermissionDenied, Http404)


class Caller:
    """One request to the endpoint, with the answers to what is asked again and again while tools are
    listed: who this is for views that authenticate in this way or that."""

    def __init__(self, request: Request, site: Site, policy: Policy) -> None:
        self.request = request
        self.site = site
        self.policy = policy
        self.counts: dict[bytes, int] = {}  # of live lists, by what they are asked for with
        self.tier: Tier | None = tier_for(request, site)
        self._known: dict[tuple[type, ...], tuple[Any, Any, Any]] = {}

    @property
    def http(self) -> HttpRequest:
        found: HttpRequest = self.request._request  # noqa: SLF001 (REST framework's name for it)
        return found

    @cached_property
    def _meta(self) -> dict[str, Any]:
        """The same for every view."""
        return handed_on(self.http)

    @property
    def is_anonymous(self) -> bool:
        return not getattr(self.request.user, "is_authenticated", False)

    @property
    def principal(self) -> Principal:
        """The user; one without a key, by what proved who he is; else nobody."""
        user = self.request.user
        if self.is_anonymous:
            return NOBODY
        key = getattr(user, "pk", None)
        if key is not None:
            meta = getattr(user, "_meta", None)
            kind = meta.label_lower if meta is not None else type(user).__qualname__.lower()
            return Principal(f"user:{kind}:{key}")
        proof = self.http.META.get("HTTP_AUTHORIZATION", "") or repr(self.request.auth)
        return Principal(f"authorization:{hashlib.sha256(proof.encode()).hexdigest()}")

    def view_for(
        self, endpoint: Endpoint, http: HttpRequest | None = None, **kwargs: Any
    ) -> APIView:
        """A view with a request of this caller's, authenticated as the view does it."""
        inner = http or inner_request(self.http, endpoint, meta=self._meta)
        view = endpoint.view(None, **kwargs)
        request = view.initialize_request(inner)
        view.request = request
        self.identify(request)
        view.request.version, view.request.versioning_scheme = None, None
        return view

    def identify(self, request: Request) -> None:
        """Tell a request of this caller's who makes it. Found out once for all views with the same
        classes: it is a query, or two, each time. Whom they do not know they refuse, each time."""
        classes = tuple(type(one) for one in request.authenticators or ())
        own = tuple(type(one) for one in self.request.authenticators or ())
        if classes not in self._known:
            asked = self.request if classes == own else request
            self._known[classes] = asked.user, asked.auth, asked.successful_authenticator
        request.user, request.auth, authenticator = self._known[classes]
        request.__dict__["_authenticator"] = authenticator  # there is no other way in

    def may(self, endpoint: Endpoint) -> bool:
        """Whether a view would let the caller in, as far as that can be told without arguments."""
        try:
            view = self.view_for(endpoint)
            view.check_permissions(view.request)
        except REFUSALS:
            return False
        except Exception:  # noqa: BLE001 (a permission that cannot do without arguments denies)
            log().warning("%s: a permission failed", endpoint.path, exc_info=True)
            return False
        return True
