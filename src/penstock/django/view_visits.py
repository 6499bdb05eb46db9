"""A view that is called for a tool, and who calls it.

A visit is put on the request that a view gets. A view that the URLconf leads to directly is called as a
subclass of itself, which heeds it; one that is behind a decorator of the URLconf's is called through
that, for it may be what guards the view.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from rest_framework.request import Request
from rest_framework.response import Response

from penstock.django.endpoints import Endpoint

_ATTRIBUTE: Final = "penstock_visit"
# The modules of functions that lead to a view and do nothing else on the way.
_MAKE_VIEWS: Final = ("rest_framework.viewsets", "django.views.generic.base")
_FRAMEWORKS: Final = ("rest_framework.", "django.views.generic.")
_PASS_ON: Final = ("django.views.decorators.csrf", "penstock.django.decorators")


class ViewListener(Protocol):
    """Who wants to know of a view that it has let a request in."""

    def attend(self, view: Any) -> None: ...


def _stranger(_view: Any) -> None:
    """Nothing is known of who calls."""


@dataclass(frozen=True)
class ViewVisit:
    """`identify` tells a view who calls, where it would find out the same with the same queries again.
    `is_throttled`: it counts as a request. `instead`: what a view that has let the request in does, in
    the place of answering it."""

    identify: Callable[[Any], None] = _stranger
    listener: ViewListener | None = None
    is_throttled: bool = True
    instead: Callable[[Any], Response] | None = None


_NONE: Final = ViewVisit()


def attach(visit: ViewVisit, request: Any) -> None:
    setattr(request, _ATTRIBUTE, visit)


def visit_of(request: Any) -> ViewVisit:
    """Of a request that came in another way, one that says nothing."""
    found: ViewVisit = getattr(getattr(request, "_request", request), _ATTRIBUTE, _NONE)
    return found


def listen(view: Any) -> None:
    """To a view that has let a request in, if the request is of a tool."""
    listener = visit_of(getattr(view, "request", None)).listener
    if listener is not None:
        listener.attend(view)


def find_object(view: Any) -> Response:
    """Instead of an answer: whether there is one, and may be seen."""
    view.get_object()
    return find_nothing(view)


def find_nothing(_view: Any) -> Response:
    return Response(status=204)


def is_plain(callback: Any) -> bool:
    """Whether a URLconf leads to the view itself, and not to a decorator around it."""
    while True:
        module = getattr(callback, "__globals__", {}).get("__name__")
        if module in _MAKE_VIEWS:
            return True
        if module not in _PASS_ON or not hasattr(callback, "__wrapped__"):
            return False
        callback = callback.__wrapped__


def is_guarded_elsewhere(view_class: type) -> bool:
    """Whether a class has its say before REST framework lets a request in, or does something then that
    the rest of it needs."""
    for name in ("as_view", "setup", "dispatch"):
        owner = next(base for base in view_class.__mro__ if name in vars(base))
        if not owner.__module__.startswith(_FRAMEWORKS):
            return True
    return False


def visited_class(own: Any) -> Any:
    """The class of a view, as one that heeds a visit."""

    def initial(self: Any, request: Request, *args: Any, **kwargs: Any) -> None:
        own.initial(self, request, *args, **kwargs)
        listen(self)
        instead = visit_of(request).instead
        if instead is not None:
            # Where REST framework looks for what answers, once it has let a request in.
            setattr(self, str(request.method).lower(), lambda *_, **__: instead(self))

    def perform_authentication(self: Any, request: Request) -> None:
        visit_of(request).identify(self)
        own.perform_authentication(self, request)

    def check_throttles(self: Any, request: Request) -> None:
        if visit_of(request).is_throttled:
            own.check_throttles(self, request)

    changes = {
        "initial": initial,
        "perform_authentication": perform_authentication,
        "check_throttles": check_throttles,
        "__module__": own.__module__,
        "__qualname__": own.__qualname__,
        "__doc__": own.__doc__,
    }
    return type(own.__name__, (own,), changes)


def visited_view(endpoint: Endpoint, visited: Any) -> Callable[..., Any]:
    """The view of an endpoint with that class; with what decorators have said of the view."""
    if not is_plain(endpoint.callback):
        return endpoint.callback
    actions = getattr(endpoint.callback, "actions", None)
    initkwargs = getattr(endpoint.callback, "initkwargs", {})
    made: Callable[..., Any] = (
        visited.as_view(dict(actions), **initkwargs) if actions else visited.as_view(**initkwargs)
    )
    said = {
        name: value for name, value in vars(endpoint.callback).items() if name not in vars(made)
    }
    vars(made).update(said)
    return made
