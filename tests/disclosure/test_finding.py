"""Replies of `find_tools`."""

import json

import pytest

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.search.find_tools import MOST_FOUND, Finder

CATALOGUE = Catalogue.from_tools(
    [
        {
            "name": "create_issue",
            "description": "Open a new issue in a repository. It needs rights.",
            "inputSchema": {
                "properties": {
                    "labels": {"type": "array", "items": {"type": "string"}},
                    "priority": {"enum": ["low", "high"]},
                    "title": {"type": "string"},
                    "milestone": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                },
                "required": ["title"],
            },
        },
        {
            "name": "read_mail",
            "description": "Read the mail.",
            "annotations": {"readOnlyHint": True},
        },
        {
            "name": "secret_widget",
            "description": "Refresh the issue widget.",
            "_meta": {"ui": {"visibility": ["app"]}},
        },
        *({"name": f"file_issue_{n}", "description": f"File issue {n}."} for n in range(20)),
    ]
)


def find(query, limit=10_000):
    return json.loads(Finder(CATALOGUE).found(query, lambda reply: len(reply) <= limit))["tools"]


def test_parameters_with_their_choices_the_required_first():
    first = find("open an issue in the repository")[0]
    assert first["name"] == "create_issue"
    assert first["description"] == "Open a new issue in a repository."
    assert first["parameters"] == "title* labels:str[] priority:low|high milestone:int"


def test_what_only_reads_is_marked():
    assert find("read mail")[0]["read_only"] is True


def test_a_few_and_not_all():
    assert 1 <= len(find("issue")) <= MOST_FOUND


def test_tools_for_apps_alone_are_not_found():
    assert "secret_widget" not in [tool["name"] for tool in find("refresh widget")]


@pytest.mark.parametrize("limit", [40, 100, 300, 1_000])
def test_within_what_fits(limit):
    assert find("issue", limit)


def test_nothing_found():
    reply = json.loads(Finder(CATALOGUE).found("zebra quantum", lambda _: True))
    assert reply["tools"] == []
    assert "try other words" in reply["notice"]


def test_odd_schemas():
    odd = [
        {"name": "a", "description": "thing", "inputSchema": {"properties": [1], "required": "x"}},
        {"name": "b", "description": "thing", "inputSchema": {"properties": {"p": True}}},
        {"name": "c", "description": "thing", "inputSchema": {"properties": {"p": {"type": 7}}}},
    ]
    found = Finder(Catalogue.from_tools(odd)).found("thing", lambda _: True)
    assert len(json.loads(found)["tools"]) == 3


TEXT = {"type": "string"}


def tool(name, description="", required=(), hints=None, **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": hints}


def reply(query, *tools, limit=10_000):
    finder = Finder(Catalogue.from_tools(tools))
    return json.loads(finder.found(query, lambda reply: len(reply) <= limit))


def names(query, *tools):
    return [hit["name"] for hit in reply(query, *tools)["tools"]]


def test_the_sentence_that_matched_is_shown_beside_the_first():
    scenario = tool("update_scenario", "Change a scenario. It has limits. Use it to activate one.")
    (hit,) = reply("activate a scenario", scenario)["tools"]
    assert hit["description"] == "Change a scenario. Use it to activate one."
    (hit,) = reply("change a scenario", scenario)["tools"]
    assert hit["description"] == "Change a scenario."


def test_keys_one_level_down_are_shown_if_they_fit():
    body = {"type": "object", "properties": {"subject": TEXT, "importance": {"enum": [1, 2]}}}
    mail = tool("send_mail", "Send mail.", ["body"], body=body)
    assert reply("mail", mail)["tools"][0]["parameters"] == "body*:{subject importance:1|2}"
    assert reply("mail", mail, limit=90)["tools"][0]["parameters"] == "body*:obj"


def test_parameters_that_several_hits_take_are_named_once():
    shared = {"include_headers": {"type": "boolean"}, "page_size": {"type": "integer"}}
    told = reply(
        "mail",
        tool("list_mail", "List mail.", folder=TEXT, **shared),
        tool("get_mail", "Get mail.", ["id"], id=TEXT, **shared),
        tool("count_mail", "Count mail.", page_size=TEXT),
    )
    assert {hit["name"]: hit["parameters"] for hit in told["tools"]} == {
        "list_mail": "folder +1",
        "get_mail": "id* +1",
        "count_mail": "page_size",
    }
    assert told["shared_parameters"] == {"+1": "include_headers:bool page_size:int"}


def test_a_tool_that_deletes_comes_last_unless_it_is_asked_for():
    tools = [
        tool("delete_mail", "Delete mail."),
        tool("archive_mail", "Archive mail, or let it be."),
    ]
    assert names("my mail", *tools) == ["archive_mail", "delete_mail"]
    assert names("get rid of mail", *tools)[0] == "delete_mail"
    assert names("delete_mail", *tools)[0] == "delete_mail"


def test_a_query_that_reads_finds_tools_that_read_first():
    tools = [
        tool("update_list_item", "Update a list item."),
        tool("item_list_create", "Create a list item."),
        tool("list_site_list_items", "Get the collection of items of a list on a site."),
        tool("survey_list_items", "Look at items of some list.", hints={"readOnlyHint": True}),
    ]
    assert set(names("list items of a list", *tools)[:2]) == {
        "list_site_list_items",
        "survey_list_items",
    }
    assert names("create a list item", *tools)[0] == "item_list_create"


def test_a_schema_that_nests_too_deep_does_not_cost_the_other_hits():
    deep = {"type": "object", "properties": {"x": {"type": "string"}}}
    for _ in range(400):
        deep = {"anyOf": [deep]}
    bad = {"name": "send_bad", "description": "Sends a mail.", "inputSchema": deep}
    found = reply("send mail", bad, tool("send_mail", "Sends a mail.", to={"type": "string"}))
    told = {each["name"]: each["parameters"] for each in found["tools"]}
    assert told == {"send_bad": "…", "send_mail": "to"}
