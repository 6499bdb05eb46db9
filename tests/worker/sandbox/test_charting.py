"""The points of a chart: its kind depends on the columns, and every row is counted."""

from __future__ import annotations

import itertools
import json
import math
import random
import sys
from datetime import UTC, datetime, timedelta

import pytest

from penstock.core.model.questions import Failure, Limits, WorkerAnswer
from penstock.worker.sandbox.charts.categories import CATEGORIES
from penstock.worker.sandbox.charts.histogram import BINS
from penstock.worker.sandbox.charts.pairs import PAIRS
from penstock.worker.sandbox.sql import Table

LARGEST = sys.float_info.max  # No bin can end beyond it.
START = datetime(2026, 1, 1, tzinfo=UTC)


def answered(rows, x="x", y=None, **arrangement):
    loaded = Table([json.dumps(row).encode() for row in rows], "rows")
    program = json.dumps({"chart": {"x": x, "y": y}, "rows": arrangement})
    return loaded.answer(program, Limits(), "chart")


def drawn(rows, x="x", y=None, **arrangement):
    """Return a chart, after checking its counts against the rows."""
    outcome = answered(rows, x, y, **arrangement)
    assert isinstance(outcome, WorkerAnswer), outcome
    chart = json.loads(outcome.rows[0])
    assert list(chart)[:6] == ["kind", "x", "y", "rows", "left_out", "points"]
    if chart["kind"] != "scatter":
        others = chart.get("others", {"count": 0})
        assert sum(point["count"] for point in [*chart["points"], others]) == chart["rows"]
    if not arrangement:
        assert chart["rows"] + chart["left_out"] == len(rows)
    return chart


def of(values, **arrangement):
    return drawn([{"x": value} for value in values], **arrangement)


# -- histograms ---------------------------------------------------------------------------------

SPREADS = {
    "small": [1, 2, 3, 4],
    "many": list(range(1_000)),
    "negative": [-500 + n * 7 for n in range(100)],
    "floats": [n / 10 for n in range(50)],
    "tiny": [n * 1e-9 for n in range(20)],
    "near nothing": [5e-324, 1e-320, 3e-310],
    "huge": [n * 1e300 for n in range(20)],
    "from end to end": [-1.7e308, 0.0, 1.7e308],
    "one value": [42],
    "constant": [0.5] * 10,
    "constant and large": [2**62] * 10,
    "constant and huge": [1.5e300] * 3,
    "zero": [0, 0, 0],
    "close and large": [2**62, 2**62 + 5],
    "largest": [2**63 - 1, -(2**63)],
    "ints and floats": [1, 2.5, 3, 10**6],
    "at the edges": [n / 50 for n in range(51)],
    "tenths": [n / 10 for n in range(12)],
    "to the largest float": [1e300, LARGEST],
}


@pytest.mark.parametrize("values", SPREADS.values(), ids=SPREADS)
def test_bins_hold_every_value(values):
    chart = of(values)
    points = chart["points"]
    assert (chart["kind"], chart["rows"], chart["left_out"]) == ("histogram", len(values), 0)
    assert 1 <= len(points) <= BINS + 2
    for point in points:
        assert point["x"] < point["x2"]
        end = math.inf if point["x2"] == LARGEST else point["x2"]
        assert sum(point["x"] <= value < end for value in values) == point["count"] > 0
    ends = [(point["x"], point["x2"]) for point in points]
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(ends))


@pytest.mark.parametrize("seed", range(20))
def test_bins_of_any_numbers_hold_them(seed):
    draw = random.Random(seed)
    size = 10 ** draw.uniform(-12, 12)
    test_bins_hold_every_value([draw.gauss(draw.uniform(-3, 3), 1) * size for _ in range(200)])


def test_bins_are_round():
    for values, step in (
        (range(100), 5),
        (range(31), 1),
        (range(10_000), 500),
        ([n / 10 for n in range(301)], 1),
        ([n / 1_000 for n in range(10)], 0.0005),
    ):
        points = of(values)["points"]
        assert {round(point["x2"] - point["x"], 9) for point in points} == {step}
        assert all(abs(point["x"] / step - round(point["x"] / step)) < 1e-6 for point in points)
    tenths = [point["x"] for point in of([0.1, 0.2, 0.3, 0.7])["points"]]
    assert tenths == [0.1, 0.2, 0.3, 0.7]


