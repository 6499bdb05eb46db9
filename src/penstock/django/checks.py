"""The system checks of a site's settings, for `manage.py check`.

A check is a function that yields messages. The two tables at the end list the checks. A site
silences a warning about something that it does on purpose by its id, in SILENCED_SYSTEM_CHECKS.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.core import checks
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.checks import CheckMessage
from django.utils.module_loading import import_string

from penstock.django.conf import Site, settings_problems, site
from penstock.django.setting_names import (
    FRISIAN_PREFIX,
    SETTING,
    cache_alias,
    close_to,
    place_of,
    without_counterpart,
)
from penstock.django.tiers import Tier
from penstock.errors import InvalidSetting

BAD_SETTING: Final = "penstock.E001"
NO_REST_FRAMEWORK: Final = "penstock.E002"
NO_SUCH_BACKEND: Final = "penstock.E003"
CACHE_KEEPS_NOTHING: Final = "penstock.E004"
NO_SUCH_URLCONF: Final = "penstock.E005"
NAME_TAKEN: Final = "penstock.E006"
NEVER_LOADED: Final = "penstock.W001"
ONE_PROCESS_ONLY: Final = "penstock.W002"
NO_COUNTERPART: Final = "penstock.W003"
WRITES_FOR_ALL: Final = "penstock.W004"
NO_SUCH_TOOL: Final = "penstock.W005"
RISKY_TOOLS: Final = "penstock.W006"
STRANGERS: Final = "penstock.W007"

_OTHER_STORE: Final = (
    f'Set {place_of("STORE")} to "sqlite:" (one machine), to the URL of a Redis (many), or to'
    ' "django-cache:" with the alias of a cache that all processes share.'
)
# The replacements of some settings of frisian-mcp.
_INSTEAD: Final[Mapping[str, str]] = {
    "ALLOW_UNAUTHENTICATED": f"Say who may call in {place_of('PERMISSION_CLASSES')}.",
    "API_KEYS": f"Name a class that knows your keys in {place_of('AUTHENTICATION_CLASSES')}.",
    "DISPATCH_GROUPS": f"Penstock keeps lists of tools within {place_of('LIST_BUDGET')}.",
    "RATE_LIMIT": "REST framework's throttles apply to tools too: set them in REST_FRAMEWORK.",
    "ROUTES": f"Say what is exposed in {place_of('ALLOW')} and {place_of('TOOL_MAX_TIER')}.",
    "TOKEN_TIER_MAP": f"Name a function in {place_of('TIER')} that returns a request's tier.",
    "TOOLS_PAGE_SIZE": f"Penstock keeps lists of tools within {place_of('LIST_BUDGET')}.",
    "UNAUTHENTICATED_TIER": f"Name a function in {place_of('TIER')} that returns a request's tier.",
}

Messages = Iterator[CheckMessage]
_FEW: Final = 5


def check_settings() -> Messages:
    for problem in settings_problems():
        yield checks.Error(problem.message, hint=problem.next_step, id=BAD_SETTING)


def check_rest_framework() -> Messages:
    if not apps.is_installed("rest_framework"):
        yield checks.Error(
            "REST framework is not installed in this site: Penstock makes tools of its views.",
            hint='Add "rest_framework" to INSTALLED_APPS.',
            id=NO_REST_FRAMEWORK,
        )


def check_spelling() -> Messages:
    """Find names in lower case, which Django does not load from a settings module."""
    # None if the site made its settings in code.
    module = getattr(settings, "SETTINGS_MODULE", None)
    for name, value in vars(sys.modules[module]).items() if module in sys.modules else ():
        if _is_meant_as_setting(name, value):
            yield checks.Warning(
                f"{name} in {module} has no effect:"
                " Django only loads settings that are written in upper case.",
                hint=f"Write {name.upper()}.",
                id=NEVER_LOADED,
            )


def _is_meant_as_setting(name: str, value: Any) -> bool:
    upper = name.upper()
    if name == upper or isinstance(value, ModuleType):
        return False
    if upper == SETTING:
        return isinstance(value, Mapping)
    # A settings module may define a function in lower case, for a setting to name.
    is_shouted = name[len(FRISIAN_PREFIX) :].isupper()
    return upper.startswith(FRISIAN_PREFIX) and (is_shouted or not callable(value))


def check_counterparts() -> Messages:
    for name in without_counterpart(settings):
        key = name.removeprefix(FRISIAN_PREFIX)
        yield checks.Warning(
            f"{name} has no effect: Penstock has no such setting.",
            hint=_INSTEAD.get(key) or _close(key) or "Remove it.",
            id=NO_COUNTERPART,
        )


def _close(key: str) -> str:
    close = close_to(key)
    return f"Did you mean {FRISIAN_PREFIX}{close}? If not, remove it." if close else ""


def check_store(site: Site) -> Messages:
    alias = cache_alias(site.policy.store)
    if alias is not None:
        yield from _check_cache(alias)
    elif site.policy.store.lower().startswith("memory:"):
        yield _of_one_process("The results of tools are kept in memory")


def _check_cache(alias: str) -> Messages:
    stated = settings.CACHES[alias].get("BACKEND", "")
    told = f'The results of tools are kept in the cache "{alias}"'
    try:
        # Import the class only: making a cache may create files, or need a server.
        backend = import_string(stated)
    except Exception as error:  # noqa: BLE001 (a module may raise anything while it is loaded)
        why = f"{told}, whose backend cannot be imported: {error}"
        yield checks.Error(why, hint=f'Correct CACHES["{alias}"].', id=NO_SUCH_BACKEND)
        return
    if _is_kind_of(backend, DummyCache):
        why = f"{told}, which keeps nothing (DummyCache)."
        yield checks.Error(why, hint=_OTHER_STORE, id=CACHE_KEEPS_NOTHING)
    elif _is_kind_of(backend, LocMemCache):
        yield _of_one_process(told)


def _is_kind_of(backend: Any, kind: type) -> bool:
    """Return whether a backend is such a class. Any callable may be a backend."""
    return isinstance(backend, type) and issubclass(backend, kind)


def _of_one_process(told: str) -> CheckMessage:
    return checks.Warning(
        f"{told}, and each process has its own: no process finds the results of another.",
        hint=f"{_OTHER_STORE} If the site has only one process, silence this warning.",
        id=ONE_PROCESS_ONLY,
    )


def check_urlconf(site: Site) -> Messages:
    if site.urlconf is None:
        return
    try:
        import_module(site.urlconf)
    except Exception as error:  # noqa: BLE001 (as above)
        yield checks.Error(
            f"{place_of('URLCONF')} = {site.urlconf!r}: cannot be imported: {error}",
            hint="Name a module of URL patterns, or leave it out for ROOT_URLCONF.",
            id=NO_SUCH_URLCONF,
        )


def check_writes(site: Site) -> Messages:
    if max((site.max_tier, *site.tool_tiers.values())) > Tier.READ and _lets_everybody_in(site):
        yield checks.Warning(
            "Tools that write are exposed, and everybody may call the endpoint.",
            hint=f"Name permission classes in {place_of('PERMISSION_CLASSES')}, such as"
            " rest_framework.permissions.IsAuthenticated.",
            id=WRITES_FOR_ALL,
        )


def check_names(_site: Site) -> Messages:
    # Imported here, because REST framework cannot be imported before the apps are ready.
    from penstock.django.registry import repeated_names

    for name in repeated_names():
        yield checks.Error(
            f"Two functions are declared as the tool {name!r}; only the first would be served.",
            hint="Give one of them another name in its @mcp_tool or @mcp_heavy.",
            id=NAME_TAKEN,
        )


def check_patterns(site: Site) -> Messages:
    from penstock.django.registry import unmatched_patterns

    for pattern in unmatched_patterns(site):
        yield checks.Warning(
            f"No tool matches {pattern!r}, which {place_of('ALLOW')}, {place_of('DENY')},"
            f" {place_of('TOOL_MAX_TIER')} or a list of paths names.",
            hint="`manage.py penstock_doctor` shows the names of the tools.",
            id=NO_SUCH_TOOL,
        )


def check_risks() -> Messages:
    from penstock.django.advice import risks
    from penstock.django.registry import found

    for one in risks(found()):
        about = ", ".join(one.about[:_FEW]) + (", …" if len(one.about) > _FEW else "")
        yield checks.Warning(f"{one.told} {about}", hint=one.hint, id=RISKY_TOOLS)


def check_authentication(site: Site) -> Messages:
    """Find views whose callers the endpoint does not know. This reads classes, and makes no view's
    description."""
    from penstock.django.advice import strangers
    from penstock.django.inputs.faults import quietly
    from penstock.django.registry import found

    tools = quietly(found)  # None without URLs, which other checks report
    for one in strangers(tools, site) if tools is not None else ():
        yield checks.Warning(one.told, hint=one.hint, id=STRANGERS)


def _lets_everybody_in(site: Site) -> bool:
    # Imported here, because REST framework may be missing; `check_rest_framework` reports that.
    from rest_framework.permissions import AllowAny
    from rest_framework.settings import api_settings

    required: Iterable[object] | None = site.permission_classes
    try:
        required = api_settings.DEFAULT_PERMISSION_CLASSES if required is None else required
    except ImportError:  # REST framework raises the same on every request: nobody gets in
        return False
    return all(each is AllowAny for each in required)


# Checks that run whether or not the settings could be read.
_OF_ANY_SITE: Final[tuple[Callable[[], Messages], ...]] = (
    check_settings,
    check_rest_framework,
    check_spelling,
    check_counterparts,
)
# Checks that need valid settings. Checks of the tools themselves belong here too.
_OF_A_READ_SITE: Final[tuple[Callable[[Site], Messages], ...]] = (
    check_store,
    check_urlconf,
    check_writes,
    check_names,
    check_patterns,
    check_authentication,
)


@checks.register("penstock")
def check_site(**_: Any) -> list[CheckMessage]:
    found = [message for check in _OF_ANY_SITE for message in check()]
    try:
        read = site()
    except InvalidSetting:  # `check_settings` has reported each invalid setting
        return found
    return found + [message for check in _OF_A_READ_SITE for message in check(read)]


@checks.register("penstock", deploy=True)
def check_deployment(**_: Any) -> list[CheckMessage]:
    """Check the tools themselves. This inspects every view, which takes seconds."""
    try:
        site()
    except InvalidSetting:
        return []
    return list(check_risks())
