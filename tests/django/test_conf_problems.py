"""Errors of bad settings, which name the setting as written and say what to do."""

from __future__ import annotations

import pytest
from rest_framework.permissions import IsAuthenticated

from penstock.django.conf import settings_problems, site
from penstock.errors import InvalidSetting


def a_function(request):
    return "read"


async def slowly(request):
    return "read"


@pytest.fixture(autouse=True)
def bare(settings):
    settings.PENSTOCK = {}


BAD = [
    ({"MAX_TIER": "write"}, '["MAX_TIER"] = \'write\': must be one of: read, read_write, admin.'),
    ({"MAX_TIER": 2}, '["MAX_TIER"] = 2: must be one of: read'),
    ({"TOOL_MAX_TIER": "read"}, '["TOOL_MAX_TIER"] = \'read\': must be a dict'),
    ({"TOOL_MAX_TIER": {"a": 3}}, "the tier of 'a' must be one of: read"),
    ({"TOOL_MAX_TIER": {3: "read"}}, "3 is not a pattern"),
    ({"TIER": "nowhere.at_all"}, "nowhere.at_all cannot be imported: No module"),
    ({"TIER": "tier"}, "tier cannot be imported"),
    ({"TIER": f"{__name__}.missing"}, "missing cannot be imported"),
    ({"TIER": 5}, '["TIER"] = 5: must be a function of a request'),
    ({"TIER": f"{__name__}.slowly"}, "must not be asynchronous"),
    ({"ALLOW": 5}, '["ALLOW"] = 5: must be a list of names.'),
    ({"ALLOW": [5]}, "not a list of names"),
    ({"ALLOW": []}, "an empty list is ambiguous"),
    ({"TOOL_ALLOWLIST": []}, '["TOOL_ALLOWLIST"] = []: an empty list is ambiguous'),
    ({"DENY": {"a": 1}}, '["DENY"]'),
    ({"AUTHENTICATION_CLASSES": "a.b"}, "must be a list of classes"),
    ({"AUTHENTICATION_CLASSES": ["a.b"]}, "a.b cannot be imported"),
    ({"AUTHENTICATION_CLASSES": [IsAuthenticated]}, "is not a class of this kind"),
    ({"PERMISSION_CLASSES": [f"{__name__}.a_function"]}, "is not a class of this kind"),
    ({"PERMISSION_CLASSES": [IsAuthenticated()]}, "is not a class of this kind"),
    ({"ALLOWED_ORIGINS": ["example.com"]}, "'example.com' is not an origin"),
    ({"ALLOWED_ORIGINS": ["https://example.com/mcp"]}, "is not an origin"),
    ({"ALLOWED_ORIGINS": ["https://a:b@example.com"]}, "is not an origin"),
    ({"ALLOWED_ORIGINS": ["https://example.com:port"]}, "is not an origin"),
    ({"ALLOWED_ORIGINS": ["https://[::1"]}, '["ALLOWED_ORIGINS"]'),
    ({"ALLOWED_ORIGINS": [443]}, "not a list of names"),
    ({"SERVER_NAME": ""}, '["SERVER_NAME"] = \'\': must be text.'),
    ({"INSTRUCTIONS": 5}, '["INSTRUCTIONS"] = 5: must be text.'),
    ({"TOOL_NAME_SEPARATOR": "::"}, "must be one of: _ - ."),
    ({"TOOL_NAME_SEPARATOR": []}, "must be one of: _ - ."),
    ({"URLCONF": 5}, '["URLCONF"] = 5: must be text.'),
    ({"AUTODISCOVER": "perhaps"}, "neither true nor false"),
    ({"LEAN_WRITES": 2}, "neither true nor false"),
    ({"BUDGET": "much"}, '["BUDGET"] = \'much\''),
    ({"BUDGET": 10}, '["BUDGET"] = 10: must be at least 1000 bytes.'),
    ({"AUTO_NEGOTIATE_THRESHOLD": "x"}, '["AUTO_NEGOTIATE_THRESHOLD"] = \'x\''),
    ({"PAGE_SIZE": 0}, '["PAGE_SIZE"] = 0: must be at least 1.'),
    ({"HEAVY_PAGE_SIZE": "many"}, '["HEAVY_PAGE_SIZE"] = \'many\': not a whole number.'),
    ({"PAGE_SIZE": 9, "MAX_PAGE_SIZE": 5}, '["MAX_PAGE_SIZE"] = 5: must be at least page_size, 9'),
    ({"PAGE_SIZE": 2_000}, '["MAX_PAGE_SIZE"] = 1000: must be at least page_size, 2000'),
    ({"HEAVY_CACHE_TTL": -1}, '["HEAVY_CACHE_TTL"] = -1: not a time'),
    ({"LIST": "short"}, '["LIST"] = \'short\': must be one of: auto, full, signatures, brief, index.'),
    ({"LIST_FORM": "short"}, '["LIST_FORM"] = \'short\''),
    ({"HOST": "netscape"}, '["HOST"] = \'netscape\': unknown host.'),
    ({"MODES": 5}, '["MODES"] = 5'),
    ({"TOOLS": []}, '["TOOLS"] = []: must be a dict of dicts.'),
    ({"TOOLS": {"a": 5}}, "'a' must be a name, with a dict of settings"),
    ({"TOOLS": {5: {}}}, "5 must be a name, with a dict of settings"),
    ({"TOOLS": {"a.b": {"page_size": 0}}}, '["TOOLS"]["a.b"]["PAGE_SIZE"] = 0: must be'),
    ({"TOOLS": {"a.b": {"PAGE_SIZE": 2_000}}}, '["TOOLS"]["a.b"]["MAX_PAGE_SIZE"] = 1000'),
    ({"TOOLS": {"a": {"STORE": "memory:"}}}, '["TOOLS"]["a"]["STORE"] = \'memory:\': cannot be set'),
    ({"TOOLS": {"a": {"NOTHING": 1}}}, '["TOOLS"]["a"]["NOTHING"] = 1: there is no such setting'),
    ({"TOOLS": {"a": {"ttl": 1, "TTL": 2}}}, "TTL is stated twice for a"),
    ({"TOOLS": {"a": {7: 1}}}, '["TOOLS"]["a"]["7"] = 1: there is no such setting'),
    ({"CLIENTS": {"x": {"LIST": "?"}}}, '["CLIENTS"]["x"]["LIST"] = \'?\': must be one of'),
    ({"STORE": 5}, '["STORE"] = 5: must be text.'),
    ({"STORE": "sqlite"}, "or django-cache: for one of Django's caches."),
    ({"STORE": "sqlite://x"}, "an absolute path has three slashes"),
    ({"STORE": "django-cache:none"}, "= 'django-cache:none': CACHES has no cache of this name."),
    ({"HEAVY_CACHE_ALIAS": "none"}, '["HEAVY_CACHE_ALIAS"] = \'django-cache:none\': CACHES has'),
    ({"HEAVY_CACHE_ALIAS": 5}, '["HEAVY_CACHE_ALIAS"] = 5: must be text.'),
    ({"TTL": 1, "HEAVY_CACHE_TTL": 2}, '["HEAVY_CACHE_TTL"] = 2: PENSTOCK["TTL"] is the same'),
    ({"page_size": 5}, '["page_size"] = 5: settings are written in upper case.'),
    ({"PAGESIZE": 5}, '["PAGESIZE"] = 5: there is no such setting.'),
    ({"COLOUR": "red"}, '["COLOUR"] = \'red\': there is no such setting.'),
    ({7: 1}, "PENSTOCK[7] = 1: there is no such setting."),
]  # fmt: skip


