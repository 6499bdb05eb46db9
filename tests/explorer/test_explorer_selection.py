"""Rows that the user chooses and sends to the model: within the budget, and nothing else."""

from __future__ import annotations

import json
import re

from plant_data import reading
from playwright.sync_api import expect

from explorer import size_in_json

ROWS = 3_000
BUDGET = 25_000


def rows_in(context):
    """Return the rows that the model gets, by number (from 0)."""
    lines = context["content"][0]["text"].splitlines()
    told = [json.loads(line) for line in lines if line.startswith("{")]
    return {row["number"] - 1: row["value"] for row in told}


def send(explorer):
    """Send the chosen rows. Return the dialog's texts before and after, and what the host got."""
    explorer.tool("Send to model").click()
    dialog = explorer.dialog("Send to model")
    before = dialog.get_by_role("status").inner_text()
    dialog.get_by_role("button", name=re.compile("^Send ")).click()
    expect(dialog.get_by_role("status")).to_contain_text("Sent:")
    after = dialog.get_by_role("status").inner_text()
    dialog.get_by_role("button", name="Close").last.click()
    return before, after, explorer.host.record("modelContext")[-1]


def test_chosen_rows_reach_the_model_with_what_it_needs_to_read_on(explore, plant):
    explorer = explore("list_readings", count=ROWS)
    button = explorer.tool("Send to model")
    expect(button).to_have_attribute("aria-disabled", "true")
    button.click(force=True)
    expect(explorer.said).to_have_text("Select rows first.")
    assert explorer.host.record("modelContext") == []
    explorer.select(1, 3)
    before, after, context = send(explorer)
    assert before.startswith("2 rows selected. All fit")
    assert after.startswith("Sent: 2 of 2 rows")
    assert rows_in(context) == {n: reading(n) for n in (1, 3)}
    text = context["content"][0]["text"]
    assert plant.token("list_readings", count=ROWS) in text
    assert "list_readings" in text
    explorer.row(8).locator("input").click(modifiers=["Shift"])
    expect(explorer.said).to_have_text("7 rows selected.")
    _, _, context = send(explorer)
    assert sorted(rows_in(context)) == [1, *range(3, 9)]


def test_what_does_not_fit_stays_and_is_counted(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.grid.get_by_role("checkbox", name="Select all rows").click()
    expect(explorer.said).to_contain_text("of 3,000")
    before, after, context = send(explorer)
    said = re.search(r"([\d,]+) of ([\d,]+) rows fit", before)
    sent, chosen = (int(number.replace(",", "")) for number in said.groups())
    assert 0 < sent < chosen
    assert f"Sent: {sent} of {chosen} rows" in after
    assert f"The other {chosen - sent} did not fit" in after
    assert size_in_json(context) <= BUDGET
    assert rows_in(context) == {n: reading(n) for n in range(sent)}
    assert str(chosen - sent) in context["content"][0]["text"]
    # As many as fit: one more would be too many.
    assert size_in_json(context) + size_in_json(json.dumps(reading(sent))) > BUDGET


def test_a_selection_is_of_rows_and_not_of_places(explore):
    explorer = explore("list_readings", count=ROWS)
    explorer.select(0, 1)
    explorer.sort("id", "ascending")
    explorer.sort("id", "descending")
    explorer.select(0)
    _, _, context = send(explorer)
    assert sorted(rows_in(context)) == [0, 1, ROWS - 1]


def test_a_host_that_takes_no_context_is_said_to_take_none(explore):
    explorer = explore("list_readings", {"without": ["updateModelContext"]}, count=ROWS)
    explorer.select(0)
    button = explorer.tool("Send to model")
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(button).to_have_attribute("title", "This host does not take context from apps.")
    button.click(force=True)
    assert explorer.host.record("modelContext") == []
