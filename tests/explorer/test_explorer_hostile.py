"""Data that attacks a careless reader does nothing here."""

from __future__ import annotations

import plant_data
from playwright.sync_api import expect

# Elements that only data could have added, and a variable that a script in the data would set.
TRACES = """() => [window.canary, {}.polluted, ...document.querySelectorAll(
  "#app :is(script, img, a, iframe, object, embed, base, link, [action], [onerror], [onload])")
].filter(Boolean).map(String)"""


def does_nothing(explorer):
    for frame in explorer.host.page.frames:
        assert frame.evaluate("() => window.canary") is None
    assert explorer.view.evaluate(TRACES) == []


def test_data_is_text_in_the_table(explore):
    explorer = explore("list_hostile")
    rows = plant_data.hostile()
    for index in range(5):
        assert explorer.cells(index)["text"] == rows[index]["text"]
    for name in ("__proto__", "constructor", "toString"):
        expect(explorer.cell(0, name)).to_have_text(f"{name.strip('_')} 0")
    explorer.cell(4, "text").dblclick()  # javascript:
    explorer.view.get_by_role("button", name="Back", exact=True).click()
    assert explorer.host.record("links") == []
    does_nothing(explorer)


def test_marks_of_direction_are_shown_and_text_keeps_to_its_cell(explore):
    explorer = explore("list_hostile")
    shown = explorer.cells(5)["text"]
    assert not set(shown) & set("\u202e\u202c\u2066\u2069")
    assert "txt.exe" in shown
    assert not set(explorer.cells(9)["text"]) & set("\x00\x07\x1b")
    for index, direction in ((6, "rtl"), (7, "rtl"), (0, "ltr")):
        words = explorer.cell(index, "text").locator("bdi")
        assert words.evaluate("bdi => getComputedStyle(bdi).direction") == direction
    assert explorer.cells(7)["text"] == plant_data.hostile()[7]["text"]
    assert explorer.grid.evaluate("grid => getComputedStyle(grid).direction") == "ltr"


def test_markup_is_text_in_every_other_place_too(explore):
    explorer = explore("list_hostile")
    text = plant_data.hostile()[1]["text"]
    explorer.find(text)
    explorer.has_count("1 of 40 rows")
    explorer.filter("text", "contains", "<img")
    expect(explorer.view.get_by_role("button", name="Remove filter")).to_be_visible()
    explorer.tool("Columns").click()
    explorer.dialog("Columns").get_by_role("button", name="Done").click()
    explorer.number(0).click()
    expect(explorer.view.get_by_role("navigation", name="Path")).to_be_visible()
    expect(explorer.view.get_by_role("main")).to_contain_text(text)
    does_nothing(explorer)
    explorer.view.get_by_role("button", name="Back", exact=True).click()
    explorer.tool("Chart").click()
    explorer.view.get_by_label("Across").select_option(label="text")
    expect(explorer.view.locator("svg.marks")).to_contain_text("<img")
    does_nothing(explorer)


def test_a_megabyte_in_a_cell_is_cut_in_the_table_and_whole_when_opened(explore):
    explorer = explore("list_hostile")
    assert max(call["bytes"] for call in [{"bytes": 0}, *explorer.host.calls()]) < 200_000
    explorer.scroll_right()
    cell = explorer.cell(2, "body")
    expect(cell).to_contain_text("1 MB")
    cell.click()
    text = explorer.view.get_by_role("region", name="Text")
    expect(text.locator("pre")).to_have_count(1)
    text.get_by_role("button", name="Show more").click()
    expect(text.locator("pre").nth(1)).to_be_visible()
    text.get_by_role("button", name="Show all").click()
    expect(text.get_by_text("1,000,000 characters", exact=True)).to_be_visible()
    parts = text.locator("pre").all_text_contents()
    assert "".join(parts) == plant_data.long_text()
    explorer.view.get_by_role("navigation", name="Path").get_by_role("button", name="Back").click()
    explorer.has_count("40 rows")
