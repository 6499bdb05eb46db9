"""Conditions on times, on several values, and on columns that have a path."""

from __future__ import annotations

import json

import pytest

from penstock.core.model.questions import Failure, Limits, WorkerAnswer
from penstock.worker.sandbox.sql import Table

DAY = 1_677_628_800  # 2023-03-01
TIMES = [
    "2023-02-28T23:59:59.999Z",
    "2023-03-01",
    "2023-03-01T14:30:00Z",
    "2023-03-01 14:30:59.5",
    "2023-03-01T23:30:00-05:00",
    "2023-03-02T00:00:00Z",
    None,
    "soon",
]


def table(*rows):
    return Table([json.dumps(row).encode() for row in rows], "rows")


def found(loaded, op, *values, kind="plain", column="x"):
    said = {"values": values} if op in ("between", "one_of") else {"value": values[0]}
    where = [{"column": column, "op": op, "kind": kind, **said}]
    outcome = loaded.answer(json.dumps({"where": where}), Limits(), "order")
    assert isinstance(outcome, WorkerAnswer), outcome
    return json.loads(outcome.rows[0])


def times(op, *values):
    return found(table(*({"x": value} for value in TIMES)), op, *values, kind="time")


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("equals", "2023-03-01", [1, 2, 3, 4]),
        ("equals", "2023-03", [1, 2, 3, 4, 5]),
        ("equals", "2023", [0, 1, 2, 3, 4, 5]),
        ("equals", "2023-03-01T14:30", [2, 3]),
        ("equals", "2023-03-01T14:30:59", [3]),
        ("equals", "2023-03-01T14:30:59.5", [3]),
        ("equals", "2023-02-28T23:59:59.999Z", [0]),
        ("equals", "2023-03-02T04:30:00Z", [4]),
        ("not_equals", "2023-03-01", [0, 5, 6, 7]),
        ("less", "2023-03-01", [0]),
        ("at_most", "2023-03-01", [0, 1, 2, 3, 4]),
        ("more", "2023-03-01", [5]),
        ("at_least", "2023-03-01", [1, 2, 3, 4, 5]),
        ("contains", "23:", [0, 4]),
    ],
)
def test_a_time_is_as_long_as_it_was_written(op, value, expected):
    assert times(op, value) == expected


def test_times_between_and_among():
    assert times("between", "2023-02-28", "2023-03-01T14:30") == [0, 1, 2, 3]
    assert times("one_of", "2023-02-28", "2023-03-02") == [0, 5]


@pytest.mark.parametrize(("kind", "unit"), [("seconds", 1), ("milliseconds", 1_000)])
def test_numbers_are_times(kind, unit):
    moments = [DAY - 1, DAY, DAY + 86_399.5, DAY + 86_400, None]
    loaded = table(*({"x": when and when * unit} for when in moments), {"x": "soon"})
    assert found(loaded, "equals", "2023-03-01", kind=kind) == [1, 2]
    assert found(loaded, "at_most", "2023-03-01", kind=kind) == [0, 1, 2]
    assert found(loaded, "equals", "2023-03-01T23:59:59.5Z", kind=kind) == [2]


@pytest.mark.parametrize("typed", ["", "1 March", "2023-3-1", "2023-02-30", "2023-03-01T25:00", 5])
def test_what_is_no_time_is_refused(typed):
    where = [{"column": "x", "op": "equals", "value": typed, "kind": "time"}]
    outcome = table({"x": "2023-03-01"}).answer(json.dumps({"where": where}), Limits(), "order")
    assert isinstance(outcome, Failure)
    assert "not a day or a time" in outcome.error


def test_between_and_among_numbers_and_texts():
    numbers = table(*({"x": value} for value in [1, 2.5, "3", 4, None, 10**30, "abc"]))
    assert found(numbers, "between", 2, 4) == [1, 3]
    assert found(numbers, "one_of", 1, "ABC", str(10**30)) == [0, 5, 6]
    flags = table({"x": True}, {"x": False})
    assert found(flags, "one_of", True) == [0]
    assert found(flags, "one_of", "false") == [1]


def test_texts_that_are_numbers_with_commas_are_numbers():
    loaded = table(*({"x": value} for value in ["1,234", "999", "-1,000", "12,345.5", None]))
    assert found(loaded, "at_least", "1,000") == [0, 3]
    assert found(loaded, "equals", "1234") == [0]
    assert found(loaded, "one_of", "1,234", 999) == [0, 1]
    outcome = loaded.answer(json.dumps({"sort": {"column": "x"}}), Limits(), "order")
    assert json.loads(outcome.rows[0]) == [2, 1, 0, 3, 4]
    codes = table({"x": "1,234"}, {"x": "1,23"}, {"x": "x"})
    assert found(codes, "equals", "1234") == []


def test_a_path_leads_to_one_column_of_two_with_the_same_name():
    loaded = table({"a": {"b": 1}, "a.b": 2}, {"a": {"b": 2}, "a.b": 1})
    assert found(loaded, "equals", 1, column=["a", "b"]) == [0]
    assert found(loaded, "equals", 1, column=["a.b"]) == [1]
    lists = table([5, {"x": 1}], [6, {"x": 2}])
    assert found(lists, "equals", 6, column=[0]) == [1]
    assert found(lists, "equals", 1, column=[1, "x"]) == [0]