@pytest.mark.parametrize(("stated", "message"), BAD, ids=[message for _, message in BAD])
def test_a_bad_setting_names_itself(settings, stated, message):
    settings.PENSTOCK = stated
    with pytest.raises(InvalidSetting) as caught:
        site()
    assert caught.value.message.startswith("PENSTOCK[")
    assert message in caught.value.message
    assert caught.value.next_step
    assert [str(problem) for problem in settings_problems()] == [str(caught.value)]


@pytest.mark.parametrize(
    ("stated", "next_step"),
    [
        ({"page_size": 5}, 'Write PENSTOCK["PAGE_SIZE"].'),
        ({"PAGESIZE": 5}, 'Did you mean PENSTOCK["PAGE_SIZE"]?'),
        ({"max_teir": 5}, 'Did you mean PENSTOCK["MAX_TIER"]?'),
        ({"STORE": "django-cache:none"}, "Name one of: default."),
        ({"TTL": 1, "HEAVY_CACHE_TTL": 2}, "Keep one."),
    ],
    ids=str,
)
def test_the_way_out_is_said(settings, stated, next_step):
    settings.PENSTOCK = stated
    assert [problem.next_step for problem in settings_problems()] == [next_step]


def test_where_nothing_is_alike_all_are_named(settings):
    settings.PENSTOCK = {"COLOUR": "red"}
    (problem,) = settings_problems()
    assert problem.next_step.startswith("Use some of: ALLOW, ")
    assert "HEAVY_PAGE_SIZE" not in problem.next_step


