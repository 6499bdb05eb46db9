"""Instructions for an agent whose list does not describe tools in full."""

import pytest

from penstock.disclosure import system_prompt
from penstock.disclosure.lists.workflow import (
    instructions,
    listed_resource,
    listed_template,
    workflow,
)
from penstock.disclosure.names import own_names
from penstock.wire.reader import INSTRUCTIONS

GATES = ("off", "teach", "strict")


@pytest.mark.parametrize("form", ["short", "signatures", "brief", "index"])
@pytest.mark.parametrize("gate", GATES)
def test_it_is_short_and_says_what_its_gate_does(gate, form):
    own = own_names([])
    told = instructions(gate, form, own)
    assert len(f"{INSTRUCTIONS}\n{told}") <= 512, "a host may show no more"
    assert ("refused" in told) == (gate == "strict")
    assert ("at once" in told) == (gate != "strict")
    steps = workflow(gate, form, own)
    assert len(steps) <= 512
    assert ("refused" in steps) == (gate == "strict")
    assert ("runs at once" in steps) == (gate == "teach")
    places = [steps.index(step) for step in ("PICK", "LEARN", "CALL")]
    assert places == sorted(places)


@pytest.mark.parametrize("gate", GATES)
def test_it_names_no_tool_that_is_not_listed(gate):
    unlisted = {name: f"({name})" for name in own_names([])}
    assert instructions(gate, "full") == ""
    assert instructions(gate, "short") == ""
    assert not any(name in instructions(gate, "") for name in unlisted)
    brief = instructions(gate, "brief", {"describe_tools": "describe_tools"})
    assert "describe_tools" in brief
    assert "find_tools" not in brief
    writes = {name: name for name in unlisted if name != "call_read_only_tool"}
    assert "call_read_only_tool" not in instructions(gate, "index", writes)
    assert "call_read_only_tool" not in workflow(gate, "index", writes)


@pytest.mark.parametrize("gate", GATES)
def test_before_the_list_is_known_only_a_strict_gate_needs_words(gate):
    assert bool(instructions(gate, "")) == (gate == "strict")


@pytest.mark.parametrize("form", ["brief", "index"])
def test_the_resource_says_how_it_is_read_and_what_fails(form):
    told = listed_resource("teach", form)["description"]
    assert "resource:///tool_descriptions?tools=NAME" in told
    assert "without ?tools= describes nothing" in told


def test_the_index_names_its_tools_as_they_are_called():
    own = own_names(["find_tools", "call_tool", "penstock_call_tool"])
    told = instructions("teach", "index", own) + workflow("teach", "index", own)
    assert "penstock_find_tools" in told
    assert "penstock_penstock_call_tool" in told
    assert " find_tools" not in told


def test_the_template_is_the_resource_with_a_parameter():
    assert listed_template("off", "brief")["uriTemplate"] == "resource:///tool_descriptions{?tools}"
    assert "uri" not in listed_template("off", "brief")


def test_a_prompt_for_a_server_that_lists_in_brief():
    tools = [{"name": "read", "description": "Reads."}, {"name": "bare"}]
    prompt = system_prompt(tools, [listed_resource("teach", "brief")])
    assert "- read: Reads." in prompt
    assert "- bare: no description" in prompt
    assert workflow("teach") in prompt


def test_a_prompt_for_any_other_server():
    assert "PICK" not in system_prompt([{"name": "read"}], [{"uri": "file:///a"}])


def test_a_server_of_another_make_gets_the_pattern_as_it_is():
    prompt = system_prompt([], [{"uri": "resource:///tool_descriptions"}])
    assert workflow("strict") in prompt