def test_times_in_several_zones_are_sorted_as_moments():
    zoned = ["2023-03-01T23:00:00-05:00", "2023-03-02T01:00:00Z", None, "2023-03-02T01:30:00+02:00"]
    loaded = table(*({"x": value} for value in zoned))
    outcome = loaded.answer(json.dumps({"sort": {"column": "x"}}), Limits(), "order")
    assert isinstance(outcome, WorkerAnswer)
    assert json.loads(outcome.rows[0]) == [3, 1, 0, 2]


def values(*cells):
    loaded = table(*({"x": cell} for cell in cells))
    outcome = loaded.answer('{"column":"x"}', Limits(), "values")
    assert isinstance(outcome, WorkerAnswer), outcome
    return json.loads(outcome.rows[0])


def test_values_are_counted_as_the_filter_compares_them():
    assert values("b", "B", "a", None, "b", "") == {
        "few": True,
        "missing": 1,
        "items": [
            {"value": "b", "count": 3},
            {"value": "", "count": 1},
            {"value": "a", "count": 1},
        ],
    }
    assert values(True, False, True)["items"] == [
        {"value": True, "count": 2},
        {"value": False, "count": 1},
    ]
    assert values(2**60, 1)["items"][1] == {"value": str(2**60), "count": 1}


def test_many_or_long_values_are_not_listed():
    assert values(*range(41)) == {"few": False, "missing": 0, "items": []}
    assert not values("x" * 300)["few"]


@pytest.mark.parametrize(
    ("typed", "expected"), [("300", [0, 1]), ("1,000", [2, 3]), ("1000", [3]), ("x", [4])]
)
@pytest.mark.parametrize("op", ["equals", "one_of"])
def test_among_other_texts_a_text_of_digits_is_found_as_it_is_printed(op, typed, expected):
    loaded = table(*({"x": value} for value in [300, "300", "1,000", 1000, "x"]))
    assert found(loaded, op, typed) == expected


def test_cells_that_are_no_times_come_after_the_moments():
    zoned = ["2023-03-01T10:00:00+02:00", "2023-03-01T09:00:00Z", "", None, "n/a"]
    loaded = table(*({"x": value} for value in zoned))
    assert sorted_by(loaded) == [0, 1, 2, 4, 3]
    assert sorted_by(loaded, descending=True) == [4, 2, 1, 0, 3]
    texts = table(*({"x": value} for value in ["b-1", "a+2", "2023-03-01", "c"]))
    assert sorted_by(texts) == [2, 1, 0, 3]


def sorted_by(loaded, **sort):
    outcome = loaded.answer(json.dumps({"sort": {"column": "x", **sort}}), Limits(), "order")
    return json.loads(outcome.rows[0])


def test_a_comma_before_the_fraction_and_digits_as_text_are_times():
    logged = table({"x": "2023-03-01 10:00:00,123"}, {"x": "2023-03-02 10:00:00,123"})
    assert found(logged, "equals", "2023-03-01T10:00:00.123", kind="time") == [0]
    messages = table({"x": "1677628800.123456"}, {"x": "1677715200.000001"}, {"x": "soon"})
    assert found(messages, "equals", "2023-03-01", kind="seconds") == [0]
    assert found(messages, "equals", "2023-03-01T00:00:00.123456Z", kind="seconds") == [0]
    floats = table({"x": 1677628800.1237}, {"x": 1677628800.1234567}, {"x": 1e300})
    assert found(floats, "equals", "2023-03-01T00:00:00.123456Z", kind="seconds") == [1]


def test_what_reads_as_a_time_may_be_a_text_too():
    titles = table(*({"x": title} for title in ["2023-03-01", "May 2023", "2023", "2024", None]))
    may = {"op": "equals", "value": "2023-05", "texts": ["may 2023"]}
    years = {"op": "one_of", "values": ["2023", "2024"], "texts": ["2023", "2024"]}
    other = {"op": "not_equals", "value": "2023", "texts": ["2023"]}
    for asked, expected in [(may, [1]), (years, [0, 2, 3]), (other, [1, 3, 4])]:
        where = [{"column": "x", "kind": "time", **asked}]
        outcome = titles.answer(json.dumps({"where": where}), Limits(), "order")
        assert json.loads(outcome.rows[0]) == expected


# -- objects -------------------------------------------------------------------------------------


def refused(loaded, op, column):
    where = [{"column": column, "op": op, "value": "v"}]
    outcome = loaded.answer(json.dumps({"where": where}), Limits(), "order")
    assert isinstance(outcome, Failure), outcome
    return f"{outcome.error} {outcome.next_step}"


@pytest.mark.parametrize("rows", [[{"m": None}, {"m": {"title": "v1"}}], [{"m": {"title": "v1"}}]])
def test_a_column_of_objects_answers_nothing_for_them(rows):
    told = (
        "There is no column 'm' to {} by: it holds objects. Choose one of their members: m.title."
    )
    for op in ("not_null", "is_null", "equals"):
        assert refused(table(*rows), op, "m") == told.format("filter")
        assert refused(table(*rows), op, ["m"]) == told.format("filter")
    for question, language, purpose in [
        ({"sort": {"column": "m"}}, "order", "sort"),
        ({"chart": {"x": "m"}}, "chart", "draw"),
        ({"column": "m"}, "values", "filter"),
    ]:
        outcome = table(*rows).answer(json.dumps(question), Limits(), language)
        assert f"{outcome.error} {outcome.next_step}" == told.format(purpose)


def test_beside_objects_other_values_are_found_and_only_null_is_not_told():
    mixed = table({"m": {"title": "v1"}}, {"m": "v2"}, {"m": None})
    assert found(mixed, "equals", "v2", column="m") == [1]
    assert "Some rows have objects" in refused(mixed, "is_null", "m")
