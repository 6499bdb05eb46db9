"""Unusual views: no row is lost, no caller gets in unpermitted, and other clients see no change."""

import copy
import json

import pytest
from agents import Agent
from django.test import Client
from gateway_site.inventory.models import Device, Location

from penstock.django.missing_arguments import Lookups, NotedArguments, NotedQuery

NAME = "inventory_{}".format


@pytest.fixture
def odd(ada, plant, settings):
    settings.ROOT_URLCONF = "gateway_site.odd_urls"
    return Agent.of(ada)


def ids(rows):
    return [row["id"] for row in rows]


# -- functions --------------------------------------------------------------------------------------


def test_functions_that_are_ignored(odd):
    assert not [name for name in odd.tools() if "ignored" in name]


@pytest.mark.parametrize("view", ["heavy_above", "heavy_below"])
def test_functions_that_are_heavy(odd, view):
    said = odd.client.get(f"/api/{view}/", headers=odd.headers)
    assert said.status_code == 200
    assert len(said.json()) == 500
    page = odd.value(NAME(f"{view}_get"))
    assert page["count"] == 500
    assert len(odd.walk(NAME(f"{view}_get"), page)) == 500


def test_an_action_with_permissions_of_its_own(odd):
    assert NAME("partly_closed") not in odd.tools()


# -- lists ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    ["without_view_list", "asking_first_list", "own_paginator_get", "heavy_own_paginator_get"],
)
def test_a_view_that_pages_for_itself_keeps_its_pages(odd, view):
    """The agent gets one page, and learns that the API's own parameters lead to the others."""
    first = odd.value(NAME(view))
    assert (first["count"], len(first["results"])) == (130, 20)
    assert "one of the API's own pages" in odd.last.json()["result"]["content"][1]["text"]
    last = odd.value(NAME(view), page=7)
    assert len(last["results"]) == 10
    assert not set(ids(first["results"])) & set(ids(last["results"]))


def test_a_paginator_that_chooses_among_the_rows(odd):
    """A tool does not show what the API does not show."""
    assert odd.value(NAME("choosing_list"))["count"] == 120


def test_several_lists_in_one_answer(odd):
    told = odd.value(NAME("two_lists_list"))
    token = told.get("continuation_token")
    whole = odd.value("read_result", continuation_token=token, mode="full") if token else told
    assert (len(whole["devices"]), len(whole["locations"])) == (130, 3)


def test_rows_that_depend_on_each_other_are_made_from_all_of_them(odd):
    page = odd.value(NAME("ranked_list"))
    rows = odd.walk(NAME("ranked_list"), page)
    assert [row["rank"] for row in rows] == list(range(1, 131))
    assert "live" not in page


def test_a_serializer_that_leaves_some_out(odd):
    page = odd.value(NAME("choosy_list"))
    rows = odd.walk(NAME("choosy_list"), page)
    there = [device.pk for device in Device.objects.all() if device.pk % 4]
    assert ids(rows) == there
    assert page["count"] == len(there)


def test_a_page_in_a_form_of_its_own(odd):
    told = odd.value(NAME("meta_list"))
    assert told["unit"] == "EUR"
    assert len(told["data"]) == 3
    Location.objects.bulk_create(Location(name=f"x{n}") for n in range(60))
    assert len(odd.value(NAME("meta_list"))["results"]) == 63


def test_a_paginator_without_a_size(odd):
    assert len(odd.value(NAME("unsized_list"))) == 3


def test_rows_that_the_order_leaves_equal(odd):
    Location.objects.bulk_create(Location(name=f"x{n}") for n in range(100))
    page = odd.value(NAME("counted_list"))
    assert page["live"]
    assert len(set(ids(odd.walk(NAME("counted_list"), page)))) == 103


@pytest.mark.parametrize("view", ["random_list", "randomly_list", "joined_list"])
def test_rows_in_no_order(odd, view):
    page = odd.value(NAME(view))
    assert "live" not in page
    rows = odd.walk(NAME(view), page)
    assert len(rows) == page["count"]
    if view != "joined_list":
        assert len(set(ids(rows))) == 130


