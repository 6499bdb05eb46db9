"""Complete Vega specs: each place that refers to columns, drawn with and without them."""

import json

import pytest
import vl_convert
from charts import COLUMNS, ROWS, kept

X = {"name": "x", "type": "linear", "range": [0, 200], "domain": [0, 20]}
SCALES = [X, {**X, "name": "y", "range": [200, 0]}]


def encoded(**channels):
    return {"encode": {"update": channels}}


def at(name, scale="x"):
    return {"scale": scale, "field": name}


def dots(*, transform=(), scales=SCALES, signals=(), more=(), data=(), **mark):
    """Return a spec that draws points at a and b of the rows."""
    places = encoded(x=at("a"), y=at("b", "y"))
    return {
        "width": 200,
        "height": 200,
        "signals": list(signals),
        "data": [{"name": "rows", "transform": list(transform)}, *data],
        "scales": list(scales),
        "marks": [{"type": "symbol", "from": {"data": "rows"}, **places, **mark}, *more],
    }


def picture(spec, columns=COLUMNS):
    rows = [{key: value for key, value in row.items() if key in columns} for row in ROWS]
    first, *others = spec["data"]
    whole = {**spec, "data": [{**first, "values": rows}, *others]}
    return vl_convert.vega_to_svg(json.dumps(whole), allowed_base_urls=[])


def assert_needs(spec, columns, *, hidden="", also=""):
    columns = set(columns)
    assert kept(spec) == columns.union(also)
    before = picture(spec)
    assert picture(spec, columns) == before
    for column in columns.difference(hidden):
        assert picture(spec, columns - {column}) != before, f"{column} makes no difference"


def test_marks():
    assert_needs(dots(), "ab")
    assert_needs(dots(**encoded(x=at("a"), y={"signal": "datum.lat + 50"})), ["a", "lat"])
    rules = [{"test": "datum.k > 5", "value": 200}, {"field": "e f", "mult": 10}]
    assert_needs(dots(**encoded(x=at("a"), size=rules)), ["a", "k", "e f"])
    offset = {"scale": "x", "field": "a", "offset": {"field": "k"}, "mult": {"signal": "1"}}
    assert_needs(dots(**encoded(x=offset)), "ak")
    assert_needs(dots(**encoded(x={"field": {"datum": "lon"}})), ["lon"])
    assert_needs(dots(**encoded(x={"field": {"group": "width"}}, y=at("b", "y"))), "b")
    assert_needs(dots(**encoded(x={"scale": {"signal": "'x'"}, "field": "n.p"})), "n", also="x")


def test_the_name_of_a_scale_in_the_data():
    scales = [{**X, "name": name, "domain": [0, top]} for name, top in (("even", 20), ("odd", 40))]
    assert_needs(dots(scales=scales, **encoded(x={"scale": {"datum": "d"}, "field": "a"})), "ad")


def test_a_name_that_only_the_run_knows():
    chosen = [{"name": "chosen", "value": "a", "bind": {"input": "select", "options": ["a", "b"]}}]
    for channel in ({"field": {"signal": "chosen"}}, {"signal": "datum[chosen]"}):
        assert kept(dots(signals=chosen, **encoded(x=channel))) == COLUMNS
    assert kept(dots(**encoded(x={"field": {"datum": {"datum": "d"}}}))) == COLUMNS
    grouped = {"type": "aggregate", "groupby": [{"signal": "chosen"}]}
    assert kept(dots(signals=chosen, transform=[grouped])) == COLUMNS
    spread = {"type": "kde2d", "x": {"signal": "chosen"}, "y": "b", "size": [9, 9]}
    assert kept(dots(signals=chosen, transform=[spread])) == COLUMNS
    by_index = {"signal": "data('rows')[chosen].a"}
    assert kept(dots(signals=chosen, **encoded(x=by_index))) == {"a", "b", "data"}


def test_keys_and_order():
    sort = {"field": ["datum.lat", "datum['e f']"]}
    assert kept(dots(key="k", sort=sort)) == {"a", "b", "k", "lat", "e f"}


def test_scales():
    domain = {"data": "rows", "field": "k"}
    assert_needs(dots(scales=[{**X, "domain": domain}], **encoded(x=at("a"))), "ak")
    several = {
        "fields": [
            {"data": "rows", "field": "k"},
            {"data": "rows", "field": "lat"},
            [0, 1],
        ]
    }
    assert_needs(
        dots(scales=[{**X, "domain": several}], **encoded(x=at("a"))), ["a", "k", "lat"], hidden="k"
    )
    computed = {"fields": [*several["fields"], {"signal": "[1, 2]"}]}
    assert kept(dots(scales=[{**X, "domain": computed}])) == COLUMNS
    both = {"data": "rows", "fields": ["k", "lat"]}
    assert_needs(
        dots(scales=[{**X, "domain": both}], **encoded(x=at("a"))), ["a", "k", "lat"], hidden="k"
    )
    band = {
        "name": "x",
        "type": "band",
        "range": "width",
        "domain": {
            "data": "rows",
            "field": "c",
            "sort": {"op": "max", "field": "b", "order": "descending"},
        },
    }
    assert_needs(dots(scales=[band], **encoded(x=at("c"))), "bc")


