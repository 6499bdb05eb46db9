"""Everything a site can set, read once from Django's settings, and validated.

Precedence: `settings.PENSTOCK`, the settings of frisian-mcp, the environment (`PENSTOCK_*`), host
profile, default. An error names the setting as the site has written it. `settings_problems` returns
all errors, for the system checks; `site` raises the first, for code that needs valid settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.core.signals import setting_changed

from penstock.django import setting_values as values
from penstock.django.setting_names import (
    FRISIAN_PREFIX,
    POLICY_KEYS,
    SETTING,
    Written,
    cache_alias,
    own_name,
    place_of,
    written_in,
)
from penstock.django.tiers import Tier
from penstock.errors import InvalidSetting
from penstock.log import logger
from penstock.settings import parsers
from penstock.settings.parsers import parsed
from penstock.settings.policy import Policy
from penstock.settings.sources import ENVIRONMENT_PREFIX
from penstock.settings.table import HOST, SETTINGS, TABLES
from penstock.stores import Store, open_store

# Several processes serve a site, and each would have its own store in memory.
DEFAULT_STORE: Final = "sqlite:"


@dataclass(frozen=True)
class Site:
    """One site's settings."""

    # The settings that Penstock has outside Django too.
    policy: Policy = field(default_factory=lambda: Policy(store=DEFAULT_STORE))
    max_tier: Tier = Tier.READ
    tool_tiers: Mapping[str, Tier] = field(default_factory=dict)  # by pattern of names
    tier_of: Callable[[Any], Any] | None = None  # returns the tier of a request
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    allow_paths: tuple[str, ...] = ()
    deny_paths: tuple[str, ...] = ()
    authentication_classes: tuple[type, ...] | None = None
    permission_classes: tuple[type, ...] | None = None
    allowed_origins: tuple[str, ...] = ()
    server_name: str = "django"
    instructions: str = ""
    separator: str = "_"
    urlconf: str | None = None
    discovers: bool = True
    is_lean: bool = True
    is_enabled: bool = True

    def highest_tier(self, tool: str) -> Tier:
        """Return the tier of the last pattern that matches the tool's name, else `max_tier`."""
        stated = [tier for name, tier in self.tool_tiers.items() if fnmatchcase(tool, name)]
        return stated[-1] if stated else self.max_tier

    def admits(self, tool: str) -> bool:
        """Return whether `allow` and `deny` let a tool be exposed at all."""
        return _is_admitted(tool, self.allow, self.deny)

    def admits_path(self, path: str) -> bool:
        """Return whether `allow_paths` and `deny_paths` let an endpoint be exposed at all."""
        return _is_admitted(path, self.allow_paths, self.deny_paths)


def _is_admitted(name: str, allow: Sequence[str], deny: Sequence[str]) -> bool:
    if any(fnmatchcase(name, pattern) for pattern in deny):
        return False
    return not allow or any(fnmatchcase(name, pattern) for pattern in allow)


# For each key: the field of `Site`, and the function that reads the value.
_READERS: Final[Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "MAX_TIER": ("max_tier", Tier.parse),
    "TOOL_MAX_TIER": ("tool_tiers", values.tiers_by_pattern),
    "TIER": ("tier_of", values.function),
    "ALLOW": ("allow", values.allowed_names),
    "DENY": ("deny", values.names),
    "ALLOW_PATHS": ("allow_paths", values.allowed_names),
    "DENY_PATHS": ("deny_paths", values.names),
    "AUTHENTICATION_CLASSES": ("authentication_classes", values.authentication_classes),
    "PERMISSION_CLASSES": ("permission_classes", values.permission_classes),
    "ALLOWED_ORIGINS": ("allowed_origins", values.origins),
    "SERVER_NAME": ("server_name", parsers.text),
    "INSTRUCTIONS": ("instructions", values.prose),
    "TOOL_NAME_SEPARATOR": ("separator", values.separator),
    "URLCONF": ("urlconf", parsers.text),
    "AUTODISCOVER": ("discovers", parsers.flag),
    "LEAN_WRITES": ("is_lean", parsers.flag),
    "ENABLED": ("is_enabled", parsers.flag),
}


@cache
def site() -> Site:
    """Return the settings of this site, or raise the first `InvalidSetting`."""
    found, problems = _read()
    if problems:
        raise problems[0]
    return found


def settings_problems() -> list[InvalidSetting]:
    return _read()[1]


