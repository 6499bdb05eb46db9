"""Filters: they read what people type and what the explorer prints, and run nothing else."""

from __future__ import annotations

import re

import pytest
from chart_data import EVERY_SPARSE, FIRST_SPARSE, TABLES, TIMES, TIMES_A_DAY
from playwright.sync_api import expect
from tables_data import CITIES, ORDERS, order

ALL = [order(n) for n in range(ORDERS)]
REMOVE = "Remove filter: "
# Returns how many pixels the words of a list box leave free, beside the arrow.
FITS = """select => {
  const { font, paddingLeft, paddingRight } = getComputedStyle(select);
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  const words = context.measureText(select.selectedOptions[0].text).width;
  const arrow = 20;
  return select.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - arrow - words;
}"""


def has_only(explorer, holds):
    found = [row for row in ALL if holds(row)]
    assert 0 < len(found) < ORDERS
    explorer.has_count(f"{len(found):,} of {ORDERS:,} rows")
    explorer.has_row(0, found[0], found[0]["id"])


def chips(explorer):
    return explorer.view.get_by_role("button", name=REMOVE)


def filtered(explorer, column, condition, typed, holds):
    """Filter as typed, check the rows, and take the filter off again."""
    explorer.filter(column, condition, typed)
    has_only(explorer, holds)
    chips(explorer).click()
    explorer.has_count(f"{ORDERS:,} rows")


def test_a_number_is_read_as_it_is_typed_or_printed(explore):
    orders = explore("list_orders")
    for typed in ("1 000", "1000"):
        filtered(orders, "units", "is at least", typed, lambda row: row["units"] >= 1_000)
    orders.filter("units", "is at least", "1,000")
    has_only(orders, lambda row: row["units"] >= 1_000)
    expect(chips(orders)).to_have_accessible_name(f"{REMOVE}units is at least 1000")


def test_a_day_is_read_as_it_is_typed_or_printed(explore):
    orders = explore("list_orders")
    for typed in ("1 March 2023", "2023-03-01", "March 1, 2023"):
        filtered(orders, "day", "is", typed, lambda row: row["day"] == "2023-03-01")


def test_a_day_is_all_of_the_day_in_a_column_of_times(explore):
    orders = explore("list_orders")
    filtered(orders, "at", "is", "1 March 2023", lambda row: row["at"].startswith("2023-03-01"))
    filtered(orders, "at", "is at most", "2023-03-01", lambda row: row["at"] < "2023-03-02")
    filtered(orders, "at", "is more than", "2023-03-01", lambda row: row["at"] >= "2023-03-02")


def test_a_time_is_read_as_it_is_printed(explore):
    orders = explore("list_orders")
    printed = orders.cells(3)["at"]
    orders.filter("at", "is", printed)
    has_only(orders, lambda row: row["at"] == printed)


def test_a_day_can_be_picked_and_is_said_to_be_the_whole_day(explore):
    orders = explore("list_orders")
    dialog = orders.condition("at", "is")
    dialog.get_by_label("Pick a day").fill("2023-03-02")
    expect(dialog.get_by_label("Value", exact=True)).to_have_value("2023-03-02")
    expect(dialog.get_by_text("2 March 2023, the whole day")).to_be_visible()
    dialog.get_by_role("button", name="Apply").click()
    has_only(orders, lambda row: row["at"].startswith("2023-03-02"))


def test_seconds_since_1970_are_filtered_by_day_or_as_they_are_printed(explore):
    orders = explore("list_orders")
    orders.filter("seen", "is", "1 March 2023")
    has_only(orders, lambda row: row["at"].startswith("2023-03-01"))
    chips(orders).click()
    orders.filter("seen", "is less than", str(order(9)["seen"]))
    has_only(orders, lambda row: row["id"] < 9)


@pytest.mark.parametrize("column", TIMES)
def test_a_day_is_found_however_the_times_are_spelled(explore, column):
    times = explore("list_table", name="times")
    times.filter(column, "is", "3 March 2026")
    times.has_count(f"{TIMES_A_DAY} of 576 rows")
    printed = times.cells(5)[column]
    chips(times).click()
    times.filter(column, "is", printed)
    times.has_count("1 of 576 rows")
    assert times.cells(0)[column] == printed


