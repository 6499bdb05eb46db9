"""Full descriptions on demand, and what is said to a question that cannot be answered."""

import json

import pytest

from penstock.disclosure import describing
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.describing import (
    MOST_NAMES,
    URI,
    described,
    description_required,
    is_descriptions,
    selected,
    selection,
    uri_for,
)

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


def ask(uri, limit=100_000):
    return json.loads(described(selected(uri), CATALOGUE, within(limit)))


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
    (told,) = ask(f"{URI}?tools={name}").values()
    assert "There is no tool" in told["error"]
    assert "root:" not in json.dumps(told)
    if "file" in name.lower():
        assert told["did_you_mean"][0] == "read_file"


def test_duplicates_and_empty_names_count_once():
    assert selected(URI + "?tools=a,,a, b ,a").names == ("a", "b")


def test_ten_thousand_names():
    told = ask(URI + "?tools=" + ",".join(f"t{n}" for n in range(10_000)), limit=2_000)
    assert told["$ignored"] == 10_000 - MOST_NAMES
    assert len(told["$omitted"]) + len(told) - 3 == MOST_NAMES


def test_what_does_not_fit_is_named():
    told = ask(URI + "?tools=read_file,write_file", limit=600)
    assert list(told) == ["read_file", "$omitted", "$next_step"]
    assert told["$omitted"] == ["write_file"]


def test_one_that_is_too_large_by_itself_is_summarised():
    told = ask(URI + "?tools=read_file", limit=200)["read_file"]
    assert told["parameters"] == ["path"]
    assert told["required"] == ["path"]
    assert told["summarised"] > 200


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


def test_a_strict_gate_says_where_to_read():
    tool = CATALOGUE.get("read_file")
    error = json.loads(description_required(tool, "Read it first.", within(9_999), teaches=False))
    assert error["error"]["code"] == "TOOL_DESCRIPTION_REQUIRED"
    assert error["error"]["resource_uri"] == uri_for("read_file")
    assert "description" not in error["error"]


@pytest.mark.parametrize("limit", [10_000, 800, 300])
def test_a_teaching_gate_brings_the_description_along(limit):
    tool = CATALOGUE.get("read_file")
    reply = description_required(tool, "path is missing.", within(limit), teaches=True)
    error = json.loads(reply)["error"]
    assert error["message"] == "path is missing."
    assert ("description" in error) == (limit > 300)


def test_the_template_names_the_parameter():
    assert describing.TEMPLATE == "resource:///tool_descriptions{?tools}"
