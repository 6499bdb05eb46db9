"""The registry of a site's tools, which it finds on first use, when the URLconf can be loaded."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from django.conf import settings
from django.core.signals import setting_changed
from django.utils import translation
from django.utils.module_loading import autodiscover_modules

from penstock.core.views.request import offered_modes
from penstock.django.conf import Site, site
from penstock.django.decorators import HEAVY, declared, said_of
from penstock.django.endpoints import Endpoint, find_endpoints
from penstock.django.exposure import (
    LeftOut,
    excluded_by_hooks,
    marked_places,
    why_kept_back,
    why_no_tool,
    why_not_exposed,
)
from penstock.django.function_tools import function_tool
from penstock.django.inputs.handlers import pages_itself, reads_list
from penstock.django.inspection import FindingsFile, Inspection
from penstock.django.list_kinds import ListKind, list_kind
from penstock.django.naming import names_of
from penstock.django.tiers import Tier
from penstock.django.tools import SiteTool
from penstock.django.view_tools import ViewAction
from penstock.log import logger

MODULE: Final = "mcp_tools"  # the module in which an app declares functions as tools
_ECHOING: Final = ("POST", "PUT", "PATCH")

_lock = threading.RLock()
_found: SiteTools | None = None


class SiteTools:
    """The tools of a site, and the endpoints that are left out."""

    def __init__(self, site: Site) -> None:
        self.findings = FindingsFile()
        self.left_out: list[LeftOut] = []
        self.all = list(self._every_tool(site))
        self.exposed = {tool.name: tool for tool in self.all if self._is_exposed(tool, site)}

    def _is_exposed(self, tool: SiteTool, site: Site) -> bool:
        reason, where = why_not_exposed(tool.name, tool.path, tool.tier, site), tool.where
        if not reason and isinstance(tool.runs, ViewAction):
            reason = why_kept_back(tool.name, tool.runs.endpoint, site)
            where = f"{where} ({tool.name})"
        if reason:
            self.left_out.append(LeftOut(where, reason))
        return not reason

    def _every_tool(self, site: Site) -> Iterator[SiteTool]:
        """Yield every tool, exposed or not. Functions come first: they keep their names."""
        autodiscover_modules(MODULE)
        functions: dict[str, SiteTool] = {}
        for one in declared:
            functions.setdefault(one.name, function_tool(one, _modes(one.name, one.heavy, site)))
        yield from functions.values()
        if site.discovers:
            endpoints = self._endpoints(site)
            names = names_of(endpoints, functions, site.separator)
            yield from (_view_tool(one, names[one], site, self.findings) for one in endpoints)

    def _endpoints(self, site: Site) -> list[Endpoint]:
        # Translated paths are in the site's own language, not in that of the first caller.
        with translation.override(settings.LANGUAGE_CODE):
            found = find_endpoints(site.urlconf)
            reasons = {one: why_no_tool(one) for one in found}
            reasons |= excluded_by_hooks([one for one in found if not reasons[one]])
        left_out = [(one, reason) for one, reason in reasons.items() if reason]
        self.left_out += [LeftOut(f"{one.method} {one.path}", reason) for one, reason in left_out]
        return [one for one in found if not reasons[one]]


def found() -> SiteTools:
    """Return the tools of this site, and what is left out."""
    global _found  # noqa: PLW0603 (one site a process)
    with _lock:
        if _found is None:
            _found = SiteTools(site())
            for pattern in unmatched(site(), _found.all):
                logger().warning("no tool is called %s, which the settings name", pattern)
        return _found


def tools() -> Mapping[str, SiteTool]:
    """Return the tools that the site's settings expose, by name."""
    return found().exposed


def forget(**_: Any) -> None:
    """Forget the tools, because settings have changed. They change in tests only."""
    global _found  # noqa: PLW0603 (as above)
    with _lock:
        _found = None


setting_changed.connect(forget, dispatch_uid="penstock.tools")


def unmatched(site: Site, tools: Iterable[SiteTool]) -> list[str]:
    """Return the patterns in the site's settings that match no tool. Most of them are typos."""
    listed = list(tools)
    names, paths = [tool.name for tool in listed], [tool.path for tool in listed]
    by_name = [(one, names) for one in (*site.allow, *site.deny, *site.tool_tiers)]
    by_path = [(one, paths) for one in (*site.allow_paths, *site.deny_paths)]
    return [
        pattern
        for pattern, known in (*by_name, *by_path)
        if not any(fnmatchcase(one, pattern) for one in known)
    ]


def unmatched_patterns(site: Site) -> list[str]:
    """Return the patterns that match no tool, and look for the tools only if there are patterns."""
    has_any = site.allow or site.deny or site.tool_tiers or site.allow_paths or site.deny_paths
    return unmatched(site, SiteTools(site).all) if has_any else []


def _heavy(endpoint: Endpoint) -> Mapping[str, Any] | None:
    """Return the settings of a heavy endpoint; None for others.

    A mark on a class applies to its lists. A view with pages of its own cannot be heavy: `page` is
    its own parameter, and Penstock negotiates only results above the threshold.
    """
    if not endpoint.is_read or pages_itself(endpoint):
        return None
    of_class = (endpoint.view_class,) if reads_list(endpoint) else ()
    found: Mapping[str, Any] | None = said_of(HEAVY, *marked_places(endpoint), *of_class)
    return found


def _modes(name: str, heavy: Mapping[str, Any] | None, site: Site) -> tuple[str, ...]:
    policy = site.policy.with_tools({name: heavy or {}}).for_tool(name)
    return tuple(offered_modes(policy))


def _view_tool(endpoint: Endpoint, name: str, site: Site, findings: FindingsFile) -> SiteTool:
    heavy = _heavy(endpoint)
    # If a view's lists are not captured, only its own pages show the rest of a list.
    is_covered = site.policy.covers(name)
    lists = list_kind(endpoint, is_covered=is_covered)
    has_pages = endpoint.is_read and lists is not ListKind.LIVE
    inspection = Inspection(
        name, endpoint, findings, with_pagination=has_pages, urlconf=site.urlconf
    )
    may_be_lean = site.is_lean and is_covered and endpoint.method in _ECHOING
    action = ViewAction(
        name, endpoint, inspection, heavy is not None, lists, may_be_lean, site.urlconf
    )
    return SiteTool(
        name,
        action,
        Tier.READ if endpoint.is_read else Tier.READ_WRITE,
        action,
        heavy,
        is_destructive=endpoint.method in ("PUT", "PATCH", "DELETE"),
        is_idempotent=endpoint.method in ("PUT", "DELETE"),
        modes=() if heavy is None else _modes(name, heavy, site),
        where=f"{endpoint.method} {endpoint.path}",
        path=endpoint.path,
    )


def repeated_names() -> list[str]:
    """Return the names that more than one function declares."""
    autodiscover_modules(MODULE)
    times = Counter(one.name for one in declared)
    return sorted(name for name, count in times.items() if count > 1)
