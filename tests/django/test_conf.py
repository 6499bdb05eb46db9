"""The settings of a site: their names, their places and their precedence."""

from __future__ import annotations

from dataclasses import fields

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import RequestFactory
from rest_framework.authentication import BasicAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import AllowAny, IsAdminUser, IsAuthenticated
from rest_framework.request import Request

from penstock.core.budget.budget import Budget
from penstock.django.cache.store import CacheStore
from penstock.django.conf import Site, open_site_store, site, tier_for
from penstock.django.setting_names import ALIASES, KNOWN, POLICY_KEYS, SITE_KEYS
from penstock.django.tiers import Tier
from penstock.errors import InvalidSetting
from penstock.settings.policy import Policy
from penstock.stores.memory import MemoryStore
from penstock.stores.redis import RedisStore
from penstock.stores.sqlite import SQLiteStore


def by_staff(request):
    return Tier.ADMIN if request.user.is_staff else "read"


@pytest.fixture(autouse=True)
def bare(settings):
    """A site that sets nothing."""
    settings.PENSTOCK = {}


@pytest.fixture
def written(settings):
    """Return the site with these settings in PENSTOCK."""

    def written(**stated):
        settings.PENSTOCK = stated
        return site()

    return written


@pytest.mark.parametrize("nothing", [{}, None])
def test_a_site_that_sets_nothing_has_the_defaults(settings, nothing):
    settings.PENSTOCK = nothing
    assert site() == Site(policy=Policy(store="sqlite:"), server_name="gateway_site")
    assert site().max_tier is Tier.READ
    assert site().policy.budget == Budget(bytes=25_000)


@pytest.mark.parametrize(
    ("key", "value", "name", "read"),
    [
        ("MAX_TIER", "read_write", "max_tier", Tier.READ_WRITE),
        ("MAX_TIER", Tier.ADMIN, "max_tier", Tier.ADMIN),
        ("TOOL_MAX_TIER", {"a_*": "admin"}, "tool_tiers", {"a_*": Tier.ADMIN}),
        ("TIER", by_staff, "tier_of", by_staff),
        ("TIER", f"{__name__}.by_staff", "tier_of", by_staff),
        ("ALLOW", ["devices_*", "sites_list"], "allow", ("devices_*", "sites_list")),
        ("ALLOW", "devices_*", "allow", ("devices_*",)),
        ("DENY", ("users_*",), "deny", ("users_*",)),
        ("DENY", [], "deny", ()),
        ("ALLOW_PATHS", ["/api/*"], "allow_paths", ("/api/*",)),
        ("DENY_PATHS", "/admin/*", "deny_paths", ("/admin/*",)),
        (
            "AUTHENTICATION_CLASSES",
            ["rest_framework.authentication.BasicAuthentication", SessionAuthentication],
            "authentication_classes",
            (BasicAuthentication, SessionAuthentication),
        ),
        ("AUTHENTICATION_CLASSES", [], "authentication_classes", ()),
        ("PERMISSION_CLASSES", [IsAuthenticated], "permission_classes", (IsAuthenticated,)),
        ("ALLOWED_ORIGINS", "*", "allowed_origins", ("*",)),
        (
            "ALLOWED_ORIGINS",
            ["https://Example.com/", "http://[::1]:8000", "vscode-webview://abc"],
            "allowed_origins",
            ("https://example.com", "http://[::1]:8000", "vscode-webview://abc"),
        ),
        ("SERVER_NAME", "Fleet", "server_name", "Fleet"),
        ("INSTRUCTIONS", "Ask for devices by site.", "instructions", "Ask for devices by site."),
        ("TOOL_NAME_SEPARATOR", ".", "separator", "."),
        ("URLCONF", "gateway_site.urls", "urlconf", "gateway_site.urls"),
        ("AUTODISCOVER", False, "discovers", False),
        ("LEAN_WRITES", "off", "is_lean", False),
        ("ENABLED", False, "is_enabled", False),
    ],
)
def test_settings_of_a_site(written, key, value, name, read):
    assert getattr(written(**{key: value}), name) == read


def test_every_setting_of_a_site_was_tried():
    mark = test_settings_of_a_site.pytestmark[0]
    assert {case[0] for case in mark.args[1]} == SITE_KEYS
    assert {case[2] for case in mark.args[1]} == {each.name for each in fields(Site)} - {"policy"}


