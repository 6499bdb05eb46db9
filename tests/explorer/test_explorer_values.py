"""Logs, nested values, numbers that JavaScript cannot hold, and very wide tables."""

from __future__ import annotations

import plant_data
from plant_data import ERROR_EVERY, LOG_LINES, log_line
from playwright.sync_api import expect

from explorer import Explorer

ERRORS = [n for n in range(LOG_LINES) if " ERROR " in log_line(n)]


def has_line(explorer, index):
    expect(explorer.row(index).get_by_role("gridcell")).to_have_text(log_line(index))


def test_a_log_is_read_by_line_and_searched_from_match_to_match(explore):
    explorer = explore("read_log")
    has_line(explorer, 0)
    explorer.scroll_to_end()
    has_line(explorer, LOG_LINES - 1)
    explorer.scroll_to(0)
    explorer.row(0).get_by_role("gridcell").click()
    explorer.find("error")
    expect(explorer.view.get_by_text("5 matches", exact=True)).to_be_visible()
    explorer.has_count("50,000 lines")
    for place, number in enumerate(ERRORS[:2]):
        if place:
            explorer.view.get_by_role("button", name="Next match").click()
        has_line(explorer, number)
        has_line(explorer, number + 1)
        expect(explorer.row(number).locator("mark")).to_have_text("ERROR")
    explorer.view.get_by_role("button", name="Previous match").click()
    has_line(explorer, ERRORS[0])


def test_matching_lines_alone_and_from_one_of_them_into_its_context(explore):
    explorer = explore("read_log")
    explorer.find("does not answer")
    explorer.view.get_by_role("checkbox", name="Only matching lines").check()
    explorer.has_count("5 of 50,000 lines")
    for index, number in enumerate(ERRORS):
        expect(explorer.row(index).get_by_role("gridcell")).to_have_text(log_line(number))
        expect(explorer.number(index)).to_have_text(f"{number + 1:,}")
    explorer.row(2).get_by_role("gridcell").click()
    explorer.view.get_by_role("button", name="Show in context").click()
    explorer.has_count("50,000 lines")
    has_line(explorer, ERRORS[2])
    has_line(explorer, ERRORS[2] - 1)
    assert ERRORS[2] == 2 * ERROR_EVERY + 1_234


def path(explorer):
    return explorer.view.get_by_role("navigation", name="Path")


def key(explorer, name):
    """Return the row of a key, in a value that is shown as keys and values."""
    cell = explorer.view.locator("[role=gridcell]").get_by_text(name, exact=True)
    return explorer.grid.locator("[role=row]").filter(has=cell)


def test_a_nested_value_opens_level_by_level(explore):
    explorer = explore("read_configuration")
    explorer.has_count("5 keys")
    for name in ("limits", "requests", "burst"):
        key(explorer, name).get_by_role("gridcell").last.click()
        expect(path(explorer)).to_contain_text(name)
    expect(key(explorer, "size").get_by_role("gridcell").last).to_have_text("50")
    explorer.host.page.keyboard.press("Escape")
    expect(key(explorer, "per_minute").get_by_role("gridcell").last).to_have_text("600")
    path(explorer).get_by_role("button").nth(1).click()
    explorer.has_count("5 keys")
    key(explorer, "endpoints").get_by_role("gridcell").last.click()
    explorer.has_count("900 keys")
    explorer.scroll_to_end()
    expect(key(explorer, "/api/v1/resource-899")).to_be_visible()


def test_numbers_are_spelled_as_they_were_sent(explore):
    explorer = explore("list_precise")
    assert explorer.cells(0)["value"] == str(plant_data.LONG_NUMBER)
    assert explorer.cells(1)["value"] == "9007199254740993"
    assert explorer.cells(4)["value"] == "null"
    explorer.cell(0, "more").click()
    expect(key(explorer, "deep").get_by_role("gridcell").last).to_have_text(
        str(plant_data.LONG_NUMBER + 1)
    )


def test_hidden_columns_are_not_sent_any_more_and_a_row_opens_with_all(explore):
    explorer = explore("list_readings", count=3_000)
    explorer.tool("Columns").click()
    dialog = explorer.dialog("Columns")
    dialog.get_by_role("button", name="Hide all but one").click()
    dialog.get_by_role("checkbox", name="rank").check()
    dialog.get_by_role("button", name="Done").click()
    explorer.scroll_to_end()
    last = plant_data.reading(2_999)
    assert explorer.cells(2_999) == {"id": "2999", "rank": str(last["rank"])}
    reply = explorer.host.calls()[-1]["reply"]
    assert all(set(row) == {"id", "rank"} for row in reply["rows"])
    explorer.tool("Columns").click()
    dialog.get_by_role("button", name="Show all").click()
    dialog.get_by_role("button", name="Done").click()
    explorer.has_row(2_999, last)
    explorer.number(2_999).click()
    explorer.has_count(f"{len(last)} keys")
    expect(key(explorer, "site").get_by_role("gridcell").last).to_have_text(last["site"])
    explorer.scroll_to_end()
    expect(key(explorer, "note").get_by_role("gridcell").last).to_have_text(last["note"])


def test_of_many_columns_only_those_in_sight_are_drawn(explore):
    explorer: Explorer = explore("list_wide")
    assert explorer.row(0).get_by_role("gridcell").count() < 40
    explorer.scroll_right()
    expect(explorer.cell(0, "column_119")).to_have_text("0/119")
