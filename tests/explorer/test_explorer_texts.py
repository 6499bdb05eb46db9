"""Texts and lines: finding in them, wrapping, copying and saving, and what is said of it on screen."""

from __future__ import annotations

import re

import pytest
from plant_data import ERROR_EVERY, LOG_LINES, long_text
from playwright.sync_api import expect

ROWS = 3_000
ERRORS = range(1_234, LOG_LINES, ERROR_EVERY)


def press(explorer, *keys):
    for key in keys:
        explorer.host.page.keyboard.press(key)


def opened_text(explore, **showing):
    """Open a text of a megabyte on one line, which a row holds."""
    explorer = explore("list_hostile", showing)
    explorer.view.locator(".is-cut").first.click()
    region = explorer.view.get_by_role("region", name="Text")
    expect(region).to_contain_text("000000000;")
    return explorer, region


def test_a_match_in_one_long_line_is_found_counted_and_shown(explore):
    explorer, region = opened_text(explore)
    box = explorer.view.get_by_role("searchbox", name="Find in text")
    box.fill("0999")
    expect(explorer.view.get_by_text("120 matches", exact=True)).to_be_visible()
    box.press("Enter")
    expect(explorer.view.get_by_text("Match 1 of 120", exact=True)).to_be_visible()
    expect(region.locator("mark.current")).to_be_in_viewport()
    box.press("Shift+Enter")
    expect(explorer.view.get_by_text("Match 120 of 120", exact=True)).to_be_visible()
    expect(region.locator("mark.current")).to_be_in_viewport()
    explorer.view.get_by_role("button", name="Next match").click()
    expect(explorer.view.get_by_text("Match 1 of 120", exact=True)).to_be_visible()
    box.press("Escape")
    expect(box).to_have_value("")
    expect(region).to_be_visible()


def test_a_search_says_how_much_of_a_text_it_has_searched(host, plant):
    host.connect(plant.url)
    host.show(plant.token("read_long_line"))
    host.view.get_by_role("region", name="Text").wait_for()
    host.view.get_by_role("searchbox", name="Find in text").fill("the end")
    told = host.view.locator(".search").get_by_role("status")
    expect(told).to_have_text(re.compile(r"No matches in the first [\d,]+ of 6,000,007 characters"))


def test_one_long_line_is_saved_and_copied_whole(explore):
    explorer, _ = opened_text(explore)
    explorer.tool("Download").click()
    expect(explorer.said).to_contain_text(
        "The host has saved list_hostile.txt: 1,000,000 characters"
    )
    (contents,) = explorer.host.record("downloads")[-1]["contents"]
    assert contents["resource"]["text"] == long_text()
    explorer.host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    explorer.tool("Copy").click()
    expect(explorer.said).to_have_text("Copied to the clipboard.")
    text = explorer.host.page.evaluate("() => (window.focus(), navigator.clipboard.readText())")
    assert text == long_text()


def test_a_long_line_wraps_or_does_not(explore):
    explorer, region = opened_text(explore)
    is_wide = "text => text.scrollWidth > text.clientWidth"
    assert not region.evaluate(is_wide)
    explorer.view.get_by_role("checkbox", name="Wrap lines").uncheck()
    assert region.evaluate(is_wide)


@pytest.mark.parametrize(
    "host", [{"viewport": {"width": 360, "height": 640}}], indirect=True, ids=["360"]
)
def test_the_lines_of_a_log_wrap_on_request_at_the_place_where_the_user_is(explore):
    explorer = explore("read_log")
    explorer.find("does not answer")
    expect(explorer.row(ERRORS[0])).to_be_visible()
    explorer.view.get_by_role("checkbox", name="Wrap lines").check()
    lines = explorer.view.get_by_role("region", name="Wrapped lines")
    current = lines.locator(".current")
    expect(current).to_contain_text("valve 0 does not answer")
    expect(current).to_be_in_viewport()
    assert current.bounding_box()["height"] > 30
    assert not lines.evaluate("lines => lines.scrollWidth > lines.clientWidth")
    explorer.view.get_by_role("button", name="Next match").click()
    expect(current).to_contain_text("valve 1 does not answer")
    lines.get_by_role("button", name="Later lines").click()
    expect(current).to_contain_text("11,401")
    explorer.view.get_by_role("checkbox", name="Wrap lines").uncheck()
    expect(explorer.row(11_400)).to_be_visible()


def test_the_first_enter_goes_to_the_first_match_and_the_place_is_said_on_screen(explore):
    explorer = explore("read_log")
    box = explorer.view.get_by_role("searchbox")
    box.fill("does not answer")
    box.press("Enter")
    expect(explorer.said).to_have_text("Match 1 of 5, line 1,235.")
    expect(explorer.said).to_be_in_viewport(ratio=1)
    expect(explorer.row(ERRORS[0])).to_be_visible()
    box.press("Enter")
    expect(explorer.said).to_have_text("Match 2 of 5, line 11,235.")
    box.fill("poll")
    expect(explorer.said).to_have_text("")
    box.press("Shift+Enter")
    expect(explorer.said).to_have_text("Match 49,995 of 49,995, line 50,000.")


def test_what_was_selected_is_said_on_screen_for_as_long_as_it_is_true(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.grid.get_by_role("checkbox", name="Select all rows").click()
    expect(explorer.said).to_contain_text("rows that are loaded, of 3,000.")
    expect(explorer.said).to_be_in_viewport(ratio=1)
    box = explorer.said.bounding_box()
    assert box["width"] > 100
    explorer.view.get_by_role("button", name="Clear the selection").click()
    expect(explorer.said).to_have_text("")


@pytest.mark.parametrize("key", ["/", "Control+f"])
def test_a_key_leads_to_the_search_from_anywhere(explore, key):
    explorer = explore("list_readings", count=ROWS)
    box = explorer.view.get_by_role("searchbox")
    explorer.grid.focus()
    press(explorer, key)
    expect(box).to_be_focused()
    press(explorer, "P", "e", "r", "/")
    expect(box).to_have_value("Per/")
    explorer.tool("Filter").click()
    value = explorer.dialog("Filter rows").get_by_label("Value")
    value.focus()
    press(explorer, "/")
    expect(value).to_have_value("/")
    press(explorer, "Escape")
    # While a dialog is open, the rest of the page takes no text.
    expect(explorer.dialog("Filter rows")).to_be_hidden()
    box.fill("")
    explorer.has_count(f"{ROWS:,} rows")
    explorer.number(2).click()
    expect(explorer.view.get_by_role("navigation", name="Path")).to_contain_text("Row 3")
    press(explorer, key)
    expect(explorer.view.get_by_role("searchbox")).to_be_focused()
