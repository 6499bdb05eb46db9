"""Tokens of nested lists: each use asks the view for what it checked at the first call, whatever the
keys in its path mean."""

import pytest
from agents import Agent
from django.contrib.auth.models import Permission
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from gateway_site.inventory.models import Device, Location
from gateway_site.inventory.nested_views import Atomic
from gateway_site.list_urls import REFUSING

ROWS = 400
REFUSED = "Continuation token expired or not found."
NESTED = {
    "queryset": "inventory_devices_list",
    "object": "inventory_hall_by_object",
    "lookup": "inventory_hall_by_lookup",
    "status": "inventory_hall_by_status",
}


@pytest.fixture
def hall(plant, settings):
    """Make a hall with many devices, none of which has the hall's own key."""
    settings.ROOT_URLCONF = "gateway_site.list_urls"
    made = Location.objects.create(name="annex")
    Device.objects.bulk_create(Device(name=f"d{n}", location=made) for n in range(ROWS))
    assert not made.devices.filter(pk=made.pk).exists()
    return made


@pytest.fixture
def holder(ada, hall, era):
    """Return the agent of a user with a key to the hall."""
    ada.last_name = hall.name
    ada.save()
    return Agent.of(ada, era)


@pytest.mark.parametrize("tool", NESTED.values(), ids=NESTED)
def test_a_nested_list_is_read_to_its_end(holder, hall, tool):
    page = holder.value(tool, pk=hall.pk)
    assert (page["count"], len(page["results"])) == (ROWS, 20)
    rows = holder.walk(tool, page)
    assert {row["id"] for row in rows} == {*hall.devices.values_list("pk", flat=True)}
    told = holder.value(
        "read_result", continuation_token=page["next"], mode="sql",
        query="SELECT count(*) AS n FROM result",
    )  # fmt: skip
    assert told["items"] == [{"n": ROWS}]


@pytest.mark.parametrize("tool", NESTED.values(), ids=NESTED)
def test_the_permission_of_the_parent_is_asked_again(holder, ada, hall, tool):
    token = holder.value(tool, pk=hall.pk)["next"]
    ada.last_name = "another hall"
    ada.save()
    assert holder.error(tool, continuation_token=token)["error"].startswith(REFUSED)


@pytest.mark.parametrize("tool", NESTED.values(), ids=NESTED)
def test_a_parent_that_is_deleted(holder, hall, tool):
    token = holder.value(tool, pk=hall.pk)["next"]
    hall.delete()
    assert holder.error(tool, continuation_token=token)["error"].startswith(REFUSED)


def test_the_check_reads_no_rows(holder, hall):
    token = holder.value(NESTED["queryset"], pk=hall.pk)["next"]
    with CaptureQueriesContext(connection) as queries:
        holder.value("read_result", continuation_token=token)
    said = [query["sql"] for query in queries if 'FROM "inventory_device"' in query["sql"]]
    assert ["COUNT(" in sql for sql in said] == [True, False]


def test_a_key_that_names_no_row(holder):
    """An action that looks up nothing is not refused because the queryset has no such row."""
    probe = holder.value("inventory_hall_in_year", pk=2026)
    page = holder.value("read_result", continuation_token=probe["continuation_token"])
    assert len(holder.walk("read_result", page)) == 365


@pytest.mark.django_db(transaction=True)
def test_the_check_is_made_in_a_transaction_if_the_site_wants_one(
    ada, plant, settings, monkeypatch
):
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    settings.ROOT_URLCONF = "gateway_site.list_urls"
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTO_NEGOTIATE_THRESHOLD": 1_000, "BUDGET": "1kB"}
    Device.objects.filter(pk=plant[0].pk).update(notes="n" * 3_000)
    agent = Agent.of(ada)
    token = agent.value("inventory_atomic_retrieve", pk=plant[0].pk)["continuation_token"]
    del Atomic.noted[:]
    agent.call("read_result", continuation_token=token)
    assert Atomic.noted == [True]


@pytest.mark.parametrize("view", REFUSING)
def test_a_view_that_refuses_in_its_own_way_is_asked_again(holder, ada, view):
    """No name in the code of the view says that it refuses callers."""
    ada.user_permissions.add(Permission.objects.get(codename="view_device"))
    tool = f"inventory_{view}_{'list' if view.startswith('List') else 'get'}"
    token = holder.value(tool)["continuation_token"]
    if view.startswith("List"):
        query = {"mode": "sql", "query": "SELECT * FROM result"}
        token = holder.value("read_result", continuation_token=token, **query)["continuation_token"]
    assert holder.value("read_result", continuation_token=token)["items"]
    ada.last_name = ""
    ada.save()
    ada.user_permissions.clear()
    assert holder.client.get(f"/api/{view}/", headers=holder.headers).status_code == 403
    assert holder.error("read_result", continuation_token=token)["error"].startswith(REFUSED)


def test_a_list_of_the_frameworks_is_not_called_for_the_check(holder, hall):
    """A page costs as many queries as without the check."""
    token = holder.value("inventory_ListAsEver_list")["next"]
    with CaptureQueriesContext(connection) as queries:
        holder.value("read_result", continuation_token=token)
    said = [query["sql"] for query in queries if 'FROM "inventory_device"' in query["sql"]]
    assert ["COUNT(" in sql for sql in said] == [True, False]
