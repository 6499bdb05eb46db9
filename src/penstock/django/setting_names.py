"""The names of a site's settings, and the places where a site has written them.

A setting is a key of `settings.PENSTOCK`, in upper case. It may also be a Django setting with the
prefix of frisian-mcp, so that sites which used that package can keep their settings. PENSTOCK takes
precedence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from penstock.errors import InvalidSetting
from penstock.settings.table import HOST, SETTINGS

SETTING: Final = "PENSTOCK"
FRISIAN_PREFIX: Final = "FRISIAN_MCP_"
CACHE_SCHEME: Final = "django-cache"

# The settings that Penstock has everywhere, and those that it has only in a Django site.
POLICY_KEYS: Final = frozenset(name.upper() for name in (*SETTINGS, HOST.name))
SITE_KEYS: Final = frozenset({
    "ALLOW", "ALLOWED_ORIGINS", "ALLOW_PATHS", "AUTHENTICATION_CLASSES", "AUTODISCOVER", "DENY", "DENY_PATHS", "ENABLED",
    "INSTRUCTIONS", "LEAN_WRITES", "MAX_TIER", "PERMISSION_CLASSES", "SERVER_NAME", "TIER", "TOOL_MAX_TIER",
    "TOOL_NAME_SEPARATOR", "URLCONF",
})  # fmt: skip
# Other names of some settings.
ALIASES: Final[Mapping[str, str]] = {
    "LIST_FORM": "LIST",
    "AUTO_NEGOTIATE_THRESHOLD": "INLINE",
    "HEAVY_PAGE_SIZE": "PAGE_SIZE",
    "HEAVY_MAX_PAGE_SIZE": "MAX_PAGE_SIZE",
    "HEAVY_CACHE_TTL": "TTL",
    "HEAVY_CACHE_ALIAS": "STORE",
    "TOOL_ALLOWLIST": "ALLOW",
    "TOOL_DENYLIST": "DENY",
    "RESOLVE_TIER": "TIER",
}
KNOWN: Final = frozenset({*POLICY_KEYS, *SITE_KEYS, *ALIASES})


@dataclass(frozen=True)
class Written:
    """One setting, as a site has written it."""

    key: str  # never an alias
    place: str  # where and how the site has written the setting
    value: Any


def written_in(settings: Any) -> tuple[dict[str, Written], list[InvalidSetting]]:
    """Return a site's settings by key, and its mistakes. None counts as not set."""
    stated = getattr(settings, SETTING, None)
    if stated is None:
        stated = {}
    if not isinstance(stated, Mapping):
        why = "must be a dict of settings, with names in upper case"
        return {}, [InvalidSetting(SETTING, stated, why)]
    problems = [_unknown(key, value) for key, value in stated.items() if key not in KNOWN]
    own = {place_of(key): (key, value) for key, value in stated.items() if key in KNOWN}
    found = _by_key(own, problems)
    moved = {name: (key, getattr(settings, name, None)) for name, key in _frisian_names()}
    return {**_by_key(moved, problems), **found}, problems


def place_of(key: str) -> str:
    return f'{SETTING}["{key}"]'


def cache_alias(store: str) -> str | None:
    """Return the alias of the Django cache that the URL of a store names; None for other stores."""
    scheme, colon, alias = store.partition(":")
    is_cache = colon and scheme.strip().lower() == CACHE_SCHEME
    return (alias.strip() or "default") if is_cache else None


def own_name(key: str) -> str:
    """Return the name of a setting within PENSTOCK["TOOLS"] or ["CLIENTS"], in either case."""
    upper = key.upper()
    return ALIASES.get(upper, upper).lower()


def close_to(key: str) -> str:
    """Return the most similar setting; an empty text if none is similar."""
    return next(iter(get_close_matches(key.upper(), sorted(KNOWN), n=1)), "")


def without_counterpart(settings: Any) -> list[str]:
    """Return the settings of frisian-mcp that Penstock does not know."""
    known = {name for name, _ in _frisian_names()}
    return [name for name in dir(settings) if name.startswith(FRISIAN_PREFIX) and name not in known]


def _frisian_names() -> Iterator[tuple[str, str]]:
    return ((f"{FRISIAN_PREFIX}{key}", key) for key in sorted(KNOWN))


def _by_key(
    places: Mapping[str, tuple[str, Any]], problems: list[InvalidSetting]
) -> dict[str, Written]:
    found: dict[str, Written] = {}
    for place, (name, value) in places.items():
        if value is None:
            continue
        key = ALIASES.get(name, name)
        if key in found:
            problems.append(_twice(place, value, found[key].place))
            continue
        found[key] = Written(key, place, _as_url(value) if name == "HEAVY_CACHE_ALIAS" else value)
    return found


def _as_url(alias: object) -> object:
    return f"{CACHE_SCHEME}:{alias}" if isinstance(alias, str) else alias


def _twice(place: str, value: object, other: str) -> InvalidSetting:
    why = f"{other} is the same setting"
    return InvalidSetting(place, _showable(value), why, next_step="Keep one.")


def _unknown(key: object, value: object) -> InvalidSetting:
    place = place_of(key) if isinstance(key, str) else f"{SETTING}[{key!r}]"
    value = _showable(value)
    if isinstance(key, str) and key.upper() in KNOWN:
        why = "settings are written in upper case"
        return InvalidSetting(place, value, why, next_step=f"Write {place_of(key.upper())}.")
    return InvalidSetting(place, value, "there is no such setting", next_step=_meant(str(key)))


def _showable(value: object) -> object:
    """Return the value without the password that the URL of a store may hold."""
    return re.sub(r"(://).*@", r"\1…@", value) if isinstance(value, str) else value


def _meant(key: str) -> str:
    close = close_to(key)
    if close:
        return f"Did you mean {place_of(close)}?"
    return f"Use some of: {', '.join(sorted(POLICY_KEYS | SITE_KEYS))}."
