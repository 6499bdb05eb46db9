"""The settings that all gateways share, and the extra settings of each."""

from __future__ import annotations

from typing import Any

from benchmarks.django_site.gateways import PACKAGES
from benchmarks.django_site.options import ORDINARY_CACHE, Options
from benchmarks.django_site.parts import PARTS

SITE = Options.from_environment()

SECRET_KEY = "for measuring alone"  # noqa: S105 (a site on this machine, for some seconds)
ALLOWED_HOSTS = ["127.0.0.1", "testserver"]
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Connections stay open, so that opening them is not measured.
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": SITE.database,
        "CONN_MAX_AGE": None,
    }
}
CACHES = {"default": {"BACKEND": f"django.core.cache.backends.{SITE.cache}"}}
ROOT_URLCONF = "benchmarks.django_site." + ("many_urls" if SITE.many else "urls")

_TOKENS = "rest_framework.authentication.TokenAuthentication"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "rest_framework.authtoken",
    "benchmarks.django_site.inventory",
    *([PACKAGES[SITE.gateway]] if SITE.gateway in PACKAGES else []),
]
MIDDLEWARE = [
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [_TOKENS],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
}

# Penstock reads these under the same names. The first is the default of both. It is set here
# because a row of the comparison is about a site that sets it.
FRISIAN_MCP_AUTO_NEGOTIATE_THRESHOLD = 25_000
FRISIAN_MCP_AUTHENTICATION_CLASSES = [_TOKENS]
FRISIAN_MCP_PERMISSION_CLASSES = ["rest_framework.permissions.IsAuthenticated"]
FRISIAN_MCP_STARTUP_PRINT = False
if SITE.grouped:
    FRISIAN_MCP_DISPATCH_GROUPS = (
        {part: list(names) for part, names in PARTS.items()}
        if SITE.many
        else {"api": ["devices", "guarded", "wide", "unpaged", "reports"]}
    )
if SITE.writing:
    FRISIAN_MCP_TOKEN_TIER_MAP = {"default": "read_write"}
if SITE.cache != ORDINARY_CACHE:
    FRISIAN_MCP_HEAVY_CACHE_ALIAS = "default"

# Penstock's default store, in another place.
PENSTOCK: dict[str, Any] = {}
if SITE.cache == ORDINARY_CACHE:
    PENSTOCK["STORE"] = f"sqlite://{SITE.database}.results"
if SITE.writing:
    PENSTOCK["MAX_TIER"] = "read_write"
