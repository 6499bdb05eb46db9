"""Lists of views: a page and a count at once, every row once, no page passed off as the whole."""

import json

import pytest
from agents import Agent
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from gateway_site.inventory.models import Device, Location, Reading

PAGED = {"device_list": 20, "reading_list": 10, "limited_list": 10, "unpaged_list": 10}
MODELS = {"device_list": Device, "reading_list": Reading}


NAMES = {name: f"inventory_{name}" for name in PAGED}


def model_of(tool):
    return MODELS.get(tool, Reading)


@pytest.mark.parametrize("tool", PAGED)
def test_the_first_page(agent, tool):
    page = agent.value(NAMES[tool])
    assert list(page) == [
        "count", "data_size", "data_size_is", "next", "previous", "results", "continuation_token",
        "available_modes", "live", "next_step",
    ]  # fmt: skip
    assert page["count"] == model_of(tool).objects.count()
    assert len(page["results"]) == PAGED[tool]
    assert page["data_size_is"] == "estimated"
    assert page["live"] is True
    assert page["previous"] is None
    assert page["next"].startswith(page["continuation_token"])


@pytest.mark.parametrize("tool", PAGED)
def test_every_row_is_on_one_page(agent, tool):
    rows = agent.walk(NAMES[tool], agent.value(NAMES[tool]))
    ids = [row["id"] for row in rows]
    assert sorted(ids) == sorted(model_of(tool).objects.values_list("id", flat=True))
    assert len(ids) == len(set(ids))


def test_a_list_keeps_the_order_of_its_view(agent):
    rows = agent.walk(NAMES["reading_list"], agent.value(NAMES["reading_list"]))
    times = [row["taken"] for row in rows]
    assert times == sorted(times, reverse=True)


def test_rows_are_as_the_api_has_them(agent, plant):
    token = agent.headers["Authorization"]
    said = Client().get("/api/devices/", headers={"Authorization": token}).json()
    page = agent.value("inventory_device_list")
    assert page["results"] == said["results"]
    assert page["count"] == said["count"]


def test_filters_search_and_order_are_the_views(agent):
    page = agent.value("inventory_device_list", kind="pump", ordering="-price", search="device 1")
    rows = agent.walk("inventory_device_list", page)
    found = Device.objects.filter(kind="pump", name__contains="device 1").order_by("-price")
    assert [row["id"] for row in rows] == list(found.values_list("id", flat=True))
    assert page["count"] == len(rows)


def test_one_count_and_one_slice(agent):
    agent.value("inventory_device_list")  # everything is known by now
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page = agent.value("inventory_device_list")
    said = [query["sql"] for query in queries if "inventory_device" in query["sql"]]
    assert sum("COUNT(" in sql for sql in said) == 1
    assert len(said) == 2
    assert "LIMIT 20" in said[1]
    with CaptureQueriesContext(connection) as queries:
        agent.value("inventory_device_list", continuation_token=page["next"])
    said = [query["sql"] for query in queries if "inventory_device" in query["sql"]]
    assert sum("COUNT(" in sql for sql in said) == 1
    assert "LIMIT 20 OFFSET 20" in said[1]


def test_a_short_list_says_its_exact_size(agent):
    page = agent.value("inventory_device_list", kind="pump", price__lte=20)
    assert page["count"] == len(page["results"]) < 20
    assert "data_size_is" not in page
    assert page["data_size"] == len(json.dumps(page["results"], separators=(",", ":")))
    assert page["next"] is None


def test_an_empty_list(agent):
    page = agent.value("inventory_device_list", price__lte=-1)
    assert (page["count"], page["results"], page["next"]) == (0, [], None)


