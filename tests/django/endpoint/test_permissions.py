"""A stored result belongs to its caller, as long as the caller may use the tool it came from."""

import pytest
from agents import LEGACY, Agent
from django.contrib.auth.models import Permission
from django.core.cache import cache
from django.test import Client
from gateway_site.inventory.models import Device, Location
from gateway_site.inventory.views import DeviceViewSet, LocationViewSet
from rest_framework.throttling import UserRateThrottle
from rest_framework_simplejwt.authentication import JWTAuthentication
from rest_framework_simplejwt.tokens import AccessToken

REFUSED = "Continuation token expired or not found."


def is_refused(agent, tool, token):
    for name in (tool, "read_result"):
        assert agent.error(name, continuation_token=token)["error"].startswith(REFUSED)


@pytest.fixture
def guarded(ada, plant, era):
    """Return the agent of a user with permissions that can be taken away."""
    ada.user_permissions.add(Permission.objects.get(codename="view_device"))
    ada.user_permissions.add(Permission.objects.get(codename="change_device"))
    return Agent.of(ada, era)


def test_anothers_token(agent, bob, era):
    other = Agent.of(bob, era)
    for tool, arguments in (("inventory_device_list", {}), ("stock.search", {"warehouse": "a"})):
        token = agent.value(tool, **arguments)["continuation_token"]
        is_refused(other, tool, token)
        assert agent.value(tool, continuation_token=token)["items"]


def test_another_tools_token(agent):
    token = agent.value("inventory_device_list")["continuation_token"]
    told = agent.error("stock.search", continuation_token=token)
    assert told["error"].startswith(REFUSED)


def test_a_user_who_is_let_in_no_more(ada, agent):
    """The user loses access between the probe and the page."""
    page = agent.value("inventory_device_list")
    ada.is_active = False
    ada.save()
    given = {"continuation_token": page["next"]}
    agent.request("tools/call", {"name": "inventory_device_list", "arguments": given})
    assert agent.last.status_code == 401


def test_staff_no_more(root, plant, settings, era):
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTO_NEGOTIATE_THRESHOLD": 2_000, "BUDGET": "2kB"}
    agent = Agent.of(root, era)
    Device.objects.filter(pk=plant[0].pk).update(notes="n" * 3_000)
    live = agent.value("inventory_staff_list")
    stored = agent.value("inventory_staff_retrieve", pk=plant[0].pk)
    assert live["live"]
    root.is_staff = False
    root.save()
    is_refused(agent, "inventory_staff_list", live["next"])
    is_refused(agent, "inventory_staff_retrieve", stored["continuation_token"])


def test_an_object_that_is_his_no_more(ada, plant, settings, era):
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTO_NEGOTIATE_THRESHOLD": 1_000, "BUDGET": "1kB"}
    device = plant[0]
    device.owner, device.notes = ada, "n" * 3_000
    device.save()
    agent = Agent.of(ada, era)
    probe = agent.value("inventory_own_retrieve", pk=device.pk)
    token = probe["continuation_token"]
    assert agent.value("read_result", continuation_token=token, path="/name", mode="full")
    Device.objects.filter(pk=device.pk).update(owner=None)
    is_refused(agent, "inventory_own_retrieve", token)


def test_an_object_that_is_anothers(agent, plant):
    told = agent.error("inventory_own_retrieve", pk=plant[0].pk)
    assert told["status_code"] == 403
    told = agent.error("inventory_own_retrieve", pk=10**9)
    assert told["status_code"] == 404


def test_a_tool_that_is_not_for_him_reads_like_one_that_is_not_there(agent):
    codes = []
    for name in ("inventory_staff_list", "no_such_tool"):
        error = agent.request("tools/call", {"name": name, "arguments": {}})["error"]
        told, _, near = error["message"].partition(" Did you mean ")
        codes.append((error["code"], told.replace(name, "")))
        assert "inventory_staff_list" not in near
    assert codes[0] == codes[1]
    assert codes[0][0] == -32602


