"""All columns of a table, with what their cells are in any row."""

from __future__ import annotations

import json

import pytest

from penstock.core.model.questions import Limits
from penstock.worker.sandbox.sql import Table

BEGIN = 1_677_628_800  # 2023-03-01
FAR = 4_321  # in the fifth batch


def known(rows, shape="rows", names=(), seconds=60):
    loaded = Table([json.dumps(row).encode() for row in rows], shape)
    outcome = loaded.answer(json.dumps({"names": names}), Limits(seconds=seconds), "columns")
    return [
        (column["path"], sorted(column["kinds"]), column.get("epoch"))
        for column in json.loads(outcome.rows[0])
    ]


def kinds(*values):
    [(_, found, unit)] = known([{"x": None}] * FAR + [{"x": value} for value in values])
    assert unit is None
    return [kind for kind in found if kind != "null"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([1, 2.5], ["float", "int"]),
        ([True, False], ["bool"]),
        ([10**30, 5], ["int"]),
        (["2023-03-01T10:00:00Z", "2023-03-01 10:00:00,123", "2023/03/01"], ["date"]),
        (["2023-03-01", "", "n/a"], ["date", "str"]),
        (["2023-03 report"], ["str"]),
        (["  2023-03-01"], ["date"]),
        (["1e400", "12e5 Elm Street", "-1E400"], ["float", "str"]),
        (["1e5", "9" * 18, "9" * 19, "-" + "9" * 30], ["int", "str"]),
        (["1.5", "", " ", ":", "!", "é"], ["str"]),
        (["007", "-", "1677628800"], ["str"]),
        ([[1], []], ["list"]),
        ([{}], ["dict"]),
        (["[Bug] a title", "[draft]", "{name}", '{"a": 1}'], ["str"]),
        ([[1], "[draft]"], ["list", "str"]),
    ],
)
def test_a_single_cell_far_down_says_its_kind(values, expected):
    assert kinds(*values) == expected


def test_members_that_one_row_has_are_columns():
    rows = [{"id": n, "m": None, "p": {"a": 1}} for n in range(FAR)]
    rows += [{"id": FAR, "m": {"title": "v1"}, "p": {"b": 2}}]
    assert known(rows) == [
        (["id"], ["int"], None),
        (["m"], ["null"], None),
        (["p", "a"], ["int", "null"], None),
        (["m", "title"], ["null", "str"], None),
        (["p", "b"], ["int", "null"], None),
    ]


@pytest.mark.parametrize(
    ("spell", "unit"), [(int, "seconds"), (str, "seconds"), (lambda at: at * 1_000, "milliseconds")]
)
def test_numbers_and_digits_under_a_name_for_times_are_times(spell, unit):
    rows = [{"ts": spell(BEGIN + n), "size": spell(BEGIN + n)} for n in range(30)]
    assert [found[2] for found in known(rows)] == [unit, None]
    assert known([{"ts": "soon"}, *rows])[0][2] is None
    assert [found[2] for found in known([[BEGIN], [BEGIN]])] == [None]
    assert [found[2] for found in known([[BEGIN], [BEGIN]], names=["created"])] == ["seconds"]


def test_a_row_may_have_1900_columns_with_long_names():
    row = {f"{'long ' * 60}{at}_at": BEGIN for at in range(1_900)}
    assert {(*found, unit) for _, found, unit in known([row])} == {("int", "seconds")}
    assert known([{"x" * 40_000: 1}])[0][1] == ["int"]


def test_columns_have_no_kinds_when_the_time_is_up():
    assert known([{"a": 1, "p": None}, {"a": 2, "p": {"b": 3}}], seconds=0) == [
        (["a"], [], None),
        (["p"], [], None),
        (["p", "b"], [], None),
    ]


def test_rows_of_other_shapes():
    assert known([1, "a", None]) == [([], ["int", "null", "str"], None)]
    assert known([[1, {"a": True}]]) == [([0], ["int"], None), ([1, "a"], ["bool"], None)]
