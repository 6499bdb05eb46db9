"""Charts that do not mislead: bins that are cut, times as numbers, labels, and values without a bar."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from chart_data import A_DAY, CUT_DAY, NAMES, TABLES, TIMES, TIMES_A_DAY, WITHOUT_ZONE
from plant_data import reading
from playwright.sync_api import expect
from test_explorer_charts import choose, has_picture
from test_explorer_ten_questions import CELLS

# Returns the boxes of the words in a picture, with the words.
BOXES = """svg => [...svg.querySelectorAll("text")].map(text => {
  const { left, right, top, bottom } = text.getBoundingClientRect();
  return [text.textContent, left, right, top, bottom];
})"""


def opened(explore, table):
    explorer = explore("list_table", name=table)
    explorer.tool("Chart").click()
    return explorer


def labels(explorer):
    return explorer.view.locator("svg.marks text.tick").all_text_contents()


def words_are_apart(explorer):
    """Check that no words of the picture overlap, and that all of them are in it."""
    picture = explorer.view.locator("svg.marks")
    frame = picture.bounding_box()
    boxes = picture.evaluate(BOXES)
    offset = explorer.view.evaluate("document.querySelector('svg.marks').getBoundingClientRect().x")
    assert len(boxes) > 3
    for words, left, right, *_ in boxes:
        assert left >= offset - 1, words
        assert right <= offset + frame["width"] + 1, words
    for (one, *a), (other, *b) in combinations(boxes, 2):
        is_apart = a[1] <= b[0] + 1 or b[1] <= a[0] + 1 or a[3] <= b[2] + 3 or b[3] <= a[2] + 3
        assert is_apart, (one, other)


def test_a_last_day_that_is_not_over_is_pale_and_said_to_be(explore):
    explorer = opened(explore, "cut day")
    chart = has_picture(explorer, "Timeline of at, from 4,032 rows")
    assert [point["count"] for point in chart["points"]] == [A_DAY] * 9 + [CUT_DAY]
    pale = explorer.view.locator("svg.marks .mark.partial")
    expect(pale).to_have_count(1)
    expect(pale).to_have_attribute("data-index", "9")
    note = "Pale: 2026-03-10 has rows only until 07:56:40."
    expect(explorer.view.get_by_text(note)).to_be_visible()
    choose(explorer, "at", "load")
    has_picture(explorer, "Timeline of load by at")
    expect(explorer.view.locator("svg.marks circle.partial")).to_have_count(1)
    expect(explorer.view.get_by_text(note.replace("Pale", "Hollow"))).to_be_visible()


def test_a_line_over_a_week_without_rows_is_dashed_and_said_to_be(explore):
    explorer = opened(explore, "gap")
    choose(explorer, "at", "load")
    has_picture(explorer, "Timeline of load by at, from 4,320 rows")
    dashed = explorer.view.locator("svg.marks path.line.gap")
    expect(dashed).to_have_count(1)
    ends = [explorer.view.locator(f'svg.marks [data-index="{index}"]') for index in (4, 5)]
    places = [f"{end.get_attribute('cx')},{end.get_attribute('cy')}" for end in ends]
    expect(dashed).to_have_attribute("d", f"M{places[0]}L{places[1]}")
    expect(explorer.view.get_by_text("Dashed: no rows in between.")).to_be_visible()
    choose(explorer, "at", "number of rows")
    has_picture(explorer, "Timeline of at, from 4,320 rows")
    expect(explorer.view.get_by_text("Dashed")).to_have_count(0)


def test_a_last_month_says_on_which_day_its_rows_end(explore):
    explorer = opened(explore, "months")
    has_picture(explorer, "Timeline of at, from 2,192 rows")
    note = "Pale: 2026-01 has rows only until 2026-01-01 04:00."
    expect(explorer.view.get_by_text(note)).to_be_visible()
    # These times name no zone, so the picture names none.
    expect(explorer.view.locator("svg.marks text.title").last).to_have_text("at")


def test_every_bar_has_a_name(explore):
    explorer = opened(explore, "months")
    choose(explorer, "state")
    has_picture(explorer, "Bar chart of state")
    names = explorer.view.locator("svg.marks text.axis[text-anchor=end]")
    expect(names).to_have_text(["(the empty text)", "open", "“  ”"])


def test_days_say_their_month_and_counts_have_no_fractions(explore):
    explorer = opened(explore, "cut day")
    has_picture(explorer, "Timeline of at")
    days = [text for text in labels(explorer) if "Mar" in text]
    assert days
    assert all(re.fullmatch(r"\d+ Mar", text) for text in days)
    assert "2026" in labels(explorer)
    explorer.view.get_by_role("button", name="Show as a table").click()
    last = explorer.view.get_by_role("table").get_by_role("row").last
    expect(last).to_have_text(f"2026-03-10{CUT_DAY}")


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("created", "Timeline"),
        ("updatedAt", "Timeline"),
        ("bytes", "Histogram"),
        ("bytes_sent", "Histogram"),
    ],
)
def test_seconds_and_milliseconds_since_1970_are_times(explore, column, kind):
    explorer = opened(explore, "epochs")
    choose(explorer, column)
    chart = has_picture(explorer, f"{kind} of {column}, from 720 rows")
    if kind == "Timeline":
        assert chart["points"][0] == {
            "x": "2026-03-01T00:00:00Z",
            "count": 24,
            "x2": "2026-03-02T00:00:00Z",
        }
        assert any(text.endswith("Mar") for text in labels(explorer))
        explorer.view.locator("svg.marks .mark").first.hover()
        expect(explorer.view.get_by_text(f"{column}: 2026-03-01")).to_be_visible()


def figures(explorer):
    """Return the texts of the cells of the chart as a table, without its heads."""
    explorer.view.get_by_role("button", name="Show as a table").click()
    return explorer.view.get_by_role("table").evaluate(CELLS)


def test_a_number_at_an_edge_is_in_the_bin_that_begins_there(explore):
    explorer = opened(explore, "tenths")
    choose(explorer, "mag")
    has_picture(explorer, "Histogram of mag, from 1,200 rows")
    assert figures(explorer) == [
        [f"{n / 10:g} to below {n / 10 + 0.05:g}", "100"] for n in range(12)
    ]


def test_whole_numbers_that_a_data_frame_made_floats_are_whole(explore):
    explorer = opened(explore, "tenths")
    choose(explorer, "doors")
    has_picture(explorer, "Histogram of doors, from 960 rows")
    assert {"0", "1", "2", "3"} == {text for text in labels(explorer) if len(text) < 2}
    assert figures(explorer) == [[str(n), "240"] for n in range(4)]


@pytest.mark.parametrize("column", TIMES)
def test_times_are_drawn_however_they_are_spelled(explore, column):
    explorer = opened(explore, "times")
    choose(explorer, column)
    chart = has_picture(explorer, f"Timeline of {column}, from 576 rows")
    away = 2 if column == "git" else 0  # from UTC, in hours
    days = [TIMES_A_DAY] * 24 if not away else [away, *[TIMES_A_DAY] * 23, TIMES_A_DAY - away]
    assert [point["count"] for point in chart["points"]] == days
    figures(explorer)
    name = column if column in WITHOUT_ZONE else f"{column} (UTC)"
    expect(explorer.view.get_by_role("columnheader", name=name, exact=True)).to_be_visible()


def test_times_with_gaps_are_drawn_without_them(explore):
    explorer = opened(explore, "times")
    choose(explorer, "gaps")
    has_picture(explorer, "Timeline of gaps, from 460 rows")
    expect(explorer.view.get_by_text("116 without a time or a value left out")).to_be_visible()


def test_what_few_rows_have_can_be_drawn(explore):
    explorer = opened(explore, "sparse")
    choose(explorer, "milestone.title")
    has_picture(explorer, "Bar chart of milestone.title, from 20 rows")


def test_first_and_last_bins_of_numbers_that_are_cut_are_pale(explore):
    explorer = opened(explore, "cut bins")
    choose(explorer, "n")
    chart = has_picture(explorer, "Histogram of n, from 5,450 rows")
    assert set(chart["partial"]) == {"first", "last"}
    pale = explorer.view.locator("svg.marks .mark.partial")
    expect(pale).to_have_count(2)
    ends = pale.evaluate_all("all => all.map(mark => Number(mark.dataset.index))")
    assert ends == [0, len(chart["points"]) - 1]
    expect(explorer.view.get_by_text(re.compile("^.*Pale: "))).to_be_visible()


def test_years_have_no_separators_and_large_numbers_have(explore):
    explorer = opened(explore, "years")
    choose(explorer, "Year")
    has_picture(explorer, "Histogram of Year")
    years = [text for text in labels(explorer) if text.startswith(("19", "1,9"))]
    assert years
    assert all(re.fullmatch(r"19\d\d", text) for text in years)
    explorer.view.get_by_role("button", name="Show as a table").click()
    first = explorer.view.get_by_role("table").get_by_role("row").nth(1)
    expect(first).to_have_text("195030")
    explorer.view.get_by_role("button", name="Show the picture").click()
    choose(explorer, "weight")
    has_picture(explorer, "Histogram of weight")
    assert "20,000" in labels(explorer)
    choose(explorer, "few")
    has_picture(explorer, "Histogram of few")
    assert {"0", "1", "2"} <= set(labels(explorer))
    assert not any("." in text for text in labels(explorer))
    choose(explorer, "one")
    has_picture(explorer, "Histogram of one")
    assert "2013" in labels(explorer)


def test_twenty_names_have_bars_and_the_others_are_counted_together(explore):
    explorer = opened(explore, "names")
    choose(explorer, "name")
    chart = has_picture(explorer, "Bar chart of name, from 1,830 rows")
    names = [row["name"] for row in TABLES["names"]]
    counts = {name: names.count(name) for name in set(names)}
    commonest = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    assert [(point["x"], point["count"]) for point in chart["points"]] == commonest[:20]
    rest = sum(count for _, count in commonest[20:])
    assert chart["others"] == {"values": NAMES - 20, "count": rest}
    assert chart["left_out"] == 0
    # Its bar would be fourteen times as long as the longest.
    expect(explorer.view.locator("svg.marks .mark")).to_have_count(20)
    expect(
        explorer.view.locator("svg.marks").get_by_text(f"{rest}, beyond this scale")
    ).to_be_visible()
    expect(explorer.view.locator("svg.marks").get_by_text("40 other values")).to_be_visible()
    expect(explorer.view.get_by_text(f"40 other values: {rest} rows")).to_be_visible()
    words_are_apart(explorer)


def test_a_mean_of_large_numbers_keeps_its_digits(explore):
    explorer = opened(explore, "names")
    choose(explorer, "name", "people")
    has_picture(explorer, "Bar chart of people by name, from 1,830 rows")
    rows = [row for row in TABLES["names"] if row["name"].startswith("59 ")]
    mean = sum(row["people"] for row in rows) / len(rows)
    [name, shown, count] = figures(explorer)[0]
    assert (name, count) == (rows[0]["name"], str(len(rows)))
    assert abs(int(shown.replace(",", "")) - mean) <= 0.5


def test_pairs_have_the_digits_of_their_rows_and_those_without_numbers_are_told_apart(explore):
    explorer = opened(explore, "names")
    choose(explorer, "n", "share")
    chart = has_picture(explorer, "Scatter plot of share by n, from 1,647 rows")
    drawn = len(chart["points"])
    note = f"1,647 rows; 183 without both numbers left out. {drawn} of them are drawn"
    expect(explorer.view.get_by_text(note)).to_be_visible()
    explorer.filter("n", "is less than", "30")
    has_picture(explorer, "Scatter plot of share by n, from 27 rows")
    note = "27 rows; 3 without both numbers left out."
    expect(explorer.view.get_by_text(note, exact=True)).to_be_visible()
    shares = [(row["n"], row["share"]) for row in TABLES["names"][:30] if row["share"]]
    assert figures(explorer) == [[str(n), f"{share:,}".removesuffix(".0")] for n, share in shares]


COLUMNS = {
    "list_readings": ["at", "day", "status", "pressure", "rank", "operator", "batch", "note"],
    "cut day": ["at", "load"],
    "months": ["at", "state"],
    "epochs": ["created", "bytes"],
    "years": ["Year", "weight"],
    "names": ["name", "n"],
}


@pytest.mark.parametrize("table", COLUMNS)
@pytest.mark.parametrize(
    "host", [{"viewport": {"width": 360, "height": 640}}], indirect=True, ids=["360"]
)
def test_labels_do_not_overlap_on_a_phone_either(explore, table):
    tool = {"list_readings": {"count": 3_000}}.get(table, {"name": table})
    explorer = explore("list_readings" if "count" in tool else "list_table", **tool)
    explorer.tool("Chart").click()
    for column in COLUMNS[table]:
        choose(explorer, column)
        has_picture(explorer, re.compile(rf"(Timeline|Histogram|Bar chart) of {column},"))
        words_are_apart(explorer)


def test_the_page_starts_no_library_for_its_charts(explore):
    explorer = explore("list_readings", count=3_000)
    explorer.has_row(0, reading(0))
    assert "vega" not in explorer.view.content().lower()
