"""A site of third-party packages, which nobody has prepared for agents."""

import logging
from itertools import chain, repeat

import pytest
from agents import Agent
from django.core.checks import run_checks
from django.core.management import call_command

from penstock.django import callers, registry

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def site(settings, tmp_path, monkeypatch):
    """Use the site of packages, and an empty folder for findings."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    settings.ROOT_URLCONF = "gateway_site.package_urls"


@pytest.fixture
def doctor(plant, capsys):
    """Return what the doctor tells."""

    def told():
        call_command("penstock_doctor", all=True)
        return capsys.readouterr().out

    return told


def by_rest(agent, path):
    return agent.client.get(path, headers=agent.headers).json()


# -- names -------------------------------------------------------------------------------------


def test_a_suffix_for_the_format_makes_no_second_tool(admin):
    found = registry.found()
    assert not [tool.path for tool in found.all if "{format}" in tool.path]
    assert "inventory_totals_get" in admin.tools()


def test_generic_views_have_the_names_that_a_router_gives(admin):
    paths = {tool.where: tool.name for tool in registry.tools().values() if "parts" in tool.path}
    assert paths == {
        "GET /api/parts/": "inventory_api_parts_list",
        "POST /api/parts/": "inventory_api_parts_create",
        "GET /api/parts/{pk}/": "inventory_api_parts_retrieve",
        "PUT /api/parts/{pk}/": "inventory_api_parts_update",
        "PATCH /api/parts/{pk}/": "inventory_api_parts_partial_update",
        "DELETE /api/parts/{pk}/": "inventory_api_parts_destroy",
        "GET /api/parts/{above}/": "inventory_api_parts_by_above_list",
        "GET /api/admin/parts/": "inventory_api_admin_parts_list",
        "POST /api/admin/parts/": "inventory_api_admin_parts_create",
        "GET /api/admin/parts/{pk}/": "inventory_api_admin_parts_retrieve",
        "PUT /api/admin/parts/{pk}/": "inventory_api_admin_parts_update",
        "PATCH /api/admin/parts/{pk}/": "inventory_api_admin_parts_partial_update",
        "DELETE /api/admin/parts/{pk}/": "inventory_api_admin_parts_destroy",
    }


# -- descriptions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("location_hosts_list", "List location hosts."),
        ("location_hosts_create", "Create a location."),
        ("locations_list", "List locations."),
        ("import_location_create", "Import location: an action on locations."),
        ("location_list_get", "Get location list."),
        ("described_create", "Create a location. The halls of the plant."),
    ],
)
def test_a_view_is_described_by_what_it_does(admin, tool, text):
    assert admin.tools()[f"inventory_{tool}"]["description"] == text


def test_a_list_is_described_with_its_filters(admin):
    text = admin.tools()["inventory_described_list"]["description"]
    assert text.startswith("List locations. The halls of the plant.\n\nYou can filter")
    assert "?name=a" in text


# -- passwords ---------------------------------------------------------------------------------

TAKING_PASSWORDS = {
    "inventory_own_token_create": "POST /api/own_token/",
    "inventory_login_create": "POST /api/login/",
    "inventory_users_create": "POST /api/users/",
}


def test_views_that_take_passwords_are_no_tools_and_the_doctor_says_why(admin, doctor):
    tools = admin.tools().keys()
    assert not tools & TAKING_PASSWORDS.keys()
    assert tools >= {"inventory_users_list", "inventory_login_get", "inventory_networks_create"}
    _, _, told = doctor().partition("3 endpoints are no tools: it takes a password; ")
    for name, where in TAKING_PASSWORDS.items():
        assert f"  - {where} ({name})\n" in told


@pytest.mark.parametrize(
    ("allowed", "seen"),
    [(["*"], set()), (["*", "inventory_login_create"], {"inventory_login_create"})],
)
def test_a_view_that_takes_a_password_is_a_tool_if_its_name_is_allowed(
    admin, settings, allowed, seen
):
    settings.PENSTOCK = {**settings.PENSTOCK, "ALLOW": allowed}
    tools = admin.tools().keys()
    assert tools & TAKING_PASSWORDS.keys() == seen
    assert "inventory_users_list" in tools


# -- answers -----------------------------------------------------------------------------------


def test_values_are_written_as_rest_framework_writes_them(admin):
    told = admin.value("inventory_totals_get")
    assert told == by_rest(admin, "/api/totals/")
    assert (told["sum"], told["lasts"]) == (0.1, "3600.0")


def test_a_new_record_is_answered_with_what_the_site_has_added(admin, plant):
    hall = plant[0].location_id
    told = admin.value("inventory_slots_create", hall=hall, notes="n" * 2_000)
    assert (told["name"], told["price"], told["kind"]) == ("slot 7", "1.50", "router")
    assert told["continuation_token"]
    assert "notes" not in told
    assert "seen" not in told


# -- query strings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "names", "is_open"),
    [
        ("inventory_chosen_list", {"letter", "least", "named"}, False),
        ("inventory_chosen_anyhow_list", {"least"}, True),
        ("inventory_statistics_get", {"days"}, True),
    ],
)
def test_parameters_that_only_code_names(admin, tool, names, is_open):
    schema = admin.tools()[tool]["inputSchema"]
    assert schema["properties"].keys() == names
    assert schema["additionalProperties"] is is_open


def test_a_parameter_that_no_code_reads_is_refused(admin, plant):
    rows = admin.value("inventory_chosen_list", named="hall", least=plant[1].location_id)
    assert [row["name"] for row in rows] == ["hall 1", "hall 2"]
    assert "title" in admin.error("inventory_chosen_list", title="hall 1")["error"]


# -- authentication ----------------------------------------------------------------------------

BEARER = "gateway_site.inventory.package_views.BearerAuthentication"


def strangers():
    return [one for one in run_checks() if one.id == "penstock.W007"]


def test_callers_whom_only_views_know_are_told(doctor, settings):
    (found,) = strangers()
    assert found.msg.startswith("2 tools authenticate callers by classes that the endpoint lacks")
    assert f"({BEARER})" in found.msg
    known = settings.REST_FRAMEWORK["DEFAULT_AUTHENTICATION_CLASSES"]
    wanted = ", ".join(f'"{one}"' for one in [BEARER, *known])
    assert found.hint == f'Set PENSTOCK["AUTHENTICATION_CLASSES"] to [{wanted}].'
    told = doctor()
    assert found.msg in told
    assert "; 2 tools know others, see penstock.W007." in told


def test_the_hint_cures_it(root, plant, doctor, settings):
    agent = Agent.of(root)
    agent.headers = {"Authorization": agent.headers["Authorization"].replace("Token", "Bearer")}
    agent.request("tools/list")
    assert agent.last.status_code == 401
    known = settings.REST_FRAMEWORK["DEFAULT_AUTHENTICATION_CLASSES"]
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTHENTICATION_CLASSES": [BEARER, *known]}
    assert not strangers()
    assert "W007" not in doctor()
    assert agent.value("inventory_hosts_create", name="a new one")["name"] == "a new one"


# -- advice ------------------------------------------------------------------------------------


def test_tools_for_sessions_only_are_told(admin, doctor):
    names = ["inventory_for_sessions_get", "inventory_sessions_get"]
    assert all(admin.error(name)["status_code"] == 302 for name in names)
    _, _, told = doctor().partition("2 tools refuse every caller without a session:")
    assert told.splitlines()[1:3] == [f"  - {name}" for name in names]


def test_one_tool_is_told_in_the_singular(doctor, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "ALLOW": ["inventory_sessions_get"]}
    assert "1 tool refuses every caller without a session:" in doctor()
    found = [one.msg for one in run_checks(include_deployment_checks=True)]
    assert any(one.startswith("1 tool refuses") for one in found)


def test_a_process_warns_once_of_permissions_that_need_arguments(
    admin, doctor, caplog, monkeypatch
):
    levels = chain([logging.WARNING], repeat(logging.DEBUG))
    monkeypatch.setattr(callers, "_LEVELS", levels)
    with caplog.at_level(logging.DEBUG, logger="penstock"):
        told = doctor()
        by_doctor = [one.levelno for one in caplog.records if "is not known" in one.message]
        caplog.clear()
        admin.tools()
    assert {*by_doctor} == {logging.DEBUG}
    found = [one.levelno for one in caplog.records if "is not known" in one.message]
    assert found == [logging.WARNING, logging.DEBUG]
    assert "2 tools are listed to callers that a call may refuse" in told
