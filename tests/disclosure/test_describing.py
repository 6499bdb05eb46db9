"""Full descriptions on demand, and the errors of requests for them."""

import json

import pytest

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.describe_tools import (
    MOST_NAMES,
    DescribeContext,
    StoppedCall,
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


def selector(limit, **members):
    return DescribeContext(CATALOGUE, within(limit), keep, **members)


def ask(uri, limit=100_000, **members):
    told = described(selected(uri, CATALOGUE), selector(limit, **members))
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
    assert reply.pop("$available_tools") == 'read_file write_file "list/odd name"'
    (told,) = reply.values()
    assert "There is no tool" in told["error"]
    assert "root:" not in json.dumps(told)
    if "file" in name.lower():
        assert told["did_you_mean"][0] == "read_file"


def test_duplicates_and_empty_names_count_once():
    assert selected(URI + "?tools=a,,a, b ,a").names == ("a", "b")


@pytest.mark.parametrize("limit", [1_000, 2_000, 100_000])
def test_ten_thousand_names(limit):
    """The reply counts the omitted tools, and names as many as fit."""
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
    """The reply names the tools it describes, so that only these are granted."""
    chosen = selected(URI + "?tools=read_file,nothing,write_file")
    assert described(chosen, selector(700)).tools == ("read_file",)
    assert described(chosen, selector(9_999)).tools == ("read_file", "write_file")
    assert described(selected(URI), selector(9_999)).tools == ()


def test_names_that_are_no_text():
    assert selection([1, None, "a", ["b"]]).names == ("a",)


@pytest.mark.parametrize(
    ("uri", "is_ours"),
    [
        (URI, True),
        (URI + "?tools=a", True),
        (URI + "/x", True),
        ("resource://tool_descriptions?tools=a", True),
        ("file:///tool_descriptions", False),
    ],
)
def test_which_resource_it_is(uri, is_ours):
    assert is_descriptions(uri) is is_ours


MISSING = StoppedCall(CATALOGUE.get("read_file"), "path is missing.", "describe_them", "Again.")


def test_a_strict_gate_says_where_to_read():
    error = json.loads(description_required(MISSING, within(9_999)))["error"]
    assert error["code"] == "TOOL_DESCRIPTION_REQUIRED"
    assert error["resource_uri"] == uri_for("read_file")
    assert 'describe_them with tools: ["read_file"]' in error["instructions"][0]
    assert "description" not in error


@pytest.mark.parametrize(("limit", "brings"), [(10_000, "full"), (480, "summary"), (250, "")])
def test_a_teaching_gate_brings_the_description_along(limit, brings):
    error = json.loads(description_brought(MISSING, within(limit), keep))["error"]
    assert error["message"] == "path is missing."
    described = error.get("description", {})
    assert ("inputSchema" in described) == (brings == "full")
    assert ("continuation_token" in described) == (brings == "summary")


def test_the_template_names_the_parameter():
    assert TEMPLATE == "resource:///tool_descriptions{?tools}"


def test_names_that_are_odd_but_right():
    """White space and commas may be part of a name."""
    known = {" sp ", "x,y"}
    assert selection([" sp ", " a "], known).names == (" sp ", "a")
    assert selected(uri_for("x,y", " sp "), known).names == ("x,y", " sp ")


def test_penstocks_own_tools_need_no_description():
    told = ask(URI + "?tools=read_result", ours=frozenset({"read_result"}))
    assert list(told) == ["read_result"]
    assert "notice" in told["read_result"]


def test_examples_are_of_the_way_that_was_taken():
    by_tool = ask(URI, is_tool=True)["error"]["examples"]
    assert by_tool == [{"tools": ["read_file"]}, {"tools": ["read_file", "write_file"]}]


def test_slips_are_looked_up_for_the_first_few():
    told = ask(URI + "?tools=" + ",".join(f"read_fil{n}" for n in range(10)))
    assert len([part for part in told.values() if "did_you_mean" in part]) == 3


def test_a_name_in_a_uri_that_is_no_unicode():
    assert selected(uri_for("a\ud800")).names
