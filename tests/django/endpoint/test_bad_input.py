"""Bad input of an agent, and bad results of a site: each answer says what to do, none is a 500."""

import json

import pytest
from agents import Agent
from django.core.cache.backends.locmem import LocMemCache
from django.urls import path
from gateway_site.inventory import views

LIST = "inventory_device_list"


@pytest.fixture
def token(agent):
    return agent.value(LIST)["continuation_token"]


WRONG = {
    "a mode that is not there": ({"mode": "everything"}, "sql, query"),
    "a mode of no kind": ({"mode": 7}, "mode"),
    "page 0": ({"page": 0}, "page"),
    "a page past the end": ({"page": 99}, "There is no page 99"),
    "a page that is text": ({"page": "two"}, "page"),
    "no rows a page": ({"page_size": 0}, "1 or more"),
    "too many rows a page": ({"page_size": 100_000}, "1000"),
    "keys that are a number": ({"mode": "filtered", "filter_keys": 7}, "filter_keys"),
    "no keys": ({"mode": "filtered"}, "filter_keys"),
    "a path to nothing": ({"path": "/x/y"}, "Nothing at path"),
    "a path that is none": ({"path": "x"}, "JSON Pointer"),
    "bad SQL": ({"mode": "sql", "query": "SELEC"}, "syntax"),
    "SQL that writes": ({"mode": "sql", "query": "DELETE FROM result"}, "SELECT"),
    "no query": ({"mode": "search"}, "query"),
    "another argument": ({"kind": "pump"}, "differ from the call"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_looks(agent, token, case):
    fields, named = WRONG[case]
    told = agent.error(LIST, continuation_token=token, **fields)
    assert named in f"{told['error']} {told['next_step']}", told


@pytest.mark.parametrize(
    "bad", ["", "pen_", "pen_" + "1" * 39, "nothing", 7, None, ["x"], {"a": 1}]
)
def test_tokens_that_are_none(agent, bad):
    result = agent.call("read_result", continuation_token=bad)
    assert result["isError"]
    if bad not in ("", None):
        result = agent.call(LIST, continuation_token=bad)
        assert result["isError"]


def test_a_token_that_was_changed(agent, token):
    told = agent.error(LIST, continuation_token=token[:-1] + ("a" if token[-1] != "a" else "b"))
    assert "expired or not found" in told["error"]


def test_a_page_size_is_taken_at_its_word(agent, token):
    assert len(agent.value(LIST, continuation_token=token, page_size=25)["items"]) == 25


ARGUMENTS = {
    "a filter that is not there": ({"colour": "red"}, "colour"),
    "a choice that is not there": ({"kind": "boat"}, "kind"),
    "a number that is none": ({"price__lte": "cheap"}, "price__lte"),
    "an order that is not there": ({"ordering": "colour"}, "ordering"),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_wrong_filters(agent, case):
    arguments, named = ARGUMENTS[case]
    assert named in str(agent.error(LIST, **arguments))


KEYS = [
    "../../admin",
    "a/b",
    "cheapest",
    "%2e",
    "1e9",
    "-1",
    "'; DROP TABLE",
    "x" * 5_000,
    "\ud83d\ude00",
    "{pk}",
    "?a=1",
    "#",
]


@pytest.mark.parametrize("key", KEYS)
def test_keys_that_lead_nowhere_else(agent, key):
    told = agent.error("inventory_device_retrieve", pk=key)
    assert told.get("status_code", 400) in (400, 404), told


def test_a_serializer_that_raises(agent, caplog):
    told = agent.error("inventory_broken_list")
    assert told["status_code"] == 500
    assert "secret" not in str(told)
    assert "a secret of the site" in caplog.text
    caplog.clear()
    there = agent.value("inventory_location_list")[0]["id"]
    assert agent.error("inventory_broken_retrieve", pk=there)["status_code"] == 500
    caplog.clear()


def test_a_view_that_fails_while_it_is_paged(agent, monkeypatch, token, caplog):
    def broken(self, instance):
        raise RuntimeError("a secret of the site")

    monkeypatch.setattr(views.DeviceSerializer, "to_representation", broken)
    told = agent.error(LIST, continuation_token=token, page=2)
    assert "could not be read again" in told["error"]
    assert "secret" not in str(told)
    caplog.clear()


def test_values_that_json_lacks(agent):
    assert agent.value("odd") == {
        "when": "2026-11-15T12:00:00Z",
        "day": "2026-11-15",
        "lasts": "3600.0",
        "price": "0.10",
        "key": "00000000-0000-0000-0000-000000000001",
        "label": "Yes",
        "file": "/manuals/a.pdf",
        "none": None,
        "shape": {"type": "Point", "coordinates": [1.5, 2.5]},
        "names": ["device 0"],
        "bytes": "abc",
        "set": [1],
    }


def test_a_value_that_has_no_form(agent):
    told = agent.error("unfit")
    assert "/value" in told["error"]
    assert told["next_step"]


@pytest.mark.parametrize(("tool", "status"), [("missing", 404), ("invalid", 400)])
def test_what_functions_raise(agent, tool, status):
    told = agent.error(tool)
    assert told["status_code"] == status


# -- stores ---------------------------------------------------------------------------------------


class Down(LocMemCache):
    """A cache that cannot be reached."""

    def fail(self, *args, **kwargs):
        raise ConnectionError("no route")

    get = get_many = set = set_many = add = touch = delete = fail


class Forgetful(LocMemCache):
    """A cache that takes everything and keeps nothing."""

    def set(self, *args, **kwargs):
        return None

    def add(self, *args, **kwargs):
        return True


class Small(LocMemCache):
    """A cache that drops values that are too large, as memcached does."""

    def set(self, key, value, *args, **kwargs):
        if len(value) < 100:
            super().set(key, value, *args, **kwargs)


CACHES = {
    "down": {"BACKEND": f"{__name__}.Down"},
    "forgetful": {"BACKEND": f"{__name__}.Forgetful"},
    "small": {"BACKEND": f"{__name__}.Small"},
    "none": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"},
}  # fmt: skip


@pytest.mark.parametrize("case", CACHES)
@pytest.mark.parametrize("tool", [LIST, "stock.search"])
def test_a_cache_that_does_not_keep_what_it_is_given(agent, settings, case, tool, caplog):
    """The agent gets the first page, and learns that there is no more."""
    settings.CACHES = {"default": CACHES[case]}
    settings.PENSTOCK = {**settings.PENSTOCK, "STORE": "django-cache:default"}
    page = agent.value(tool, **({"warehouse": "a"} if tool != LIST else {}))
    assert page["stored"] is False
    assert page["next"] is None
    assert page.get("results") or page["items"]
    assert "continuation_token" not in page
    caplog.clear()


def test_a_cache_that_keeps_it(agent, settings):
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "kept"}
    }
    settings.PENSTOCK = {**settings.PENSTOCK, "STORE": "django-cache:default"}
    page = agent.value("stock.search", warehouse="a")
    first = agent.value("stock.search", continuation_token=page["continuation_token"])
    assert len(agent.walk("stock.search", first)) == 300


# -- names ----------------------------------------------------------------------------------------


urlpatterns = [
    path("mcp/", __import__("django.urls").urls.include("penstock.django.urls")),
    path("a/things/", views.OpenList.as_view()),
    path("b/things/", views.OpenList.as_view()),
    path("b/things/<int:pk>/", views.DeviceViewSet.as_view({"get": "retrieve"})),
    path("c/things/<str:name>/", views.DeviceViewSet.as_view({"get": "retrieve"})),
]


def test_two_views_of_one_name_get_longer_ones(ada, plant, settings):
    settings.ROOT_URLCONF = __name__
    agent = Agent.of(ada)
    found = [name for name in agent.tools() if "things" in name]
    assert sorted(found) == [
        "inventory_a_things_list",
        "inventory_b_things_list",
        "inventory_b_things_retrieve",
        "inventory_c_things_retrieve",
    ]
    assert agent.value("inventory_a_things_list") == agent.value("inventory_b_things_list")


def test_settings_that_cannot_be_used(agent, settings, caplog):
    settings.PENSTOCK = {"BUDGET": "a little"}
    answer = agent.post(agent.message("tools/list"))
    assert "manage.py check" in json.loads(answer.content)["error"]["message"]
    caplog.clear()
