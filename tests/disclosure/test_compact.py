"""Compact descriptions: what a call needs, and nothing twice."""

import json

import jsonschema_rs
import pytest
from described_arguments import arguments_for
from real_lists import SERVERS, tools_of

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.compact_description import compact_description
from penstock.disclosure.describe_tools import DescribeContext, described, selection
from penstock.disclosure.schemas.compact import CompactSchema

TEXT = {"type": "string"}
NUMBER = {"type": "integer", "minimum": -(2**53) + 1, "maximum": 2**53 - 1}
STAMP = {
    "type": "string",
    "format": "date-time",
    "pattern": "^[0-9]{4}-.*$",
    "description": "A timestamp in ISO 8601.",
}
MANY = {"type": "object", "properties": dict.fromkeys("abcd", TEXT), "required": ["c"]}
BODY = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "The unique identifier. Read-only."},
        "made": STAMP,
        "changed": {"anyOf": [STAMP, {"type": "null"}]},
        "size": {"type": "integer", "minimum": 3},
        "place": {"type": "object", "properties": {"city": TEXT, "far": MANY, "zip": TEXT}},
        "to": {"type": "array", "items": {"$ref": "#/$defs/person"}, "minItems": 1},
    },
    "required": ["to"],
}
TOOL = {
    "name": "send_mail",
    "title": "Send",
    "description": "Send a mail. It cannot be undone.",
    "annotations": {"readOnlyHint": True, "openWorldHint": True},
    "outputSchema": {"type": "object"},
    "inputSchema": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "body": BODY,
            "count": {**NUMBER, "description": "It cannot be undone. How many copies."},
            "mail": {"type": "string", "description": "The mail."},
            "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
            "other": {"type": "string", "pattern": "^[A-Z]{3}$"},
            "sort": {"anyOf": [TEXT, {"type": "array", "items": TEXT}]},
        },
        "required": ["body"],
        "$defs": {
            "person": {
                "type": "object",
                "properties": {"address": TEXT, "name": TEXT},
                "required": ["address"],
            },
            "unused": {"type": "object"},
        },
        "additionalProperties": False,
    },
}


def compact(tool, said=None):
    (made,) = Catalogue.from_tools([tool])
    return json.loads(compact_description(made, set() if said is None else said).shown)


def of(**properties):
    schema = {"type": "object", "properties": properties}
    return compact({"name": "t", "inputSchema": schema})["inputSchema"]["properties"]


def ask(*names, tools=(TOOL,), **options):
    context = DescribeContext(Catalogue.from_tools(tools), lambda _: True, lambda _: {}, **options)
    return json.loads(described(selection(names), context).reply)


def test_a_description_holds_what_a_call_needs():
    assert compact(TOOL) == {
        "description": "Send a mail. It cannot be undone.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "body": {
                    "type": "object",
                    "properties": {
                        "made": "date-time: A timestamp in ISO 8601.",
                        "changed": "date-time",
                        "size": "int, minimum 3",
                        "place": "{city far:{c* …} zip}",
                        "to": "{address* name}[], minItems 1",
                    },
                    "required": ["to"],
                },
                "count": {"type": "integer", "description": "How many copies."},
                "mail": {"type": "string"},
                "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
                "other": {"type": "string", "description": "Pattern as for code."},
                "sort": {"type": ["string", "array"], "items": TEXT},
            },
            "required": ["body"],
        },
        "read_only": True,
    }


def test_a_sentence_is_said_once_in_a_reply():
    later = {**TOOL, "name": "later"}
    reply = ask("send_mail", "later", tools=[TOOL, later])
    assert "copies" in reply["send_mail"]["inputSchema"]["properties"]["count"]["description"]
    assert "description" not in reply["later"]["inputSchema"]["properties"]["count"]


def test_the_reply_says_how_to_get_what_is_left_out_only_if_something_is():
    assert '"whole": true' in ask("send_mail", is_tool=True)["$whole"]
    assert "&whole=true" in ask("send_mail")["$whole"]
    assert "$whole" not in ask("small", tools=[{"name": "small", "description": "It is small."}])


def test_the_whole_is_there_on_demand():
    reply = ask("send_mail", is_whole=True)
    assert list(reply) == ["send_mail"]
    shown = reply["send_mail"]
    assert shown["outputSchema"] == TOOL["outputSchema"]
    assert "id" in shown["inputSchema"]["properties"]["body"]["properties"]