@pytest.mark.parametrize(
    ("key", "value", "name", "read"),
    [
        ("BUDGET", "10kB", "budget", Budget(bytes=10_000)),
        ("BUDGET", 12_000, "budget", Budget(bytes=12_000)),
        ("INLINE", "4kB", "inline", Budget(bytes=4_000)),
        ("LIST", "index", "list_form", "index"),
        ("LIST_FORM", "brief", "list_form", "brief"),
        ("LIST_BUDGET", "3000tok", "list_budget", Budget(tokens=3_000)),
        ("EXCEPT", ["ping"], "except_", ("ping",)),
        ("GATE", "strict", "gate", "strict"),
        ("TTL", "10m", "ttl", 600),
        ("STORE", "memory:", "store", "memory:"),
        ("QUOTA", "1MB", "quota", 1_000_000),
        ("HOST", "codex", "budget", Policy.load({"host": "codex"}).budget),
        ("TOOLS", {"a_*": {"PAGE_SIZE": 5}}, "tools", {"a_*": {"page_size": 5}}),
        ("TOOLS", {"a.b": {"heavy": True}}, "tools", {"a.b": {"heavy": True}}),
        ("TOOLS", {"a": {"HEAVY_PAGE_SIZE": 5}}, "tools", {"a": {"page_size": 5}}),
        ("CLIENTS", {"x": {"LIST": "full"}}, "clients", {"x": {"list": "full"}}),
        ("CLIENTS", {"x": {"LIST_FORM": "full"}}, "clients", {"x": {"list": "full"}}),
    ],
)
def test_settings_of_the_policy(written, key, value, name, read):
    assert getattr(written(**{key: value}).policy, name) == read


MOVED = [
    ("AUTO_NEGOTIATE_THRESHOLD", 50_000, lambda found: found.policy.inline, Budget(bytes=50_000)),
    ("HEAVY_PAGE_SIZE", 50, lambda found: found.policy.page_size, 50),
    ("HEAVY_MAX_PAGE_SIZE", 400, lambda found: found.policy.max_page_size, 400),
    ("HEAVY_CACHE_TTL", 600, lambda found: found.policy.ttl, 600),
    ("HEAVY_CACHE_ALIAS", "default", lambda found: found.policy.store, "django-cache:default"),
    ("TOOL_ALLOWLIST", ["a.list"], lambda found: found.allow, ("a.list",)),
    ("TOOL_DENYLIST", ["a.destroy"], lambda found: found.deny, ("a.destroy",)),
    ("RESOLVE_TIER", by_staff, lambda found: found.tier_of, by_staff),
    ("MAX_TIER", "  READ_WRITE ", lambda found: found.max_tier, Tier.READ_WRITE),
    ("SERVER_NAME", "fleet", lambda found: found.server_name, "fleet"),
    ("AUTHENTICATION_CLASSES", [], lambda found: found.authentication_classes, ()),
    (
        "PERMISSION_CLASSES",
        ["rest_framework.permissions.IsAdminUser"],
        lambda found: found.permission_classes,
        (IsAdminUser,),
    ),
    ("TOOL_NAME_SEPARATOR", "-", lambda found: found.separator, "-"),
    ("AUTODISCOVER", False, lambda found: found.discovers, False),
    ("LIST_FORM", "full", lambda found: found.policy.list_form, "full"),
]
moved = pytest.mark.parametrize(("key", "value", "taken", "read"), MOVED, ids=[m[0] for m in MOVED])


@moved
def test_a_site_can_move_with_its_settings(settings, key, value, taken, read):
    setattr(settings, f"FRISIAN_MCP_{key}", value)
    assert taken(site()) == read


@moved
def test_the_same_names_are_keys_too(written, key, value, taken, read):
    assert taken(written(**{key: value})) == read


def test_every_other_name_was_tried():
    assert {case[0] for case in MOVED} >= ALIASES.keys()
    assert set(ALIASES.values()) <= POLICY_KEYS | SITE_KEYS
    assert POLICY_KEYS | SITE_KEYS | ALIASES.keys() == KNOWN


@pytest.mark.parametrize("key", ["PAGE_SIZE", "HEAVY_PAGE_SIZE"])
def test_what_wins(settings, monkeypatch, key):
    assert site().policy.page_size == 20
    monkeypatch.setenv("PENSTOCK_PAGE_SIZE", "30")
    site.cache_clear()
    assert site().policy.page_size == 30
    settings.FRISIAN_MCP_HEAVY_PAGE_SIZE = 40
    assert site().policy.page_size == 40
    settings.PENSTOCK = {key: 50}
    assert site().policy.page_size == 50
    settings.PENSTOCK = {key: None}
    assert site().policy.page_size == 40


def test_the_environment_names_the_store(monkeypatch, settings):
    monkeypatch.setenv("PENSTOCK_STORE", "django-cache:")
    assert site().policy.store == "django-cache:"
    site.cache_clear()
    monkeypatch.setenv("PENSTOCK_STORE", "  ")
    assert site().policy.store == "sqlite:"
    settings.PENSTOCK = {"STORE": "memory:"}
    assert site().policy.store == "memory:"


def test_settings_are_read_once_until_they_change(settings):
    settings.PENSTOCK = {"PAGE_SIZE": 10}
    first = site()
    assert site() is first
    settings.USE_TZ = False
    assert site() is first
    for name in ("REST_FRAMEWORK", "FRISIAN_MCP_SERVER_NAME", "PENSTOCK"):
        setattr(settings, name, {} if name != "FRISIAN_MCP_SERVER_NAME" else "x")
        assert site() is not first
        first = site()


