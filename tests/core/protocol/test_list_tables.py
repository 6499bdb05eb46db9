"""A dict of lists: the probe names their tables, and SQL reads them."""

from __future__ import annotations

import json

import pytest

from penstock.core.model.questions import table_names

ORDERS = [{"id": number, "customer": number % 50} for number in range(3_000)]
CUSTOMERS = [{"id": number, "name": f"customer {number}"} for number in range(50)]
SHOP = {"page": 1, "orders": ORDERS, "customers": CUSTOMERS}
JOIN = """SELECT c.name, count(*) AS n FROM orders o JOIN customers c ON c.id = o.customer
    WHERE c.id = 7 GROUP BY c.id"""
ANSWER = [{"name": "customer 7", "n": 60}]


@pytest.mark.parametrize(
    "value", [SHOP, json.dumps(SHOP), json.dumps(SHOP, indent=2)], ids=["value", "text", "indented"]
)
def test_the_probe_names_the_tables_and_sql_joins_them(agent, value):
    probe = agent.offer(value).value
    assert "sql" in probe["available_modes"]
    assert probe["tables"] == {
        "orders": "[3000 × {id, customer}]",
        "customers": "[50 × {id, name}]",
    }
    token = probe["continuation_token"]
    assert agent.look(token, mode="sql", query=JOIN)["items"] == ANSWER


@pytest.mark.parametrize("part", [SHOP, json.dumps(SHOP, indent=2)], ids=["dict", "text"])
def test_a_dict_of_lists_at_a_path(agent, part):
    token = agent.offer({"shop": part, "a": {"b": 1}, "c": 2}).value["continuation_token"]
    assert agent.look(token, mode="sql", query=JOIN, path="/shop")["items"] == ANSWER
    refusal = agent.refused(token, mode="sql", query=JOIN, path="/a")
    assert "Point path at a list, or at a dict of lists" in refusal["next_step"]


def test_the_same_dict_can_be_browsed_and_queried(agent):
    token = agent.offer(SHOP).value["continuation_token"]
    assert agent.look(token, mode="query", query=".customers[7].name")["value"] == "customer 7"
    assert agent.look(token, mode="sql", query=JOIN)["items"] == ANSWER
    assert agent.look(token, mode="query", query=".orders | length")["value"] == 3_000


def test_a_dict_whose_lists_have_no_possible_name_has_no_sql(agent):
    value = {"result": ORDERS, "sqlite_orders": CUSTOMERS}
    probe = agent.offer(value).value
    assert "tables" not in probe
    assert "sql" not in probe["available_modes"]


def test_a_dict_of_alike_entries_is_still_one_table(agent):
    value = {f"host{number}": {"cpu": number, "disks": [1, 2]} for number in range(2_000)}
    probe = agent.offer(value).value
    assert "tables" not in probe
    token = probe["continuation_token"]
    answer = agent.look(token, mode="sql", query="SELECT key FROM result WHERE cpu = 3")
    assert answer["items"] == [{"key": "host3"}]


def test_the_probe_stays_within_two_kilobytes(agent):
    value = {f"{'list' * 14}{number}": [{"x" * 60: 1}] * 100 for number in range(90)}
    reply = agent.offer(value)
    assert len(reply.wire()) <= 2_000
    assert "sql" in reply.value["available_modes"]


def test_half_of_a_surrogate_pair_in_a_key(agent):
    value = json.dumps({"\ud800": ORDERS, "orders": ORDERS, "a\nb": [1], "x": {"\ud800": 1}})
    probe = agent.offer(value).value
    assert [*probe["tables"]] == ["orders"]


def test_names_are_compared_without_case():
    assert table_names(["A", "a", "b", "Result", "SQLITE_x", "y" * 60, "y" * 61]) == ["b", "y" * 60]
