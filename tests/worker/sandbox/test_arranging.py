"""The choice and the order of the rows that are shown."""

from __future__ import annotations

import json

import pytest

from penstock.core.model.questions import Failure, Limits, WorkerAnswer
from penstock.worker.sandbox.sql import Table

OPS = ["contains", "equals", "not_equals", "less", "at_most", "more", "at_least", "matches"]


def table(*rows, shape="rows"):
    return Table(
        [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows], shape
    )


def asked(loaded, **arrangement):
    outcome = loaded.answer(json.dumps(arrangement), Limits(), "order")
    assert isinstance(outcome, WorkerAnswer), outcome
    assert (outcome.single, outcome.truncated) == (True, False)
    return json.loads(outcome.rows[0])


def refused(loaded, **arrangement):
    outcome = loaded.answer(json.dumps(arrangement), Limits(), "order")
    assert isinstance(outcome, Failure), outcome
    assert outcome.next_step
    return outcome.error


def column(*values):
    """Return rows with one column `x` of these values."""
    return table(*({"x": value} for value in values))


def by(name, *, descending=False):
    return {"column": name, "descending": descending}


def where(op, value=None, *, name="x"):
    return [{"column": name, "op": op, "value": value}]


# -- orders -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "ascending", "descending"),
    [
        ([3, 1, 2], [1, 2, 0], [0, 2, 1]),
        ([2, None, 1, None], [2, 0, 1, 3], [0, 2, 1, 3]),
        (["b", 10, "a", 9.5], [3, 1, 2, 0], [0, 2, 1, 3]),
        ([True, False, True], [1, 0, 2], [0, 2, 1]),
        ([1, 1.0, True, "1"], [0, 1, 2, 3], [0, 1, 2, 3]),
        ([1, "1", "x"], [0, 1, 2], [2, 1, 0]),
        (["b", "A", "a", "B"], [1, 2, 0, 3], [0, 3, 1, 2]),
        (["ö", "Ä", "ä", "Ö", "z"], [1, 2, 0, 3, 4], [4, 0, 3, 1, 2]),
        (["zoo", "éa", "eb", "e\u0301a", "ea"], [4, 3, 1, 2, 0], [0, 2, 1, 3, 4]),
        (["10.00", "9.50", None, "-1", "100"], [3, 1, 0, 4, 2], [4, 0, 1, 3, 2]),
        (["10", "9", "x"], [0, 1, 2], [2, 1, 0]),
        (["010", "9"], [0, 1], [1, 0]),
        ([2**53 + 1, 2**53, -(2**63)], [2, 1, 0], [0, 1, 2]),
        ([0.1, 1e-300, -1e300], [2, 1, 0], [0, 1, 2]),
    ],
    ids=["numbers", "nulls last", "texts after numbers", "booleans", "equal", "number and text",
         "any case", "beyond ASCII", "accents", "decimals", "digits among texts", "codes", "large",
         "floats"],
)  # fmt: skip
def test_sorted(values, ascending, descending):
    loaded = column(*values)
    assert asked(loaded, sort=by("x")) == ascending
    assert asked(loaded, sort=by("x", descending=True)) == descending


def test_equal_rows_stay_in_their_order_also_where_there_are_many():
    loaded = column(*(n % 3 for n in range(3_000)))
    for descending in (False, True):
        numbers = asked(loaded, sort=by("x", descending=descending))
        groups = [numbers[start : start + 1_000] for start in (0, 1_000, 2_000)]
        assert [group == sorted(group) for group in groups] == [True] * 3
        assert groups[0][0] == (2 if descending else 0)


def test_what_is_missing_counts_as_null():
    loaded = table({"x": 2}, {"y": 1}, {"x": 1})
    assert asked(loaded, sort=by("x", descending=True)) == [0, 2, 1]
    assert asked(loaded, where=where("is_null")) == [1]


LARGE = (7, 2**64 - 1, -(10**25), 1, None, 10**25, 2**63 + 10, 5, 2**63 - 1)


@pytest.mark.parametrize("others", [(), ("n/a",)], ids=["alone", "with a text"])
def test_integers_beyond_64_bits_are_sorted_as_numbers(others):
    loaded = column(*LARGE, *others)
    texts = [len(LARGE)] * len(others)
    expected = sorted(
        (n for n, value in enumerate(LARGE) if value is not None), key=LARGE.__getitem__
    )
    assert asked(loaded, sort=by("x")) == [*expected, *texts, 4]
    assert asked(loaded, sort=by("x", descending=True)) == [*texts, *expected[::-1], 4]


