"""Everything works by keyboard, and a screen reader is told everything."""

from __future__ import annotations

from plant_data import number_of_rank, reading
from playwright.sync_api import expect

ROWS = 3_000
FOCUS = """() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const ring = (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  return [element.getAttribute("aria-label") ?? element.textContent, ring];
}"""


def press(explorer, *keys):
    for key in keys:
        explorer.host.page.keyboard.press(key)


def is_active(explorer, row, column):
    expect(explorer.grid).to_have_attribute("aria-activedescendant", f"cell-{row}-{column}")
    expect(explorer.view.locator(f"#cell-{row}-{column}")).to_be_in_viewport()


def test_tab_goes_through_everything_and_a_dialog_keeps_the_focus(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.view.get_by_role("searchbox").focus()
    names = []
    for _ in range(6):
        name, ring = explorer.view.evaluate(FOCUS)
        names.append(name)
        assert ring or name == "Find in rows", name
        press(explorer, "Tab")
    assert names == ["Find in rows", "Filter", "Columns", "Chart", "Download", "Send to model"]
    expect(explorer.grid).to_be_focused()
    explorer.tool("Filter").focus()
    press(explorer, "Enter")
    dialog = explorer.dialog("Filter rows")
    expect(dialog.get_by_label("Value")).to_be_visible()
    for _ in range(12):
        press(explorer, "Tab")
        inside = "() => document.activeElement.matches('dialog *, dialog, body')"
        assert explorer.view.evaluate(inside)
    press(explorer, "Escape")
    expect(dialog).to_be_hidden()
    expect(explorer.tool("Filter")).to_be_focused()


def test_keys_move_in_the_grid(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.grid.focus()
    press(explorer, "ArrowDown", "ArrowDown", "ArrowRight")
    is_active(explorer, 2, 1)
    press(explorer, "End")
    is_active(explorer, 2, 21)
    press(explorer, "Home", "PageDown")
    row = int(explorer.grid.get_attribute("aria-activedescendant").split("-")[1])
    assert row > 5
    press(explorer, "Control+End")
    is_active(explorer, ROWS - 1, 21)
    expect(explorer.row(ROWS - 1)).to_be_visible()
    press(explorer, "Control+Home")
    is_active(explorer, 0, 0)
    explorer.has_row(0, reading(0))


def test_enter_sorts_filters_and_opens_and_escape_goes_back(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.grid.focus()
    press(explorer, "ArrowUp", "Enter")
    expect(explorer.head("id")).to_have_attribute("aria-sort", "ascending")
    expect(explorer.said).to_have_text("Sorted by id, ascending.")
    press(explorer, "Enter")
    explorer.has_row(0, reading(ROWS - 1), ROWS - 1)
    press(explorer, "ArrowDown", "Enter")
    expect(explorer.view.get_by_role("navigation", name="Path")).to_contain_text("Row 3,000")
    press(explorer, "Escape")
    explorer.has_row(0, reading(ROWS - 1), ROWS - 1)
    press(explorer, "ArrowUp", "Alt+ArrowDown")
    explorer.dialog("Filter rows").get_by_label("Value").fill("7")
    press(explorer, "Enter")
    explorer.has_count("1 of 3,000 rows")
    explorer.has_row(0, reading(7), 7)


def test_space_selects_and_rows_are_sent_without_a_mouse(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.grid.focus()
    press(explorer, "Space", "ArrowDown", "ArrowDown", "Shift+Space")
    expect(explorer.said).to_have_text("3 rows selected.")
    expect(explorer.row(1)).to_have_attribute("aria-selected", "true")
    explorer.tool("Send to model").focus()
    press(explorer, "Enter")
    dialog = explorer.dialog("Send to model")
    dialog.get_by_role("button", name="Send 3 rows").focus()
    press(explorer, "Enter")
    expect(dialog.get_by_role("status")).to_contain_text("Sent: 3 of 3 rows")
    press(explorer, "Escape")
    expect(dialog).to_be_hidden()
    expect(explorer.tool("Send to model")).to_be_focused()


def test_a_screen_reader_is_told_what_is_there(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.sort("rank", "ascending")
    told = explorer.view.locator("body").aria_snapshot()
    first = min(range(ROWS), key=lambda n: reading(n)["rank"])
    assert first == number_of_rank(reading(first)["rank"])
    for line in (
        '- heading "list_readings" [level=1]',
        '- searchbox "Find in rows"',
        '- button "Columns"',
        '- status "Count": 3,000 rows',
        '- grid "Rows":',
        '- columnheader "rank"',
        f'- checkbox "Select row {first + 1:,}"',
        f'- gridcell "{reading(first)["device"]}"',
    ):
        assert line in told