def test_several_days_are_found_among_times_with_gaps(explore):
    times = explore("list_table", name="times")
    dialog = times.condition("gaps", "is one of")
    dialog.get_by_label("Values, one a line").fill("3 March 2026\n2026-03-04")
    dialog.get_by_role("button", name="Apply").click()
    there = [n for n in range(2 * TIMES_A_DAY, 4 * TIMES_A_DAY) if n % 5]
    times.has_count(f"{len(there)} of 576 rows")
    times.tool("Filter").click()
    lines = dialog.get_by_label("Values, one a line")
    expect(lines).to_have_value("3 March 2026\n2026-03-04")
    lines.fill("3 March 2026\nlater")
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Some of these are times, and some are not")
    dialog.get_by_role("button", name="Cancel").click()
    times.has_count(f"{len(there)} of 576 rows")


SPARSE = range(FIRST_SPARSE, 10_000, EVERY_SPARSE)


def test_what_few_rows_have_is_asked_of_all_rows(explore):
    """No sample of rows meets these members, nor the kind of this column."""
    rows = explore("list_table", name="sparse")
    rows.filter("milestone.title", "has a value")
    for column, condition, typed in (
        (None, None, None),
        ("closed", "is", "1 March 2026"),
        ("p.b", "is at least", "0"),
    ):
        if column:
            chips(rows).click()
            rows.filter(column, condition, typed)
        rows.has_count(f"{len(SPARSE)} of 10,000 rows")
        rows.has_row(0, TABLES["sparse"][SPARSE[0]], SPARSE[0])
    expect(rows.head("milestone")).to_have_count(0)


def test_a_sort_by_a_column_of_objects_is_refused_and_leads_to_its_members(explore):
    rows = explore("list_table", name="sparse")
    rows.head("milestone").click(position={"x": 20, "y": 10})
    expect(
        rows.alert("There is no column 'milestone' to sort by: it holds objects.")
    ).to_be_visible()
    expect(rows.head("milestone.title")).to_be_visible()


def test_a_number_is_found_as_it_is_printed(explore):
    numbers = explore("list_table", name="tenths")
    for row, printed in ((7, "1e-7"), (5, "0.00001"), (6, "0.000001")):
        assert numbers.cells(row)["p"] == printed
        numbers.find(printed)
        numbers.has_count("100 of 1,200 rows")
        numbers.find("")
        numbers.has_count("1,200 rows")
        numbers.filter("p", "contains", printed)
        numbers.has_count("100 of 1,200 rows")
        chips(numbers).click()
        numbers.has_count("1,200 rows")


def test_few_values_of_a_number_are_listed_too(explore):
    numbers = explore("list_table", name="tenths")
    dialog = numbers.condition("doors", "is one of")
    for value in ("1", "2"):
        dialog.get_by_role("checkbox", name=f"{value} 240 rows").check()
    expect(dialog.get_by_text("240 rows without a value")).to_be_visible()
    dialog.get_by_role("button", name="Apply").click()
    numbers.has_count("480 of 1,200 rows")


def test_between_has_both_ends(explore):
    orders = explore("list_orders")
    orders.filter("units", "is between", "1,000", to="1,200")
    has_only(orders, lambda row: 1_000 <= row["units"] <= 1_200)
    expect(chips(orders)).to_have_accessible_name(f"{REMOVE}units is between 1000 and 1200")
    chips(orders).click()
    orders.filter("at", "is between", "1 March 2023", to="2 March 2023")
    has_only(orders, lambda row: "2023-03-01" <= row["day"] <= "2023-03-02")


