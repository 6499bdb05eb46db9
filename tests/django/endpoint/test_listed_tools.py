"""The list of tools: a caller is shown the tools that it may call, and no others."""

import json

import pytest
from agents import LEGACY, MODERN, Agent
from django.contrib.auth.models import Permission
from django.core.checks import run_checks

from penstock.core.budget.measure import default_meter
from penstock.django import registry
from penstock.django.decorators import declared

pytestmark = pytest.mark.django_db

READ = {
    "inventory_device_list", "inventory_device_retrieve", "inventory_device_cheapest",
    "inventory_device_by_kind", "inventory_device_names", "inventory_location_list",
    "inventory_reading_list", "inventory_own_list", "inventory_health_get", "inventory_open_list",
    "echo", "greet", "stock.search",
}  # fmt: skip
WRITE = {
    "inventory_device_create", "inventory_device_update", "inventory_device_partial_update",
    "inventory_device_destroy", "inventory_device_retire", "inventory_device_bulk", "reset",
}  # fmt: skip
STAFF = {"inventory_staff_list", "inventory_staff_retrieve"}


def test_a_user_sees_what_he_may_call(agent):
    tools = agent.tools()
    assert tools.keys() >= READ | WRITE | {"read_result"}
    assert not tools.keys() & (STAFF | {"purge"})


def test_a_superuser_sees_it_all(admin):
    assert admin.tools().keys() >= READ | WRITE | STAFF | {"purge"}


def test_what_is_ignored_is_nobodys(admin):
    assert not [name for name in admin.tools() if "hidden" in name or "mcp" in name]


def test_anybody_sees_what_is_for_anybody(plant, settings):
    settings.PENSTOCK = {
        **settings.PENSTOCK, "PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    }  # fmt: skip
    assert Agent().tools().keys() == {
        "greet", "inventory_health_get", "inventory_open_list", "inventory_peculiar_list",
        "inventory_wrapped_list", "read_result",
    }  # fmt: skip


def test_permissions_of_models_are_followed(ada, plant):
    agent = Agent.of(ada)
    assert not [name for name in agent.tools() if name == "inventory_guarded_create"]
    ada.user_permissions.add(Permission.objects.get(codename="add_device"))
    assert "inventory_guarded_create" in agent.tools()


@pytest.mark.parametrize(
    ("tier", "seen"),
    [("read", READ), ("read_write", READ | WRITE), ("admin", READ | WRITE | {"purge"})],
)
def test_the_highest_tier_of_a_site(root, plant, settings, tier, seen):
    settings.PENSTOCK = {**settings.PENSTOCK, "MAX_TIER": tier}
    tools = Agent.of(root).tools().keys()
    assert tools >= seen
    assert not tools & ((READ | WRITE | {"purge"}) - seen)


def test_reading_is_all_that_is_exposed_by_itself(root, plant, settings):
    settings.PENSTOCK = {"STORE": "memory:", "LIST_FORM": "full"}
    tools = Agent.of(root).tools()
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values())


def test_one_tool_may_be_exposed_beyond_the_rest(root, plant, settings):
    settings.PENSTOCK = {
        **settings.PENSTOCK, "MAX_TIER": "read", "TOOL_MAX_TIER": {"*_retire": "read_write"},
    }  # fmt: skip
    assert Agent.of(root).tools().keys() & WRITE == {"inventory_device_retire"}


TIERS = {
    "gateway_site.tiers.nobody": set(),
    "gateway_site.tiers.reader": READ,
    "gateway_site.tiers.writer": READ | WRITE,
    "gateway_site.tiers.broken": set(),
    "gateway_site.tiers.odd": set(),
}


@pytest.mark.parametrize("function", TIERS)
def test_a_function_gives_a_request_its_tier(root, plant, settings, function):
    settings.PENSTOCK = {**settings.PENSTOCK, "TIER": function}
    tools = Agent.of(root).tools().keys() - {"read_result"}
    assert tools & (READ | WRITE | {"purge"}) == TIERS[function]


def test_lists_of_names(root, plant, settings):
    settings.PENSTOCK = {
        **settings.PENSTOCK,
        "ALLOW": ["inventory_device_*"],
        "DENY": ["*_destroy"],
    }
    tools = Agent.of(root).tools().keys() - {"read_result"}
    assert "inventory_device_list" in tools
    assert "inventory_device_destroy" not in tools
    assert all(name.startswith("inventory_device_") for name in tools)


