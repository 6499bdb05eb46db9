"""Full descriptions on demand, and what is said to a question that cannot be answered."""

import json

import pytest

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.describing import (
    MOST_NAMES,
    Missing,
    described,
    description_brought,
    description_required,
    selected,
    selection,
)
from penstock.disclosure.uris import TEMPLATE, URI, is_descriptions, uri_for

CATALOGUE = Catalogue.from_tools(
    [
        {
            "name": name,
            "description": f"{name} does it. " + "More. " * 50,
            "inputSchema": {
                "title": "Args",
                "type": "object",
                "properties": {"path": {"type": "string", "title": "Path"}},
                "required": ["path"],
            },
        }
        for name in ("read_file", "write_file", "list/odd name")
    ]
)


def within(limit):
    return lambda reply: len(reply) <= limit


def keep(whole):
    return {"continuation_token": f"pen_{len(whole)}"}


def ask(uri, limit=100_000, **more):
    told = described(selected(uri), CATALOGUE, within(limit), keep, more)
    assert len(told.reply) <= limit
    return json.loads(told.reply)


def test_several_by_name():
    told = ask(URI + "?tools=read_file,write_file")
    assert list(told) == ["read_file", "write_file"]
    assert told["read_file"]["inputSchema"]["properties"] == {"path": {"type": "string"}}


@pytest.mark.parametrize("name", CATALOGUE.names)
def test_a_uri_leads_to_its_tool(name):
    assert list(ask(uri_for(name))) == [name]


@pytest.mark.parametrize("uri", [URI, URI + "?", URI + "?tools=", URI + "?tools=,,", URI + "?x=1"])
def test_no_names(uri):
    error = ask(uri)["error"]
    assert error["code"] == "MISSING_TOOL_SELECTION"
    assert error["examples"][0] == uri_for("read_file")
    assert "write_file" in error["available_tools"]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "..%2F..%2Fetc%2Fpasswd", "READ_FILE", "raed_file"]
)
def test_unknown_names_are_names_and_nothing_else(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reply = ask(f"{URI}?tools={name}")
    assert reply.pop("$available_tools") == "read_file, write_file, list/odd name"
    (told,) = reply.values()
    assert "There is no tool" in told["error"]
    assert "root:" not in json.dumps(told)
    if "file" in name.lower():
        assert told["did_you_mean"][0] == "read_file"


def test_duplicates_and_empty_names_count_once():
    assert selected(URI + "?tools=a,,a, b ,a").names == ("a", "b")


@pytest.mark.parametrize("limit", [1_000, 2_000, 100_000])
def test_ten_thousand_names(limit):
    """What was asked for and is not told is counted; the names that fit are named."""
    told = ask(URI + "?tools=" + ",".join(f"t{n}" for n in range(10_000)), limit=limit)
    answered = [name for name in told if not name.startswith("$")]
    assert told["$omitted"] + len(answered) == 10_000
    assert told.get("$ask_next", [])[:1] in ([f"t{len(answered)}"], [])
    assert len(answered) <= MOST_NAMES


def test_what_does_not_fit_is_named():
    told = ask(URI + "?tools=read_file,write_file", limit=600)
    assert list(told) == ["read_file", "$omitted", "$ask_next"]
    assert told["$omitted"] == 1
    assert told["$ask_next"] == ["write_file"]


def test_one_that_is_too_large_by_itself_is_summarised_with_the_way_to_the_rest():
    told = ask(URI + "?tools=read_file", limit=400)["read_file"]
    assert told["required"] == ["path"]
    assert told["summarised"] > 400
    assert told["description"].startswith("read_file does it.")
    assert told["continuation_token"] == f"pen_{told['summarised']}"


def test_only_what_was_told_is_told():
    """So that only that is granted."""
    chosen = selected(URI + "?tools=read_file,nothing,write_file")
    assert described(chosen, CATALOGUE, within(700), keep, {}).tools == ("read_file",)
    assert described(chosen, CATALOGUE, within(9_999), keep, {}).tools == (
        "read_file",
        "write_file",
    )
    assert described(selected(URI), CATALOGUE, within(9_999), keep, {}).tools == ()


def test_names_that_are_no_text():
    assert selection([1, None, "a", ["b"]]).names == ("a",)


@pytest.mark.parametrize(
    ("uri", "is_ours"),
    [
        (URI, True),
        (URI + "?tools=a", True),
        (URI + "x", False),
        ("file:///tool_descriptions", False),
    ],
)
def test_which_resource_it_is(uri, is_ours):
    assert is_descriptions(uri) is is_ours


MISSING = Missing(CATALOGUE.get("read_file"), "path is missing.", "describe_them")


def test_a_strict_gate_says_where_to_read():
    error = json.loads(description_required(MISSING, within(9_999)))["error"]
    assert error["code"] == "TOOL_DESCRIPTION_REQUIRED"
    assert error["resource_uri"] == uri_for("read_file")
    assert 'describe_them with tools: ["read_file"]' in error["instructions"][0]
    assert "description" not in error


@pytest.mark.parametrize(("limit", "brings"), [(10_000, "full"), (600, "summary"), (250, "")])
def test_a_teaching_gate_brings_the_description_along(limit, brings):
    error = json.loads(description_brought(MISSING, within(limit), keep))["error"]
    assert error["message"] == "path is missing."
    described = error.get("description", {})
    assert ("inputSchema" in described) == (brings == "full")
    assert ("continuation_token" in described) == (brings == "summary")


def test_the_template_names_the_parameter():
    assert TEMPLATE == "resource:///tool_descriptions{?tools}"