def test_few_values_are_listed_with_their_counts(explore):
    orders = explore("list_orders")
    counts = {city: sum(row["city"] == city for row in ALL) for city in CITIES}
    dialog = orders.condition("city", "is one of")
    for city, count in counts.items():
        expect(dialog.get_by_role("checkbox", name=f"{city} {count:,} rows")).to_be_visible()
    dialog.get_by_role("checkbox", name="Lyon").check()
    dialog.get_by_role("checkbox", name="Quito").check()
    dialog.get_by_role("button", name="Apply").click()
    has_only(orders, lambda row: row["city"] in ("Lyon", "Quito"))
    orders.tool("Filter").click()
    expect(dialog.get_by_role("checkbox", name="Quito")).to_be_checked()
    expect(dialog.get_by_role("checkbox", name="Oslo")).not_to_be_checked()
    dialog.get_by_role("button", name="Cancel").click()
    chips(orders).click()
    dialog = orders.condition("city", "is")
    dialog.get_by_role("button", name=f"Oslo {counts['Oslo']}").click()
    dialog.get_by_role("button", name="Apply").click()
    has_only(orders, lambda row: row["city"] == "Oslo")


def test_what_was_typed_is_a_ticked_box_or_nothing(explore):
    orders = explore("list_orders")
    dialog = orders.condition("city", "is", "Lyon")
    condition = dialog.get_by_label("Condition", exact=True)
    condition.select_option(label="is one of")
    expect(dialog.get_by_role("checkbox", name="Lyon")).to_be_checked()
    dialog.get_by_role("button", name="Apply").click()
    has_only(orders, lambda row: row["city"] == "Lyon")
    chips(orders).click()
    dialog = orders.condition("city", "is", "Nowhere")
    condition.select_option(label="is one of")
    expect(dialog.get_by_role("checkbox", name="Lyon")).not_to_be_checked()
    dialog.get_by_role("button", name="Apply").click()
    told = "Nothing is chosen here. Choose a value, or remove this condition."
    expect(dialog.get_by_role("alert")).to_have_text(told)


def test_an_empty_far_end_is_refused_at_that_end(explore):
    orders = explore("list_orders")
    dialog = orders.condition("units", "is between")
    dialog.get_by_label("From", exact=True).fill("5")
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Nothing is typed here")
    end = dialog.get_by_label("To", exact=True)
    expect(end).to_have_attribute("aria-invalid", "true")
    expect(end).to_be_focused()
    expect(dialog.get_by_label("From", exact=True)).to_have_attribute("aria-invalid", "false")


def test_a_number_has_the_keys_for_one(explore):
    orders = explore("list_orders")
    dialog = orders.condition("units", "is")
    field = dialog.get_by_label("Value", exact=True)
    expect(field).to_have_attribute("inputmode", "decimal")
    dialog.get_by_label("Condition", exact=True).select_option(label="contains")
    expect(field).not_to_have_attribute("inputmode", "decimal")


@pytest.mark.parametrize("typed", ["1 000", "1,000", "1000"])
def test_decimals_that_are_texts_are_compared_as_numbers_as_they_are_typed(explore, typed):
    prices = explore("list_table", name="prices")
    prices.filter("price", "is at least", typed)
    found = sum(float(row["price"]) >= 1_000 for row in TABLES["prices"])
    prices.has_count(f"{found} of 1,200 rows")


def test_values_are_said_to_be_counted_in_all_rows(explore):
    told = "Rows are counted in the whole table."
    orders = explore("list_orders")
    dialog = orders.condition("city", "is one of")
    expect(dialog.get_by_role("checkbox", name="Lyon")).to_be_visible()
    expect(dialog.get_by_text(told)).to_have_count(0)
    dialog.get_by_role("checkbox", name="Lyon").check()
    dialog.get_by_role("button", name="Apply").click()
    dialog = orders.condition("city", "is")
    expect(dialog.get_by_text(told).last).to_be_visible()


def test_a_long_name_of_a_column_can_be_read_in_the_dialog(explore):
    quakes = explore("list_quakes")
    dialog = quakes.condition("properties.place", "is")
    chosen = dialog.get_by_label("Column")
    expect(chosen).to_have_attribute("title", "properties.place")
    room = chosen.evaluate(FITS)
    assert room >= 0, room