def test_a_list_that_grows_while_it_is_walked(odd):
    Location.objects.bulk_create(Location(name=f"x{n}") for n in range(40))
    page = odd.value(NAME("counted_list"))
    Location.objects.bulk_create(Location(name=f"y{n}") for n in range(40))
    rows = odd.walk(NAME("counted_list"), page)
    assert len(rows) == 83
    whole = odd.value(
        NAME("counted_list"), continuation_token=page["continuation_token"], mode="full"
    )
    assert len(whole) == 83


def test_another_list_of_the_same_length_is_read_again(odd):
    token = odd.value(NAME("counted_list"))["continuation_token"]

    def highest():
        told = odd.value(
            "read_result", continuation_token=token, mode="sql",
            query="SELECT max(id) AS high FROM result",
        )  # fmt: skip
        return told["items"][0]["high"]

    before = highest()
    Location.objects.order_by("id").first().delete()
    Location.objects.create(name="new")
    assert highest() > before


def test_fields_that_are_not_used_on_a_first_call_are_named(odd):
    page = odd.value(NAME("counted_list"), page=3)
    assert page["notices"] == ["Ignored without continuation_token: page."]


def test_a_tool_that_is_left_alone(odd, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "EXCEPT": [NAME("without_view_list"), "echo"]}
    assert odd.value("echo", text="a")["text"] == "a"
    assert len(odd.value(NAME("without_view_list"))["results"]) == 20
    assert len(odd.value(NAME("without_view_list"), page=2)["results"]) == 20


# -- requests ---------------------------------------------------------------------------------------


def test_what_a_view_writes_on_its_request_is_seen_by_no_other(odd, bob):
    odd.value(NAME("changing_get"))
    assert Agent.of(bob).value(NAME("showing_get")) == {"query": {}}


def test_a_parameter_that_is_called_as_ours(odd):
    told = odd.value(NAME("verifying_create"), name="a", verify=True)
    assert told == {"name": "a", "verify": True}


def test_a_delete_with_a_body(odd):
    assert odd.value(NAME("removing_destroy"), ids=[1, 2]) == {"removed": [1, 2]}


@pytest.mark.parametrize("view", ["searching", "calculating"])
def test_a_post_that_writes_nothing_answers_with_what_it_found(odd, view):
    told = odd.value(NAME(f"{view}_create"))
    assert told["total"] == 12_345 if view == "calculating" else len(told) == 10


def test_a_view_with_a_renderer_of_its_own(odd):
    assert odd.value(NAME("as_csv_get")) == [{"a": 1, "b": 2}]


def test_a_view_that_takes_forms(odd):
    assert odd.value(NAME("by_form_create"), name="a & b", verify=True) == {"name": "a & b"}


# A form, a body of JSON that becomes a form with its first file, and a form that only code reads.
UPLOADS = ["form_create", "uploading_create", "any_form_create"]
PICTURE = {"filename": 'a "b".png', "base64": "AQIN\nCg=="}
TABLE = {"filename": "t.csv", "text": "ä,b\r\n--1,2"}


@pytest.mark.parametrize("view", UPLOADS)
def test_files_as_base64_and_as_text(odd, view):
    told = odd.value(NAME(view), title="t", file=PICTURE, more=[TABLE], verify=True)
    assert told["files"] == [
        ["a %22b%22.png", "image/png", "01020d0a"],
        ["t.csv", "text/csv", TABLE["text"].encode().hex()],
    ]


