"""The endpoints of a site's REST framework views, as its URLconf lists them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from rest_framework.request import Request
from rest_framework.schemas.generators import EndpointEnumerator
from rest_framework.settings import api_settings
from rest_framework.views import APIView

SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
_PARAMETER: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Endpoint:
    """One HTTP method of one view at one path of the URLconf."""

    path: str  # with the names of its parameters in braces
    method: str
    callback: Callable[..., Any]

    @property
    def view_class(self) -> type[APIView]:
        found: type[APIView] = self.callback.cls  # type: ignore[attr-defined]  # set by `as_view`
        return found

    @property
    def action(self) -> str:
        """The action of a ViewSet; of any other view, its method in lower case."""
        actions: Mapping[str, str] = getattr(self.callback, "actions", None) or {}
        return actions.get(self.method.lower(), self.method.lower())

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the path, in its order."""
        return tuple(_PARAMETER.findall(self.path))

    @property
    def is_read(self) -> bool:
        return self.method in SAFE_METHODS

    @property
    def handler(self) -> Any:
        """The function of the view's class that answers."""
        return getattr(self.view_class, self.action, None)

    def view(
        self,
        request: Request | None = None,
        kwargs: Mapping[str, Any] | None = None,
        kind: type[APIView] | None = None,
    ) -> APIView:
        """Make an instance of the view, as REST framework does to answer a request. `kind` takes
        the place of the view's own class."""
        made: Any = (kind or self.view_class)(**getattr(self.callback, "initkwargs", {}))
        made.args, made.kwargs, made.format_kwarg = (), dict(kwargs or {}), None
        actions = getattr(self.callback, "actions", None)
        if actions is not None:
            made.action_map, made.action = dict(actions), self.action
        made.request = request
        view: APIView = made
        return view


def find_endpoints(urlconf: Any = None) -> list[Endpoint]:
    """Return the endpoints of every REST framework view in the URLconf, each once: an endpoint whose
    path only adds a suffix for the format of the answer is the same one."""
    found = [
        Endpoint(path, method, callback)
        for path, method, callback in EndpointEnumerator(urlconf=urlconf).get_api_endpoints()
        if method not in ("HEAD", "OPTIONS")
    ]
    plain = {(one.path.rstrip("/"), one.method, one.callback) for one in found}
    return [one for one in found if (_without_format(one), one.method, one.callback) not in plain]


def _without_format(endpoint: Endpoint) -> str | None:
    """Return the path before a suffix of `format_suffix_patterns`; None for other paths."""
    suffix = f"{{{api_settings.FORMAT_SUFFIX_KWARG}}}"
    path = endpoint.path.rstrip("/")
    return path.removesuffix(suffix).rstrip("/") if path.endswith(suffix) else None
