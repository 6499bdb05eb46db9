"""Summaries show only parts of the full form, and keep their limit in tokens."""

import json
from decimal import Decimal

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import EXACT, texts

from penstock.core.json.encoding import encode
from penstock.shaping import SUMMARY_TOKENS, Grid, Series
from penstock.shaping.fitting import MARKS
from penstock.shaping.series import OWN_FIELDS

OFTEN = settings(max_examples=settings.default.max_examples // 10)
SELDOM = settings(max_examples=settings.default.max_examples // 25)

numbers = st.one_of(
    st.none(),
    st.floats(),
    st.integers(-3, 3),
    st.integers(),
    st.decimals(),
    st.sampled_from([0.0, -0.0, 5e-324, 1e308, -1e308, 10**400, 2**53 + 1]),
)
values = st.recursive(
    st.one_of(numbers, texts(3_000), st.booleans(), st.dates()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts(40), inner, max_size=4)),
    max_leaves=8,
)  # fmt: skip
records = st.one_of(
    st.none(),
    st.fixed_dictionaries({"m": numbers}),
    st.builds(lambda more, m: {**more, "m": m}, st.dictionaries(texts(2_000), values, max_size=8), numbers),
)  # fmt: skip
directions = st.sampled_from(["lower", "higher"])


@st.composite
def tables(draw, cells):
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    return [[draw(cells) for _ in range(columns)] for _ in range(rows)]


def is_within(payload):
    """Return whether a payload fits alone, and together with the text that a framework makes of it."""
    wire = encode(payload).decode(errors="replace")
    text = json.dumps(json.dumps(payload, indent=2, ensure_ascii=False), ensure_ascii=False)
    return EXACT.count(wire) <= SUMMARY_TOKENS and EXACT.count(wire + text) <= 2_000


def is_part(shown, whole):
    """Return whether `shown` equals `whole`, or is a correct cut: the rest is equal, and counted."""
    if not isinstance(shown, dict) or "$at" not in shown:
        return encode(shown) == encode(whole)
    kept = {name: value for name, value in shown.items() if name not in MARKS}
    same = all(encode(whole[name]) == encode(value) for name, value in kept.items())
    return same and shown["$omitted_count"] == len(whole) - len(kept)


def check_drawing(text):
    assert text.isascii()
    assert all(len(line) < 150 for line in text.split("\n"))
    assert text.count("\n") < 22


def check_grid(grid):
    summary, full = grid.summary(), grid.full()
    assert is_within(summary)
    assert summary["feasible"] == len(full["grid"])
    assert summary["ascii_summary"] == full["ascii_summary"]
    check_drawing(full["ascii_summary"])
    assert summary["omitted"] + summary["returned"] == summary["feasible"]
    assert (summary["best"] is None) == (not full["grid"])
    if full["grid"]:
        assert is_part(summary["best"], full["best"])
        assert summary["top_cells"][:1] in ([], [summary["best"]])
    return summary, full


@OFTEN
@given(tables(numbers), directions)
def test_the_summary_of_numbers_is_the_best_of_them(table, better):
    summary, full = check_grid(Grid(table, better=better))
    found = [(at, _number(cell["value"])) for at, cell in enumerate(full["grid"])]
    ranked = sorted(found, key=lambda pair: pair[1], reverse=better == "higher")
    best = [full["grid"][at] for at, _ in ranked[:5]]
    shown = summary["top_cells"]
    assert all(is_part(cell, whole) for cell, whole in zip(shown, best, strict=False))


def _number(value):
    return Decimal(value) if isinstance(value, str) else value


@SELDOM
@given(tables(records), texts(3_000), texts(3_000), directions, st.data())
def test_a_grid_of_anything_keeps_its_tokens(table, row_name, column_name, better, data):
    if not row_name or not column_name or row_name == column_name:
        row_name, column_name = "row", "column"
    labels = st.lists(texts(2_000), min_size=len(table), max_size=len(table))
    named = {"rows": data.draw(labels), "row_name": row_name, "column_name": column_name}
    check_grid(Grid(table, rank_by="m", better=better, **named))


@SELDOM
@given(st.lists(st.one_of(records, numbers), max_size=30), texts(60), st.booleans())
def test_a_series_of_anything_keeps_its_tokens(entries, name, has_axis):
    if not 0 < len(name) <= 64 or name in OWN_FIELDS:
        name = "states"
    has_m = any(isinstance(entry, dict) for entry in entries) or entries.count(None) == len(entries)
    series = Series(entries, name=name, axis="m" if has_axis and has_m else None)
    summary, full = series.summary(), series.full()
    assert is_within(summary)
    pairs = zip(summary[name], summary["indices"], strict=True)
    assert all(is_part(shown, full[name][index]) for shown, index in pairs)
    assert summary["indices"][:1] == [0][: len(entries)]
    assert summary["indices"][-1:] == [len(entries) - 1][: len(entries)]
    check_drawing(full["ascii_summary"])


@OFTEN
@given(st.lists(st.floats(), min_size=1, max_size=200), st.sampled_from(["even", "lttb", "minmax"]))
def test_arrays_and_lists_of_floats_give_the_same_series(heights, sampling):
    of_list, of_array = (
        Series(heights, sampling=sampling),
        Series(np.array(heights), sampling=sampling),
    )
    assert of_list.summary() == of_array.summary()
    assert of_list.full() == of_array.full()
    indices = of_list.summary()["indices"]
    assert indices == sorted(set(indices))
    assert {0, len(heights) - 1} <= set(indices)


@OFTEN
@given(tables(st.floats(allow_subnormal=False)), directions)
def test_arrays_and_lists_of_floats_give_the_same_grid(table, better):
    of_array = Grid(np.array(table), better=better)
    assert of_array.summary() == Grid(table, better=better).summary()
    assert of_array.full() == Grid(table, better=better).full()