def test_numbers_of_any_size_are_sorted():
    raws = [b"1e400", b"5", b"-1e400", b"7" * 5_000, b"1.5", b"-" + b"7" * 5_000, b"1e-400"]
    loaded = table(*(b'{"x":' + raw + b"}" for raw in raws))
    assert asked(loaded, sort=by("x")) == [5, 2, 6, 4, 1, 0, 3]


# -- conditions ---------------------------------------------------------------------------------

MIXED = (5, "5", "apple", None, "Apple pie", 7.5, True, "", "5.0")


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("contains", "APPLE", [2, 4]),
        ("contains", "5", [0, 1, 5, 8]),
        ("contains", 5, [0, 1, 5, 8]),
        ("contains", "", [0, 1, 2, 4, 5, 6, 7, 8]),
        ("equals", "5", [0, 1]),
        ("equals", "aPPle", [2]),
        ("equals", 5, [0]),
        ("equals", 5.0, [0]),
        ("equals", True, [6]),
        ("equals", False, []),
        ("equals", None, [3]),
        ("not_equals", 5, [1, 2, 3, 4, 5, 6, 7, 8]),
        ("not_equals", "apple", [0, 1, 3, 4, 5, 6, 7, 8]),
        ("not_equals", None, [0, 1, 2, 4, 5, 6, 7, 8]),
        ("less", 7, [0, 6]),
        ("at_most", 7.5, [0, 5, 6]),
        ("more", 5, [5]),
        ("at_least", 5, [0, 5]),
        ("less", "apple", [1, 7, 8]),
        ("at_most", "APPLE", [1, 2, 7, 8]),
        ("more", "Apple", [4]),
        ("at_least", "apple", [2, 4]),
        ("is_null", None, [3]),
        ("not_null", None, [0, 1, 2, 4, 5, 6, 7, 8]),
        ("is_null", "whatever", [3]),
        ("matches", "^.pple", [2, 4]),
        ("matches", r"^\d+$", [0, 1, 6]),
        ("matches", "(?i)PIE", [4]),
    ],
)  # fmt: skip
def test_conditions(op, value, expected):
    assert asked(column(*MIXED), where=where(op, value)) == expected