def test_long_texts_end_with_a_sentence_and_long_choices_are_marked():
    told = of(a={"type": "string", "description": "First it runs. " + "Then it walks on. " * 20})
    assert told["a"]["description"] == "First it runs. Then it walks on."
    told = of(a={"type": "string", "description": f"First it runs. {'Then ' * 40}it ends."})
    assert told["a"]["description"] == "First it runs. …"
    assert of(a={"enum": [*range(80)]})["a"]["enum"][-2:] == [59, "…"]


@pytest.mark.parametrize(
    "text",
    ["> 0", "# of results", "- for stdin", "* matches all", "Use __all__ or x_*_y.",
     "One of:\n- a: fast\n- b: slow", "Do not mail.", "In % of mails."],
)  # fmt: skip
def test_the_text_of_a_parameter_keeps_its_signs(text):
    assert of(mail={"type": "string", "description": text})["mail"]["description"] == text


def test_sentences_that_differ_in_a_sign_are_both_said():
    told = of(a={"description": "Counts > 0."}, b={"description": "Counts < 0."})
    assert [each["description"] for each in told.values()] == ["Counts > 0.", "Counts < 0."]


def test_a_pattern_that_was_shown_in_a_list_is_shown_again():
    code = {"type": "string", "pattern": "^[A-Z]{3}$"}
    told = of(codes={"type": "array", "items": code}, one=code, other={**code, "description": "X."})
    assert told["codes"]["items"] == told["one"] == code
    assert told["other"] == {"type": "string", "description": "X. Pattern as for one."}
    keys = of(x={"type": "object", "properties": {"one": code, "other": code}})["x"]["properties"]
    assert keys == {"one": "str, pattern ^[A-Z]{3}$", "other": "str, pattern as for one"}


def test_a_deep_schema_ends_with_a_mark():
    schema = TEXT
    for _ in range(400):
        schema = {"anyOf": [schema, {"type": "integer", "minimum": 1}]}
    (made,) = Catalogue.from_tools([{"name": "t", "inputSchema": schema}])
    description = compact_description(made, set())
    assert description.is_cut
    assert '{"description":"…"}' in description.shown.decode()


def test_a_schema_that_cannot_be_read_becomes_an_open_one(caplog):
    class Unreadable(dict):
        def get(self, *_):
            raise RecursionError

    schema = CompactSchema(Unreadable(), "t")
    assert schema.made() == {"type": "object"}
    assert schema.is_cut
    assert "cannot be read" in caplog.text


def test_a_required_name_without_a_schema_stays():
    bare = {"name": "t", "inputSchema": {"properties": {"a": TEXT}, "required": ["a", "b"]}}
    assert compact(bare)["inputSchema"]["required"] == ["a", "b"]
    nested = {"type": "object", "properties": {"a": TEXT}, "required": ["b"]}
    assert of(x=nested)["x"]["properties"] == {"a": "str", "b": "any"}


@pytest.mark.parametrize("keyword", ["anyOf", "allOf", "properties"])
def test_references_that_multiply_end(keyword):
    """A schema of 60 definitions, each used twice by the one before, has 2 to the 60 places."""

    def twice(number):
        both = [{"$ref": f"#/$defs/d{number + 1}"}, {"$ref": f"#/$defs/d{number + 1}"}]
        below = dict(zip("ab", both, strict=True)) if keyword == "properties" else both
        return {"type": "object", keyword: below}

    defs = {f"d{number}": twice(number) for number in range(60)}
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs}
    (made,) = Catalogue.from_tools([{"name": "t", "inputSchema": schema}])
    assert compact_description(made, set()).is_cut


@pytest.mark.parametrize(
    "schema",
    [
        "none",
        {"type": 5},
        {"properties": [1]},
        {"properties": {"a": True, "b": False, "c": 7}},
        {"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/nowhere"}}},
        {"properties": {"a": {"dependencies": {"x": ["y"]}, "items": [{"type": "null"}]}}},
    ],
)
def test_odd_schemas(schema):
    assert compact({"name": "t", "description": "It is odd.", "inputSchema": schema})


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("everything", [False, True])
def test_arguments_as_described_are_valid(server, everything):
    tools = tools_of(server)
    assert tools
    for tool in [*tools, TOOL]:
        given = arguments_for(compact(tool), everything=everything)
        faults = [
            error.message
            for error in jsonschema_rs.validator_for(tool["inputSchema"]).iter_errors(given)
            if "does not match" not in error.message  # the pattern is shown, and not read here
        ]
        assert not faults, (tool["name"], given)
