"""The profile of a column: its range is exact, and its values are counted as they are."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.views.profile import TableProfile


def described(*blocks):
    """Return what is told of the column `x`, given its literals in blocks."""
    profile = TableProfile()
    for literals in blocks:
        profile.add([b'{"x":%s}' % literal.encode() for literal in literals])
    return profile.describe()["x"]


def extremes(*literals):
    """Return the range, which must be the same for one block and for many."""
    found = {_range(literals), _range(*([literal] for literal in literals))}
    assert len(found) == 1
    return found.pop()


def _range(*blocks):
    told = described(*blocks)
    return tuple(bytes(told[name]).decode() for name in ("min", "max"))


BIG = 10**18


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        ((f"{BIG}", f"{BIG + 1}", f"{BIG - 1}"), (f"{BIG - 1}", f"{BIG + 1}")),
        ((f"-{BIG}", f"-{BIG + 1}"), (f"-{BIG + 1}", f"-{BIG}")),
        ((f"{BIG}", f"{BIG}.5", f"{BIG + 1}"), (f"{BIG}", f"{BIG + 1}")),
        (("0.1", "0.10000000000000000001"), ("0.1", "0.10000000000000000001")),
        (("1e400", "1e401", "-1e400"), ("-1e400", "1e401")),
        (("1e-400", "0", "2E-400"), ("0", "2E-400")),
        (("2", "10", "1.5"), ("1.5", "10")),
    ],
)
def test_numbers_are_compared_as_they_stand(literals, expected):
    assert extremes(*literals) == expected
    assert extremes(*reversed(literals)) == expected


@pytest.mark.parametrize("literal", ["9" * 5_000, "1." + "0" * 5_000, "1e" + "9" * 20])
def test_what_nobody_can_compare_is_left_out(literal):
    assert extremes("1", literal, "2") == ("1", "2")


def test_numbers_that_are_the_same_after_rounding_are_told_apart_in_later_blocks():
    low, lower = "0.0999999999999999999999", "0.0999999999999999999998"
    assert float(low) == float(lower)
    assert _range([low, "5.0"], [lower, "1.0"], ["0.5"]) == (lower, "5.0")


def test_values_of_several_types_are_kept_apart():
    told = described(["1", "true", "1.0", '"1"', "null", "[1]", "{}", "1", "true", "true"])
    assert told["type"] == "int|bool|float|str|list|dict"
    assert told["nulls"] == 1
    assert told["distinct"] == 4
    assert [bytes(told["commonest"][0]), told["commonest"][1]] == [b"true", 3]
    assert (bytes(told["min"]), bytes(told["max"])) == (b"1", b'"1"')


def test_a_column_of_many_values_counts_the_first_thousand():
    numbers = [*map(str, range(1_500)), *["7"] * 3, "1400"]
    for size in (100, 400, 2_000):
        told = described(*(numbers[start : start + size] for start in range(0, len(numbers), size)))
        assert (told["distinct"], told["distinct_is"]) == (1_000, "at least")
        assert [bytes(told["commonest"][0]), told["commonest"][1]] == [b"7", 4]


def test_long_texts_are_not_counted_and_the_count_says_so():
    told = described(['"a"', '"b"', json.dumps("c" * 500), '"b"'])
    assert (told["distinct"], told["distinct_is"]) == (2, "at least")
    assert told["max"].endswith("chars]")
    assert bytes(told["min"]) == b'"a"'


ODD = [b'{"x":"\\ud800"}', b'{"y":1}', b"{}", b"7", b'{"x":1,"x":2}', b'{"x":{"y":[1]}}', b"[1]"]


@pytest.mark.parametrize("odd", ODD)
def test_one_odd_row_changes_nothing_for_the_others(odd):
    rows = [b'{"x":%d,"y":"%d"}' % (number, number % 3) for number in range(50)]
    profile = TableProfile()
    profile.add([*rows[:20], odd, *rows[20:]])
    told = profile.describe()
    assert profile.rows == 51
    assert bytes(told["y"]["commonest"][0]) == b'"0"'
    assert told["x"]["type"].startswith("int")
    assert bytes(told["x"]["min"]) == b"0"


def test_half_of_a_pair_is_shown_as_it_was():
    told = described(['"\\ud800"', '"\\ud800"', '"a"'])
    assert bytes(told["commonest"][0]).lower() == b'"\\ud800"'


LITERALS = (
    st.integers(-(10**30), 10**30).map(str)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str)
    | st.sampled_from(["null", "true", "false", "1.50", "1e5", "-0.0", "[1]", '{"a":1}'])
    | st.text(max_size=5).map(json.dumps)
)


@given(st.lists(st.lists(LITERALS, min_size=1, max_size=8), min_size=1, max_size=4))
def test_the_profile_is_that_of_a_simple_count(blocks):
    told = described(*blocks)
    literals = [literal for block in blocks for literal in block]
    counted = Counter(
        json.dumps(json.loads(literal)) if literal[0] == '"' else literal
        for literal in literals
        if literal != "null" and literal[0] not in "[{"
    )
    assert told.get("nulls", 0) == literals.count("null")
    assert told.get("distinct", 0) == len(counted)
    if counted and max(counted.values()) > 1:
        assert told["commonest"][1] == max(counted.values())
    numbers = [Decimal(literal) for literal in counted if literal[0] in "-0123456789"]
    if numbers and len(counted) > 1:
        assert Decimal(bytes(told["min"]).decode()) == min(numbers)
