"""The drawings: small for any data, in plain ASCII, and true."""

from __future__ import annotations

import math
from datetime import date, timedelta

import numpy as np
import pytest

from penstock.core.budget.measure import EstimateMeter, O200kMeter
from penstock.shaping import Grid, Series
from penstock.shaping.chart import CHART_TOKENS
from penstock.shaping.heatmap import MAP_TOKENS


def drawn(shape):
    return shape.summary()["ascii_summary"]


def lines(text):
    """Return the lines of the map alone."""
    return [line.split("|")[1] for line in text.split("\n") if "|" in line]


def porkchop():
    def cell(row, column):
        dv = 5.6 + 60 * ((column - row * 0.7 - 6) / 30) ** 2 + 20 * ((row - 15) / 30) ** 2
        return None if column < row * 0.5 - 2 else {"dv": dv}

    days = [date(2026, 10, 1) + timedelta(3 * n) for n in range(30)]
    cells = [[cell(row, column) for column in range(30)] for row in range(30)]
    return Grid(
        cells, rank_by="dv", rows=days, columns=days, row_name="depart", column_name="arrive"
    )


def test_three_by_three():
    assert drawn(Grid([[3, 1, 2], [9, 8, 7], [4, None, math.nan]])) == (
        "0|==XX##|\n"
        " |..--++|\n"
        "2|++    |\n"
        "  0    2\n"
        "down: row, across: column\n"
        "value, lower is better: X best 1, # to 2, = to 3, + to 7, - to 8, . to 9, blank infeasible"
    )


def test_a_valley():
    text = drawn(porkchop())
    shown = lines(text)
    assert (len(shown), {len(line) for line in shown}) == (15, {30})
    assert text.count("X") == 2  # on the map and in the legend
    assert shown[7][16] == "X"
    assert text.startswith("2026-10-01|")
    assert "down: depart, across: arrive; a mark is the best of 2 x 1 cells" in text
    assert "X best 5.617," in text


def test_the_best_is_never_sampled_away():
    array = np.ones((2_000, 2_000))
    array[1_234, 777] = 0
    shown = lines(drawn(Grid(array)))
    assert (len(shown), len(shown[0])) == (16, 40)
    assert shown[1_234 // 125][777 // 50] == "X"
    assert sum(line.count("X") for line in shown) == 1


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_dark_is_good(better):
    row = list(range(40)) if better == "lower" else list(range(40, 0, -1))
    assert lines(drawn(Grid([row], better=better))) == ["X#######========++++++++--------........"]


def test_one_column_all_equal_and_one_cell():
    assert lines(drawn(Grid([[n] for n in range(5)]))) == ["XX", "==", "++", "--", ".."]
    assert lines(drawn(Grid([[5, 5], [5, 5]]))) == ["XX##", "####"]
    assert drawn(Grid([[7]])).endswith("X best 7, # to 7")
    assert drawn(Grid([[None]])) == "no feasible cell among 1"
    assert drawn(Grid([])) == "no cells"


def test_close_values_are_told_apart_in_the_legend():
    assert "# to 1, = to 1.000001," in drawn(Grid([[1, 1.000001, 1.000002, 1.000003, 1.000004]]))
    assert "X best 1.000e+400" in drawn(Grid([[10**400]]))
    assert "+ to 56640" in drawn(Grid([[1, 56_640]]))


@pytest.mark.parametrize("meter", [O200kMeter(), EstimateMeter()])
def test_noise_is_drawn_smaller_rather_than_dearer(meter):
    noise = np.random.default_rng(3).random((900, 900))
    noise[noise < 0.999] = np.nan
    text = drawn(Grid(noise))
    assert O200kMeter().count(text) <= MAP_TOKENS
    chart = drawn(Series(np.random.default_rng(3).random(40)))
    assert meter.count(chart) <= CHART_TOKENS


def test_other_scripts_are_spelled_in_ascii_or_counted():
    text = drawn(
        Grid(
            [[1, 2]], rows=["Zürich"], columns=["東京", "大阪"], row_name="行", column_name="Städte"
        )
    )
    assert text.isascii()
    assert "Zurich|" in text
    assert "[0]  [1]" in text
    assert "down: rows, across: Stadte" in text


def test_a_series_is_a_chart_of_lows_and_highs():
    assert drawn(Series([0, 1, 2, 3, 4])) == (
        "value\n"
        "4|                ####\n"
        " |            ########\n"
        " |        ############\n"
        " |    ################\n"
        "0|####################\n"
        "  0                  4 (index)"
    )


def test_a_spike_is_seen_among_ten_thousand():
    heights = [0.0] * 10_000
    heights[5_000] = 8.0
    text = drawn(Series(heights))
    assert text.startswith("value; a column is 250 entries, # to the lowest, : to the highest\n8|")
    assert lines(text)[0] == " " * 20 + ":"
    assert lines(text)[-1] == "#" * 40


def test_flat_gaps_and_the_ends_of_the_axis():
    assert lines(drawn(Series([5.0] * 80))) == ["#" * 40]
    assert lines(drawn(Series([1.0, math.nan, 2.0, None, math.inf])))[-1] == "####    ####        "
    assert drawn(Series([])) == "no entries"
    text = drawn(
        Series([{"at": date(2026, 1, 1), "h": 1}, {"at": date(2026, 1, 2), "h": 2}], axis="at")
    )
    assert text.endswith(" 2026-01-01  2026-01-02 (at)")


def test_the_longest_span_of_floats_has_a_height():
    assert lines(drawn(Series([-1.7e308, 1.7e308])))[0] == " " * 10 + "#" * 10
    assert drawn(Series([10**400, 1])).startswith("value\n1.000e+400|")