@pytest.mark.parametrize(
    ("tool", "highest"),
    [
        ("sites_list", Tier.READ),
        ("devices_list", Tier.READ_WRITE),
        ("devices_wipe", Tier.ADMIN),
        ("Devices_list", Tier.READ),
    ],
)
def test_the_last_pattern_that_matches_gives_a_tool_its_tier(written, tool, highest):
    found = written(TOOL_MAX_TIER={"devices_*": "read_write", "*_wipe": "admin"})
    assert found.highest_tier(tool) is highest


@pytest.mark.parametrize(
    ("stated", "admitted"),
    [
        ({}, ["devices_list", "devices_wipe", "users_list"]),
        ({"ALLOW": "devices_*"}, ["devices_list", "devices_wipe"]),
        ({"DENY": "*_wipe"}, ["devices_list", "users_list"]),
        ({"ALLOW": "devices_*", "DENY": "*_wipe"}, ["devices_list"]),
        ({"DENY": "*"}, []),
    ],
)
def test_lists_of_names(written, stated, admitted):
    tools = ["devices_list", "devices_wipe", "users_list"]
    found = written(**stated)
    assert [tool for tool in tools if found.admits(tool)] == admitted


def test_permissions_may_be_composed(written):
    both = IsAuthenticated & (IsAdminUser | ~AllowAny)
    assert written(PERMISSION_CLASSES=[both]).permission_classes == (both,)


class TestTiers:
    def as_user(self, user):
        request = RequestFactory().post("/mcp/")
        request.user = user
        return request

    @pytest.mark.parametrize(
        ("user", "tier"),
        [
            (None, Tier.READ),
            (AnonymousUser(), Tier.READ),
            (User(username="ada"), Tier.READ_WRITE),
            (User(username="ada", is_staff=True), Tier.READ_WRITE),
            (User(username="ada", is_superuser=True), Tier.ADMIN),
        ],
    )
    def test_without_a_function_the_user_decides(self, user, tier):
        assert tier_for(self.as_user(user), Site()) is tier

    def test_a_request_without_a_user_may_read(self):
        assert tier_for(RequestFactory().post("/mcp/"), Site()) is Tier.READ

    @pytest.mark.parametrize(
        ("given", "tier"),
        [
            (Tier.READ, Tier.READ),
            ("admin", Tier.ADMIN),
            ("Read_Write", Tier.READ_WRITE),
            (None, None),
            ("", None),
            ("root", None),
            (2, None),
            (True, None),
            (["admin"], None),
        ],
    )
    def test_a_function_decides_and_what_it_cannot_mean_is_nothing(self, given, tier, caplog):
        found = tier_for(self.as_user(User(is_superuser=True)), Site(tier_of=lambda _: given))
        assert found is tier
        assert bool(caplog.records) == (tier is None and given is not None)

    def test_a_function_that_fails_refuses(self, caplog):
        def fails(request):
            raise KeyError("role")

        assert tier_for(self.as_user(User(is_superuser=True)), Site(tier_of=fails)) is None
        assert "KeyError: 'role'" in caplog.text

    def test_a_user_that_cannot_be_told_is_refused(self, caplog):
        class Failing(BasicAuthentication):
            def authenticate(self, request):
                raise AuthenticationFailed

        request = Request(RequestFactory().post("/mcp/"), authenticators=[Failing()])
        assert tier_for(request, Site()) is None
        assert "AuthenticationFailed" in caplog.text

    @pytest.mark.parametrize("value", ["", "write", "readwrite", 1, None, True, ["read"], b"read"])
    def test_what_is_no_tier_says_which_there_are(self, value):
        with pytest.raises(InvalidSetting, match="must be one of: read, read_write, admin"):
            Tier.parse(value)

    def test_labels_are_what_is_written(self):
        assert [Tier.parse(tier.label) for tier in Tier] == list(Tier)
        assert Tier.READ < Tier.READ_WRITE < Tier.ADMIN


class TestStores:
    @pytest.mark.parametrize(
        ("url", "kind"),
        [
            ("memory:", MemoryStore),
            ("django-cache:", CacheStore),
            ("Django-Cache:other", CacheStore),
            ("redis://127.0.0.1:1/0", RedisStore),
        ],
    )
    def test_by_url(self, settings, url, kind):
        dummy = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
        settings.CACHES = {"default": dummy, "other": dummy}
        settings.PENSTOCK = {"STORE": url}
        store = open_site_store(site())
        assert type(store) is kind
        store.close()

    def test_by_default_a_file_that_the_processes_share(self, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        monkeypatch.setattr("sys.platform", "linux")
        store = open_site_store(site())
        assert type(store) is SQLiteStore
        store.close()
        assert (tmp_path / "penstock" / "results.sqlite").exists()

    @pytest.mark.parametrize("url", ["memory:", "django-cache:"])
    def test_with_the_quota_of_the_site(self, settings, url):
        settings.PENSTOCK = {"STORE": url, "QUOTA": "7MB"}
        store = open_site_store(site())
        assert store._limits.quota == 7_000_000
        store.close()