def test_model_permissions(guarded, plant, ada):
    told = guarded.value("inventory_guarded_partial_update", pk=plant[0].pk, notes="x" * 500)
    assert told["id"] == plant[0].pk
    ada.user_permissions.clear()
    is_refused(guarded, "inventory_guarded_partial_update", told["continuation_token"])


# -- who calls ------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["initialize", "tools/list", "tools/call", "ping"])
def test_nobody_is_asked_who_he_is(era, method):
    agent = Agent(era)
    answer = agent.request(method, {"name": "echo"})
    assert agent.last.status_code == 401
    assert agent.last["WWW-Authenticate"] == "Token"
    assert answer["error"]["code"] == -32001


@pytest.mark.django_db
def test_a_bad_token_is_refused(era):
    agent = Agent(era, headers={"Authorization": "Token nobody"})
    agent.request("tools/list")
    assert agent.last.status_code == 401
    assert agent.last["WWW-Authenticate"] == "Token"


def test_an_anonymous_token_is_of_its_bearer_and_of_no_user(plant, ada, settings):
    settings.PENSTOCK = {
        **settings.PENSTOCK,
        "PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
        "AUTO_NEGOTIATE_THRESHOLD": 1_000,
    }
    Location.objects.bulk_create(Location(name=f"x{n}") for n in range(100))
    anybody = Agent(LEGACY)
    page = anybody.value("inventory_open_list")
    assert page["live"]
    token = page["continuation_token"]
    assert anybody.value("inventory_open_list", continuation_token=token)["items"]
    assert Agent(LEGACY).value("inventory_open_list", continuation_token=token)["items"]
    is_refused(Agent.of(ada), "inventory_open_list", token)


def test_anybody_who_wants_more_is_asked_who_he_is(plant, settings):
    settings.PENSTOCK = {
        **settings.PENSTOCK, "PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    }  # fmt: skip
    agent = Agent(LEGACY)
    assert agent.value("greet") == "hello"
    for name in ("inventory_device_list", "no_such_tool"):
        agent.request("tools/call", {"name": name, "arguments": {}})
        assert agent.last.status_code == 401


def test_a_session_needs_its_csrf_token(ada, plant):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    agent = Agent(LEGACY, client)
    agent.request("tools/list")
    assert agent.last.status_code == 403
    client.cookies["csrftoken"] = "a" * 32
    agent.headers["X-CSRFToken"] = "a" * 32
    assert agent.value("echo", text="a")["user"] == "ada"
    told = agent.value("inventory_device_partial_update", pk=plant[0].pk, notes="by session " * 40)
    assert told["id"] == plant[0].pk


def test_throttles_are_the_sites(agent, monkeypatch):
    class Twice(UserRateThrottle):
        rate = "2/day"

    monkeypatch.setattr(LocationViewSet, "throttle_classes", (Twice,))
    cache.clear()
    for _ in range(2):
        agent.value("inventory_location_list")
    told = agent.error("inventory_location_list")
    assert told["status_code"] == 429
    assert "available in" in told["error"]


def test_a_bearer_token_as_the_site_has_it(ada, plant, settings, monkeypatch, era):
    """A class of another package authenticates for the endpoint and for the view."""
    monkeypatch.setattr(DeviceViewSet, "authentication_classes", (JWTAuthentication,))
    settings.PENSTOCK = {
        **settings.PENSTOCK,
        "AUTHENTICATION_CLASSES": ["rest_framework_simplejwt.authentication.JWTAuthentication"],
    }
    agent = Agent(era)
    agent.request("tools/list")
    assert agent.last.status_code == 401
    assert agent.last["WWW-Authenticate"].startswith("Bearer")
    agent.headers["Authorization"] = f"Bearer {AccessToken.for_user(ada)}"
    assert agent.value("echo", text="a")["user"] == "ada"
    assert agent.value("inventory_device_list")["count"] == len(plant)
    # A view with another authentication class lets nobody in.
    assert "inventory_guarded_list" not in agent.tools()
    agent.headers["Authorization"] += "x"
    agent.request("tools/list")
    assert agent.last.status_code == 401
