"""Descriptions of tools as functions of Python."""

import ast
import json

import pytest
from real_lists import SERVERS, tools_of

from penstock.core.budget.measure import default_meter
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.compact_description import compact_description
from penstock.disclosure.describe_tools import DescribeContext, described, selection
from penstock.disclosure.python_description import python_description

METER = default_meter()
TEXT = {"type": "string"}


def made(properties, name="find_orders", description="Finds orders.", **members):
    schema = {"type": "object", "properties": properties, "required": ["city"]}
    members = {"annotations": {"readOnlyHint": True}, **members}
    listed = {"name": name, "description": description, "inputSchema": schema, **members}
    shown, is_cut = python_description(Catalogue.from_tools([listed]).get(name), set())
    return json.loads(shown), is_cut


def test_a_parameter_that_does_not_explain_itself_has_a_comment():
    told, is_cut = made(
        {
            "since": {**TEXT, "format": "date-time", "description": "Only those after this."},
            "city": {**TEXT, "description": "The city."},
            "limit": {"type": "integer", "minimum": 1, "default": 20},
        }
    )
    assert told == (
        "find_orders(city: str, since: str = ..., # format date-time. Only those after this.\n"
        "limit: int = 20 # minimum 1\n"
        ")\n"
        "Finds orders."
    )
    assert not is_cut


def test_a_tool_that_may_write_says_so():
    told, _ = made({"city": TEXT}, annotations={})
    assert told == "find_orders(city: str)  # may write\nFinds orders."


def test_keys_of_objects_are_explained_beside_their_parameter():
    edit = {
        "type": "object",
        "properties": {"old": {**TEXT, "description": "Must match exactly."}, "new": TEXT},
        "required": ["old", "new"],
    }
    told, _ = made({"city": TEXT, "edits": {"type": "array", "items": edit}})
    assert told.splitlines()[0] == (
        'find_orders(city: str, edits: list[{"old": str, "new": str}] = ... '
        "# old: Must match exactly."
    )


def test_an_object_with_many_keys_is_shown_as_a_schema():
    wide = {"type": "object", "properties": {f"key_{n}": TEXT for n in range(60)}}
    told, _ = made({"city": TEXT, "options": wide})
    assert '"key_59":"str"' in told
    assert "…" not in told


def test_choices_that_the_signature_leaves_out_are_told():
    told, is_cut = made({"city": {"enum": [f"city{n}" for n in range(20)]}})
    assert told.startswith('find_orders(city: str # one of ["city0","city1",')
    assert is_cut  # not all of them


def test_a_tool_that_only_call_can_call():
    told, _ = made({"city": {**TEXT, "description": "Not a town."}}, name="find-orders")
    assert told == 'call("find-orders", {"city": str # Not a town.\n})\nFinds orders.'


def test_a_long_description_ends_after_a_sentence_with_a_mark():
    told, is_cut = made({"city": TEXT}, description="It finds orders of a city. " * 30)
    assert told.endswith("of a city. …")
    assert len(told) < 500
    assert is_cut


def test_a_comment_has_one_line():
    told, _ = made({"city": {**TEXT, "description": "One of:\n- Berlin\n- Rome (not Roma)"}})
    assert told.splitlines()[0] == "find_orders(city: str # One of: - Berlin - Rome (not Roma)"


def test_the_members_of_a_folder_are_kept():
    catalogue = Catalogue.from_tools(
        [{"name": "a", "description": "Does.", "inputSchema": {"type": "object"}}]
    )
    tool = catalogue.get("a")
    more = type(tool)(tool.name, tool.raw, {"examples": [{"n": 1}]})
    assert 'examples: [{"n":1}]' in json.loads(python_description(more, set()).shown)


def test_whole_descriptions_stay_schemas():
    catalogue = Catalogue.from_tools(tools_of("filesystem"))
    ask = DescribeContext(catalogue, lambda _: True, dict, is_whole=True, is_python=True)
    told = json.loads(described(selection(["edit_file"]), ask).reply)
    assert told["edit_file"]["inputSchema"]["properties"]["edits"]["items"]["type"] == "object"


@pytest.mark.parametrize("server", SERVERS)
def test_the_tools_of_a_real_server_cost_less_than_as_schemas(server):
    tools = [*Catalogue.from_tools(tools_of(server))]
    python, schemas = (
        sum(METER.count(describe(tool, set()).shown.decode()) for tool in tools)
        for describe in (python_description, compact_description)
    )
    assert python < 0.9 * schemas


def test_a_signature_with_comments_is_python():
    told, _ = made({"city": {**TEXT, "description": "Not a town."}, "n": {"type": "integer"}})
    function = ast.parse(f"async def {told.removesuffix('Finds orders.').strip()}: ...").body[0]
    assert [argument.arg for argument in function.args.args] == ["city", "n"]