def test_groups():
    inner = {
        "type": "text",
        "from": {"data": "part"},
        **encoded(x=at("a"), text={"signal": "parent.c"}),
    }
    facet = {
        "name": "part",
        "data": "rows",
        "groupby": "c",
        "aggregate": {"ops": ["max"], "fields": ["k"], "as": ["top"]},
    }
    group = {
        "type": "group",
        "from": {"facet": facet},
        "marks": [inner],
        **encoded(y={"field": "top", "mult": 9}),
    }
    spec = {"data": [{"name": "rows"}], "scales": SCALES, "marks": [group]}
    assert_needs(spec, "ack")
    labelled = {**inner, **encoded(x=at("a"), text={"field": {"parent": "c"}})}
    assert_needs({**spec, "marks": [{**group, "marks": [labelled]}]}, "ack")


def test_a_list_in_a_row_as_the_data_of_a_group():
    inner = {
        "type": "symbol",
        "from": {"data": "part"},
        **encoded(x={"scale": "x", "field": "data"}),
    }
    group = {
        "type": "group",
        "from": {"facet": {"name": "part", "data": "rows", "field": "l"}},
        "marks": [inner],
    }
    spec = {"data": [{"name": "rows"}], "scales": SCALES, "marks": [group]}
    assert_needs(spec, ["l", "data"], hidden=["data"])


def test_marks_as_the_data_of_marks():
    labels = {
        "type": "text",
        "from": {"data": "dots"},
        **encoded(x={"field": "x"}, text={"field": "datum.w"}),
    }
    spec = dots(name="dots", more=[labels])
    assert kept(spec) == {"a", "b", "w", "x"}
    assert picture(spec, "abw") == picture(spec)
    assert picture(spec, "ab") != picture(spec)
    labels = {**labels, **encoded(text={"signal": "datum.datum.w"})}
    assert "w" in kept(dots(name="dots", more=[labels]))
    labels = {**labels, **encoded(text={"signal": "toString(datum.datum)"})}
    assert kept(dots(name="dots", more=[labels])) == COLUMNS


def test_guides_are_about_ticks():
    labels = {"labels": {"update": {"text": {"signal": "datum.value + datum.label + parent.w"}}}}
    axes = [{"scale": "x", "orient": "bottom", "encode": labels}]
    legends = [{"size": "x", "encode": {"labels": {"update": {"text": {"field": "value"}}}}}]
    spec = {**dots(), "axes": axes, "legends": legends}
    assert kept(spec) == {"a", "b", "w", "x", "label", "value"}


