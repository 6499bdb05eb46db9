"""Settings that tools bring along: a policy overrides them, and they override its defaults."""

import json

import pytest

from penstock import Call, Gate, Policy, heavy

ROWS = [{"id": number} for number in range(100)]


def test_they_hold_for_the_tool_alone():
    policy = Policy(page_size=7).with_tools({"a": {"page_size": 3, "heavy": True}})
    assert policy.for_tool("a").page_size == 3
    assert policy.for_tool("a").heavy
    assert policy.for_tool("b").page_size == 7


def test_what_the_policy_says_of_a_tool_is_stronger_setting_by_setting():
    stated = Policy(tools={"a": {"page_size": 5}, "b*": {"page_size": 9}})
    policy = stated.with_tools({"a": {"page_size": 3, "heavy": True}, "bc": {"page_size": 4}})
    assert policy.for_tool("a").page_size == 5
    assert policy.for_tool("a").heavy
    assert policy.for_tool("bc").page_size == 9


def test_what_is_stated_keeps_its_order():
    stated = Policy(tools={"h*": {"page_size": 7}, "hv": {"page_size": 5}})
    assert stated.with_tools({"hv": {"heavy": True}}).for_tool("hv").page_size == 5


def test_what_does_not_go_with_the_policy_is_left_out():
    stated = Policy(page_size=5, max_page_size=10)
    policy = stated.with_tools({"a": {"page_size": 50, "heavy": True}})
    assert policy.for_tool("a").page_size == 5
    assert policy.for_tool("a").heavy


def test_a_name_is_no_pattern():
    policy = Policy().with_tools({"a*[x]?": {"page_size": 3}})
    assert policy.for_tool("a*[x]?").page_size == 3
    assert policy.for_tool("abcxd").page_size == 20


def test_a_gate_adopts_them_and_keeps_those_of_before():
    with Gate() as gate:
        gate.adopt({"a": {"heavy": True}})
        gate.adopt({"b": {"page_size": 2}})
        known = gate.policy
        gate.adopt({"a": {"heavy": True}})
        assert gate.policy is known
        assert "continuation_token" in gate.offer(Call("a"), ROWS).value
        assert gate.offer(Call("c"), ROWS).value == ROWS
        gate.adopt({}, of=["a"])  # a different tool of the same name
        assert gate.offer(Call("a"), ROWS).value == ROWS
        assert gate.policy.for_tool("b").page_size == 2


def test_a_probe_with_a_link_to_the_whole():
    with Gate(Policy(budget="2kB")) as gate:
        call = Call("a", has_link=True)
        reply = gate.offer(call, ROWS * 10)
        assert len(reply.wire()) <= 2_000
        text, link = reply.content
        assert text["type"] == "text"
        assert link["type"] == "resource_link"
        found = gate.read_resource(call, link["uri"])
        assert found.text.count('"id"') == 1_000
        assert link["size"] == len(found.text)


@pytest.mark.parametrize("section", ["a", "a*"])
def test_a_section_for_the_tool_that_does_not_go_with_them(section):
    stated = Policy(tools={section: {"max_page_size": 30}})
    policy = stated.with_tools({"a1" if section == "a*" else "a": {"page_size": 50, "heavy": True}})
    built = policy.for_tool("a1" if section == "a*" else "a")
    assert built.page_size == 20
    assert built.max_page_size == 30
    assert built.heavy


def test_a_life_longer_than_any():
    @heavy(ttl=8_000)
    def rows():
        return ROWS

    assert json.loads(rows())["expires_in"] == 300  # `bearer_ttl`
    policy = Policy().with_tools({"rows": {"ttl": 8_000, "max_ttl": 8_000, "heavy": True}})
    assert policy.for_tool("rows").ttl == 8_000