@pytest.mark.parametrize("view", UPLOADS)
def test_a_stored_result_as_a_file(odd, view, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTO_NEGOTIATE_THRESHOLD": 1_000}
    token = odd.value(NAME("heavy_above_get"))["continuation_token"]
    file = {"filename": "rows.json", "text": f"@result:{token}#/0"}
    [[name, kind, content]] = odd.value(NAME(view), title="t", file=file, verify=True)["files"]
    assert (name, kind) == ("rows.json", "application/json")
    assert json.loads(bytes.fromhex(content))["n"] == 0


def test_a_view_that_takes_json_gets_a_form_only_for_files(odd):
    told = odd.value(NAME("uploading_create"), title="t", tags=["a", "b"], verify=True)
    assert told == {"sent": "application/json", "tags": ["a", "b"], "files": []}
    told = odd.value(NAME("form_create"), title="t", tags=["a", "b"], verify=True)
    assert told == {"sent": "multipart/form-data", "tags": ["a", "b"], "files": []}


def test_a_file_that_is_not_base64_is_refused(odd):
    file = {"filename": "a", "base64": "a?"}
    told = odd.error(NAME("form_create"), title="t", file=file)
    assert told["status_code"] == 400
    assert "not base64" in str(told["detail"]["file"])


FILE_NOTES = {
    "any_form_create": 'A file is {"filename": …, "text": …}, or has "base64" instead of "text".',
    "raw_create": "The body is a file, which cannot be sent here.",
}


@pytest.mark.parametrize(("view", "note"), FILE_NOTES.items(), ids=FILE_NOTES)
def test_a_body_of_files_that_only_code_reads_is_described(odd, view, note):
    assert odd.tools()[NAME(view)]["inputSchema"]["description"] == note


def test_a_write_that_answers_without_a_key_is_told_whole(odd):
    assert odd.value(NAME("importing_create"))["task_count"] == 1_500


def test_json_under_another_media_type_is_json(odd):
    assert odd.value(NAME("exporting_get")) == {"a": 1}
    assert odd.value(NAME("exporting_get"), lines=1) == '{"a": 1}\n{"a": 2}'


def test_a_redirection_is_no_result(odd):
    told = odd.error(NAME("redirecting_get"))
    assert told["status_code"] == 302
    assert "files.example" in told["error"]


# -- who calls --------------------------------------------------------------------------------------


def test_a_view_for_sessions_is_not_opened_by_a_token(odd):
    assert NAME("sessions_list") not in odd.tools()
    answer = odd.request(
        "tools/call", {"name": NAME("sessions_create"), "arguments": {"name": "x"}}
    )
    assert answer["error"]["code"] == -32602
    assert not Location.objects.filter(name="x").exists()


def test_a_view_for_sessions_is_opened_by_one(ada, odd):
    agent = Agent(client=Client(enforce_csrf_checks=True))
    agent.client.force_login(ada)
    agent.client.cookies["csrftoken"] = agent.headers["X-CSRFToken"] = "a" * 32
    assert len(agent.value(NAME("sessions_list"))) == 3
    assert agent.value(NAME("sessions_create"), name="x", verify=True)["name"] == "x"


def test_a_user_that_is_no_model_of_djangos(odd, settings):
    services = "gateway_site.inventory.odd_views.Services"
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTHENTICATION_CLASSES": [services]}
    service = Agent(headers={"X-Service": "billing"})
    assert "echo" in service.tools()
    assert NAME("tenant_get") not in service.tools()


def test_what_an_authenticator_leaves_on_a_request(odd):
    assert odd.value(NAME("tenant_get")) == {"tenant": "tenant of ada"}


def test_a_permission_that_needs_the_url(odd, plant):
    first, second = Location.objects.order_by("id")[:2]
    assert NAME("nested_list") in odd.tools()
    there = odd.value(NAME("nested_list"), location_pk=first.pk)
    assert len(there) == first.devices.count()
    assert odd.error(NAME("nested_list"), location_pk=second.pk)["status_code"] == 403


def test_permissions_that_ask_politely_for_what_is_not_there(odd):
    """A refusal counts for nothing if the permission looked for an argument that is missing."""
    tools = odd.tools()
    assert {NAME("polite_url_retrieve"), NAME("polite_query_get"), NAME("polite_body_create")} <= {
        *tools
    }
    assert odd.value(NAME("polite_url_retrieve"), key="open") == "in"
    assert odd.error(NAME("polite_url_retrieve"), key="other")["status_code"] == 403
    assert odd.value(NAME("polite_query_get"), key="open") == "in"
    assert odd.value(NAME("polite_body_create"), key="open") == {"in": "open"}


def test_permissions_that_take_all_arguments_at_once(odd, plant):
    pk = Location.objects.get(name="hall 0").pk
    assert odd.value(NAME("polite_kwargs_retrieve"), pk=pk) == "in"
    assert odd.error(NAME("polite_kwargs_retrieve"), pk=pk + 1)["status_code"] == 403
    for view in ("items", "copy"):
        assert odd.value(NAME(f"polite_{view}_get"), key="open") == "in"
    assert odd.value(NAME("polite_length_create"), key="open") == {"in": "open"}


def test_arguments_that_are_not_there_note_every_look():
    looks = (bool, len, list, dict, copy.copy, copy.deepcopy)
    looks += (lambda found: {**found}, lambda found: found | {}, lambda found: found == {})
    for kind in (NotedArguments, NotedQuery):
        for look in looks:
            looked_for = Lookups()
            look(kind(looked_for))
            assert looked_for.anything, (kind, look)


@pytest.mark.parametrize("view", ["behind_decorator", "behind_dispatch"])
def test_what_stands_before_a_view_is_asked_again(odd, ada, view):
    """A guard need not be a permission class: it may be a decorator or the view's `dispatch`."""
    ada.first_name = "let in"
    ada.save()
    token = odd.value(NAME(f"{view}_get"))["continuation_token"]
    assert odd.value("read_result", continuation_token=token)["items"]
    ada.first_name = ""
    ada.save()
    assert odd.client.get(f"/api/{view}/", headers=odd.headers).status_code == 403
    told = odd.error("read_result", continuation_token=token)
    assert told["error"].startswith("Continuation token expired or not found.")


def test_a_view_that_is_set_up_before_it_is_asked(odd):
    token = odd.value(NAME("set_up_get"))["continuation_token"]
    assert odd.value("read_result", continuation_token=token)["items"]


def test_a_post_of_a_list_that_is_no_write(odd):
    told = odd.value(NAME("looking_up_create"), items=[{"address": "a" * 90}] * 6)
    assert told == [{"found": "b" * 90}] * 6


def test_a_view_that_learns_something_before_it_lets_anybody_in(odd, plant, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTO_NEGOTIATE_THRESHOLD": 1_000, "BUDGET": "1kB"}
    Device.objects.filter(pk=plant[0].pk).update(notes="n" * 3_000)
    probe = odd.value(NAME("project_retrieve"), pk=plant[0].pk)
    token = probe["continuation_token"]
    assert (
        odd.value("read_result", continuation_token=token, path="/id", mode="full") == plant[0].pk
    )


def test_an_object_that_no_url_names(ada, odd, plant, settings):
    settings.PENSTOCK = {**settings.PENSTOCK, "AUTO_NEGOTIATE_THRESHOLD": 1_000, "BUDGET": "1kB"}
    first = Device.objects.order_by("id").first()
    Device.objects.filter(pk=first.pk).update(owner=ada, notes="n" * 3_000)
    token = odd.value(NAME("mine_retrieve"))["continuation_token"]
    Device.objects.filter(pk=first.pk).update(owner=None)
    told = odd.error("read_result", continuation_token=token)
    assert told["error"].startswith("Continuation token expired or not found.")


def test_what_one_caller_learns_is_not_told_to_another(ada, bob, plant, settings):
    """A tool that one caller may describe does not exist for another caller."""
    settings.PENSTOCK = {**settings.PENSTOCK, "LIST_FORM": "index"}
    one, other = Agent.of(ada), Agent.of(bob)
    one.tools(), other.tools()
    ada.is_staff = True
    ada.save()
    assert "staff_list" in str(one.ask("tools/list"))
    assert "inputSchema" in str(one.value("describe_tools", tools=["inventory_staff_list"]))
    told = other.call("describe_tools", tools=["inventory_staff_list"])
    unknown = other.call("describe_tools", tools=["inventory_stuff_list"])
    assert str(told).replace("staff", "stuff") == str(unknown)
    assert "inventory_staff" not in str(other.value("find_tools", query="staff"))


def test_the_order_of_one_page_is_that_of_the_view(odd):
    page = odd.value(NAME("without_view_list"))
    assert ids(page["results"]) == sorted(ids(page["results"]))
