"""Screenshots of the real explorer for the documentation.

    PENSTOCK_SCREENSHOTS=docs/images python -m pytest tests/explorer/test_explorer_pictures.py

Without the variable they are taken too, and thrown away, so that this code keeps working.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from plant_data import READINGS
from playwright.sync_api import expect

FOLDER = os.environ.get("PENSTOCK_SCREENSHOTS")
ROWS = READINGS if FOLDER else 3_000
LARGEST = 200_000
BACK = "() => getComputedStyle(document.documentElement).backgroundColor"
SIZE = {"viewport": {"width": 1_000, "height": 560}, "device_scale_factor": 1}

pytestmark = pytest.mark.parametrize("host", [SIZE], indirect=True, ids=["wide"])


@pytest.fixture
def taken(tmp_path):
    """Take a picture of the explorer alone."""

    def take(explorer, name):
        path = Path(FOLDER or tmp_path) / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        explorer.host.page.mouse.move(0, 0)
        explorer.host.element.screenshot(path=path, animations="disabled", caret="hide")
        assert 5_000 < path.stat().st_size < LARGEST

    return take


def test_the_table_in_the_light_and_in_the_dark_and_the_chart(explore, taken):
    explorer = explore("list_readings", count=ROWS)
    explorer.filter("status", "is", "degraded")
    explorer.sort("rank", "ascending")
    explorer.sort("rank", "descending")
    explorer.select(1, 2, 5)
    taken(explorer, "explorer-light")
    back = explorer.view.evaluate(BACK)
    explorer.host.change(theme="dark")
    explorer.view.wait_for_function(f"back => ({BACK})() !== back", arg=back)
    taken(explorer, "explorer-dark")
    explorer.host.change(theme="light")
    explorer.view.get_by_role("button", name="Remove filter").click()
    explorer.tool("Chart").click()
    explorer.view.get_by_label("Across").select_option(label="at")
    explorer.view.get_by_label("Up").select_option(label="temperature")
    expect(explorer.view.get_by_role("img", name="Timeline of temperature by at")).to_be_visible()
    expect(explorer.view.locator("svg.marks .mark").first).to_be_attached()
    taken(explorer, "explorer-chart")


def test_the_log(explore, taken):
    explorer = explore("read_log")
    explorer.find("ERROR")
    expect(explorer.view.locator("mark").first).to_be_visible()
    taken(explorer, "explorer-log")
