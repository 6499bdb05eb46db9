"""Visits: the instructions for a view that is called for a tool.

A visit is attached to the request that the view gets. A subclass of the view is called, which
follows the visit. If the URLconf names a decorator around the view, the decorator itself is called,
because it may guard the view, and may know the view by its identity or its name. The view inside
then uses the subclass during the visit, and its own class at any other time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import isfunction
from types import CellType
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
    while not _makes_view(callback):
        module = getattr(callback, "__globals__", {}).get("__name__")
        if module not in _PASS_ON or not hasattr(callback, "__wrapped__"):
            return False
        callback = callback.__wrapped__
    return True


def _makes_view(callback: Any) -> bool:
    """Return whether a function is the one that `as_view` has made."""
    return getattr(callback, "__globals__", {}).get("__name__") in _MAKE_VIEWS


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
    """Return the view of an endpoint with that class; if it is decorated, the callback itself, which
    must be called within `visiting`."""
    callback = endpoint.callback
    if not is_plain(callback):
        _let_choose(callback)
        return callback
    actions, initkwargs = getattr(callback, "actions", None), getattr(callback, "initkwargs", {})
    made: Callable[..., Any] = (
        visited.as_view(dict(actions), **initkwargs) if actions else visited.as_view(**initkwargs)
    )
    marks = {name: value for name, value in vars(callback).items() if name not in vars(made)}
    vars(made).update(marks)
    return made


# -- views inside decorators -------------------------------------------------------------------

# The class that is visited now, a subclass of a view's.
_visited: ContextVar[type | None] = ContextVar("penstock_visited", default=None)


@contextmanager
def visiting(visited: type) -> Iterator[None]:
    """Let a view inside decorators use this subclass of its class."""
    before = _visited.set(visited)
    try:
        yield
    finally:
        _visited.reset(before)


class _ClassOfView:
    """A stand-in for the class in a view. It makes the visited class for a visit, and the view's own
    class for all other clients."""

    def __init__(self, own: Any) -> None:
        self.own = own

    def __call__(self, **initkwargs: Any) -> Any:
        visited = _visited.get()
        is_visited = visited is not None and visited.__bases__ == (self.own,)
        return visited(**initkwargs) if visited and is_visited else self.own(**initkwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)


def can_be_visited(callback: Any) -> bool:
    """Return whether a view, inside its decorators, can be made to use another class."""
    return is_plain(callback) or _cell_of_class(callback) is not None


def _let_choose(callback: Any) -> None:
    """Put the stand-in into the view inside a callback, once. The function that `as_view` makes only
    calls the class, and names it in an error."""
    cell = _cell_of_class(callback)
    held = cell.cell_contents if cell is not None else None
    if cell is not None and not isinstance(held, _ClassOfView):
        cell.cell_contents = _ClassOfView(held)


def _cell_of_class(callback: Any) -> CellType | None:
    """Return the variable in which the view inside a callback has its class."""
    found = callback
    while not _makes_view(found):
        found = getattr(found, "__wrapped__", None)
        if found is None:
            return None
    if not isfunction(found):
        return None
    cells = dict(zip(found.__code__.co_freevars, found.__closure__ or (), strict=True))
    cell = cells.get("cls")
    held = getattr(cell, "cell_contents", None)
    own = held.own if isinstance(held, _ClassOfView) else held
    return cell if own is callback.cls else None
