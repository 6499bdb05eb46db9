"""The choice of endpoints that become tools, and the reasons why others do not."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rest_framework.settings import api_settings

from penstock.django.conf import Site
from penstock.django.decorators import IGNORED, said_of
from penstock.django.endpoints import Endpoint
from penstock.django.inputs.documented import decides_on_exclusion, inspector_of
from penstock.django.inputs.faults import quietly
from penstock.django.inputs.handlers import handler_of
from penstock.django.inputs.views import view_of
from penstock.django.passwords import takes_password
from penstock.django.tiers import Tier
from penstock.log import logger

_NOT_TOOLS: Final = ("penstock.django", "drf_spectacular")
_HTML: Final = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True)
class LeftOut:
    """An endpoint or a tool that is not exposed."""

    where: str
    reason: str


def why_no_tool(endpoint: Endpoint) -> str:
    """Return why an endpoint never becomes a tool, or an empty text."""
    if endpoint.view_class.__module__.startswith(_NOT_TOOLS):
        return "its package describes the API"
    if said_of(IGNORED, *marked_places(endpoint), endpoint.view_class):
        return "@mcp_ignore"
    if _renders_only_html(endpoint):
        return "it answers only with HTML"
    if quietly(lambda: _is_excluded(endpoint)):
        return "drf-spectacular excludes it"
    return ""


def marked_places(endpoint: Endpoint) -> tuple[Any, ...]:
    """Return the objects on which decorators leave marks, also on a function under `@api_view`."""
    return endpoint.handler, handler_of(endpoint), endpoint.callback


def why_kept_back(name: str, endpoint: Endpoint, site: Site) -> str:
    """Return why a tool that the settings expose needs to be named in them, or an empty text."""
    if name not in site.allow and takes_password(endpoint):
        return "it takes a password; to expose it, name it in ALLOW without wildcards"
    return ""


def why_not_exposed(name: str, path: str, tier: Tier, site: Site) -> str:
    """Return why the site's settings do not expose a tool, or an empty text."""
    if not site.admits(name):
        return "ALLOW or DENY"
    if path and not site.admits_path(path):
        return "ALLOW_PATHS or DENY_PATHS"
    if tier > site.highest_tier(name):
        return f"its tier is {tier.label}"
    return ""


def _renders_only_html(endpoint: Endpoint) -> bool:
    renderers = quietly(lambda: endpoint.view().get_renderers()) or ()
    kinds = [str(getattr(one, "media_type", "")).partition(";")[0].strip() for one in renderers]
    return bool(kinds) and all(kind in _HTML for kind in kinds)


def _is_excluded(endpoint: Endpoint) -> bool:
    """Return whether a developer has excluded an operation from drf-spectacular's schema."""
    if not decides_on_exclusion(endpoint):
        return False
    return bool(inspector_of(endpoint, view_of(endpoint)).is_excluded())


def excluded_by_hooks(endpoints: Sequence[Endpoint]) -> dict[Endpoint, str]:
    """Return the endpoints that the site's preprocessing hooks for drf-spectacular leave out, each
    with the reason. If a hook fails, nobody knows what it would leave out, and all are."""
    package = sys.modules.get("drf_spectacular.settings")
    if package is None or not _is_documented_by_default():
        return {}
    found: Any = [(one.path, one.path, one.method, one.callback) for one in endpoints]
    for hook in package.spectacular_settings.PREPROCESSING_HOOKS:
        try:
            found = [
                (path, regex, method, view) for path, regex, method, view in hook(endpoints=found)
            ]
        except Exception:  # noqa: BLE001 (the code of the site: it may raise anything)
            logger().exception("the hook %s of drf-spectacular failed: no view is a tool", hook)
            return dict.fromkeys(endpoints, "a hook of drf-spectacular fails")
    return dict.fromkeys(_missing(endpoints, found), "a hook of drf-spectacular excludes it")


def _missing(
    endpoints: Sequence[Endpoint], found: Sequence[tuple[str, str, str, Any]]
) -> Iterator[Endpoint]:
    """Yield the endpoints that are not found again. A view at one path is found by itself, because a
    hook may write its path in another way."""
    times = Counter((one.method, one.callback) for one in endpoints)
    views = {(method, view) for _, _, method, view in found}
    places = {(name, method, view) for *names, method, view in found for name in names}
    for one in endpoints:
        view = (one.method, one.callback)
        if view not in views or (times[view] > 1 and (one.path, *view) not in places):
            yield one


def _is_documented_by_default() -> bool:
    kind: Any = api_settings.DEFAULT_SCHEMA_CLASS
    package = sys.modules.get("drf_spectacular.openapi")
    return package is not None and isinstance(kind, type) and issubclass(kind, package.AutoSchema)