def test_views_may_be_left_out(ada, plant, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTODISCOVER": False}
    assert Agent.of(ada).tools().keys() == {
        "echo", "fail", "greet", "invalid", "missing", "odd", "reset", "stock.search", "unfit",
        "read_result",
    }  # fmt: skip


def test_a_list_is_for_one_caller(ada, plant):
    result = Agent.of(ada, MODERN).ask("tools/list")
    assert result["cacheScope"] == "private"
    assert result["ttlMs"] > 0
    assert result["resultType"] == "complete"


def test_what_is_said_of_a_tool(agent):
    tools = agent.tools()
    listed = tools["inventory_device_list"]
    assert listed["description"].startswith("List the devices, filtered and ordered.")
    assert "Large" in listed["description"]
    assert {"kind", "search", "ordering", "price__lte", "continuation_token"} <= {
        *listed["inputSchema"]["properties"]
    }
    assert "x-penstock" not in str(listed)
    made = tools["inventory_device_create"]
    assert {"name", "location"} <= {*made["inputSchema"]["required"]}
    assert "owner" not in made["inputSchema"]["properties"]
    assert made["inputSchema"]["properties"]["name"]["description"] == "As it stands on the label."
    assert made["annotations"]["readOnlyHint"] is False
    assert tools["inventory_device_destroy"]["annotations"]["destructiveHint"] is True


def test_required_arguments_of_a_heavy_function(agent):
    schema = agent.tools()["stock.search"]["inputSchema"]
    assert "required" not in schema
    assert "Required on the first call" in schema["properties"]["continuation_token"]["description"]
    assert "warehouse" in agent.error("stock.search")["error"]


@pytest.mark.parametrize("form", ["auto", "brief", "index"])
def test_a_long_list_is_kept_to_its_budget(ada, plant, settings, form):
    settings.PENSTOCK = {**settings.PENSTOCK, "LIST_FORM": form}
    agent = Agent.of(ada)
    listed = agent.tools()
    assert len(str(listed)) < 14_000
    called = agent.value("inventory_device_retrieve", pk=plant[0].pk)
    assert called["id"] == plant[0].pk


def test_a_greeting(ada, plant):
    hello = Agent.of(ada, LEGACY).ask(
        "initialize",
        {
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    )
    assert hello["protocolVersion"] == LEGACY
    assert "too large to send is stored" in hello["instructions"]
    assert "dev.penstock/results" in hello["capabilities"]["experimental"]
    found = Agent.of(ada, MODERN).ask("server/discover")
    assert found["supportedVersions"] == [MODERN]
    assert "dev.penstock/results" in found["capabilities"]["extensions"]


def test_two_functions_of_one_name_are_an_error(monkeypatch):
    monkeypatch.setattr("penstock.django.registry.declared", [*declared, declared[0]])
    (found,) = [message for message in run_checks() if message.id == "penstock.E006"]
    assert repr(declared[0].name) in found.msg


def test_a_large_api_fits_its_budget(root, plant, settings):
    """The list of more than 1,800 endpoints leads to one of them, which is then called."""
    settings.ROOT_URLCONF = "gateway_site.many_urls"
    settings.PENSTOCK = {"STORE": "memory:", "MAX_TIER": "read_write"}
    agent = Agent.of(root)
    listed = agent.ask("tools/list")
    assert default_meter().count(json.dumps(listed, separators=(",", ":"))) <= 2_000
    names = {tool["name"] for tool in listed["tools"]}
    assert names == {
        "find_tools", "describe_tools", "call_read_only_tool", "call_tool", "run_python",
        "read_result",
    }  # fmt: skip
    found = agent.value("find_tools", query="resource 217 retrieve")
    name = "area1_resource217_retrieve"
    assert name in json.dumps(found)
    told = agent.value("call_read_only_tool", name=name, arguments={"pk": plant[4].pk})
    assert told["id"] == plant[4].pk
    assert len(registry.tools()) > 1_800


def test_a_pattern_that_no_tool_matches_is_told(settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "DENY": ["device_destroy", "inventory_device_*"]}
    found = [message.msg for message in run_checks() if message.id == "penstock.W005"]
    assert len(found) == 1
    assert "'device_destroy'" in found[0]


def test_views_that_take_passwords_are_no_tools(root, plant, settings):
    settings.ROOT_URLCONF = "gateway_site.login_urls"
    assert not [name for name in Agent.of(root).tools() if "token" in name or "schema" in name]
