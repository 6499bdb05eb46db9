"""Light and dark, narrow and full screen: the look is measured."""

from __future__ import annotations

import re

import pytest
from plant_data import reading
from playwright.sync_api import expect

ROWS = 3_000
READABLE = 4.5  # WCAG 2.2, success criterion 1.4.3
# Returns the colour of an element's text, and the first opaque colour behind it.
COLOURS = """element => {
  const behind = (node) => {
    const colour = getComputedStyle(node).backgroundColor;
    const clear = colour === "transparent" || /, 0\\)$/.test(colour);
    return clear && node.parentElement ? behind(node.parentElement) : colour;
  };
  return [getComputedStyle(element).color, behind(element)];
}"""


def luminance(colour):
    red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (red, green, blue)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(text, back):
    lighter, darker = sorted((luminance(text), luminance(back)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def texts(explorer):
    """Return one text of each kind that is always there."""
    return {
        "title": explorer.view.get_by_role("heading", name="list_readings"),
        "count": explorer.count,
        "head": explorer.head("site").locator("bdi"),
        "number": explorer.number(0),
        "text": explorer.cell(0, "site").locator("bdi"),
        "figure": explorer.cell(0, "id").locator("bdi"),
        "button": explorer.tool("Columns"),
    }


def is_readable(explorer, theme):
    for name, element in texts(explorer).items():
        text, back = element.first.evaluate(COLOURS)
        assert contrast(text, back) >= READABLE, (theme, name, text, back)
    _, back = explorer.count.evaluate(COLOURS)
    assert (luminance(back) > 0.5) is (theme == "light")


def test_text_can_be_read_in_either_theme_and_the_host_may_change_it(explore):
    explorer = explore("list_readings", {"context": {"theme": "light"}}, count=ROWS)
    is_readable(explorer, "light")
    explorer.tool("Chart").click()
    axis = explorer.view.locator("svg.marks text").first
    ink = axis.evaluate("text => getComputedStyle(text).fill")
    explorer.host.change(theme="dark")
    expect(axis).not_to_have_css("fill", ink)
    explorer.tool("Chart").click()
    is_readable(explorer, "dark")


def test_a_host_in_the_dark_is_followed_from_the_start(explore):
    explorer = explore("list_readings", {"context": {"theme": "dark"}}, count=ROWS)
    is_readable(explorer, "dark")


def test_the_hosts_own_colours_and_its_one_display_are_taken(explore):
    variables = {
        "--color-background-primary": "rgb(250, 240, 230)",
        "--color-text-primary": "rgb(60, 20, 20)",
    }
    context = {"styles": {"variables": variables}, "availableDisplayModes": ["inline"]}
    explorer = explore("list_readings", {"context": context}, count=ROWS)
    text, back = explorer.cell(0, "site").locator("bdi").evaluate(COLOURS)
    assert (text, back) == ("rgb(60, 20, 20)", "rgb(250, 240, 230)")
    expect(explorer.tool("Full screen")).to_have_count(0)


@pytest.mark.parametrize(
    "host", [{"viewport": {"width": 360, "height": 640}}], indirect=True, ids=["360"]
)
def test_a_phone_is_wide_enough(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.has_row(0, reading(0))
    page = explorer.view
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for name in ("Filter", "Columns", "Chart", "Download", "Send to model"):
        box = explorer.tool(name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    for name, title in (
        ("Filter", "Filter rows"),
        ("Columns", "Columns"),
        ("Download", "Download"),
    ):
        explorer.tool(name).click()
        box = explorer.dialog(title).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        explorer.host.page.keyboard.press("Escape")
        expect(explorer.dialog(title)).to_be_hidden()


def test_the_room_that_is_asked_for_and_the_full_screen(explore):
    explorer = explore("list_readings", count=ROWS)
    expect(explorer.row(0)).to_be_visible()
    asked = explorer.host.record("sizes")[-1]["height"]
    assert 240 <= asked <= 640
    assert explorer.host.element.bounding_box()["height"] == asked
    explorer.tool("Full screen").click()
    expect(explorer.tool("Leave full screen")).to_be_visible()
    assert explorer.host.record("modes") == ["fullscreen"]
    box = explorer.grid.bounding_box()
    assert box["y"] + box["height"] == pytest.approx(720, abs=2)
    explorer.tool("Leave full screen").click()
    expect(explorer.tool("Full screen")).to_be_visible()
    assert explorer.host.record("modes") == ["fullscreen", "inline"]
