"""The lists of a dict as tables of SQL, each under its key."""

from __future__ import annotations

import json

import pytest

from penstock.core.model.questions import MOST_TABLES, Failure, Limits, WorkerAnswer
from penstock.worker.sandbox.sql import Table

ORDERS = [{"id": 1, "customer": {"id": 7}}, {"id": 2, "customer": {"id": 8}}]
CUSTOMERS = [{"id": 7, "name": "Ada"}, {"id": 8, "name": "Bo"}]
SHOP = {"page": 1, "orders": ORDERS, "customers": CUSTOMERS, "note": {"list": [1]}}


def tables(value):
    return Table([_member(*member) for member in value.items()], "tables")


def _member(key, value):
    return f"{json.dumps(key)}:{json.dumps(value)}".encode()


def selected(loaded, statement):
    outcome = loaded.answer(statement, Limits())
    assert isinstance(outcome, WorkerAnswer), outcome
    return [[*json.loads(row).values()] for row in outcome.rows]


def refused(loaded, statement):
    outcome = loaded.answer(statement, Limits())
    assert isinstance(outcome, Failure), outcome
    return outcome


def test_lists_are_joined():
    statement = """SELECT o.id, c.name FROM orders o JOIN Customers c ON c.id = o.customer_id
        ORDER BY o.id"""
    assert selected(tables(SHOP), statement) == [[1, "Ada"], [2, "Bo"]]


@pytest.mark.parametrize("name", ["result", "page", "note", "other", "sqlite_master"])
@pytest.mark.parametrize("what", ["*", "count(*)"])
def test_there_are_no_other_tables(name, what):
    refusal = refused(tables(SHOP), f"SELECT {what} FROM {name}")  # noqa: S608 - what is tested
    assert "The tables are orders, customers." in refusal.error
    told = 'Columns of orders: id, "customer.id". Columns of customers: id, name.'
    assert told in refusal.next_step


def test_an_unknown_column_names_the_columns_of_each_table():
    told = refused(tables(SHOP), "SELECT nope FROM orders").next_step
    assert told.startswith('Columns of orders: id, "customer.id". Columns of customers: id, name.')


def test_lists_of_scalars_and_lists_and_nothing():
    loaded = tables({"numbers": [1, 2], "pairs": [[1, 2]], "none": [], "\ud800": ["\ud800"]})
    assert selected(loaded, "SELECT sum(value) FROM numbers") == [[3]]
    assert selected(loaded, "SELECT c2 FROM pairs") == [[2]]
    assert selected(loaded, "SELECT count(*) FROM none") == [[0]]
    assert selected(loaded, r'SELECT value FROM "\ud800"') == [["\\ud800"]]


@pytest.mark.parametrize("name", ["order", "it's", 'a"b', "two words", "a.b", "x" * 60])
def test_names_that_need_quotes(name):
    loaded = tables({name: [1], "other": []})
    quoted = name.replace('"', '""')
    assert selected(loaded, f'SELECT value FROM "{quoted}"') == [[1]]  # noqa: S608 - our own names


@pytest.mark.parametrize(
    "name",
    ["result", "Result", "sqlite_x", "SQLITE_X", "pragma_x", "json_each", "x" * 61, "", "a\0b"],
)
def test_names_that_are_not_offered(name):
    loaded = tables({name: [{"secret": 1}], "fine": [{"a": 1}]})
    assert "The only table is fine." in refused(loaded, "SELECT * FROM nope").error
    assert selected(loaded, "SELECT a FROM fine") == [[1]]


def test_names_that_differ_only_in_case_are_not_offered():
    loaded = tables({"Orders": [1], "orders": [2], "fine": [3]})
    assert "The only table is fine." in refused(loaded, "SELECT * FROM orders").error


def test_a_dict_without_such_a_list():
    assert "There is no table." in refused(tables({"a": 1}), "SELECT * FROM a").error
    assert selected(tables({"a": 1}), "SELECT 1") == [[1]]


def test_a_list_that_nests_too_deep_is_no_table():
    deep = b'"deep":' + b"[" * 100_000 + b"]" * 100_000
    loaded = Table([deep, b'"fine":[1]'], "tables")
    assert "The only table is fine." in refused(loaded, "SELECT * FROM deep").error


def test_many_lists():
    loaded = tables({f"t{number}": [number] for number in range(MOST_TABLES + 1)})
    assert MOST_TABLES == 100
    assert selected(loaded, "SELECT value FROM t99") == [[99]]
    refusal = refused(loaded, "SELECT value FROM t100")
    assert len(refusal.error) + len(refusal.next_step) < 1_500
