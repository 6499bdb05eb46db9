"""What an agent is told of a list that does not say everything."""

import pytest

from penstock.disclosure import system_prompt
from penstock.disclosure.workflow import GATES, listed_resource, workflow


@pytest.mark.parametrize("gate", GATES)
def test_the_workflow_is_short_and_says_what_its_gate_does(gate):
    told = workflow(gate)
    assert len(told) <= 512
    assert "resource:///tool_descriptions?tools=TOOL_NAME" in told
    assert ("refused" in told) == (gate == "strict")
    assert ("runs at once" in told) == (gate == "teach")


def test_a_prompt_for_a_server_that_lists_in_brief():
    tools = [{"name": "read", "description": "Reads."}, {"name": "bare"}]
    prompt = system_prompt(tools, [listed_resource("teach")])
    assert "- read: Reads." in prompt
    assert "- bare: no description" in prompt
    assert workflow("teach") in prompt


def test_a_prompt_for_any_other_server():
    assert "PICK" not in system_prompt([{"name": "read"}], [{"uri": "file:///a"}])


def test_a_server_of_another_make_gets_the_pattern_as_it_is():
    prompt = system_prompt([], [{"uri": "resource:///tool_descriptions"}])
    assert workflow("strict") in prompt
