"""The system checks of a site's settings."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest
from django.apps import apps
from django.core import checks
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from penstock.django.apps import PenstockConfig
from penstock.django.setting_names import KNOWN

LOCMEM = "django.core.cache.backends.locmem.LocMemCache"
DUMMY = "django.core.cache.backends.dummy.DummyCache"
FILES = "django.core.cache.backends.filebased.FileBasedCache"


class OwnDummy(DummyCache):
    pass


class OwnLocMem(LocMemCache):
    pass


def not_a_class(location, params):
    return LocMemCache(location, params)


@pytest.fixture(autouse=True)
def bare(settings):
    settings.PENSTOCK = {}


def told(*ids):
    """Return the messages of these kinds, or of all."""
    found = checks.run_checks(tags=["penstock"])
    assert all(message.hint and message.id.startswith("penstock.") for message in found)
    return [message for message in found if message.id in ids or not ids]


def test_a_good_site_is_told_nothing(settings):
    settings.PENSTOCK = {"BUDGET": "10kB", "MAX_TIER": "admin", "STORE": "sqlite:"}
    settings.FRISIAN_MCP_HEAVY_PAGE_SIZE = 50
    assert told() == []


def test_the_app_is_registered():
    config = apps.get_app_config("penstock")
    assert isinstance(config, PenstockConfig)
    assert (config.name, config.verbose_name) == ("penstock.django", "Penstock")
    assert "penstock" in checks.registry.registry.tags_available()


def test_every_bad_setting_is_an_error(settings):
    settings.PENSTOCK = {
        "TIER": "nowhere.at_all",
        "MAX_TEIR": "read",
        "page_size": 5,
        "STORE": "django-cache:none",
    }
    settings.FRISIAN_MCP_HEAVY_CACHE_TTL = "long"
    found = {message.msg: message.hint for message in told("penstock.E001")}
    assert len(found) == len(told()) == 5
    texts = "\n".join(found)
    assert "PENSTOCK[\"TIER\"] = 'nowhere.at_all': nowhere.at_all cannot be imported" in texts
    assert "PENSTOCK[\"STORE\"] = 'django-cache:none': CACHES has no cache of this name." in texts
    assert "FRISIAN_MCP_HEAVY_CACHE_TTL = 'long': not a time" in texts
    assert 'Did you mean PENSTOCK["MAX_TIER"]?' in found.values()
    assert 'Write PENSTOCK["PAGE_SIZE"].' in found.values()


@pytest.mark.parametrize(
    "value", [5, "x", [1], {"TIER": object(), 5: None, None: 5}, {"TOOLS": {0: 0}}]
)
def test_nonsense_is_told_and_never_a_traceback(settings, value):
    settings.PENSTOCK = value
    assert told("penstock.E001")


def test_the_command_fails_with_the_setting_and_what_to_do(settings):
    settings.PENSTOCK = {"MAX_TIER": "root"}
    with pytest.raises(SystemCheckError) as caught:
        call_command("check")
    assert 'PENSTOCK["MAX_TIER"]' in str(caught.value)
    assert "HINT: Correct the setting" in str(caught.value)


def test_rest_framework_is_needed(settings):
    assert told("penstock.E002") == []
    settings.INSTALLED_APPS = ["penstock.django"]
    (message,) = told("penstock.E002")
    assert isinstance(message, checks.Error)
    assert "INSTALLED_APPS" in message.hint


@pytest.mark.parametrize(
    ("backend", "ids"),
    [
        (DUMMY, ["penstock.E004"]),
        (f"{__name__}.OwnDummy", ["penstock.E004"]),
        (LOCMEM, ["penstock.W002"]),
        (f"{__name__}.OwnLocMem", ["penstock.W002"]),
        (f"{__name__}.not_a_class", []),
        (FILES, []),
        ("nowhere.Cache", ["penstock.E003"]),
        ("", ["penstock.E003"]),
    ],
)
@pytest.mark.parametrize("alias", ["default", "shared"])
def test_caches_as_stores(settings, tmp_path, alias, backend, ids):
    settings.CACHES = {
        "default": {"BACKEND": DUMMY},
        alias: {"BACKEND": backend, "LOCATION": str(tmp_path / "cache")},
    }
    settings.PENSTOCK = {"STORE": f"django-cache:{alias}"}
    found = told()
    assert [message.id for message in found] == ids
    assert all(f'the cache "{alias}"' in message.msg for message in found)
    # A check makes no files.
    assert list(tmp_path.iterdir()) == []


def test_memory_is_each_process_its_own(settings):
    settings.PENSTOCK = {"STORE": "Memory:"}
    (message,) = told()
    assert message.id == "penstock.W002"
    assert '"sqlite:"' in message.hint


@pytest.mark.parametrize("urlconf", ["nowhere.urls", "gateway_site.urlz"])
def test_a_urlconf_that_is_not_there(settings, urlconf):
    settings.PENSTOCK = {"URLCONF": urlconf}
    (message,) = told()
    assert message.id == "penstock.E005"
    assert urlconf in message.msg


def test_a_urlconf_that_is_there(settings):
    settings.PENSTOCK = {"URLCONF": "gateway_site.urls"}
    assert told() == []


@pytest.fixture
def module(monkeypatch, settings):
    """Make a settings module from which Django has loaded its settings."""
    module = ModuleType("site_settings")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    settings.SETTINGS_MODULE = module.__name__
    return module


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("frisian_MCP_HEAVY_PAGE_SIZE", 50, "FRISIAN_MCP_HEAVY_PAGE_SIZE"),
        ("frisian_MCP_AUTO_NEGOTIATE_THRESHOLD", 50_000, "FRISIAN_MCP_AUTO_NEGOTIATE_THRESHOLD"),
        ("frisian_mcp_max_tier", "read", "FRISIAN_MCP_MAX_TIER"),
        ("Frisian_MCP_RESOLVE_TIER", told, "FRISIAN_MCP_RESOLVE_TIER"),
        ("penstock", {"BUDGET": 1}, "PENSTOCK"),
        ("Penstock", {}, "PENSTOCK"),
    ],
)
def test_a_spelling_that_django_never_loads(module, name, value, right):
    setattr(module, name, value)
    (message,) = told()
    assert message.id == "penstock.W001"
    assert message.msg.startswith(f"{name} in site_settings has no effect")
    assert message.hint == f"Write {right}."


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FRISIAN_MCP_HEAVY_PAGE_SIZE", 50),
        ("frisian_mcp", sys),
        ("frisian_mcp_urls", sys),
        ("frisian_mcp_tier_of_user", told),
        ("penstock", sys),
        ("PENSTOCK", {}),
        ("frisian", 5),
    ],
)
def test_what_else_a_settings_module_holds(module, name, value):
    setattr(module, name, value)
    assert told() == []


@pytest.mark.parametrize("name", [None, "not.loaded"])
def test_a_site_without_a_settings_module(settings, name):
    settings.SETTINGS_MODULE = name
    assert told() == []


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("UNAUTHENTICATED_TIER", 'PENSTOCK["TIER"]'),
        ("ROUTES", 'PENSTOCK["TOOL_MAX_TIER"]'),
        ("HEAVY_PAGESIZE", "Did you mean FRISIAN_MCP_HEAVY_PAGE_SIZE?"),
        ("SSE_CHANNEL", "Remove it."),
    ],
)
def test_settings_without_a_counterpart(settings, key, hint):
    setattr(settings, f"FRISIAN_MCP_{key}", "something")
    (message,) = told()
    assert message.id == "penstock.W003"
    assert message.msg == f"FRISIAN_MCP_{key} has no effect: Penstock has no such setting."
    assert hint in message.hint


def test_each_of_them_is_told(settings):
    settings.FRISIAN_MCP_ROUTES = settings.FRISIAN_MCP_PATH = settings.FRISIAN_MCP_MAX_TIER = "read"
    assert len(told("penstock.W003")) == 2


def test_no_counterpart_is_said_to_be_one():
    from penstock.django.checks import _INSTEAD

    assert not KNOWN & _INSTEAD.keys()


ALLOW_ANY = "rest_framework.permissions.AllowAny"
AUTHENTICATED = "rest_framework.permissions.IsAuthenticated"


@pytest.mark.parametrize(
    ("stated", "default", "is_warned"),
    [
        ({"MAX_TIER": "read_write"}, ALLOW_ANY, True),
        ({"MAX_TIER": "read_write"}, AUTHENTICATED, False),
        ({"MAX_TIER": "read"}, ALLOW_ANY, False),
        ({}, ALLOW_ANY, False),
        ({"TOOL_MAX_TIER": {"a": "admin"}}, ALLOW_ANY, True),
        ({"MAX_TIER": "admin", "PERMISSION_CLASSES": [ALLOW_ANY]}, AUTHENTICATED, True),
        ({"MAX_TIER": "admin", "PERMISSION_CLASSES": []}, AUTHENTICATED, True),
        ({"MAX_TIER": "admin", "PERMISSION_CLASSES": [AUTHENTICATED]}, ALLOW_ANY, False),
        ({"MAX_TIER": "admin", "PERMISSION_CLASSES": [ALLOW_ANY, AUTHENTICATED]}, ALLOW_ANY, False),
        ({"MAX_TIER": "admin"}, "nowhere.Permission", False),
    ],
)
def test_writes_for_everybody(settings, stated, default, is_warned):
    settings.PENSTOCK = stated
    settings.REST_FRAMEWORK = {"DEFAULT_PERMISSION_CLASSES": [default]}
    assert len(told("penstock.W004")) == is_warned


def test_a_warning_can_be_silenced(settings):
    settings.PENSTOCK = {"STORE": "memory:"}
    settings.SILENCED_SYSTEM_CHECKS = ["penstock.W002"]
    assert [message.is_silenced() for message in told()] == [True]


def test_to_install_the_app_opens_nothing():
    """A process that only migrates needs no store and no library of a store."""
    program = (
        "import sys, django\n"
        "from django.conf import settings\n"
        "settings.configure(INSTALLED_APPS=['penstock.django'])\n"
        "django.setup()\n"
        "late = ['penstock.django.cache.store', 'penstock.stores.sqlite', 'sqlite3', 'redis']\n"
        "print('penstock.django.checks' in sys.modules, [n for n in late if n in sys.modules])\n"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True []", done.stderr
