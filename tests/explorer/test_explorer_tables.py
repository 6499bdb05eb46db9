"""Results that are tables: nested objects, GeoJSON, columns and rows, lists, and texts with data."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tables_data import CITIES, ORDERS, QUAKES, namesake, order, quake
from test_explorer_charts import has_picture

from explorer import MISSING

ROWS = f"{ORDERS:,} rows"
NESTED = ("mag", "place", "time", "alert")


def magnitudes():
    return [(quake(n)["properties"]["mag"], n) for n in range(QUAKES)]


def column_names(explorer):
    explorer.row(0).wait_for()
    heads = explorer.grid.get_by_role("columnheader")
    return heads.evaluate_all("all => all.map(head => head.ariaLabel).filter(Boolean)")


def test_nested_values_are_columns_of_geojson(explore):
    explorer = explore("list_quakes")
    explorer.has_count(f"{QUAKES} rows")
    names = column_names(explorer)
    assert [f"properties.{name}" for name in NESTED] == names[1:5]
    assert "properties" not in names
    first = quake(0)["properties"]
    cells = explorer.cells(0)
    assert cells["properties.place"] == first["place"]
    assert cells["properties.alert"] == "null"
    assert cells["geometry.type"] == "Point"


def test_nested_columns_are_sorted_filtered_and_hidden(explore):
    explorer = explore("list_quakes")
    explorer.sort("properties.mag", "ascending")
    explorer.sort("properties.mag", "descending")
    most = max(magnitudes(), key=lambda pair: (pair[0], -pair[1]))
    expect(explorer.number(0)).to_have_text(f"{most[1] + 1}")
    explorer.filter("properties.mag", "is at least", "8")
    strong = [n for mag, n in magnitudes() if mag >= 8]
    explorer.has_count(f"{len(strong)} of {QUAKES} rows")
    explorer.tool("Columns").click()
    dialog = explorer.dialog("Columns")
    dialog.get_by_role("button", name="Hide all but one").click()
    dialog.get_by_role("checkbox", name="properties.mag").check()
    dialog.get_by_role("button", name="Done").click()
    explorer.view.get_by_role("button", name="Remove filter").click()
    explorer.has_count(f"{QUAKES} rows")
    expect(explorer.number(0)).to_have_text(f"{most[1] + 1}")
    assert explorer.cells(0) == {"type": "Feature", "properties.mag": str(most[0])}
    assert "geometry" not in explorer.host.calls()[-1]["reply"]["rows"][0]


def test_columns_of_the_same_name_stay_apart_when_a_filter_leaves_only_one(explore):
    explorer = explore("list_namesakes")
    assert column_names(explorer) == ["id", "a.b", "a.b_2"]
    explorer.filter("a.b_2", "has a value")
    explorer.has_count(f"{ORDERS // 2} of {ROWS}")
    explorer.sort("a.b_2", "ascending")
    explorer.has_count(f"{ORDERS // 2} of {ROWS}")
    least = min(range(ORDERS // 2, ORDERS), key=lambda n: namesake(n)["a.b"])
    assert explorer.cells(0) == {
        "id": str(least),
        "a.b": MISSING,
        "a.b_2": str(namesake(least)["a.b"]),
    }


def test_a_sort_by_a_hidden_column_is_said_and_can_be_removed(explore):
    explorer = explore("list_quakes")
    explorer.sort("properties.mag", "ascending")
    remove = explorer.view.get_by_role("button", name="Remove sort")
    expect(remove).to_have_count(0)  # the head has an arrow
    explorer.tool("Columns").click()
    dialog = explorer.dialog("Columns")
    expect(dialog.get_by_text("time in ms")).to_be_visible()
    dialog.get_by_role("checkbox", name="properties.mag").uncheck()
    dialog.get_by_role("button", name="Done").click()
    said = explorer.view.get_by_text("sorted by properties.mag, ascending", exact=True)
    expect(said).to_be_visible()
    remove.click()
    expect(explorer.number(0)).to_have_text("1")
    expect(remove).to_have_count(0)


def test_nested_columns_are_drawn(explore):
    explorer = explore("list_quakes")
    explorer.tool("Chart").click()
    chart = explorer.view.get_by_role("region", name="Chart")
    chart.get_by_label("Across").select_option(label="properties.alert")
    points = has_picture(explorer, "Bar chart of properties.alert")["points"]
    assert points == [{"x": "green", "count": QUAKES * 4 // 5}]


def test_times_of_named_columns_are_drawn_as_times(explore):
    explorer = explore("read_split")
    expect(explorer.head("seen")).to_contain_text("time in s")
    explorer.tool("Chart").click()
    chart = explorer.view.get_by_role("region", name="Chart")
    chart.get_by_label("Across").select_option(label="seen")
    picture = explorer.view.get_by_role("img", name=f"Timeline of seen, from {ROWS}")
    expect(picture).to_be_visible()


def test_milliseconds_since_1970_are_times(explore):
    explorer = explore("list_quakes")
    explorer.filter("properties.time", "is", "2023-03-01")
    found = [
        n
        for n in range(QUAKES)
        if 1677628800 <= quake(n)["properties"]["time"] / 1_000 < 1677715200
    ]
    assert found
    explorer.has_count(f"{len(found)} of {QUAKES} rows")


@pytest.mark.parametrize(
    ("tool", "names"),
    [
        ("read_split", list(order(0))),
        ("read_lists", [f"c{n + 1}" for n in range(len(order(0)))]),
    ],
)
def test_lists_of_lists_are_tables(explore, tool, names):
    explorer = explore(tool)
    explorer.has_count(ROWS)
    assert column_names(explorer) == names
    id_, units, city = names[0], names[1], names[3]
    assert explorer.cells(5)[units] == str(order(5)["units"])
    explorer.filter(city, "is", CITIES[0])
    found = [n for n in range(ORDERS) if order(n)["city"] == CITIES[0]]
    explorer.has_count(f"{len(found)} of {ROWS}")
    explorer.sort(units, "ascending")
    least = min(found, key=lambda n: order(n)["units"])
    assert explorer.cells(0)[id_] == str(least)


def test_the_rest_of_columns_and_rows_can_be_opened(explore):
    explorer = explore("read_split")
    explorer.view.get_by_role("button", name="Rest of the result").click()
    expect(explorer.grid.get_by_text("more", exact=True)).to_be_visible()


def test_a_list_of_numbers_is_a_column(explore):
    explorer = explore("read_numbers")
    assert column_names(explorer) == ["value"]
    explorer.filter("value", "is more than", "2,400")
    found = 10 * sum(order(n)["units"] > 2_400 for n in range(ORDERS))
    explorer.has_count(f"{found} of {10 * ORDERS:,} rows")


def test_csv_is_a_table(explore):
    explorer = explore("read_csv")
    explorer.has_count(ROWS)
    assert column_names(explorer) == ["id", "units", "city", "day"]
    explorer.filter("day", "is", "1 March 2023")
    found = sum(order(n)["day"] == "2023-03-01" for n in range(ORDERS))
    explorer.has_count(f"{found} of {ROWS}")


def test_csv_in_a_cell_opens_as_a_table(explore):
    explorer = explore("read_files")
    explorer.cell(0, "text").click()
    explorer.has_count("40 rows")
    assert column_names(explorer) == ["id", "units", "city", "day"]
    explorer.sort("units", "ascending")
    assert explorer.cells(0)["units"] == "0"


def test_a_list_in_a_cell_opens_as_a_table(explore):
    explorer = explore("read_files")
    explorer.cell(7, "sizes").click()
    explorer.has_count("3 rows")
    assert column_names(explorer) == ["value"]
    assert explorer.cells(0) == {"value": "7.csv"}