MODES = {
    "sql": ({"query": "SELECT kind, count(*) AS n FROM result GROUP BY kind ORDER BY kind"},
            lambda told: [n for _, n in told["rows"]] == [43, 44, 43]),
    "query": ({"query": "map(.id) | length"}, lambda told: told["value"] == 130),
    "search": ({"query": "pump"}, lambda told: told["total"] == 43),
    "summary": ({}, lambda told: told["total"] == 130),
    "filtered": ({"filter_keys": ["id", "price"]}, lambda told: told["items"][0].keys() == {"id", "price"}),
    "paginated": ({"page": 3, "page_size": 50}, lambda told: len(told["items"]) == 30),
    "full": ({}, lambda told: len(told) == 130),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_of_a_live_list(agent, mode):
    token = agent.value("inventory_device_list")["continuation_token"]
    fields, holds = MODES[mode]
    told = agent.value("inventory_device_list", continuation_token=token, mode=mode, **fields)
    assert holds(told), told


def test_a_list_that_changes_between_pages_says_so(agent):
    page = agent.value("inventory_device_list")
    Device.objects.filter(pk__in=list(Device.objects.values_list("pk", flat=True)[:5])).delete()
    told = agent.value("inventory_device_list", continuation_token=page["next"])
    assert (told["count_was"], told["total"]) == (130, 125)
    assert "changed" in told["notice"]
    assert "notice" not in agent.value("inventory_device_list", kind="pump")


def test_a_list_that_has_become_empty(agent):
    page = agent.value("inventory_device_list")
    Device.objects.all().delete()
    told = agent.value("inventory_device_list", continuation_token=page["next"])
    assert (told["items"], told["has_more"], told["count_was"]) == ([], False, 130)


# -- answers of a view's own ----------------------------------------------------------------------


def test_a_view_that_only_serializes_is_paged_at_its_queryset(agent):
    with CaptureQueriesContext(connection) as queries:
        page = agent.value("inventory_device_cheapest")
    assert page["live"] is True
    assert page["count"] == 130
    assert not [
        q
        for q in queries
        if "inventory_device" in q["sql"] and "LIMIT" not in q["sql"] and "COUNT" not in q["sql"]
    ]
    rows = agent.walk("inventory_device_cheapest", page)
    assert [float(row["price"]) for row in rows] == [float(n) for n in range(130)]


def test_an_answer_of_its_own_is_made_from_every_row_and_stored(agent):
    probe = agent.value("inventory_device_by_kind")
    assert "live" not in probe
    token = probe["continuation_token"]
    told = agent.value(
        "inventory_device_by_kind", continuation_token=token, path="/pump", mode="summary"
    )
    assert told["total"] == 43
    with CaptureQueriesContext(connection) as queries:
        agent.value("inventory_device_by_kind", continuation_token=token, mode="summary")
    # The view is asked whether it still answers, with one row.
    [asked] = [q["sql"] for q in queries if 'FROM "inventory_device"' in q["sql"]]
    assert asked.endswith("LIMIT 1")


def test_pages_of_a_list_that_is_no_queryset(agent):
    page = agent.value("inventory_lists_list")
    assert page["count"] == 500
    assert "live" not in page
    assert [row["n"] for row in agent.walk("inventory_lists_list", page)] == list(range(500))


def test_text_is_text(agent):
    assert agent.value("inventory_device_names").splitlines()[-1] == "device 6"


# -- views that nobody has decorated ---------------------------------------------------------------


def test_a_small_list_passes_as_the_api_gives_it(agent):
    assert [row["name"] for row in agent.value("inventory_location_list")] == [
        "hall 0",
        "hall 1",
        "hall 2",
    ]


def test_a_list_of_many_small_rows_passes_whole(agent):
    Location.objects.bulk_create(Location(name=f"x{n}") for n in range(200))
    assert len(agent.value("inventory_location_list")) == 203


def test_a_list_over_the_threshold_answers_with_its_first_page(agent, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTO_NEGOTIATE_THRESHOLD": 5_000}
    Location.objects.bulk_create(Location(name=f"x{n:04}") for n in range(2_000))
    page = agent.value("inventory_location_list")
    assert (page["count"], len(page["results"]), page["live"]) == (2_003, 20, True)
    assert len(agent.walk("inventory_location_list", page)) == 2_003


def test_a_view_that_the_urlconf_has_decorated(agent):
    """The view is called through its decorator, which may guard the view."""
    assert len(agent.value("inventory_decorated_list")) == 3


def test_such_a_view_is_read_through_its_own_paginator(agent):
    first = agent.value("inventory_wrapped_list")
    assert (first["count"], len(first["results"])) == (3, 3)
    assert len(agent.value("inventory_wrapped_list", page=2)["results"]) == 1


def test_a_view_that_asks_its_paginator_for_more_has_its_own_pages(agent):
    told = agent.value("inventory_peculiar_list")
    assert (told["pages"], len(told["rows"])) == (2, 2)
    assert len(agent.value("inventory_peculiar_list", page=2)["rows"]) == 1


# -- others than agents ----------------------------------------------------------------------------


PLAIN = {
    "devices": {"count", "next", "previous", "results"},
    "readings": {"next", "previous", "results"},
    "limited": {"count", "next", "previous", "results"},
    "lists": {"count", "next", "previous", "results"},
    "devices/by_kind": {"router", "switch", "pump"},
}


@pytest.mark.parametrize("path", PLAIN)
def test_other_callers_see_no_change(ada, plant, path):
    agent = Agent.of(ada)
    said = agent.client.get(f"/api/{path}/", headers=agent.headers).json()
    assert said.keys() == PLAIN[path]
    if "next" in said:
        assert said["next"].startswith("http://testserver/api/")
        assert len(said["results"]) == 20


def test_nor_of_a_list_without_pages(ada, plant):
    agent = Agent.of(ada)
    said = agent.client.get("/api/unpaged/", headers=agent.headers).json()
    assert [row.keys() for row in said] == [{"id", "device", "taken", "value"}] * 95


def test_settings_of_a_decorator(agent):
    assert len(agent.value("inventory_reading_list")["results"]) == 10
