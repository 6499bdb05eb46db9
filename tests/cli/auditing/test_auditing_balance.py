"""The balance of a list agrees with the audit, and has Penstock's instructions besides."""

import json

import pytest

from penstock import Policy
from penstock.cli.auditing.balance import balance
from penstock.cli.auditing.costs import audited
from penstock.cli.auditing.list_costs import Balance, NotMeasured, cost_told, total
from penstock.core.budget.estimate import EstimateMeter
from penstock.core.budget.measure import O200kMeter
from penstock.relay.tool_lists import Listed


def many(count):
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    texts = (f"Finds things of kind {n}. " * (5 + n % 7) for n in range(count))
    tools = (
        {"name": f"find_{n}", "description": t, "inputSchema": schema} for n, t in enumerate(texts)
    )
    return tuple(json.dumps(tool, separators=(",", ":")).encode() for tool in tools)


@pytest.mark.parametrize("meter", [O200kMeter(), EstimateMeter()], ids=lambda meter: meter.name)
@pytest.mark.parametrize("count", [1, 10, 60, 400])
def test_a_balance_is_an_audit_with_instructions(meter, count):
    tools = many(count)
    found = balance(Listed(tools, "shop", "1"), Policy(), meter)
    report = audited(tools, Policy(), meter)
    assert (found.tools, found.before) == (count, report.raw)
    assert 0 < found.after - report.auto.tokens < 250


def test_settings_count():
    tools = Listed(many(60))
    meter = O200kMeter()
    full = balance(tools, Policy.from_mapping({"list": "full"}), meter)
    assert full.saved < 0 < balance(tools, Policy(), meter).saved


def test_a_list_without_tools():
    assert balance(Listed(()), Policy(), O200kMeter()).tools == 0


@pytest.mark.parametrize(
    ("cost", "told"),
    [
        (Balance(3, 1_000, 250), "1,000 tokens now, 250 behind Penstock: saves 750 (75%)"),
        (Balance(3, 100, 320), "costs 220 tokens more; pays only if its results are large"),
        (Balance(3, 100, 100), "costs the same; pays only if its results are large"),
        (NotMeasured("It ended.", "Look."), "not measured: It ended. Look."),
    ],
)
def test_words(cost, told):
    assert cost_told(cost).endswith(told)


def test_a_total_is_of_those_that_were_measured():
    costs = [Balance(1, 10, 5), NotMeasured("It ended.", "Look."), Balance(2, 20, 30)]
    assert total(costs) == Balance(3, 30, 35)