TRANSFORMS = {
    "aggregate": ({"type": "aggregate", "groupby": ["c"], "ops": ["mean", "count"], "fields": ["k", None], "as": ["a", "b"]}, "ck"),
    "bin": ({"type": "bin", "field": "k", "extent": [0, 12], "as": ["a", "b"]}, "k"),
    "collect": ({"type": "collect", "sort": {"field": ["k", "lat"], "order": ["descending", "ascending"]}}, ["k", "lat"]),
    "countpattern": ({"type": "countpattern", "field": "w", "as": ["c", "a"]}, "w"),
    "density": ({"type": "density", "distribution": {"function": "kde", "from": "rows", "field": "k"}, "as": ["a", "b"]}, "k"),
    "dotbin": ({"type": "dotbin", "field": "k", "groupby": ["c"], "as": "a"}, "ck"),
    "extent": ({"type": "extent", "field": "k", "signal": "not an expression"}, "k"),
    "filter": ({"type": "filter", "expr": "datum.k > 3"}, "k"),
    "flatten": ({"type": "flatten", "fields": ["l", "m"], "as": ["a", "b"]}, "lm"),
    "fold": ({"type": "fold", "fields": ["k", "lat"], "as": ["c", "a"]}, ["k", "lat"]),
    "formula": ({"type": "formula", "expr": "datum.k + 1", "as": "a"}, "k"),
    "geopoint": ({"type": "geopoint", "projection": "p", "fields": ["lon", "lat"], "as": ["a", "b"]}, ["lon", "lat", "type"]),
    "identifier": ({"type": "identifier", "as": "a"}, ""),
    "impute": ({"type": "impute", "field": "k", "key": "lat", "groupby": ["c"], "value": 3}, ["k", "lat", "c"]),
    "joinaggregate": ({"type": "joinaggregate", "groupby": ["c"], "ops": ["sum"], "fields": ["k"], "as": ["a"]}, "ck"),
    "kde": ({"type": "kde", "field": "k", "groupby": ["c"], "as": ["a", "b"]}, "ck"),
    "kde2d": ({"type": "kde2d", "x": "k", "y": "lat", "weight": "lon", "size": [20, 20], "groupby": ["c"]}, ["c", "k", "lat", "lon"]),
    "contour": ({"type": "contour", "x": "k", "y": {"expr": "datum.lat"}, "size": [20, 20]}, ["k", "lat"]),
    "loess": ({"type": "loess", "x": "k", "y": "lat", "as": ["a", "b"]}, ["k", "lat"]),
    "regression": ({"type": "regression", "x": "k", "y": "lat", "groupby": ["c"], "as": ["a", "b"]}, ["k", "lat", "c"]),
    "lookup": ({"type": "lookup", "from": "rows", "key": "k", "fields": ["lat"], "values": ["lon"], "as": ["a"]}, ["k", "lat", "lon"]),
    "nest": ({"type": "nest", "keys": ["c", "d"]}, "cd"),
    "pack": ({"type": "pack", "field": "k", "radius": "lat", "sort": {"field": "lon"}}, ["k", "lat", "lon"]),
    "pie": ({"type": "pie", "field": "k", "as": ["a", "b"]}, "k"),
    "pivot": ({"type": "pivot", "field": "c", "value": "k", "groupby": ["d"]}, "cdk"),
    "project": ({"type": "project", "fields": ["k", "lat"], "as": ["a", "b"]}, ["k", "lat"]),
    "quantile": ({"type": "quantile", "field": "k", "groupby": ["c"], "as": ["a", "b"]}, "ck"),
    "sample": ({"type": "sample", "size": 5}, ""),
    "sequence": ({"type": "sequence", "start": 0, "stop": 5, "as": "a"}, ""),
    "stack": ({"type": "stack", "field": "k", "groupby": ["c"], "sort": {"field": "lat"}, "as": ["a", "b"]}, ["c", "k", "lat"]),
    "stratify": ({"type": "stratify", "key": "k", "parentKey": "lat"}, ["k", "lat"]),
    "timeunit": ({"type": "TimeUnit", "field": "t", "units": ["year"], "as": ["a", "b"]}, "t"),
    "treemap": ({"type": "treemap", "field": "k", "sort": {"field": "lat"}}, ["k", "lat"]),
    "voronoi": ({"type": "voronoi", "x": "k", "y": "lat", "size": [9, 9]}, ["k", "lat"]),
    "window": ({"type": "window", "sort": {"field": "k"}, "groupby": ["c"], "ops": ["rank", "lag"], "fields": [None, "lat"], "params": [None, 1], "as": ["a", "b"]}, ["c", "k", "lat"]),
    "crossfilter": ({"type": "crossfilter", "signal": "xf", "fields": ["k", "lat"], "query": [[0, 1], [2, 3]]}, ["k", "lat"]),
    "resolvefilter": ({"type": "resolvefilter", "ignore": 2, "filter": {"signal": "xf"}}, ""),
    "geojson": ({"type": "geojson", "fields": ["lon", "lat"], "signal": "g"}, ["lon", "lat", "type"]),
    "geopath": ({"type": "geopath", "field": "s", "projection": "p"}, ["s", "type"]),
    "geopath of rows": ({"type": "geopath", "projection": "p"}, ["type"]),
    "graticule": ({"type": "graticule"}, ""),
    "label": ({"type": "label", "size": [9, 9], "sort": {"field": "datum.k"}}, "k"),
}  # fmt: skip
# The picture of dots does not show these, or they need a larger spec to be drawn.
NOT_DRAWN = {
    *("crossfilter", "extent", "geojson", "geopath", "geopath of rows", "graticule", "label"),
    *("nest", "pack", "resolvefilter", "stratify", "treemap", "density", "kde2d", "contour"),
    *("voronoi", "sample", "lookup", "timeunit"),
}
PROJECTION = {"projections": [{"name": "p", "type": "mercator"}]}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform(name):
    transform, columns = TRANSFORMS[name]
    spec = {**dots(transform=[transform]), **PROJECTION}
    columns = {"a", "b", *columns}
    assert kept(spec) == columns
    if name not in NOT_DRAWN:
        before = picture(spec)
        assert picture(spec, columns) == before
        changed = [column for column in columns if picture(spec, columns - {column}) != before]
        assert changed


