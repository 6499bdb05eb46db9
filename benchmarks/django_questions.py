"""The questions to every gateway, and the form in which each gateway is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks import peers
from benchmarks.django_sites import Answer, Site
from benchmarks.django_telling import refused, told
from penstock.core.budget.measure import O200kMeter

_SERVE: Final = "benchmarks.django_site.serve"
# Not the default meter: it may be an estimate, which is not a measurement.
METER: Final = O200kMeter()


@dataclass(frozen=True)
class Contender:
    """A gateway, and how to call its tools."""

    name: str
    gateway: str
    python: str
    module: str = _SERVE
    prefix: str = ""  # the start of the names of a ViewSet's tools
    group: str = ""  # the one tool that bundles all others, if there is one

    def does(
        self, site: Site, resource: str, action: str = "list", /, user: str = "ada", **params: Any
    ) -> Answer:
        """Call an action of a ViewSet."""
        if not self.group:
            return site.call(f"{self.prefix}{resource}_{action}", params, user)
        bundled = {"resource": resource, "action": action, "params": params}
        return site.call(self.group, bundled, user)

    def reads(self, site: Site, resource: str, token: str, user: str = "ada") -> Answer:
        """Read the stored list behind a token."""
        tool = self.group or f"{self.prefix}{resource}_list"
        return site.call(tool, {"continuation_token": token}, user)


CONTENDERS: Final = (
    Contender("Penstock", "penstock", sys.executable, prefix="inventory_"),
    Contender("frisian-mcp", "frisian", peers.PYTHON),
    Contender("frisian-mcp, dispatch groups", "frisian", peers.PYTHON, group="api"),
    Contender("drf-mcp", "drf", peers.PYTHON, f"{_SERVE}_drf"),
)

Ask = Callable[[Contender, Site], str]


@dataclass(frozen=True)
class Question:
    """A row of the table, asked of a site with these options."""

    what: str
    ask: Ask
    options: Mapping[str, Any] = field(default_factory=dict)


def _tools(_: Contender, site: Site) -> str:
    answer = site.ask("tools/list", {})
    if answer.refusal:
        return refused(answer)
    count = len(answer.message["result"]["tools"])
    return f"{count:,} tools, {METER.count(answer.body.decode()):,} tokens"


def _list(resource: str) -> Ask:
    return lambda contender, site: told(contender.does(site, resource))


def _following(contender: Contender, site: Site) -> str:
    """Read the next page by the token in `next`, or else by `page`."""
    first = contender.does(site, "devices")
    if first.refusal:
        return refused(first)
    following = first.value.get("next")
    if following and "://" not in following:
        return f"by `next`: {told(contender.reads(site, 'devices', following))}"
    unsaid = "" if _says_page(contender, site) else ", which no schema names"
    return f"by `page: 2`{unsaid}: {told(contender.does(site, 'devices', page=2))}"


def _says_page(contender: Contender, site: Site) -> bool:
    """Return whether the schema, or the help of a group, says that a list has pages."""
    if contender.group:
        help_wanted = {"resource": "devices", "action": "help"}
        return b"page" in site.call(contender.group, help_wanted).body
    tools = site.ask("tools/list", {}).message["result"]["tools"]
    schema = next(
        tool["inputSchema"] for tool in tools if tool["name"] == f"{contender.prefix}devices_list"
    )
    return "page" in schema.get("properties", {})


def _without_token(first: Answer) -> str:
    """Return why there is no second call, or an empty text."""
    return refused(first) if first.refusal else "" if first.token else "no token"


def _stored(contender: Contender, site: Site) -> str:
    """Say how many of the rows a token gives access to."""
    first = contender.does(site, "wide")
    return _without_token(first) or told(contender.reads(site, "wide", first.token))


def _list_after_revocation(contender: Contender, site: Site) -> str:
    first = contender.does(site, "unpaged", user="ben")
    with site.without_permissions("ben"):
        return _without_token(first) or told(contender.reads(site, "unpaged", first.token, "ben"))


def _probe(tool: str) -> Ask:
    return lambda _, site: told(site.call(tool, {}))


def _view(tool: str, **view: Any) -> Ask:
    """Return a question that makes a second call with the token of the first."""
    return lambda _, site: _second(site, tool, view)


def _by_another(_: Contender, site: Site) -> str:
    return _second(site, _DEVICES, {}, by="ben")


def _after_revocation(_: Contender, site: Site) -> str:
    first = site.call(_DEVICES, {})
    with site.without_permissions("ada"):
        return _without_token(first) or told(_redeemed(site, _DEVICES, first, {}, "ada"))


def _second(site: Site, tool: str, view: Mapping[str, Any], by: str = "ada") -> str:
    first = site.call(tool, {})
    return _without_token(first) or told(_redeemed(site, tool, first, view, by))


def _redeemed(site: Site, tool: str, first: Answer, view: Mapping[str, Any], by: str) -> Answer:
    return site.call(tool, {"continuation_token": first.token, **view}, by)


def _creation(contender: Contender, site: Site) -> str:
    return told(contender.does(site, "devices", "create", **_NEW_DEVICE))


_DEVICES, _PURCHASES, _REPORTS = "inventory.devices", "inventory.purchases", "inventory.reports"
_DUMMY: Final = {"cache": "dummy.DummyCache"}
_NEW_DEVICE: Final[Mapping[str, Any]] = {
    "name": "switch-001-new", "serial": "SN-new", "site": "site-001", "role": "switch",
    "status": "planned", "address": "10.0.0.1", "cost": 12.5, "installed_at": "2026-01-01T00:00:00Z",
}  # fmt: skip
_NAMES: Final = {"mode": "filtered", "filter_keys": ["name"]}

QUESTIONS: Final = (
    Question("`tools/list`, what may be read", _tools),
    Question("`tools/list` of 1,800 endpoints", _tools, {"many": True, "writing": True}),
    Question("list of 50,000 rows, paged by 20", _list("devices")),
    Question("its following page", _following),
    Question("the same under a bare `@mcp_heavy`", _list("heavy"), {"bare": True}),
    Question("list of 50,000 rows without pagination, threshold set", _list("unpaged")),
    Question("list paged by 200, and a page is over the threshold", _list("wide")),
    Question("its token: how many rows are there?", _stored),
    Question("list of rows of 20 kB each", _list("reports")),
    Question("a list's token, after the permission was taken away", _list_after_revocation),
    Question("heavy function, 50,000 rows", _probe(_DEVICES)),
    Question("`paginated`, `page: 2`", _view(_DEVICES, mode="paginated", page=2)),
    Question("`paginated`, `page_size: 25`", _view(_DEVICES, mode="paginated", page_size=25)),
    Question("`summary`", _view(_DEVICES, mode="summary")),
    Question('`filtered`, `filter_keys: ["name"]`', _view(_DEVICES, **_NAMES)),
    Question("`filtered`, `filter_keys: 7`", _view(_DEVICES, mode="filtered", filter_keys=7)),
    Question("`full`", _view(_DEVICES, mode="full")),
    Question("its token, by another user", _by_another),
    Question("its token, after the permission was taken away", _after_revocation),
    Question("its token, with other arguments", _view(_DEVICES, site="site-001")),
    Question("heavy function, rows of 20 kB: `summary`", _view(_REPORTS, mode="summary")),
    Question("heavy function, rows of 20 kB: `paginated`", _view(_REPORTS, mode="paginated")),
    Question("heavy function, datetime and Decimal", _probe(_PURCHASES)),
    Question("heavy function, results in a `DummyCache`", _probe(_DEVICES), _DUMMY),
    Question("its token", _view(_DEVICES, mode="paginated"), _DUMMY),
    Question("creating a row, where the site allows it", _creation, {"writing": True}),
)
