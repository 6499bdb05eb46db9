"""Every tool of a site: found when one is first asked for, for the URLconf must be loaded by then."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.core.signals import setting_changed
from django.utils.module_loading import autodiscover_modules

from penstock.django.conf import Site, site
from penstock.django.decorators import declared, heavy_settings, is_ignored
from penstock.django.endpoints import Endpoint, find_endpoints
from penstock.django.functions import function_tool
from penstock.django.inputs import describe, inputs_of
from penstock.django.naming import names_of
from penstock.django.tiers import Tier
from penstock.django.tools import Tool
from penstock.django.viewing import ViewAction
from penstock.django.visiting import is_plain
from penstock.django.writing import VERIFY, VERIFY_SCHEMA

MODULE = "mcp_tools"  # where an app declares functions as tools

_lock = threading.RLock()
_found: dict[str, Tool] | None = None


def tools() -> Mapping[str, Tool]:
    """By name, as far as the site's settings expose any."""
    global _found  # noqa: PLW0603 (one site a process)
    with _lock:
        if _found is None:
            _found = {tool.name: tool for tool in find_tools(site())}
        return _found


def forget(**_: Any) -> None:
    """Settings have changed, which happens in tests alone."""
    global _found  # noqa: PLW0603 (as above)
    with _lock:
        _found = None


setting_changed.connect(forget, dispatch_uid="penstock.tools")


def find_tools(site: Site) -> list[Tool]:
    """Functions first: their names are their authors'."""
    autodiscover_modules(MODULE)
    functions: dict[str, Tool] = {}
    for one in declared:
        functions.setdefault(one.name, function_tool(one))
    endpoints = [one for one in find_endpoints(site.urlconf) if _is_wanted(one)]
    endpoints = endpoints if site.discovers else []
    names = names_of(endpoints, functions, site.separator)
    found = [*functions.values(), *(_view_tool(one, names[one], site) for one in endpoints)]
    return [tool for tool in found if is_exposed(tool, site)]


def is_exposed(tool: Tool, site: Site) -> bool:
    """By the site's lists of names, and by its tiers."""
    return site.admits(tool.name) and tool.tier <= site.highest_tier(tool.name)


def _is_wanted(endpoint: Endpoint) -> bool:
    """Not what its author has left out, nor the endpoint of the tools itself."""
    is_own = endpoint.view_class.__module__.startswith("penstock.django")
    return not is_own and not is_ignored(endpoint.view_class, endpoint.handler)


def _view_tool(endpoint: Endpoint, name: str, site: Site) -> Tool:
    heavy = heavy_settings(endpoint.view_class, endpoint.handler) if endpoint.is_read else None
    # A view that cannot be listened to has pages of its own, and they are all that there is.
    is_heard = heavy is not None or is_plain(endpoint.callback)
    has_pages = endpoint.is_read and not is_heard
    inputs = inputs_of(endpoint, with_pagination=has_pages, urlconf=site.urlconf)
    schema = inputs.schema
    has_echo = site.is_lean and endpoint.method in ("POST", "PUT", "PATCH")
    is_lean = has_echo and VERIFY not in schema.get("properties", {})
    if is_lean:
        schema = {**schema, "properties": {**schema.get("properties", {}), VERIFY: VERIFY_SCHEMA}}
    return Tool(
        name,
        describe(endpoint),
        schema,
        Tier.READ if endpoint.is_read else Tier.READ_WRITE,
        ViewAction(name, endpoint, inputs, heavy is not None, is_lean, site.urlconf),
        heavy,
        is_destructive=endpoint.method in ("PUT", "PATCH", "DELETE"),
        is_idempotent=endpoint.method in ("PUT", "DELETE"),
        where=f"{endpoint.method} {endpoint.path}",
    )


def repeated_names() -> list[str]:
    """Names that two functions were declared under."""
    autodiscover_modules(MODULE)
    times = Counter(one.name for one in declared)
    return sorted(name for name, count in times.items() if count > 1)