@pytest.mark.parametrize("kind", [int, float])
def test_whole_numbers_have_no_bins_between_them(kind):
    points = of(list(map(kind, [1, 2, 2, 3])))["points"]
    assert points == [
        {"x": 1, "x2": 2, "count": 1},
        {"x": 2, "x2": 3, "count": 2},
        {"x": 3, "x2": 4, "count": 1},
    ]


def test_decimals_as_text_are_numbers():
    prices = ["1.00", "2.00", "2.50", None]
    chart = of(prices)
    assert (chart["rows"], chart["left_out"]) == (3, 1)
    assert (chart["points"][0]["x"], chart["points"][-1]["x2"] > 2.5) == (1, True)
    chart = drawn([{"x": "a", "y": price} for price in ("1.00", "2.50")], y="y")
    assert chart["points"] == [{"x": "a", "count": 2, "mean": 1.75}]
    chart = drawn([{"x": price, "y": str(n)} for n, price in enumerate(prices)], y="y")
    assert chart["points"] == [{"x": 1, "y": 0}, {"x": 2, "y": 1}, {"x": 2.5, "y": 2}]


def test_integers_beyond_64_bits_are_in_a_bin():
    chart = of([1, 10**25, -(10**25), 2**64])
    assert (chart["rows"], chart["left_out"]) == (4, 0)
    assert chart["points"][0]["x"] <= -1e25 < 1e25 <= chart["points"][-1]["x2"]


# -- categories ---------------------------------------------------------------------------------


def test_categories_most_frequent_first():
    chart = of(["b", "a", "b", None, "c", "b", "c"])
    assert chart["kind"] == "categories"
    assert chart["points"] == [
        {"x": "b", "count": 3},
        {"x": "c", "count": 2},
        {"x": "a", "count": 1},
    ]
    assert (chart["rows"], chart["left_out"]) == (6, 1)


def test_rare_categories_are_counted_together():
    names = [f"name {n}" for n in range(100) for _ in range(100 - n)]
    chart = of([*names, None])
    assert len(chart["points"]) == CATEGORIES == 20
    assert [point["count"] for point in chart["points"]] == list(range(100, 80, -1))
    assert chart["others"] == {"values": 80, "count": sum(range(1, 81))}
    assert chart["left_out"] == 1
    rows = [{"x": name, "y": len(name)} for name in names]
    chart = drawn(rows, y="y")
    rare = [row["y"] for row in rows if int(row["x"].split()[1]) >= CATEGORIES]
    assert chart["others"]["mean"] == pytest.approx(sum(rare) / len(rare))
    assert "others" not in of([f"name {n}" for n in range(CATEGORIES)])


def test_a_long_name_is_cut():
    [point] = of(["x" * 5_000])["points"]
    assert point["x"] == "x" * 100


@pytest.mark.parametrize("length", [100, 101, 5_000])
def test_long_names_with_one_beginning_stay_apart(length):
    values = ["x" * length + end for end in ("a", "a", "a", "b", "b", "c")]
    points = of(values)["points"]
    assert [point["count"] for point in points] == [3, 2, 1]
    labels = [point["x"] for point in points]
    assert len(set(labels)) == 3
    assert all(label.startswith("x" * 90) and len(label) <= 100 for label in labels)


def test_a_number_and_its_text_stay_apart():
    points = of([5, "5", "a", "b"])["points"]
    assert len({point["x"] for point in points}) == 4


def test_true_and_false():
    chart = drawn([{"x": n % 3 == 0, "y": n} for n in range(9)] + [{"x": None}], y="y")
    assert chart["points"] == [
        {"x": "false", "count": 6, "mean": 4.5},
        {"x": "true", "count": 3, "mean": 3.0},
    ]
    assert (chart["kind"], chart["left_out"]) == ("categories", 1)


def test_means_are_of_numbers_alone():
    rows = [{"x": "a", "y": n} for n in range(19)] + [
        {"x": "a", "y": "text"},
        {"x": "b", "y": None},
    ]
    chart = drawn(rows, y="y")
    assert chart["points"] == [{"x": "a", "count": 19, "mean": 9.0}]
    assert (chart["rows"], chart["left_out"]) == (19, 2)


# -- timelines ----------------------------------------------------------------------------------


def stamps(count, **step):
    return [(START + n * timedelta(**step)).isoformat() for n in range(count)]