def test_many_values_are_typed_one_a_line(explore):
    orders = explore("list_orders")
    dialog = orders.condition("units", "is one of")
    dialog.get_by_label("Values, one a line").fill("1,036\n74\n")
    dialog.get_by_role("button", name="Apply").click()
    has_only(orders, lambda row: row["units"] in (1_036, 74))


def test_a_comma_is_a_part_of_a_value_and_the_dialog_says_so(explore):
    orders = explore("list_orders")
    dialog = orders.condition("note", "is one of")
    expect(dialog.get_by_text("One value a line.")).to_be_visible()
    dialog.get_by_label("Values, one a line").fill("order 1, order 2")
    dialog.get_by_role("button", name="Apply").click()
    expect(chips(orders)).to_have_accessible_name(f"{REMOVE}note is one of “order 1, order 2”")


UNREADABLE = [
    ("units", "many", "is not a number"),
    ("day", "the day after", "is not a day or a time"),
    ("at", "3/4/2023", "can be read in two ways"),
    ("at", "30 February 2023", "There is no such day"),
    ("units", "", "Nothing is typed here"),
]


def test_what_cannot_be_read_is_refused_beside_its_field_and_never_runs(explore):
    orders = explore("list_orders")
    for column, typed, told in UNREADABLE:
        dialog = orders.condition(column, "is", typed)
        dialog.get_by_role("button", name="Apply").click()
        problem = dialog.get_by_role("alert")
        expect(problem).to_contain_text(told)
        field = dialog.get_by_label("Value", exact=True)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
        expect(field).to_have_accessible_description(problem.inner_text())
        dialog.get_by_role("button", name="Cancel").click()
    orders.has_count(f"{ORDERS:,} rows")
    expect(chips(orders)).to_have_count(0)
    assert not any("where" in call["arguments"] for call in orders.host.calls())


def test_the_empty_text_is_a_condition_of_its_own(explore):
    orders = explore("list_orders")
    orders.filter("note", "is the empty text")
    orders.has_count(f"{sum(row['note'] == '' for row in ALL)} of {ORDERS:,} rows")
    expect(orders.cell(0, "note")).to_contain_text('""')
    expect(chips(orders)).to_have_accessible_name(f"{REMOVE}note is the empty text")


def test_the_empty_text_is_chosen_without_turning_the_condition_round(explore):
    months = explore("list_table", name="months")
    dialog = months.condition("state", "is not")
    dialog.get_by_role("button", name="(the empty text)").click()
    dialog.get_by_role("button", name="Apply").click()
    rows = [row for row in TABLES["months"] if row["state"] != ""]
    months.has_count(f"{len(rows):,} of {len(TABLES['months']):,} rows")
    expect(chips(months)).to_have_accessible_name(f"{REMOVE}state is not the empty text")


def test_blanks_are_a_text_and_are_shown_in_the_condition(explore):
    months = explore("list_table", name="months")
    months.filter("state", "is", "  ")
    rows = [row for row in TABLES["months"] if row["state"] == "  "]
    months.has_count(f"{len(rows):,} of {len(TABLES['months']):,} rows")
    expect(chips(months)).to_have_accessible_name(re.compile("state is “ +”"))


def test_how_texts_are_compared_is_said(explore):
    orders = explore("list_orders")
    told = "Texts are compared by the alphabet; as numbers only if every text is a number."
    dialog = orders.condition("note", "is more than", "order 5")
    expect(dialog.get_by_label("Value", exact=True)).to_have_accessible_description(told)
    dialog.get_by_label("Condition", exact=True).select_option(label="contains")
    expect(dialog.get_by_text(told)).to_have_count(0)


def test_a_filter_that_the_server_refused_is_not_shown_as_on(explore):
    orders = explore("list_orders")
    orders.filter("city", "is", "Lyon")
    dialog = orders.condition("note", "matches the pattern", "order [")
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog.get_by_role("alert")).to_contain_text("is not a regular expression")
    dialog.get_by_role("button", name="Cancel").click()
    has_only(orders, lambda row: row["city"] == "Lyon")
    expect(chips(orders)).to_have_count(1)
    expect(orders.view.get_by_role("alert")).to_have_count(0)
