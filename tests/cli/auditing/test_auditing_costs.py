"""Costs of a list: parts add up, forms are those an agent gets, break-evens are true."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import Policy
from penstock.cli.auditing import wording
from penstock.cli.auditing.costs import PARTS, BreakEven, audited, break_even, tool_cost
from penstock.cli.auditing.report import as_json
from penstock.core.budget.estimate import EstimateMeter
from penstock.core.budget.measure import O200kMeter
from penstock.core.json import rawjson
from penstock.disclosure import Catalogue, Lister
from penstock.disclosure.lists.host_parts import counted_list, counted_tool
from penstock.wire.reader import reader_tool

METERS = [O200kMeter(), EstimateMeter()]
SCHEMA = {"type": "object", "properties": {"q": {"type": "string", "description": "What to find."}}}


def listed(*tools):
    return [json.dumps(tool).encode() for tool in tools]


def tool(name="find", description="Finds things. " * 30, **more):
    return {"name": name, "description": description, "inputSchema": SCHEMA, **more}


def many(count):
    return listed(
        *(tool(f"find_{n}", f"Finds things of kind {n}. " * (5 + n % 7)) for n in range(count))
    )


@pytest.fixture(params=METERS, ids=lambda meter: meter.name)
def meter(request):
    return request.param


def cost_of(raw, meter):
    (described,) = Catalogue.from_tools([raw])
    return tool_cost(described, meter)


KEYS = st.sampled_from(["description", "inputSchema", "outputSchema", "title", "_meta", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=300)
@given(st.text(min_size=1, max_size=20), st.dictionaries(KEYS, VALUES, max_size=6))
@pytest.mark.parametrize("meter", METERS, ids=lambda meter: meter.name)
def test_the_parts_of_a_tool_add_up_to_it(meter, name, members):
    raw = json.dumps({"name": name, **members}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        raw = rawjson.compact(raw)
    except rawjson.NotJson:
        return  # a lone surrogate has no UTF-8
    cost = cost_of(raw, meter)
    assert sum(cost.parts.values()) == cost.tokens == meter.count(counted_tool(raw).decode())
    assert set(cost.parts) == set(PARTS)


def test_each_part_is_about_what_it_costs_alone(meter):
    cost = cost_of(listed(tool(outputSchema=SCHEMA, annotations={"readOnlyHint": True}))[0], meter)
    about = {
        "description": "Finds things. " * 30,
        "input_schema": json.dumps(SCHEMA, separators=(",", ":")),
        "output_schema": json.dumps(SCHEMA, separators=(",", ":")),
    }
    for part, text in about.items():
        assert cost.parts[part] == pytest.approx(meter.count(text), abs=10)
    assert 0 < cost.parts["rest"] < 30


def test_what_a_tool_lacks_costs_nothing(meter):
    cost = cost_of(b'{"name":"bare"}', meter)
    assert {part: cost.parts[part] for part in PARTS[:3]} == dict.fromkeys(PARTS[:3], 0)


def test_an_audit_gives_what_an_agent_gets(meter):
    policy = Policy(list_budget="2000tok")
    tools = many(40)
    found = audited(tools, policy, meter)
    catalogue = Catalogue.from_tools(tools)  # without output schemas, which the relay widens
    for cost in (*found.forms, found.auto):
        lister = Lister(policy.list_budget, meter, cost.form)
        given = lister.listing(catalogue, [reader_tool("read_result", policy)])
        assert cost.tokens == meter.count(counted_list(given.tools).decode())
        assert (cost.given, cost.tools) == (given.form, len(given.tools))
        assert cost.saved == found.raw - cost.tokens
    assert found.raw == meter.count(counted_list([tool.raw for tool in catalogue]).decode())
    assert found.auto.given != "full"
    assert found.auto.tokens <= 2_000


def test_full_is_what_the_relay_lists_with_its_output_schemas_widened():
    promised = [json.loads(raw) | {"outputSchema": SCHEMA} for raw in many(3)]
    plain = audited(many(3), Policy(), METERS[0])
    found = audited(listed(*promised), Policy(), METERS[0])
    assert found.forms[0].tokens - found.raw > plain.forms[0].tokens - plain.raw
    spared = audited(listed(*promised), Policy(except_="find_*"), METERS[0])
    assert spared.forms[0].saved == plain.forms[0].saved


def test_auto_is_counted_without_the_output_schemas_that_it_leaves_out(meter):
    large = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(40)}}
    promised = [json.loads(raw) | {"outputSchema": large} for raw in many(4)]
    plain = audited(many(4), Policy(), meter)
    assert plain.auto.given == "full"
    found = audited(listed(*promised), Policy(list_budget="800tok"), meter)
    assert (found.auto.given, found.auto.has_outputs, found.auto.is_over) == ("full", False, False)
    assert found.auto.tokens == plain.auto.tokens
    assert found.forms[0].has_outputs
    assert found.forms[0].is_over
    told = wording.choice(found)
    assert f"auto chooses full: {found.auto.tokens:,} tokens, " in told
    assert "--list full keeps them" in told
    assert "above the budget" not in told
    assert "--list full" not in wording.choice(plain)


def test_auto_says_when_tools_that_stay_listed_break_its_budget():
    found = audited(many(60), Policy(always="find_*"), METERS[0])
    assert found.auto.is_over
    assert "above the budget" in wording.choice(found)
    kept = audited(many(60), Policy(), METERS[0])
    assert not kept.auto.is_over
    assert "above the budget" not in wording.choice(kept)


def test_tools_for_apps_alone_cost_a_model_nothing():
    hidden = tool("widget", _meta={"ui": {"visibility": ["app"]}})
    found = audited([*many(40), *listed(hidden)], Policy(), METERS[0])
    plain = audited(many(40), Policy(), METERS[0])
    assert found.auto == msgspec.structs.replace(
        plain.auto,
        saved=found.raw - plain.auto.tokens,
        percent=found.auto.percent,
        break_even=found.auto.break_even,
    )
    assert [form.tools for form in found.forms] == [form.tools for form in plain.forms]


def test_tools_are_in_order_of_their_cost():
    found = audited(many(40), Policy(), METERS[0])
    sizes = [tool.tokens for tool in found.tools]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 40


def test_a_small_list_costs_more_and_says_so():
    found = audited(listed(tool()), Policy(), METERS[0])
    assert found.auto.given == "full"
    assert {cost.form: cost.given for cost in found.forms}["index"] == "full"
    assert all(cost.saved < 0 and cost.break_even is None for cost in found.forms)


def test_tools_that_are_always_listed_are_never_fetched():
    tools = many(40)
    plain = audited(tools, Policy(), METERS[0])
    some = audited(tools, Policy(always="find_1*"), METERS[0])
    hidden = {cost.form: len(cost.growth) - 1 for cost in some.forms}
    assert {cost.form: len(cost.growth) - 1 for cost in plain.forms} == {
        "full": 0,
        "signatures": 40,
        "brief": 40,
        "index": 40,
    }
    assert hidden == {"full": 0, "signatures": 29, "brief": 29, "index": 29}
    assert some.forms[2].tokens > plain.forms[2].tokens


def test_what_cannot_be_called_is_left_out_and_counted():
    found = audited(
        [*listed(tool(), tool(), {"description": "nameless"}), b"7", b"null"], Policy(), METERS[0]
    )
    assert (len(found.tools), found.left_out) == (1, 4)


def test_no_tools_at_all(meter):
    found = audited([], Policy(), meter)
    assert (found.tools, found.auto.given) == ((), "full")
    assert found.raw > 0
    assert json.loads(as_json(found))["full_descriptions"]["largest_tool"] is None


# -- break-even --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("saved", "descriptions", "expected"),
    [
        (100, [50, 50, 50], BreakEven(2, 2)),
        (101, [50, 50, 50], BreakEven(3, 3)),
        (100, [100, 10, 10], BreakEven(3, 1)),
        (120, [100, 10, 10], BreakEven(3, 2 + 1)),
        (121, [100, 10, 10], BreakEven(None, None)),
        (5, [], BreakEven(None, None)),
        (1, [1], BreakEven(1, 1)),
    ],
)
def test_break_even(saved, descriptions, expected):
    assert break_even(saved, descriptions) == expected


@settings(max_examples=500)
@given(st.integers(1, 5_000), st.lists(st.integers(1, 500), max_size=30))
def test_a_break_even_is_where_the_costs_cross(saved, descriptions):
    descriptions.sort(reverse=True)
    found = break_even(saved, descriptions)
    if found.largest is None:
        assert found.average is None
        assert sum(descriptions) < saved
        return
    assert sum(descriptions[: found.largest - 1]) < saved <= sum(descriptions[: found.largest])
    assert found.largest <= found.average <= len(descriptions)
    mean = sum(descriptions) / len(descriptions)
    assert (found.average - 1) * mean < saved


def test_growth_starts_with_the_list_and_ends_with_all_descriptions():
    found = audited(many(40), Policy(), METERS[0])
    index = found.forms[2]
    assert index.growth[0] == index.tokens
    assert index.growth[-1] == index.tokens + sum(tool.full_description for tool in found.tools)


def test_the_report_has_stable_keys():
    report = json.loads(as_json(audited(many(30), Policy(), METERS[0], server="s", version="1")))
    assert list(report) == [
        "server", "counting", "list_budget", "always", "raw", "left_out", "auto", "forms",
        "full_descriptions", "tools",
    ]  # fmt: skip
    assert report["counting"] == {"meter": "o200k", "exact": True}
    assert list(report["forms"]) == ["auto", "full", "signatures", "brief", "index"]
    assert report["auto"] == report["forms"]["auto"]["given"]
    assert list(report["forms"]["brief"]) == [
        "given", "tools", "tokens", "within_budget", "saved", "saved_percent", "break_even",
    ]  # fmt: skip
    assert list(report["tools"][0]) == [
        "name", "tokens", "description", "input_schema", "output_schema", "rest", "full_description",
    ]  # fmt: skip