def tier_for(request: Any, site: Site) -> Tier | None:
    """Return how much a request may do. None is nothing at all, also if finding the tier fails."""
    try:
        if site.tier_of is None:
            return _tier_of_user(getattr(request, "user", None))
        given = site.tier_of(request)
        return None if given is None else Tier.parse(given)
    except Exception:  # noqa: BLE001 (the site's own code: a failure in it opens no door)
        logger().exception("A request is refused: its tier could not be found.")
        return None


def open_site_store(site: Site) -> Store:
    """Open the store that the site has set: one of Django's caches, or one of Penstock's own."""
    policy = site.policy
    alias = cache_alias(policy.store)
    if alias is None:
        return open_store(policy.store, capacity=policy.capacity, quota=policy.quota)
    from penstock.django.cache.store import CacheStore

    return CacheStore(alias, quota=policy.quota)


def _tier_of_user(user: Any) -> Tier:
    """Return the default tier of a user, which may be of any class, or None."""
    if not getattr(user, "is_authenticated", False):
        return Tier.READ
    return Tier.ADMIN if getattr(user, "is_superuser", False) else Tier.READ_WRITE


def _read() -> tuple[Site, list[InvalidSetting]]:
    written, problems = written_in(settings)
    read: dict[str, Any] = {"server_name": _own_server_name()}
    for key, (name, parse) in _READERS.items():
        if key in written:
            try:
                read[name] = parsed(written[key].place, written[key].value, parse)
            except InvalidSetting as error:
                problems.append(error)
    policy = _policy({key: each for key, each in written.items() if key in POLICY_KEYS}, problems)
    return Site(policy=policy, **read), problems


def _own_server_name() -> str:
    """Return the package that holds the site's URLs, which mostly has the site's name."""
    return str(getattr(settings, "ROOT_URLCONF", None) or "django").partition(".")[0]


def _policy(written: Mapping[str, Written], problems: list[InvalidSetting]) -> Policy:
    """Read each setting alone first, to find every wrong one; then all of them together."""
    options: dict[str, Any] = {}
    for key, each in written.items():
        try:
            options[key.lower()] = _option(each)
        except InvalidSetting as error:
            problems.append(error)
    try:
        policy = Policy.load(options, environment=_environment())
        values.check_store(policy.store)
    except InvalidSetting as error:
        place = _place(error.setting, written)
        problems.append(InvalidSetting(place, error.value, error.why, next_step=error.next_step))
        return Policy()
    return policy


def _option(written: Written) -> Any:
    name = written.key.lower()
    if name in TABLES:
        return parsed(written.place, written.value, _table)
    if name == HOST.name:
        return written.value
    return parsed(written.place, written.value, SETTINGS[name].parse)


def _table(groups: Any) -> dict[str, Any]:
    """Read the settings by tool or by client. Their names may be in either case."""
    if not isinstance(groups, Mapping):
        raise ValueError("must be a dict of dicts")  # noqa: TRY004 (`parsed` names the setting)
    return {name: _group(name, stated) for name, stated in groups.items()}


def _group(name: Any, stated: Any) -> dict[str, Any]:
    if not isinstance(name, str) or not isinstance(stated, Mapping):
        raise ValueError(f"{name!r} must be a name, with a dict of settings")  # noqa: TRY004 (as above)
    found: dict[str, Any] = {}
    for key, value in stated.items():
        own = own_name(str(key))
        if own in found:
            raise ValueError(f"{own.upper()} is stated twice for {name}")
        found[own] = value
    return found


def _environment() -> dict[str, str]:
    variable = f"{ENVIRONMENT_PREFIX}STORE"
    stated = os.environ.get(variable, "").strip()
    return {**os.environ, variable: stated or DEFAULT_STORE}


def _place(setting: str, written: Mapping[str, Written]) -> str:
    """Return where the site has written the setting that has this name in the policy."""
    name, _, rest = setting.partition(".")
    key = name.upper()
    if name in TABLES and rest:
        tool, _, inner = rest.rpartition(".")  # the name of a tool may have dots in it
        return f'{place_of(key)}["{tool}"]["{inner.upper()}"]'
    if key in written:
        return written[key].place
    variable = ENVIRONMENT_PREFIX + key
    return f"{variable} in the environment" if variable in os.environ else place_of(key)


def _forget(*, setting: str, **_: Any) -> None:
    others = (SETTING, "REST_FRAMEWORK", "ROOT_URLCONF", "CACHES")
    if setting in others or setting.startswith(FRISIAN_PREFIX):
        site.cache_clear()


setting_changed.connect(_forget, dispatch_uid="penstock.django.conf")
