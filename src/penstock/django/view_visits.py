"""Visits: the instructions for a view that is called for a tool.

A visit is attached to the request that the view gets. A subclass of the view is called, which
follows the visit. If the URLconf names a decorator around the view, which may guard it, a copy of
the decorator is called, around the subclass; if it cannot be copied, the decorator itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import isfunction
from types import CellType, FunctionType
from typing import Any, Final, Protocol

from rest_framework.request import Request
from rest_framework.response import Response

from penstock.django.endpoints import Endpoint

_ATTRIBUTE: Final = "penstock_visit"
# The modules of the functions that call a view, and do nothing else.
_MAKE_VIEWS: Final = ("rest_framework.viewsets", "django.views.generic.base")
_FRAMEWORKS: Final = ("rest_framework.", "django.views.generic.")
_PASS_ON: Final = ("django.views.decorators.csrf", "penstock.django.decorators")


class ViewListener(Protocol):
    """A listener, which is told of each view that has let a request in."""

    def capture(self, view: Any) -> None: ...


def _identify_nobody(_view: Any) -> None:
    """Leave it to the view to find out who calls."""


@dataclass(frozen=True)
class ViewVisit:
    """One call of a view for a tool."""

    # Tells the view who calls, to save the queries that would find out the same.
    identify: Callable[[Any], None] = _identify_nobody
    listener: ViewListener | None = None
    is_throttled: bool = True  # throttles count the call
    # Takes the place of the view's handler, once the view has let the request in.
    instead: Callable[[Any], Response] | None = None


_NONE: Final = ViewVisit()


def attach(visit: ViewVisit, request: Any) -> None:
    setattr(request, _ATTRIBUTE, visit)


def visit_of(request: Any) -> ViewVisit:
    """Return the visit of a request; an empty one if the request is not of a tool."""
    found: ViewVisit = getattr(getattr(request, "_request", request), _ATTRIBUTE, _NONE)
    return found


def notify_listener(view: Any) -> None:
    """Tell the listener, if there is one, of a view that has let a request in."""
    listener = visit_of(getattr(view, "request", None)).listener
    if listener is not None:
        listener.capture(view)


def is_plain(callback: Any) -> bool:
    """Return whether the URLconf names the view itself, and not a decorator around it."""
    while True:
        module = getattr(callback, "__globals__", {}).get("__name__")
        if module in _MAKE_VIEWS:
            return True
        if module not in _PASS_ON or not hasattr(callback, "__wrapped__"):
            return False
        callback = callback.__wrapped__


def is_guarded_elsewhere(view_class: type) -> bool:
    """Return whether a class has code of its own that runs before REST framework lets a request in.
    Such code may refuse the request, or prepare the view."""
    for name in ("as_view", "setup", "dispatch"):
        owner = next(base for base in view_class.__mro__ if name in vars(base))
        if not owner.__module__.startswith(_FRAMEWORKS):
            return True
    return False


def visited_class(own: Any) -> Any:
    """Make a subclass of a view's class that follows the visit of its request."""

    def initial(self: Any, request: Request, *args: Any, **kwargs: Any) -> None:
        own.initial(self, request, *args, **kwargs)
        notify_listener(self)
        instead = visit_of(request).instead
        if instead is not None:
            # REST framework looks for the handler here, once it has let a request in.
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
    """Return the view of an endpoint with that class, and with its decorators."""
    callback = endpoint.callback
    actions, initkwargs = getattr(callback, "actions", None), getattr(callback, "initkwargs", {})
    made: Callable[..., Any] = (
        visited.as_view(dict(actions), **initkwargs) if actions else visited.as_view(**initkwargs)
    )
    marks = {name: value for name, value in vars(callback).items() if name not in vars(made)}
    vars(made).update(marks)
    return _copied_around(made, callback) or callback


def can_be_copied(callback: Any) -> bool:
    """Return whether the decorators around a view can be put around another one."""
    return _copied_around(_identify_nobody, callback) is not None


def _copied_around(made: Callable[..., Any], callback: Any) -> Callable[..., Any] | None:
    """Put copies of the decorators in a callback around another view. Such a decorator is a function
    that has the view, and nothing else that leads to it, in one variable."""
    if is_plain(callback):
        return made
    inner = getattr(callback, "__wrapped__", None)
    if not isfunction(callback) or inner is None:
        return None
    around = _copied_around(made, inner)
    held = [*map(_held, callback.__closure__ or ())]
    if around is None or [one is inner for one in held].count(True) != 1:
        return None
    cells = zip(callback.__closure__ or (), held, strict=True)
    closure = tuple(CellType(around) if one is inner else cell for cell, one in cells)
    code, known, name = callback.__code__, callback.__globals__, callback.__name__
    copied = FunctionType(code, known, name, callback.__defaults__, closure)
    copied.__kwdefaults__ = callback.__kwdefaults__
    vars(copied).update({**vars(callback), "__wrapped__": around})
    return copied


def _held(cell: CellType) -> Any:
    """Return the value of a variable; None if it has none yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