@pytest.mark.parametrize(
    ("op", "compare"),
    [
        ("less", int.__lt__), ("at_most", int.__le__), ("more", int.__gt__),
        ("at_least", int.__ge__), ("equals", int.__eq__),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "value", [5, 2**53 + 1, 2**63 - 1, 2**63 + 10, 2**64 - 1, -(10**25), 10**25]
)
@pytest.mark.parametrize("spell", [int, str], ids=["number", "text"])
def test_large_numbers_compare_as_numbers(op, compare, value, spell):
    cells = (*LARGE, 2**53, 2**53 + 1, 2**53 + 2)
    expected = [n for n, cell in enumerate(cells) if cell is not None and compare(cell, value)]
    assert asked(column(*cells), where=where(op, spell(value))) == expected
    assert asked(column(*cells, "n/a"), where=where(op, spell(value)))[: len(expected)] == expected


def test_decimals_as_text_compare_as_numbers():
    loaded = column("10.00", "9.50", "0.10", None, "100.00")
    for value in (10, "10", "10.0", 10.0):
        assert asked(loaded, where=where("less", value)) == [1, 2]
        assert asked(loaded, where=where("at_least", value)) == [0, 4]
        assert asked(loaded, where=where("equals", value)) == [0]
        assert asked(loaded, where=where("not_equals", value)) == [1, 2, 3, 4]
    for value in (0.1, "0.1", "0.10"):
        assert asked(loaded, where=where("at_most", value)) == [2]
    assert asked(loaded, where=where("contains", "0.0")) == [0, 4]  # as the explorer shows it


def test_a_text_that_is_a_number_is_compared_with_numbers_and_texts():
    loaded = column(1, 20, "3", "1", "x")
    assert asked(loaded, where=where("at_least", "3")) == [1, 2, 4]
    assert asked(loaded, where=where("at_least", 3)) == [1]


def test_booleans_are_asked_for_as_they_are_shown():
    loaded = table(*({"x": value, "n": 1} for value in (True, False, None, True)))
    assert asked(loaded, find="TRUE") == [0, 3]
    assert asked(loaded, find="false") == [1]
    assert asked(loaded, find="null") == []
    assert asked(loaded, find="none") == []
    assert asked(loaded, where=where("contains", "ru")) == [0, 3]
    assert asked(loaded, where=where("contains", "1")) == []
    assert asked(loaded, where=where("equals", "true")) == [0, 3]
    assert asked(loaded, where=where("equals", False)) == [1]
    assert asked(loaded, where=where("matches", "^f")) == [1]
    outcome = loaded.answer("SELECT x FROM result", Limits())
    assert [json.loads(row)["x"] for row in outcome.rows] == [1, 0, None, 1]


def test_booleans_are_known_from_every_batch():
    loaded = column(*[True] * 1_500, 7, *[False] * 1_500)
    assert asked(loaded, find="true") == []
    assert asked(loaded, find="7") == [1_500]
    assert len(asked(column(*[None] * 1_500, *[False] * 1_500), find="false")) == 1_500


@pytest.mark.parametrize("cell", ["Straße", "STRASSE"])
def test_any_case_beyond_ascii(cell):
    loaded = column(cell, "Ägypten", None)
    assert asked(loaded, where=where("contains", "strasse")) == [0]
    assert asked(loaded, where=where("equals", "strasse")) == [0]
    assert asked(loaded, where=where("equals", "ägyPTEN")) == [1]
    assert asked(loaded, find="ÄGYPT") == [1]


def test_all_conditions_hold_together_with_find_and_order():
    loaded = table(*({"n": n, "t": f"t{n % 5}", "u": "Yes" if n % 2 else "no"} for n in range(40)))
    conditions = [*where("more", 9, name="n"), *where("equals", "T3", name="t")]
    found = asked(loaded, where=conditions, find="yes", sort=by("n", descending=True))
    assert found == [33, 23, 13]


def test_nothing_matches():
    assert asked(column(1, 2), where=where("more", 5)) == []
    assert asked(table(), find="x") == []


def test_numbers_beyond_64_bits_are_found_by_their_digits():
    digits = "123456789012345678901234567890"
    loaded = table(b'{"x":' + digits.encode() + b"}", {"x": 5})
    for value in (digits, int(digits)):
        assert asked(loaded, where=where("equals", value)) == [0]
        assert asked(loaded, where=where("not_equals", value)) == [1]
    assert asked(loaded, find="456789012") == [0]


# -- find ---------------------------------------------------------------------------------------


def test_find_looks_into_every_cell():
    loaded = table(
        {"a": 1, "b": "needle"}, {"a": {"deep": "NEEDLE"}}, {"c": ["x", "needle"]}, {"a": 2}
    )
    assert asked(loaded, find="Needle") == [0, 1, 2]


def test_find_in_300_columns():
    rows = [{f"column {n}": n * 1_000 + row for n in range(300)} for row in range(5)]
    loaded = table(*rows)
    assert asked(loaded, find="299004") == [4]
    assert asked(loaded, find="150002") == [2]


def test_find_in_more_columns_than_the_table_takes():
    loaded = table({f"c{n}": f"v{n}-" for n in range(2_500)}, {"c0": "other"})
    assert asked(loaded, find="v2499-") == [0]


def test_find_in_columns_with_long_names():
    rows = [{f"{n} " + "long name " * 20: f"{row}-{n}." for n in range(1_800)} for row in range(3)]
    loaded = table(*rows)
    assert asked(loaded, find="2-1799.") == [2]
    assert asked(loaded, find="-5.") == [0, 1, 2]


def test_find_reads_escaped_letters_of_lists():
    loaded = table(
        b'{"x":["caf\\u00e9"]}', b'{"x":{"y":[{"z":"\\ud83d\\ude00"}]}}', b'{"x":["\\\\u00e9"]}',
        b'{"x":["\\ud83d ok \\u00DF"]}', b'{"x":"[\\\\n caf"}', {"x": "café"}, b'{"x":"\\\\u00e9"}',
    )  # fmt: skip
    assert asked(loaded, find="CAFÉ") == [0, 5]
    assert asked(loaded, find="é") == [0, 5]
    assert asked(loaded, find="😀") == [1]
    assert asked(loaded, find="ok ss") == [3]
    assert asked(loaded, find="u00e9") == [0, 2, 6]
    assert asked(loaded, where=where("contains", "café")) == [0, 5]


def test_find_does_not_reach_over_two_cells():
    loaded = table({"a": "one", "b": "two"})
    for between in ("", " ", "\0", "\n", "\x01"):
        assert asked(loaded, find=f"one{between}two") == []


# -- names and values ---------------------------------------------------------------------------

NASTY = [
    "it's", 'say "x"', "back\\slash", "new\nline", "a\0b", "%", "_", "'; DROP TABLE result; --",
    "') OR 1=1 --", "x' || char(65) || '", "\ud800", "😀", "-- c", "/* c */", "?", ":p", "",
]  # fmt: skip


@pytest.mark.parametrize("text", NASTY)
def test_values_of_any_kind_are_only_values(text):
    loaded = column("before", text, "after")
    assert asked(loaded, where=where("equals", text)) == [1]
    assert asked(loaded, where=where("not_equals", text)) == [0, 2]
    assert 1 in asked(loaded, where=where("contains", text))
    assert 1 in asked(loaded, where=where("at_most", text))
    if text:
        assert 1 in asked(loaded, find=text)
    assert asked(loaded) == [0, 1, 2]  # The table is still intact.


def test_what_stands_for_nul_elsewhere_is_not_nul():
    loaded = column("a\0b", "a\ufffdb", "ab", "a")
    assert asked(loaded, where=where("equals", "a\0b")) == [0]
    assert asked(loaded, find="\0") == [0]


@pytest.mark.parametrize(
    "name", [name for name in NASTY if name] + ["rowid", "oid", "select", "x y"]
)
def test_names_of_any_kind_are_only_names(name):
    loaded = table({name: 2, "other": 1}, {name: 1, "other": 2})
    assert asked(loaded, sort=by(name)) == [1, 0]
    assert asked(loaded, where=where("equals", 2, name=name)) == [0]


def test_columns_that_differ_by_case_alone():
    loaded = table({"a": 1, "A": 2}, {"a": 2, "A": 1})
    assert asked(loaded, sort=by("a")) == [0, 1]
    assert asked(loaded, sort=by("A")) == [1, 0]


@pytest.mark.parametrize("taken", [("rowid",), ("ROWID", "oid"), ("_rowid_", "rowid")])
def test_columns_that_are_called_as_row_numbers_are(taken):
    loaded = table(*(dict.fromkeys(taken, value) for value in (30, 10, 20)))
    assert asked(loaded, sort=by(taken[0])) == [1, 2, 0]
    assert asked(loaded, find="20") == [2]


def test_no_name_need_be_left_for_the_number():
    loaded = table(*({"rowid": n, "oid": -n, "_rowid_": 3} for n in range(3)))
    assert asked(loaded, sort=by("oid")) == [2, 1, 0]
    assert asked(loaded, find="-2") == [2]


@pytest.mark.parametrize(
    ("rows", "name", "expected"),
    [
        ([{"a": {"b": 2}}, {"a": {"b": 1}}], "a.b", [1, 0]),
        ([{"a.b": 2, "a": {"b": 1}}, {"a.b": 1, "a": {"b": 2}}], "a.b", [1, 0]),
        ([{"a.b": 2, "a": {"b": 1}}, {"a.b": 1, "a": {"b": 2}}], "a.b_2", [0, 1]),
        ([{"a": [2]}, {"a": [1]}], "a", [1, 0]),
        ([[2, "x"], [1, "y"]], "c1", [1, 0]),
        ([2, 1], "value", [1, 0]),
        ([{"value": 2}, 7, {"value": 1}], "value", [2, 0, 1]),
        (["b", None, "a"], "value", [2, 0, 1]),
    ],
    ids=["nested", "dotted", "nested beside dotted", "lists", "positions", "single", "mixed", "null"],
)  # fmt: skip
def test_columns_of_other_rows(rows, name, expected):
    assert asked(table(*rows), sort=by(name)) == expected


def test_entries_have_their_key_as_a_column():
    loaded = table(b'"b":{"n":1,"key":5}', b'"a":{"n":2,"key":4}', shape="members")
    assert asked(loaded, sort=by("key")) == [1, 0]
    assert asked(loaded, sort=by("n", descending=True)) == [1, 0]
    assert asked(loaded, find="B") == [0]
    single = table(b'"b":1', b'"a":2', shape="members")
    assert asked(single, sort=by("value", descending=True)) == [1, 0]


def test_lines_have_a_number_and_a_text():
    loaded = table(b"INFO 2", b"", b"error 1", b"Error 3", shape="lines")
    assert asked(loaded, find="ERROR") == [2, 3]
    assert asked(loaded, find="4") == []  # The number of a line is not part of the line.
    assert asked(loaded, sort=by("line", descending=True)) == [3, 2, 1, 0]
    assert asked(loaded, where=where("matches", r"\d$", name="text"), sort=by("text")) == [2, 3, 0]


def test_a_single_value():
    assert asked(table(b"5", shape="value"), find="5") == [0]


# -- refusals -----------------------------------------------------------------------------------


def test_an_unknown_column():
    loaded = table({"a": 1, "nested": {"b": 2}})
    assert refused(loaded, sort=by("nope")) == "There is no column 'nope' to sort by."
    assert "filter" in refused(loaded, where=where("equals", 1, name="nested"))
    assert len(refused(loaded, sort=by("x" * 10_000))) < 200


def test_a_bad_regular_expression():
    loaded = column("a")
    assert "is not a regular expression" in refused(loaded, where=where("matches", "(["))
    assert asked(loaded, where=where("matches", "a")) == [0]


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("value", [10**30, -1e308, "x" * 5_000, False])
def test_odd_values_do_no_harm(op, value):
    assert isinstance(asked(column(1, "a", None), where=where(op, value)), list)
