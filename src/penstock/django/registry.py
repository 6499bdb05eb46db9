"""The registry of a site's tools, which it finds on first use, when the URLconf can be loaded."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed
from django.utils import translation
from django.utils.module_loading import autodiscover_modules

from penstock.core.views.request import offered_modes
from penstock.django.conf import Site, site
from penstock.django.decorators import HEAVY, IGNORED, declared, said_of
from penstock.django.endpoints import Endpoint, find_endpoints
from penstock.django.function_tools import function_tool
from penstock.django.inputs import describe, inputs_of
from penstock.django.inputs.handlers import handler_of, pages_itself, reads_list
from penstock.django.naming import names_of
from penstock.django.tiers import Tier
from penstock.django.tools import SiteTool
from penstock.django.view_tools import ViewAction
from penstock.django.view_visits import is_plain
from penstock.django.written_records import VERIFY, VERIFY_SCHEMA
from penstock.log import logger

MODULE = "mcp_tools"  # the module in which an app declares functions as tools
_ECHOING = ("POST", "PUT", "PATCH")
_NOT_TOOLS = (
    "penstock.django",
    "rest_framework_simplejwt",
    "rest_framework.authtoken",
    "oauth2_provider",
    "dj_rest_auth",
    "djoser",
    "knox",
    "drf_spectacular",
)

_lock = threading.RLock()
_found: dict[str, SiteTool] | None = None


def tools() -> Mapping[str, SiteTool]:
    """Return the tools that the site's settings expose, by name."""
    global _found  # noqa: PLW0603 (one site a process)
    with _lock:
        if _found is None:
            _found = {tool.name: tool for tool in find_tools(site())}
        return _found


def forget(**_: Any) -> None:
    """Forget the tools, because settings have changed. They change in tests only."""
    global _found  # noqa: PLW0603 (as above)
    with _lock:
        _found = None


setting_changed.connect(forget, dispatch_uid="penstock.tools")


def find_tools(site: Site) -> list[SiteTool]:
    """Return the tools that the site exposes."""
    found = list(_every_tool(site))
    for pattern in unmatched(site, found):
        logger().warning("no tool is called %s, which the settings name", pattern)
    return [tool for tool in found if is_exposed(tool, site)]


def _every_tool(site: Site) -> Iterator[SiteTool]:
    """Yield every tool, exposed or not. Functions come first: they keep the names they declare."""
    autodiscover_modules(MODULE)
    functions: dict[str, SiteTool] = {}
    for one in declared:
        functions.setdefault(one.name, function_tool(one, _modes(one.name, one.heavy, site)))
    yield from functions.values()
    if site.discovers:
        # Translated paths are in the site's own language, not in that of the first caller.
        with translation.override(settings.LANGUAGE_CODE):
            endpoints = [one for one in find_endpoints(site.urlconf) if _is_wanted(one)]
        names = names_of(endpoints, functions, site.separator)
        yield from (_view_tool(one, names[one], site) for one in endpoints)


def unmatched(site: Site, tools: Iterable[SiteTool]) -> list[str]:
    """Return the patterns in the site's settings that match no tool. Most of them are typos."""
    names = [tool.name for tool in tools]
    patterns = (*site.allow, *site.deny, *site.tool_tiers)
    return [one for one in patterns if not any(fnmatchcase(name, one) for name in names)]


def unmatched_patterns(site: Site) -> list[str]:
    """Return the patterns that match no tool, and look for the tools only if there are patterns."""
    has_any = site.allow or site.deny or site.tool_tiers
    return unmatched(site, _every_tool(site)) if has_any else []


def is_exposed(tool: SiteTool, site: Site) -> bool:
    """Return whether the site's lists of names and its tiers expose a tool."""
    return site.admits(tool.name) and tool.tier <= site.highest_tier(tool.name)


def _is_wanted(endpoint: Endpoint) -> bool:
    """Return whether an endpoint becomes a tool. Its author may exclude it. Views of Penstock, and
    of packages that take passwords or describe the API, are excluded too."""
    package = endpoint.view_class.__module__
    if package.startswith(_NOT_TOOLS):
        return False
    return not said_of(IGNORED, *_places(endpoint), endpoint.view_class)


def _places(endpoint: Endpoint) -> tuple[Any, ...]:
    """Return the objects on which decorators leave marks, also on a function under `@api_view`."""
    return endpoint.handler, handler_of(endpoint), endpoint.callback


def _heavy(endpoint: Endpoint) -> Mapping[str, Any] | None:
    """Return the settings of a heavy endpoint; None for others. A mark on a class applies to its
    lists. A view that pages for itself is not heavy: `page` is then its own parameter, and only
    results above the threshold are negotiated."""
    if not endpoint.is_read or pages_itself(endpoint):
        return None
    of_class = (endpoint.view_class,) if reads_list(endpoint) else ()
    found: Mapping[str, Any] | None = said_of(HEAVY, *_places(endpoint), *of_class)
    return found


def _modes(name: str, heavy: Mapping[str, Any] | None, site: Site) -> tuple[str, ...]:
    policy = site.policy.with_tools({name: heavy or {}}).for_tool(name)
    return tuple(offered_modes(policy))


def _view_tool(endpoint: Endpoint, name: str, site: Site) -> SiteTool:
    heavy = _heavy(endpoint)
    # If a view's lists are not captured, only its own pages show the rest of a list.
    is_captured = site.policy.covers(name) and not pages_itself(endpoint)
    is_captured = is_captured and (heavy is not None or is_plain(endpoint.callback))
    has_pages = endpoint.is_read and not is_captured
    inputs = inputs_of(endpoint, with_pagination=has_pages, urlconf=site.urlconf)
    schema = inputs.schema
    has_echo = site.is_lean and site.policy.covers(name) and endpoint.method in _ECHOING
    is_lean = has_echo and VERIFY not in schema.get("properties", {})
    if is_lean:
        schema = {**schema, "properties": {**schema.get("properties", {}), VERIFY: VERIFY_SCHEMA}}
    return SiteTool(
        name,
        describe(endpoint),
        schema,
        Tier.READ if endpoint.is_read else Tier.READ_WRITE,
        ViewAction(name, endpoint, inputs, heavy is not None, is_captured, is_lean, site.urlconf),
        heavy,
        is_destructive=endpoint.method in ("PUT", "PATCH", "DELETE"),
        is_idempotent=endpoint.method in ("PUT", "DELETE"),
        modes=_modes(name, heavy, site),
        where=f"{endpoint.method} {endpoint.path}",
    )


def repeated_names() -> list[str]:
    """Return the names that more than one function declares."""
    autodiscover_modules(MODULE)
    times = Counter(one.name for one in declared)
    return sorted(name for name, count in times.items() if count > 1)
