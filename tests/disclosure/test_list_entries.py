"""Entries of tools in shorter lists: the parameters stay when the words go."""

import json

import jsonschema_rs
import pytest
from real_lists import SERVERS, tools_of

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.lists.entries import Detail, entry
from penstock.disclosure.schemas.bare import bare_schema, lean_schema

SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "title": "Path", "description": "The path of the file to read."},
        "head": {
            "type": "integer",
            "minimum": 1,
            "description": "Only the first lines. Not with tail.",
        },
        "mode": {"enum": ["fast", "slow"], "default": "fast"},
        "more": {
            "type": "object",
            "properties": {"deep": {"type": "array", "items": {"type": "string", "minLength": 2}}},
            "additionalProperties": False,
        },
    },
    "required": ["path"],
}


def tool(**members):
    told = {"name": "read_file", "description": "Reads a file. At length.", "inputSchema": SCHEMA}
    (found,) = Catalogue.from_tools([{**told, **members}])
    return found


def shown(detail, **members):
    return json.loads(entry(tool(**members), detail, "Reads a file."))


def test_a_description_that_repeats_the_names_is_left_out():
    properties = lean_schema(tool())["properties"]
    assert properties["path"] == {"type": "string"}
    assert properties["head"]["description"] == "Only the first lines. Not with tail."
    assert properties["mode"] == SCHEMA["properties"]["mode"]


@pytest.mark.parametrize(
    "text",
    ["Required if type is list.", "Only for list.", "The path in %.", "Do not read the file.",
     "Up to 5 files.", "The path (file).", "The 'file'.", "Don't read.", "Requires file."],
)  # fmt: skip
def test_a_description_with_a_condition_or_a_sign_stays(text):
    path = {"type": "string", "description": text}
    found = tool(inputSchema={"type": "object", "properties": {"path": path}})
    assert lean_schema(found)["properties"]["path"]["description"] == text


def test_a_bare_schema_has_names_types_and_choices():
    assert bare_schema(tool()) == {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "head": {"type": "integer"},
            "mode": {"enum": ["fast", "slow"]},
            "more": {
                "type": "object",
                "properties": {"deep": {"type": "array", "items": {"type": "string"}}},
            },
        },
        "required": ["path"],
    }


def test_a_parameter_that_a_client_repeats_in_a_header_stays_whole():
    region = {"type": "string", "x-mcp-header": "Region", "pattern": "eu|us"}
    schema = {"type": "object", "properties": {"region": region, "x": {"type": "string"}}}
    for detail in (Detail.BRIEF, Detail.SIGNED, Detail.BARE):
        properties = shown(detail, inputSchema=schema)["inputSchema"]["properties"]
        assert properties["region"] == region


@pytest.mark.parametrize(
    ("detail", "description"),
    [
        (Detail.BRIEF, "Reads a file."),
        (Detail.SIGNED, "Reads a file. (path* head:int mode:fast|slow more:obj)"),
        (Detail.BARE, "Reads a file."),
        (Detail.SHORT, "Reads a file."),
        (Detail.LEAN, "Reads a file. At length."),
        (Detail.SLIM, "Reads a file. At length."),
        (Detail.FULL, "Reads a file. At length."),
    ],
)
def test_each_step_tells_more(detail, description):
    assert shown(detail)["description"] == description


def test_a_short_entry_has_a_few_words_on_each_parameter():
    properties = shown(Detail.SHORT)["inputSchema"]["properties"]
    assert properties["head"]["description"] == "Only the first lines."


@pytest.mark.parametrize("text", ["> 0", "# of lines", "- for stdin", "* for all", "__all__"])
def test_a_few_words_keep_their_signs(text):
    schema = {"type": "object", "properties": {"x": {"type": "string", "description": text}}}
    properties = shown(Detail.SHORT, inputSchema=schema)["inputSchema"]["properties"]
    assert properties["x"]["description"] == text


class Unreadable(DescribedTool):
    """A tool of which one part cannot be read."""

    @property
    def schema(self):
        raise RecursionError


def test_a_tool_whose_entry_cannot_be_made_is_listed_with_an_open_schema(caplog):
    found = Unreadable("odd", b'{"name":"odd","inputSchema":{}}')
    for detail in [*Detail][:-1]:
        listed = json.loads(entry(found, detail, "Prose."))
        assert (listed["name"], listed["description"]) == ("odd", "Prose.")
        assert listed["inputSchema"]["additionalProperties"] is True
    assert "odd is listed with an open schema" in caplog.text


def test_a_full_entry_is_the_servers_own():
    assert entry(tool(), Detail.FULL, "") == tool().raw


def test_a_tool_that_nests_too_deep_is_still_listed():
    deep = b'{"name":"deep","inputSchema":' + b'{"not":' * 2_000 + b"{}" + b"}" * 2_001
    found = DescribedTool("deep", deep)
    assert entry(found, Detail.FULL, "") == deep
    for detail in [*Detail][:-1]:
        assert json.loads(entry(found, detail, ""))["name"] == "deep"


@pytest.mark.parametrize("server", SERVERS)
def test_shorter_schemas_of_real_servers_are_schemas_that_require_the_same(server):
    for found in Catalogue.from_tools(tools_of(server)):
        for detail in (Detail.BARE, Detail.SHORT, Detail.LEAN, Detail.SLIM):
            schema = json.loads(entry(found, detail, "Prose."))["inputSchema"]
            jsonschema_rs.validator_for(schema)
            assert schema.get("required", []) == found.schema.get("required", [])
            assert list(schema["properties"]) == list(found.schema["properties"])
