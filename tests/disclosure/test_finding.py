"""Replies of `find_tools`."""

import json

import pytest

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.find_tools import MOST_FOUND, Finder

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
    assert first["parameters"] == {
        "title*": "string",
        "labels": "string[]",
        "priority": "low|high",
        "milestone": "integer",
    }
    assert next(iter(first["parameters"])) == "title*"


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
