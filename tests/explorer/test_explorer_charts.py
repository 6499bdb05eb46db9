"""Charts that suit their columns, of all rows or of the filtered rows."""

from __future__ import annotations

import pytest
from plant_data import STATES, reading
from playwright.sync_api import expect

ROWS = 6_000


def opened(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.tool("Chart").click()
    return explorer


def choose(explorer, across, up=None):
    chart = explorer.view.get_by_role("region", name="Chart")
    chart.get_by_label("Across").select_option(label=across)
    if up:
        chart.get_by_label("Up").select_option(label=up)
    return chart


def has_picture(explorer, label):
    """Check that there is a drawing with marks and a text for it. Return the points from the server."""
    picture = explorer.view.get_by_role("img", name=label)
    expect(picture).to_be_visible()
    expect(picture.locator("svg .mark").first).to_be_attached()
    replies = [call["reply"] for call in explorer.host.calls()]
    return [reply["chart"] for reply in replies if reply and "chart" in reply][-1]


def test_a_date_is_the_first_choice_and_is_told_as_it_was_spelled(explore):
    explorer = opened(explore)
    chart = has_picture(explorer, "Timeline of at, from 6,000 rows")
    assert chart["kind"] == "timeline"
    assert sum(point["count"] for point in chart["points"]) == ROWS
    assert chart["points"][0]["x"] == "2026-01-01T00:00:00Z"
    explorer.view.locator("svg.marks .mark").first.hover()
    expect(explorer.view.get_by_text("at: 2026-01-01", exact=True)).to_be_visible()


def test_each_kind_of_column_has_its_chart(explore):
    explorer = opened(explore)
    choose(explorer, "pressure")
    histogram = has_picture(explorer, "Histogram of pressure, from 6,000 rows")
    assert histogram["kind"] == "histogram"
    assert sum(point["count"] for point in histogram["points"]) == ROWS
    choose(explorer, "status")
    bars = has_picture(explorer, "Bar chart of status, from 6,000 rows")
    counts = {state: sum(STATES[n // 3 % 10] == state for n in range(ROWS)) for state in STATES}
    assert {point["x"]: point["count"] for point in bars["points"]} == counts
    assert bars["points"][0]["x"] == "ok"  # the most frequent comes first
    choose(explorer, "site", "temperature")
    means = has_picture(explorer, "Bar chart of temperature by site, from 6,000 rows")
    lyon = [reading(n)["temperature"] for n in range(0, ROWS, 5)]
    shown = {point["x"]: point["mean"] for point in means["points"]}
    assert shown["Lyon"] == pytest.approx(sum(lyon) / len(lyon))
    choose(explorer, "pressure", "temperature")
    scatter = has_picture(explorer, "Scatter plot of temperature by pressure")
    assert scatter["kind"] == "scatter"
    assert (scatter["rows"], scatter["left_out"]) == (ROWS, 0)
    told = f"{ROWS:,} rows. {len(scatter['points'])} of them are drawn: evenly spread"
    expect(explorer.view.get_by_text(told)).to_be_visible()
    pairs = {(reading(n)["pressure"], reading(n)["temperature"]) for n in range(ROWS)}
    assert 0 < len(scatter["points"]) <= 1_000
    assert {(point["x"], point["y"]) for point in scatter["points"]} <= pairs


def test_a_chart_follows_the_filter_and_can_be_read_as_a_table(explore):
    explorer = opened(explore)
    chart = choose(explorer, "status")
    has_picture(explorer, "Bar chart of status, from 6,000 rows")
    chart.get_by_role("button", name="Show as a table").click()
    first = chart.get_by_role("table").get_by_role("row").nth(1)
    expect(first).to_have_text("ok4,800")
    chart.get_by_role("button", name="Show the picture").click()
    choose(explorer, "pressure")
    explorer.filter("site", "is", "Quito")
    histogram = has_picture(explorer, "Histogram of pressure, from 1,200 rows")
    assert sum(point["count"] for point in histogram["points"]) == 1_200


def test_a_chart_of_no_rows_says_why_and_leads_back_to_all(explore):
    explorer = opened(explore)
    choose(explorer, "pressure")
    has_picture(explorer, "Histogram of pressure, from 6,000 rows")
    explorer.filter("site", "is", "Nowhere")
    expect(explorer.view.get_by_role("heading", name="Nothing matches")).to_be_visible()
    expect(explorer.view.get_by_role("button", name="Retry")).to_have_count(0)
    explorer.view.get_by_role("button", name="Show all rows").click()
    has_picture(explorer, "Histogram of pressure, from 6,000 rows")


def test_a_chart_that_was_refused_has_no_retry(explore):
    explorer = opened(explore)
    explorer.filter("operator", "is null or missing")
    chart = choose(explorer, "operator")
    expect(chart.get_by_text("The column holds nothing that a chart could show.")).to_be_visible()
    expect(explorer.view.get_by_role("button", name="Retry")).to_have_count(0)