@pytest.mark.parametrize("value", ["sqlite:", ["BUDGET"], 5, True])
def test_penstock_is_a_dict(settings, value):
    settings.PENSTOCK = value
    with pytest.raises(InvalidSetting, match=r"PENSTOCK = .* must be a dict of settings"):
        site()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FRISIAN_MCP_HEAVY_PAGE_SIZE", "many"),
        ("FRISIAN_MCP_MAX_TIER", "root"),
        ("FRISIAN_MCP_RESOLVE_TIER", "nowhere.at_all"),
        ("FRISIAN_MCP_HEAVY_CACHE_ALIAS", "none"),
    ],
)
def test_a_setting_that_moved_names_itself_too(settings, name, value):
    setattr(settings, name, value)
    with pytest.raises(InvalidSetting) as caught:
        site()
    assert caught.value.setting == name


def test_so_does_one_of_the_environment(settings, monkeypatch):
    monkeypatch.setenv("PENSTOCK_PAGE_SIZE", "many")
    with pytest.raises(InvalidSetting, match="PENSTOCK_PAGE_SIZE in the environment = 'many'"):
        site()
    settings.PENSTOCK = {"PAGE_SIZE": 5}
    assert site().policy.page_size == 5


def test_all_that_is_wrong_is_found_at_once(settings):
    settings.PENSTOCK = {
        "BUDGT": 1, "MAX_TIER": "root", "PAGE_SIZE": 0, "TTL": "long", "TOOLS": 5, "SERVER_NAME": 5,
    }  # fmt: skip
    settings.FRISIAN_MCP_TOOL_NAME_SEPARATOR = "/"
    named = {problem.setting for problem in settings_problems()}
    keys = ("BUDGT", "MAX_TIER", "PAGE_SIZE", "TTL", "TOOLS", "SERVER_NAME")
    assert named == {f'PENSTOCK["{key}"]' for key in keys} | {"FRISIAN_MCP_TOOL_NAME_SEPARATOR"}


@pytest.mark.parametrize(
    "stated",
    [
        {"STORE": "reddis://:hush@host/0"},
        {"store": "redis://:hush@host/0"},
        {"STOR": "redis://:hush@host/0"},
        {"STORE": "redis://:hush@host/0", "HEAVY_CACHE_ALIAS": "default"},
        {"HEAVY_CACHE_ALIAS": "default", "STORE": "redis://:hush@host/0"},
    ],
    ids=str,
)
def test_no_password_is_shown(settings, stated):
    settings.PENSTOCK = stated
    (problem,) = settings_problems()
    assert "hush" not in str(problem)