@pytest.mark.parametrize(
    ("times", "first", "second"),
    [
        (stamps(60, minutes=1), "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"),
        (stamps(60, hours=1), "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"),
        (stamps(100, days=1), "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
        (stamps(40, days=30), "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
        (stamps(50, days=365), "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        (stamps(1, days=1), "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"),
    ],
    ids=["minutes", "hours", "days", "months", "years", "one"],
)
def test_the_step_follows_from_the_span(times, first, second):
    chart = of(times)
    assert (chart["kind"], chart["left_out"]) == ("timeline", 0)
    assert (chart["points"][0]["x"], chart["points"][0]["x2"]) == (first, second)
    starts = [point["x"] for point in chart["points"]]
    assert starts == sorted(set(starts))


def test_times_are_put_into_their_step_with_offset_and_fraction():
    chart = of(
        [
            "2026-01-01T12:00:00Z",
            "2026-01-01T13:00:00+01:00",
            "2026-01-01 12:00:59.999",
            "2026-01-01T06:30:30.123456-05:30",
            "2026-01-01T12:01:00.5Z",
        ]
    )
    assert chart["points"] == [
        {"x": "2026-01-01T12:00:00Z", "count": 4, "x2": "2026-01-01T12:01:00Z"},
        {"x": "2026-01-01T12:01:00Z", "count": 1, "x2": "2026-01-01T12:02:00Z"},
    ]


@pytest.mark.parametrize(
    "written",
    [
        "{}T12:00:00.999999",
        "{} 12:00:00 UTC",
        "{} 12:00:00+00",
        "{} 12:00:00 +0000",
        "{}T23:59:59.999999Z",
    ],
)
def test_times_are_read_as_filters_read_them(written):
    days = [f"2026-01-{day:02}" for day in range(1, 11)]
    assert [point["x"][:10] for point in of(list(map(written.format, days)))["points"]] == days
    days = [day.replace("-", "/") for day in days]
    assert len(of(list(map(written.format, days)))["points"]) == len(days)


def test_what_is_no_date_among_dates_is_left_out():
    others = [5, "now", "12:00", "2026-13-01", 2_460_000.5]
    chart = of(["2026-01-01", "2026-01-02"] * 50 + others)
    assert chart["kind"] == "timeline"
    assert chart["left_out"] == len(others)
    assert [point["x"][:10] for point in chart["points"]] == ["2026-01-01", "2026-01-02"]


def test_what_only_looks_like_dates_is_categories():
    chart = of(["2026-99-99", "2026-99-99", "2026-88-88"])
    assert (chart["kind"], chart["points"][0]) == ("categories", {"x": "2026-99-99", "count": 2})


def test_the_last_of_all_dates_has_an_end():
    chart = of(["2026-05-05", "9999-12-31"])
    assert [point["x2"] for point in chart["points"]] == [
        "2027-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ]


def test_a_thousand_years_are_all_drawn():
    chart = of([f"{year:04}-06-01" for year in range(1_000, 2_000)])
    assert (len(chart["points"]), chart["left_out"]) == (1_000, 0)


def test_means_over_time():
    rows = [{"x": f"2026-01-0{1 + n % 2}", "y": n} for n in range(10)]
    chart = drawn(rows, y="y")
    assert [point["mean"] for point in chart["points"]] == [4.0, 5.0]


# -- pairs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 10, PAIRS, PAIRS + 1, 3_500])
def test_pairs_are_evenly_spaced(count):
    rows = [{"x": n, "y": -n / 2} for n in range(count)]
    chart = drawn(rows, y="y")
    points = chart["points"]
    assert (chart["kind"], chart["y"], chart["rows"]) == ("scatter", "y", count)
    assert min(count, PAIRS // 2) <= len(points) <= PAIRS
    assert all(point["y"] == -point["x"] / 2 for point in points)
    # The last pair is always included.
    assert len({b["x"] - a["x"] for a, b in itertools.pairwise(points[:-1])}) <= 1
    assert points[-1]["x"] == count - 1


def test_the_outermost_points_are_always_drawn():
    rows = [{"x": n, "y": 10**6 if n == 2_011 else n % 10} for n in range(4_000)]
    points = drawn(rows, y="y")["points"]
    assert {"x": 2_011, "y": 10**6} in points
    assert {"x": 3_999, "y": 9} in points


def test_a_chart_of_no_rows_does_not_blame_its_column():
    found = Table([b'{"x":1}'], "rows").answer(
        json.dumps({"chart": {"x": "x"}, "rows": {"find": "nothing"}}), Limits(), "chart"
    )
    assert found.error == "No row is left by the filters."


def test_pairs_need_both_numbers():
    rows = [{"x": n, "y": n} for n in range(40)] + [{"x": 1}, {"y": 1}, {"x": "a", "y": 2}]
    chart = drawn(rows, y="y")
    assert (chart["rows"], chart["left_out"]) == (40, 3)
    assert len(chart["points"]) == 40


def test_pairs_that_are_not_drawn_are_told_from_rows_without_numbers():
    rows = [{"x": n, "y": n} for n in range(3_000)] + [{"x": 1}] * 7
    chart = drawn(rows, y="y")
    assert (chart["rows"], chart["left_out"]) == (3_000, 7)
    assert len(chart["points"]) < PAIRS


# -- choice of kind -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3, "n/a", *range(20)], "histogram"),
        ([1, "a", 2, "b"], "categories"),
        (["2026-01-01", "x", "y"], "categories"),
        ([True, False], "categories"),
        ([True, 2], "histogram"),
        ([["a"], ["b"]], "categories"),
        (["1", "2"], "histogram"),
        (["10.00", "9.5", None], "histogram"),
        (["01", "02"], "categories"),
        (["1", "2", "x"], "categories"),
        ([1, 5, 2**64 - 1, 10**25, -(10**25)], "histogram"),
        ([1, "n/a", 10**25, *range(20)], "histogram"),
        ([10**400, 10**400], "categories"),
    ],
)
def test_the_kind_is_what_most_values_are(values, kind):
    assert of(values)["kind"] == kind


def test_texts_on_the_other_axis_are_not_drawn():
    chart = drawn([{"x": n, "y": "t"} for n in range(5)], y="y")
    assert (chart["kind"], chart["y"]) == ("histogram", None)


@pytest.mark.parametrize("rows", [[], [{"x": None}] * 3, [{"x": None}, {"y": 1}]])
def test_nothing_to_draw(rows):
    outcome = answered(rows or [{"x": None}])
    assert isinstance(outcome, Failure)
    assert outcome.next_step


def test_filters_are_respected():
    rows = [{"x": "ab"[n % 2], "y": n, "z": {"in": n}} for n in range(100)]
    chart = drawn(rows, y="z.in", where=[{"column": "y", "op": "less", "value": 10}], find="a")
    assert chart["points"] == [{"x": "a", "count": 5, "mean": 4.0}]
    assert chart["left_out"] == 0


def test_each_chart_has_its_own_rows():
    loaded = Table([json.dumps({"x": str(n), "y": n}).encode() for n in range(20)], "rows")
    for most in (5, 12, 5):
        where = [{"column": "y", "op": "less", "value": most}]
        program = json.dumps({"chart": {"x": "x"}, "rows": {"where": where}})
        outcome = loaded.answer(program, Limits(), "chart")
        assert json.loads(outcome.rows[0])["rows"] == most


def test_where_no_name_is_left_for_the_number_all_rows_are_drawn():
    rows = [{"rowid": n, "oid": n, "_rowid_": n} for n in range(4)]
    assert drawn(rows, "oid")["rows"] == 4
    outcome = answered(rows, "oid", find="3")
    assert isinstance(outcome, Failure)
    assert "rowid" in outcome.error


@pytest.mark.parametrize("axes", [("nope", None), ("x", "nope")])
def test_an_unknown_column(axes):
    outcome = answered([{"x": 1}], *axes)
    assert isinstance(outcome, Failure)
    assert "'nope'" in outcome.error


def test_names_that_need_quotes():
    name = 'it\'s "x"; --'
    assert drawn([{name: 1}, {name: 2}], name)["x"] == name
    assert drawn([{"\ud800": 1}], "\ud800")["kind"] == "histogram"


# -- what would mislead -------------------------------------------------------------------------


def test_a_last_day_that_is_not_over_is_marked():
    chart = of(stamps(1_440 * 9 + 480, minutes=1))
    assert chart["points"][-1]["count"] == 480
    assert chart["partial"] == {"last": "2026-01-10T07:59:00Z"}


@pytest.mark.parametrize(
    ("end", "zone"), [("Z", "UTC"), ("+02:00", "UTC"), ("-0500", "UTC"), ("", None)]
)
def test_a_zone_is_told_only_if_the_times_have_one(end, zone):
    times = [time.removesuffix("+00:00") + end for time in stamps(60, minutes=1)]
    chart = of(times)
    assert (chart["kind"], chart.get("zone")) == ("timeline", zone)
    assert of([time[:10] for time in stamps(60, days=1)]).get("zone") is None


def test_a_first_month_that_began_before_the_data_is_marked():
    begin = datetime(2024, 3, 21, tzinfo=UTC)
    days = [(begin + timedelta(days=n)).date().isoformat() for n in range(800)]
    chart = of(days)
    assert chart["step"] == "month"
    assert chart["partial"] == {"first": "2024-03-21T00:00:00Z"} | (
        {"last": days[-1] + "T00:00:00Z"}
    )
    rows = [{"x": day, "y": n} for n, day in enumerate(days)]
    assert drawn(rows, y="y")["partial"] == chart["partial"]


def test_a_last_month_that_is_not_over_is_marked_although_another_is_cut_too():
    """Two samples of a year: from January to the first of February, and from October on."""
    samples = {datetime(2026, 1, 1, tzinfo=UTC): 32, datetime(2026, 10, 1, tzinfo=UTC): 81}
    hours = [
        begin + timedelta(hours=n) for begin, days in samples.items() for n in range(24 * days)
    ]
    chart = of([time.isoformat() for time in hours])
    assert [point["x"][5:7] for point in chart["points"]] == ["01", "02", "10", "11", "12"]
    assert chart["partial"] == {"last": "2026-12-20T23:00:00Z"}


WHOLE = {
    "days": stamps(120, days=1),
    "days at noon": [stamp.replace("T00", "T12") for stamp in stamps(120, days=1)],
    "hours of whole days": stamps(24 * 20, hours=1),
    "opening hours": [
        f"2026-01-{day:02}T{hour:02}:30:00Z" for day in range(1, 29) for hour in range(9, 18)
    ],
    "quarters": [f"{year}-{month:02}-01" for year in range(2010, 2026) for month in (1, 4, 7, 10)],
    "years": [f"{year}-01-01" for year in range(1950, 2026)],
    "one day": ["2026-01-01"] * 20,
}


@pytest.mark.parametrize("values", WHOLE.values(), ids=WHOLE)
def test_times_that_fill_their_bins_as_usual_are_not_marked(values):
    assert "partial" not in of(values)


def test_bins_of_numbers_that_are_not_filled_are_marked():
    assert of(range(1, 1_001))["partial"] == {"last": 1_000}
    assert of([13 + n / 100 for n in range(8_700)])["partial"] == {"first": 13}
    assert "partial" not in of(range(1_000))
    assert "partial" not in of([n / 10 for n in range(300)])
    draw = random.Random(1)
    assert "partial" not in of([draw.gauss(0, 1) for _ in range(20_000)])


@pytest.mark.parametrize("per_second", [1, 1_000])
def test_numbers_since_1970_are_times(per_second):
    begin = int(START.timestamp())
    rows = [{"created_at": (begin + n * 3_600) * per_second, "y": n} for n in range(240)]
    chart = drawn(rows, "created_at")
    assert (chart["kind"], chart["step"], chart["rows"]) == ("timeline", "day", 240)
    assert chart["points"][0] == {
        "x": "2026-01-01T00:00:00Z",
        "count": 24,
        "x2": "2026-01-02T00:00:00Z",
    }
    means = drawn(rows, "created_at", "y")["points"]
    assert (means[0]["mean"], len(means)) == (11.5, 10)


def test_a_few_numbers_that_are_no_times_are_left_out_and_counted():
    begin = int(START.timestamp())
    rows = [{"ts": begin + n * 60} for n in range(95)] + [{"ts": 0}] * 5
    chart = drawn(rows, "ts")
    assert (chart["kind"], chart["rows"], chart["left_out"]) == ("timeline", 95, 5)
    assert drawn([{"size": row["ts"]} for row in rows], "size")["kind"] == "histogram"


def test_times_as_texts_of_numbers():
    begin = int(START.timestamp())
    rows = [{"ts": f"{begin + n * 60}.0002{n % 7}"} for n in range(90)]
    assert drawn(rows, "ts")["kind"] == "timeline"


def test_whole_numbers_are_said_to_be_whole():
    assert of([1, 2, 30])["whole"] is True
    assert of([1, 2.5])["whole"] is False
