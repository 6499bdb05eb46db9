"""Files: exact to the digit, harmless in a spreadsheet, and available from inside any sandbox."""

from __future__ import annotations

import csv
import io
import json

import plant_data
from playwright.sync_api import expect

FORMULAS = {5: '=HYPERLINK("http://example.com")', 6: "+1+1", 7: "-2+3", 8: "@SUM(A1)", 9: "\t=1"}
# The console messages of Chromium when a sandbox blocks something.
NO_DOWNLOADS = "Download is disallowed"
NO_CLIPBOARD = "The Clipboard API has been blocked"


def ask(explorer, form, which="All"):
    """Ask for a file, and return the dialog."""
    explorer.tool("Download").click()
    dialog = explorer.dialog("Download")
    dialog.get_by_role("radio", name=form).check()
    dialog.get_by_role("radio", name=which).check()
    dialog.get_by_role("button", name="Download").click()
    return dialog


def download(explorer, form, which="All"):
    """Return the file that the host was asked to save."""
    dialog = ask(explorer, form, which)
    expect(dialog.get_by_role("status")).to_contain_text("The host has saved")
    dialog.get_by_role("button", name="Close").last.click()
    (file,) = explorer.host.record("downloads")[-1]["contents"]
    return file["resource"]


def table_in(text):
    assert text.startswith("\ufeff")
    csv.field_size_limit(2 * plant_data.MEGABYTE)
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_json_is_what_the_tool_gave_and_csv_has_no_formulas(explore):
    explorer = explore("list_precise")
    rows = plant_data.precise()
    file = download(explorer, "JSON")
    assert file["mimeType"] == "application/json"
    assert json.loads(file["text"]) == rows
    assert str(plant_data.LONG_NUMBER) in file["text"]
    file = download(explorer, "CSV")
    head, *records = table_in(file["text"])
    assert head[:4] == ["id", "value", "text", "more.deep"]
    more = head.index("more")
    expected = ["'" + FORMULAS[row["id"]] if row["id"] in FORMULAS else row["text"] for row in rows]
    assert [record[2] for record in records] == expected
    values = [record[1] for record in records[:6]]
    assert values[0] == str(plant_data.LONG_NUMBER)
    assert values[1] == "9007199254740993"
    assert [float(value) for value in values[2:4]] == [-0.5, 1e-7]
    assert values[4:] == ["", "-12"]
    assert records[0][3] == str(plant_data.LONG_NUMBER + 1)
    assert json.loads(records[1][more]) == rows[1]["more"]
    assert records[9][more] == "'\r=1"
    assert records[-1][head.index("more.n")] == str(rows[-1]["id"])
    assert file["text"].count("\r\n") >= len(rows) + 1


def test_odd_columns_and_values_too_large_for_the_table_are_in_the_file_whole(explore):
    explorer = explore("list_hostile")
    assert json.loads(download(explorer, "JSON")["text"]) == plant_data.hostile()
    head, *records = table_in(download(explorer, "CSV")["text"])
    assert head[:5] == ["id", "text", "__proto__", "constructor", "toString"]
    assert [record[head.index("__proto__")] for record in records[:2]] == ["proto 0", "proto 1"]
    assert records[2][head.index("body")] == plant_data.long_text()


def test_rows_that_are_left_go_in_their_order_and_a_selection_alone(explore):
    explorer = explore("list_readings", count=3_000)
    explorer.filter("status", "is", "down")
    explorer.sort("rank", "ascending")
    down = [row for row in map(plant_data.reading, range(3_000)) if row["status"] == "down"]
    ordered = sorted(down, key=lambda row: row["rank"])
    assert json.loads(download(explorer, "JSON")["text"]) == ordered
    explorer.select(2, 7)
    file = download(explorer, "JSON", "2 selected rows")
    chosen = sorted((ordered[2], ordered[7]), key=lambda row: row["id"])
    assert sorted(json.loads(file["text"]), key=lambda row: row["id"]) == chosen


def test_where_the_host_saves_nothing_the_browser_does(explore):
    showing = {"without": ["downloadFile"], "sandbox": "allow-scripts allow-downloads"}
    explorer = explore("list_precise", showing)
    with explorer.host.page.expect_download() as coming:
        ask(explorer, "JSON")
    saved = coming.value.path()
    assert coming.value.suggested_filename == "list_precise.json"
    assert json.loads(saved.read_bytes()) == plant_data.precise()


def test_where_nobody_saves_the_text_goes_to_the_clipboard(explore):
    explorer = explore("list_precise", {"without": ["downloadFile"]})
    explorer.host.context.grant_permissions(["clipboard-read", "clipboard-write"])
    explorer.host.tolerate(NO_DOWNLOADS)
    dialog = ask(explorer, "CSV")
    dialog.get_by_role("button", name="Copy to clipboard").click()
    expect(dialog.get_by_role("status")).to_have_text("Copied to the clipboard.")
    text = explorer.host.page.evaluate("() => (window.focus(), navigator.clipboard.readText())")
    assert len(table_in(text)) == len(plant_data.precise()) + 1


def test_where_the_clipboard_is_closed_too_the_text_is_there_to_be_copied(explore):
    explorer = explore("list_precise", {"without": ["downloadFile"], "grants": False})
    explorer.host.tolerate(NO_DOWNLOADS, NO_CLIPBOARD)
    dialog = ask(explorer, "JSON")
    dialog.get_by_role("button", name="Copy to clipboard").click()
    expect(dialog.get_by_role("status")).to_contain_text("lipboard")
    assert json.loads(dialog.get_by_label("The file's text").input_value()) == plant_data.precise()


def test_a_log_is_saved_as_the_text_it_is(explore):
    explorer = explore("read_log")
    file = download(explorer, "Text")
    assert file["mimeType"] == "text/plain"
    lines = [plant_data.log_line(number) for number in range(plant_data.LOG_LINES)]
    assert file["text"] == "\n".join(lines)
