"""The conversion of JSON and text into the columns and rows of a table."""

from __future__ import annotations

import json

import pytest

from penstock.core.model.questions import SQL_COLUMNS, SQL_DEPTH, Limits, WorkerAnswer
from penstock.worker.sandbox.sql import Table
from penstock.worker.sandbox.table import BATCH


def table(*rows, shape="rows"):
    return Table([row if isinstance(row, bytes) else dumped(row) for row in rows], shape)


def dumped(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def selected(loaded, statement="SELECT * FROM result"):
    outcome = loaded.answer(statement, Limits())
    assert isinstance(outcome, WorkerAnswer), outcome
    return [json.loads(row) for row in outcome.rows]


def test_objects_become_columns_in_the_order_seen():
    loaded = table({"b": 1, "a": "x"}, {"c": None, "a": "y"})
    assert loaded.columns == ("b", "a", "c")
    assert selected(loaded) == [{"b": 1, "a": "x", "c": None}, {"b": None, "a": "y", "c": None}]


def test_nested_objects_become_dotted_columns():
    loaded = table({"a": {"b": {"c": 1}, "d": True}, "e": {}})
    assert selected(loaded) == [{"a.b.c": 1, "a.d": 1, "e": "{}"}]


def test_a_dotted_key_is_not_a_nested_one():
    assert selected(table({"a": {"b": 1}, "a.b": 2})) == [{"a.b": 1, "a.b_2": 2}]


def test_lists_keep_their_bytes():
    loaded = table(b'{"a":[1.10,1e2,123456789012345678901234567890],"b":{"c":[{"d":1.0}]}}')
    assert selected(loaded) == [
        {"a": "[1.10,1e2,123456789012345678901234567890]", "b.c": '[{"d":1.0}]'}
    ]
    assert selected(loaded, "SELECT value FROM result, json_each(a) LIMIT 1") == [{"value": 1.1}]


@pytest.mark.parametrize(
    ("raw", "cell"),
    [
        (b"9223372036854775807", 9223372036854775807),
        (b"9223372036854775808", "9223372036854775808"),
        (b"-9223372036854775808", -9223372036854775808),
        (b"-9223372036854775809", "-9223372036854775809"),
        (b"7" * 1_000, "7" * 1_000),
        (b"7" * 5_000, "7" * 5_000),
        (b"1e400", "1e400"),
        (b"-1.5e3", -1500.0),
        (b"true", 1),
        (b"null", None),
        (b'"\\ud800"', "\\ud800"),
        (b'"\\ude00x"', "\\ude00x"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\\\ud800"', "\\ud800"),
        (b'"a\\u0000b"', "a\0b"),
    ],
)
@pytest.mark.parametrize("form", [b"%b", b'{"value":%b}', b'{"value":%b,"x":{"y":[1]}}', b"[%b]"])
def test_every_scalar_survives(raw, cell, form):
    row = selected(table(form % raw))[0]
    assert row.get("value", row.get("c1")) == cell


def test_lone_surrogates_in_names_and_nul():
    assert selected(table(b'{"\\ud800":1,"a\\u0000b":2,"":3}')) == [
        {"\\ud800": 1, "a\\u0000b": 2, "": 3}
    ]


def test_deep_nesting_ends_as_text():
    row = b'{"a":' * 100 + b"1" + b"}" * 100
    [column] = table(row).columns
    assert column == ".".join("a" * (SQL_DEPTH + 1))


def test_nesting_beyond_the_stack_is_text_too():
    for brackets in ((b"[", b"]"), (b'{"a":', b"}")):
        row = brackets[0] * 100_000 + b"1" + brackets[1] * 100_000
        assert selected(table(row, {"x": 1}), "SELECT x FROM result WHERE x") == [{"x": 1}]
        assert table(b'"k":' + row, shape="members").columns == ("key", "value")


def test_names_that_differ_in_case_only():
    assert selected(table({"Name": 1, "name": 2, "NAME": 3, "name_2": 4})) == [
        {"Name": 1, "name_2": 2, "NAME_3": 3, "name_2_2": 4}
    ]


def test_lists_and_scalars_and_mixed_rows():
    assert selected(table([1, "x"], [2])) == [{"c1": 1, "c2": "x"}, {"c1": 2, "c2": None}]
    assert selected(table(1, "x")) == [{"value": 1}, {"value": "x"}]
    assert selected(table({"value": 1}, 2)) == [
        {"value": 1, "value_2": None},
        {"value": None, "value_2": 2},
    ]


def test_members_have_a_key():
    loaded = table(b'"a/b":{"key":1,"x":2}', b'"c":3', shape="members")
    assert selected(loaded) == [
        {"key": "a/b", "key_2": 1, "x": 2, "value": None},
        {"key": "c", "key_2": None, "x": None, "value": 3},
    ]


def test_lines():
    loaded = table(b"first", b"", b"\xff", shape="lines")
    assert selected(loaded) == [
        {"line": 1, "text": "first"},
        {"line": 2, "text": ""},
        {"line": 3, "text": "\\xff"},
    ]


@pytest.mark.parametrize(
    ("shape", "columns"),
    [("rows", ("value",)), ("members", ("key",)), ("lines", ("line", "text"))],
)
def test_empty(shape, columns):
    loaded = table(shape=shape)
    assert loaded.columns == columns
    assert selected(loaded) == []


def test_empty_objects_count():
    assert selected(table({}, {}), "SELECT count(*) AS n FROM result") == [{"n": 2}]


def test_columns_beyond_the_limit_go_into_rest():
    first = {f"k{number}": number for number in range(SQL_COLUMNS - 1)}
    loaded = table(first, {"last": 1, "over": 2, "more": {"x": [3]}})
    assert len(loaded.columns) == SQL_COLUMNS + 1
    [row] = selected(loaded, "SELECT last, _rest FROM result WHERE _rest IS NOT NULL")
    assert row["last"] == 1
    assert json.loads(row["_rest"]) == {"over": 2, "more.x": "[3]"}


def test_new_columns_in_a_later_batch():
    rows = [{"a": number} for number in range(BATCH)]
    loaded = table(*rows, {"b": 1})
    assert selected(loaded, "SELECT * FROM result WHERE b") == [{"a": None, "b": 1}]
