"""Composed views, their texts, shapes and data sources."""

import pytest
from charts import COLUMNS, MADE, XY, A, B, C, Q, assert_needs, kept, of, picture, unit

from penstock.widgets import referenced_fields


@pytest.mark.parametrize("composition", ["layer", "concat", "hconcat", "vconcat"])
def test_views_together(composition):
    inner = {"layer": [unit(x=A), {"mark": "line", "encoding": {"x": of("k")}}]}
    spec = {"encoding": {"y": B}, composition: [inner, unit("rule", x=of("lat"))]}
    if composition != "layer":
        del spec["encoding"]
    assert_needs(spec, {"a", "k", "lat", *("b" if composition == "layer" else "")})


def test_facets():
    assert_needs({"facet": C, "columns": 2, "spec": unit(**XY)}, "abc")
    grid = {"row": {"field": "d"}, "column": {"field": "c", "sort": {"field": "k", "op": "max"}}}
    assert_needs({"facet": grid, "spec": {"layer": [unit(**XY)]}}, "abcdk", hidden="k")


def test_repeats():
    each = {"field": {"repeat": "repeat"}, "type": Q}
    assert_needs(
        {"repeat": ["a", "e f", "g\\.h"], "spec": unit(x=each, y=B)}, ["a", "b", "e f", "g.h"]
    )
    grid = {"row": ["a", "b"], "column": ["k", "n.p"]}
    x, y = ({"field": {"repeat": way}, "type": Q} for way in ("column", "row"))
    assert_needs({"repeat": grid, "spec": unit(x=x, y=y)}, "abkn")
    layers = {"repeat": {"layer": ["a", "b"]}}
    y = {"field": {"repeat": "layer"}, "type": Q}
    spec = {**layers, "spec": unit("line", x=of("k"), y=y, color={"datum": {"repeat": "layer"}})}
    assert_needs(spec, "abk")


def test_words_of_axes_legends_and_headers_are_about_ticks():
    axis = {
        "labelExpr": "datum.label + '!' + datum.index",
        "labelColor": {"condition": {"test": "datum.value > 4", "value": "red"}},
    }
    grid = {
        "gridDash": {
            "condition": {"test": {"field": "value", "lt": 5}, "value": [2, 2]},
            "value": [],
        }
    }
    legend = {"labelExpr": "upper(datum.label)"}
    words = ["label", "index", "value"]
    header = {"labelExpr": "'no. ' + datum.value"}
    spec = unit(
        x=of("a", axis={**axis, **grid}),
        y=B,
        color={**C, "legend": legend},
        row={"field": "d", "header": header},
    )
    assert_needs(spec, "abcd", also=words)
    config = {
        "axisX": axis,
        "axis": grid,
        "header": header,
        "legend": {"labelColor": {"expr": "datum.value"}},
    }
    spec = {**unit(**XY, color=C, row={"field": "d"}), "config": config}
    assert_needs(spec, "abcd", also=words)


def test_titles_by_expression():
    named = {"text": {"expr": "'rows: ' + length(data('rows'))"}}
    assert_needs({**unit(**XY), "data": {"name": "rows"}, "title": named}, "ab", also=["data"])
    first = {"text": {"expr": "'first: ' + data('rows')[0].w"}}
    spec = {**unit(**XY), "data": {"name": "rows"}, "title": first}
    assert kept(spec) == {"a", "b", "w", "data"}
    assert picture(spec, "abw") == picture(spec)


@pytest.mark.parametrize(
    "tooltip",
    [{"content": "data"}, {"signal": "datum"}, {"expr": "datum"}, {"expr": "toString(datum)"}],
)
def test_a_tooltip_of_the_whole_row(tooltip):
    assert kept(unit({"type": "point", "tooltip": tooltip}, **XY)) == COLUMNS
    assert kept({**unit(**XY), "config": {"mark": {"tooltip": tooltip}}}) == COLUMNS
    assert kept({**unit(**XY), "config": {"style": {"mine": {"tooltip": tooltip}}}}) == COLUMNS
    options = {"embedOptions": {"config": {"point": {"tooltip": tooltip}}}}
    assert kept({**unit(**XY), "usermeta": options}) == COLUMNS


@pytest.mark.parametrize("tooltip", [True, None, "words", {"content": "encoding"}])
def test_a_tooltip_of_what_is_shown(tooltip):
    assert_needs(unit({"type": "point", "tooltip": tooltip}, **XY), "ab")


def test_prose_and_the_names_of_other_things_are_no_columns():
    words = dict.fromkeys(["$schema", "name", "description", "title"], "spare")
    source = {"name": "spare"}
    assert_needs({**words, **unit(**XY), "data": source}, "ab")
    assert kept({**unit(**XY), "data": {"url": "data/spare-label.csv"}}) == set("ab")


def test_a_text_under_a_key_that_is_not_known_counts():
    channel = {"novel": {"deeper": ["k", "n.p", {"still": "datum['e f'] + datum.w"}]}}
    assert kept(unit(**XY, another=channel)) == {"a", "b", "k", "n", "w", "e f"}
    assert kept(unit(**XY, another={"novel": "toString(datum)"})) == COLUMNS


def test_notes_of_the_user_have_no_effect():
    notes = {"filter": "all that is large (see below", "field": "spare"}
    assert_needs({**unit(**XY), "usermeta": notes}, "ab")


def test_shapes():
    geojson = {"type", "index", "label"}
    assert kept(unit("geoshape")) == {"type"}
    column = unit("geoshape", shape={"field": "s", "type": "geojson"})
    assert kept(column) == {"s", "type"}
    assert picture(column, {"s", "type"}) == picture(column)
    assert picture(column, {"type"}) != picture(column)
    assert kept(unit({"type": "geoshape"}, color=of("a"))) == {"a", "type"}
    assert geojson - {"type"} <= COLUMNS - kept(column)


def test_features_are_rows():
    features = [
        {
            "type": "Feature",
            "id": number,
            "properties": {"size": number},
            "geometry": {"type": "Point", "coordinates": [number, number]},
            "note": "n",
        }
        for number in range(3)
    ]
    spec = unit("geoshape", color=of("properties.size"))
    fields = referenced_fields(spec)
    assert {name for name in features[0] if name in fields} == {
        "type",
        "id",
        "properties",
        "geometry",
    }


def test_columns_that_are_parsed():
    spec = {**unit(**XY), "data": {"format": {"parse": {"t": "date", "g.h": "number"}}}}
    assert {"a", "b", "t", "g.h"} == kept(spec)


def test_made_up_rows_need_no_column():
    assert (
        kept({"data": {"sequence": {"start": 0, "stop": 9, "as": "made"}}, **unit(x=MADE)}) == set()
    )
    assert kept({"data": {"graticule": True}, **unit("geoshape")}) == {"type"}