def test_rows_in_rows():
    """A column that holds a whole row may be used as one."""
    best = {
        "type": "aggregate",
        "groupby": ["c"],
        "ops": ["argmax"],
        "fields": ["k"],
        "as": ["best"],
    }
    spec = dots(transform=[best], **encoded(x=at("best.lat")))
    assert_needs(spec, ["c", "k", "lat"], also=COLUMNS)
    found = {"type": "lookup", "from": "others", "key": "k", "fields": ["e f"], "as": ["it"]}
    assert kept(dots(transform=[found], **encoded(x=at("it.lat")))) == COLUMNS
    operation = {"name": "operation", "bind": {"input": "select", "options": ["mean", "argmax"]}}
    chosen = {"type": "aggregate", "ops": [{"signal": "operation"}], "fields": ["k"]}
    assert kept(dots(signals=[operation], transform=[chosen])) == COLUMNS
    rows = {"type": "pivot", "field": "c", "value": "k", "op": "argmax"}
    assert kept(dots(transform=[rows])) == COLUMNS


@pytest.mark.parametrize(
    "kind",
    [
        *("cross", "force", "heatmap", "isocontour", "linkpath", "treelinks", "wordcloud"),
        "shuffle",
    ],
)
def test_a_transform_that_reads_what_it_does_not_name_or_is_not_known(kind):
    assert kept(dots(transform=[{"type": kind}])) == COLUMNS


def test_signals():
    update = {"name": "s", "update": "data('rows')[0].k"}
    assert kept(dots(signals=[update])) == {"a", "b", "k", "data"}
    events = {"name": "s", "value": 0, "on": [{"events": "symbol:click", "update": "datum.k"}]}
    assert kept(dots(signals=[events])) == set("abk")
    stored = {"name": "s", "on": [{"events": "symbol:click", "update": "datum"}]}
    assert kept(dots(signals=[stored])) == COLUMNS
    item = {"name": "s", "on": [{"events": "@dots:click", "update": "event.item.datum.k"}]}
    assert kept(dots(signals=[item])) == set("abk")
    far = {"name": "s", "init": "group('x').datum.w", "update": "item().mark.group.datum.k"}
    assert kept(dots(signals=[far])) == set("abkwx")
    stream = {"type": "click", "filter": ["event.item.datum.k > 3", "datum.w"]}
    assert kept(dots(signals=[{"name": "s", "on": [{"events": stream, "update": "1"}]}])) == set(
        "abkw"
    )
    text = {"name": "s", "on": [{"events": "symbol:click[datum.k > 3]", "update": "1"}]}
    assert kept(dots(signals=[text])) == set("abk")
    drag = {
        "name": "s",
        "on": [{"events": "[mousedown[!event.shiftKey], mouseup] > mousemove", "update": "1"}],
    }
    assert kept(dots(signals=[drag])) == set("ab")


def test_triggers():
    trigger = {"trigger": "hover.datum.k", "modify": "datum.w", "values": "{size: datum.lat}"}
    assert kept(dots(on=[trigger])) == {"a", "b", "k", "w", "lat"}
    spec = dots(
        data=[
            {"name": "picked", "on": [{"trigger": "s", "insert": "{k: s.datum.k}", "remove": "!w"}]}
        ]
    )
    assert kept(spec) == set("abksw")


def test_projections():
    fitted = {"projections": [{"name": "p", "fit": {"signal": "data('rows')"}, "size": [9, 9]}]}
    assert kept({**dots(), **fitted}) == COLUMNS
    turned = {"projections": [{"name": "p", "rotate": {"signal": "[data('rows')[0].lon, 0]"}}]}
    assert kept({**dots(), **turned}) == {"a", "b", "lon", "data"}


def test_shapes():
    shape = {
        "type": "shape",
        "from": {"data": "rows"},
        "transform": [{"type": "geoshape", "projection": "p"}],
    }
    spec = {**PROJECTION, "data": [{"name": "rows"}], "marks": [shape]}
    assert kept(spec) == {"type"}
    named = {**shape, "transform": [{"type": "geoshape", "projection": "p", "field": "datum.s"}]}
    assert kept({**spec, "marks": [named]}) == {"s", "type"}
    spec = {**spec, "marks": [named]}
    assert picture(spec, "s") == picture(spec) != picture(spec, "k")
    centre = encoded(
        x={"signal": "9 + geoCentroid('p', datum)[0]"}, y={"signal": "sqrt(geoArea('p', datum.s))"}
    )
    assert kept({**PROJECTION, **dots(**centre)}) == {"type", "s"}


def test_tooltips():
    assert kept(dots(**encoded(tooltip={"signal": "{'k': datum.k, spare: datum['e f']}"}))) == {
        "k",
        "e f",
        "spare",
    }
    assert kept(dots(**encoded(tooltip={"signal": "datum"}))) == COLUMNS


def test_rows_from_an_expression():
    data = [{"name": "more", "values": {"signal": "pluck(data('rows'), 'n.p')"}}]
    assert {"a", "b", "n"} <= kept(dots(data=data))
    data = [{"name": "more", "values": {"signal": "data('rows')"}}]
    assert kept(dots(data=data)) == COLUMNS
