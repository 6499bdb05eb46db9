"""The decorators for a site's code: `@mcp_tool`, `@mcp_heavy` and `@mcp_ignore`.

    @mcp_tool(name="orders.cancel", description="Cancel an order.", input_schema={...}, write=True)
    def cancel(arguments, request): ...

    class DeviceViewSet(ModelViewSet):
        @mcp_heavy
        def list(self, request): ...

`@mcp_tool` makes a tool of a function. Views become tools without a decorator, unless the site
switches that off; on a view, `@mcp_heavy` says that its lists are large. The decorators change
nothing for other clients of a view.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Final, TypeVar, Unpack, overload

from penstock.adapters.decorators.heavy import HeavyOptions, checked_options
from penstock.django.tiers import Tier

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
HEAVY: Final = "_penstock_heavy"
IGNORED: Final = "_penstock_ignored"


@dataclass(frozen=True)
class Declared:
    """A function that a decorator has made a tool of."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    function: Callable[..., Any]
    permission_classes: tuple[type, ...] | None
    tier: Tier
    heavy: Mapping[str, Any] | None = field(default=None)  # the settings of a heavy tool


# In the order of import. If two functions have the same name, the first is served, and a system
# check reports the name.
declared: list[Declared] = []


def mcp_tool(
    name: str,
    description: str,
    input_schema: Mapping[str, Any],
    permission_classes: Sequence[type] | None = None,
    *,
    write: bool = False,
    admin: bool = False,
) -> Callable[[Decorated], Decorated]:
    """Make a tool of a function, which is called with `(arguments, request)`.

    Without `permission_classes`, the site's default classes apply; with an empty list, none do.
    `write` and `admin` set the tier that a caller needs.
    """
    return _declaring(name, description, input_schema, permission_classes, write, admin, None)


@overload
def mcp_heavy(view: Decorated, /) -> Decorated: ...
@overload
def mcp_heavy(
    name: str,
    description: str,
    input_schema: Mapping[str, Any],
    permission_classes: Sequence[type] | None = None,
    *,
    write: bool = False,
    admin: bool = False,
    **options: Unpack[HeavyOptions],
) -> Callable[[Decorated], Decorated]: ...
@overload
def mcp_heavy(**options: Unpack[HeavyOptions]) -> Callable[[Decorated], Decorated]: ...
def mcp_heavy(
    name: Any = None,
    description: str | None = None,
    input_schema: Mapping[str, Any] | None = None,
    permission_classes: Sequence[type] | None = None,
    *,
    write: bool = False,
    admin: bool = False,
    **options: Unpack[HeavyOptions],
) -> Any:
    """Declare that a tool's results are large: the first call returns a preview and a token.

    On a view's class or method, give no arguments or only options (`budget`, `page_size`, `ttl`,
    `modes`): its lists answer with their first page. On a function, give a name, a description and
    an input schema: the function becomes a tool as with `@mcp_tool`, and answers with a probe.
    """
    settings = checked_options({**options, "heavy": True}, "@mcp_heavy")
    if isinstance(name, str):
        if description is None or input_schema is None:
            raise TypeError("@mcp_heavy(name, …) also needs a description and an input_schema.")
        return _declaring(
            name, description, input_schema, permission_classes, write, admin, settings
        )
    if description is not None or input_schema is not None or write or admin:
        raise TypeError("@mcp_heavy needs a name on a function; on a view it takes only options.")
    if name is None:
        return lambda view: _heavy_view(view, settings)
    return _heavy_view(name, settings)


def mcp_ignore(view: Decorated) -> Decorated:
    """Make no tool of this view, or of this method of a view."""
    setattr(view, IGNORED, True)
    return view


def _declaring(
    name: str,
    description: str,
    input_schema: Mapping[str, Any],
    permission_classes: Sequence[type] | None,
    write: bool,
    admin: bool,
    heavy: Mapping[str, Any] | None,
) -> Callable[[Decorated], Decorated]:
    for what, value, kind in (("name", name, str), ("description", description, str),
                              ("input_schema", input_schema, Mapping)):  # fmt: skip
        if not isinstance(value, kind) or (kind is str and not value):
            raise TypeError(f"A tool's {what} cannot be {value!r}: see the docs of @mcp_tool.")
    tier = Tier.ADMIN if admin else Tier.READ_WRITE if write else Tier.READ
    classes = None if permission_classes is None else tuple(permission_classes)

    if any(isinstance(one, str) for one in permission_classes or ()):
        raise TypeError(f"The permission_classes of {name} must be classes, not their names.")

    def declare(function: Decorated) -> Decorated:
        if not callable(function):
            raise TypeError(f"{function!r} is not a function, and cannot be the tool {name}.")
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"{name} is asynchronous: write it with `def`, not `async def`.")
        declared.append(Declared(name, description, input_schema, function, classes, tier, heavy))
        return function

    return declare


def _heavy_view(view: Any, settings: Mapping[str, Any]) -> Any:
    if isinstance(view, type):
        return _heavy_class(view, settings)
    if not callable(view):
        raise TypeError(f"@mcp_heavy decorates a method, a class or a function, not {view!r}.")

    @wraps(view)
    def reported(self: Any, *args: Any, **kwargs: Any) -> Any:
        from penstock.django.view_visits import notify_listener

        notify_listener(self)  # if the view is a function, this is its request, and nothing listens
        return view(self, *args, **kwargs)

    setattr(reported, HEAVY, settings)
    return reported


def _heavy_class(view: Any, settings: Mapping[str, Any]) -> Any:
    """Make a view's class tell listeners of a request as soon as the view lets it in."""
    admit = view.initial

    @wraps(admit)
    def initial(self: Any, *args: Any, **kwargs: Any) -> None:
        from penstock.django.view_visits import notify_listener

        admit(self, *args, **kwargs)
        notify_listener(self)

    view.initial = initial
    setattr(view, HEAVY, settings)
    return view


def said_of(name: str, *places: Any) -> Any:
    """Return what decorators set under `name`, on the first of these objects that has it."""
    found = (getattr(place, name, None) for place in places)
    return next((said for said in found if said is not None), None)
