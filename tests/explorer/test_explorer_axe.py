"""axe-core finds nothing, in whatever state the explorer is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from node_runtime import package
from playwright.sync_api import expect
from relays import relay

from explorer import Explorer

ROWS = 3_000


def press(explorer, *keys):
    for key in keys:
        explorer.host.page.keyboard.press(key)


def dialogs(explorer):
    for name, title in (
        ("Filter", "Filter rows"),
        ("Columns", "Columns"),
        ("Download", "Download"),
    ):
        explorer.tool(name).click()
        expect(explorer.dialog(title)).to_be_visible()
        yield title
        press(explorer, "Escape")
        expect(explorer.dialog(title)).to_be_hidden()


def charts(explorer):
    explorer.tool("Chart").click()
    for across, up in (
        ("at", "number of rows"),
        ("at", "temperature"),
        ("pressure", "number of rows"),
        ("pressure", "temperature"),
        ("device", "number of rows"),
    ):
        chart = explorer.view.get_by_role("region", name="Chart")
        chart.get_by_label("Across").select_option(label=across)
        chart.get_by_label("Up", exact=True).select_option(label=up)
        expect(explorer.view.locator("svg.marks .mark").first).to_be_visible()
        yield f"chart of {across} and {up}"
    explorer.view.get_by_role("button", name="Show as a table").click()
    yield "chart as a table"


def table_states(explore, theme):
    """Yield the explorer in each of its states, one after the other."""
    explorer = explore("list_readings", {"context": {"theme": theme}}, count=ROWS)
    yield explorer, "table"
    explorer.grid.get_by_role("checkbox", name="Select all rows").click()
    expect(explorer.said).to_contain_text("Selected the")
    yield explorer, "selection"
    explorer.sort("device", "ascending")
    explorer.tool("Columns").click()
    explorer.dialog("Columns").get_by_role("checkbox", name="device").uncheck()
    press(explorer, "Escape")
    expect(explorer.view.get_by_role("button", name="Remove sort")).to_be_visible()
    yield explorer, "sorted by a hidden column"
    for state in dialogs(explorer):
        yield explorer, state
    for state in charts(explorer):
        yield explorer, state
    explorer.find("nowhere to be found")
    expect(explorer.view.get_by_role("heading", name="Nothing matches")).to_be_visible()
    yield explorer, "chart of nothing"
    explorer.tool("Chart").click()
    expect(explorer.view.get_by_role("heading", name="Nothing matches")).to_be_visible()
    yield explorer, "nothing matches"


def filter_states(explore, theme):
    """Yield the dialog for filters with every kind of field."""
    explorer = explore("list_orders", {"context": {"theme": theme}})
    dialog = explorer.condition("at", "is between", "1 March 2023", to="soon")
    dialog.get_by_role("button", name="Apply").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    yield explorer, "a time that cannot be read"
    for column, condition, field in (
        ("city", "is one of", dialog.get_by_role("checkbox", name="Lyon")),
        ("city", "is", dialog.get_by_role("button", name="Lyon")),
        ("price", "is one of", dialog.get_by_label("Values, one a line")),
        ("paid", "is", dialog.get_by_label("Value", exact=True)),
    ):
        dialog.get_by_label("Column").select_option(label=column)
        dialog.get_by_label("Condition", exact=True).select_option(label=condition)
        expect(field).to_be_visible()
        yield explorer, f"{column} {condition}"


def text_states(explore, theme):
    explorer = explore("read_log", {"context": {"theme": theme}})
    explorer.find("does not answer")
    expect(explorer.said).to_contain_text("Match 1 of 5")
    yield explorer, "match in a log"
    explorer.view.get_by_role("checkbox", name="Wrap lines").check()
    expect(explorer.view.locator(".wrapped-line.current mark")).to_be_visible()
    yield explorer, "wrapped log"
    explorer = explore("list_hostile", {"context": {"theme": theme}})
    explorer.view.locator(".is-cut").first.click()
    explorer.view.get_by_role("searchbox", name="Find in text").fill("0999")
    press(explorer, "Enter")
    expect(explorer.view.get_by_text("Match 1 of", exact=False)).to_be_visible()
    yield explorer, "match in a text"


def faults(explorer, state, rules):
    if not explorer.view.evaluate("'axe' in window"):
        explorer.view.evaluate(Path(package("axe-core/axe.min.js")).read_text())
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    result = explorer.view.evaluate("options => axe.run(document, options)", options)
    assert result["passes"]
    return [
        (state, problem["id"], problem["impact"], node["html"][:200])
        for problem in result["violations"]
        for node in problem["nodes"]
    ]


THEMES = pytest.mark.parametrize(
    ("theme", "rules"), [("light", []), ("dark", ["color-contrast"])], ids=["light", "dark"]
)


@THEMES
@pytest.mark.parametrize("states", [table_states, filter_states, text_states])
def test_axe_finds_nothing(explore, states, theme, rules):
    found = [
        fault
        for explorer, state in states(explore, theme)
        for fault in faults(explorer, state, rules)
    ]
    assert not found, "\n".join(map(str, found))


@THEMES
def test_axe_finds_nothing_when_a_result_has_expired(host, site, tmp_path, theme, rules):
    store = f"sqlite:///{tmp_path}/results.sqlite"
    with relay(site[0], PENSTOCK_STORE=store) as served:
        host.connect(served.url)
        token = served.token("list_readings", count=ROWS)
        explorer = Explorer(host)
        explorer.show(token, context={"theme": theme})
        subprocess.run([sys.executable, "-m", "penstock", "purge", "--store", store], check=True)
        explorer.scroll_to_end()
        expect(explorer.alert("This result has expired.")).to_be_visible()
        found = faults(explorer, "expired", rules)
        host.show(token, context={"theme": theme})
        expect(host.view.get_by_role("alert")).to_contain_text("This result has expired.")
        found += faults(explorer, "expired before it was opened", rules)
        assert not found, "\n".join(map(str, found))
