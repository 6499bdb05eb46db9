"""Writes answer with what identifies the record; the rest can be read afterwards."""

import pytest
from gateway_site.inventory.models import Device

NOTES = "what the agent wrote itself. " * 20


def new(plant, **more):
    return {"name": "new", "location": plant[0].location_id, "notes": NOTES, **more}


def test_a_record_is_made_and_named(agent, plant):
    told = agent.value("inventory_device_create", **new(plant))
    made = Device.objects.get(name="new")
    assert told["id"] == made.pk
    assert told["status_code"] == 201
    assert told["name"] == "new"
    assert "notes" not in told
    token = told["continuation_token"]
    whole = agent.value("read_result", continuation_token=token, mode="full")
    assert whole["notes"] == NOTES.strip()
    assert told["data_size"] > len(NOTES)


def test_who_asks_gets_it_all(agent, plant):
    told = agent.value("inventory_device_create", **new(plant), verify=True)
    assert told["notes"] == NOTES.strip()
    assert "continuation_token" not in told


@pytest.mark.parametrize("action", ["update", "partial_update"])
def test_a_record_is_changed(agent, plant, action):
    given = new(plant) if action == "update" else {"notes": NOTES}
    told = agent.value(f"inventory_device_{action}", pk=plant[3].pk, **given)
    assert (told["id"], told["status_code"]) == (plant[3].pk, 200)
    assert Device.objects.get(pk=plant[3].pk).notes == NOTES.strip()


def test_an_action_that_writes(agent, plant):
    told = agent.value("inventory_device_retire", pk=plant[0].pk)
    assert told["id"] == plant[0].pk
    assert Device.objects.get(pk=plant[0].pk).notes == "retired"


def test_many_at_once(agent, plant):
    items = [new(plant, name=f"bulk {n}") for n in range(30)]
    told = agent.value("inventory_device_bulk", items=items)
    assert (told["count"], told["status_code"]) == (30, 201)
    assert len(told["written"]) == 20
    assert told["written_omitted"] == 10
    rows = agent.value("read_result", continuation_token=told["continuation_token"], page_size=30)
    assert rows["total"] == 30
    assert Device.objects.filter(name__startswith="bulk").count() == 30


def test_a_record_is_removed(agent, plant):
    assert agent.value("inventory_device_destroy", pk=plant[0].pk) == {"status_code": 204}
    assert not Device.objects.filter(pk=plant[0].pk).exists()


def test_a_site_may_want_it_all(agent, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "LEAN_WRITES": False}
    told = agent.value("inventory_device_partial_update", pk=Device.objects.first().pk, notes="a")
    assert told["notes"] == "a"
    assert "verify" not in agent.tools()["inventory_device_create"]["inputSchema"]["properties"]


def test_what_the_api_refuses_is_said_in_its_words(agent, plant):
    told = agent.error("inventory_device_create", name="x" * 81, location=plant[0].location_id)
    assert told["error"].startswith("name: ")
    told = agent.error("inventory_device_create", name="x", location=10**6)
    assert told["status_code"] == 400
    assert "location" in told["detail"]
    assert not Device.objects.filter(name="x").exists()
