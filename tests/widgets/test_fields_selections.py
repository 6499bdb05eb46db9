"""Conditions, selections and parameters of Vega-Lite."""

from charts import XY, B, C, assert_needs, kept, of, unit


def test_conditions():
    by_test = {"condition": {"test": "datum.k > 5", "value": "red"}, "value": "blue"}
    assert_needs(unit(**XY, color=by_test), "abk")
    by_predicate = {"condition": {"test": {"field": "k", "gt": 5}, "value": "red"}, "value": "blue"}
    assert_needs(unit(**XY, color=by_predicate), "abk")
    many = [{"test": "datum.k > 5", "value": 9}, {"test": {"not": "datum['e f'] > 3"}, "value": 90}]
    assert_needs(unit(**XY, size={"condition": many, "value": 300}), ["a", "b", "k", "e f"])
    field = {"condition": {"test": "datum.k > 5", **C}, "value": "blue"}
    assert_needs(unit(**XY, color=field), "abck")


def test_a_selection_by_fields():
    picked = {"name": "pick", "select": {"type": "point", "fields": ["c"]}, "value": [{"c": "fig"}]}
    red = {"condition": {"param": "pick", "value": "red"}, "value": "blue"}
    assert_needs(unit(params=[picked], **XY, color=red), "abc")


def test_a_selection_told_by_its_first_value():
    picked = {"name": "pick", "select": "point", "value": [{"c": "fig", "d": "odd"}]}
    red = {"condition": {"param": "pick", "value": "red"}, "value": "blue"}
    assert_needs(unit(params=[picked], **XY, color=red), "abcd")


def test_a_selection_by_inputs():
    inputs = {"k": {"input": "range", "min": 0, "max": 11}, "d": {"input": "text"}}
    picked = {
        "name": "pick",
        "select": {"type": "point", "fields": ["k", "d"]},
        "value": {"k": 4, "d": "even"},
        "bind": inputs,
    }
    red = {"condition": {"param": "pick", "value": "red"}, "value": "blue"}
    assert_needs(unit(params=[picked], **XY, color=red), "abdk")


def test_a_brush():
    brush = {
        "name": "brush",
        "select": {"type": "interval", "encodings": ["x"]},
        "value": {"x": [2, 6]},
    }
    shown = {"filter": {"param": "brush"}}
    assert_needs(unit(transform=[shown], params=[brush], **XY), "ab", also="x")
    composed = {
        "filter": {"and": [{"param": "brush"}, {"not": {"field": "k", "lt": 3}}, "datum.lat > 0"]}
    }
    spec = unit(transform=[composed], params=[brush], **XY)
    assert_needs(spec, ["a", "b", "k", "lat"], also="x")


def test_selections_before_version_5():
    selection = {
        "and": {
            "type": "single",
            "fields": ["c"],
            "init": {"d": "odd"},
            "bind": {"k": {"input": "range"}},
        },
        "brush": {"type": "interval", "encodings": ["x"]},
    }
    test = {"selection": {"and": ["brush", {"not": "not an expression"}]}, "value": "red"}
    spec = {**unit(**XY, color={"condition": test, "value": "blue"}), "selection": selection}
    assert kept(spec) == set("abcdk")


def test_a_domain_from_a_selection():
    brush = {"name": "brush", "select": {"type": "interval", "encodings": ["x"]}}
    detail = unit(x=of("a", scale={"domain": {"param": "brush", "field": "k"}}), y=B)
    spec = {"vconcat": [unit(params=[brush], x=of("k"), y=B), detail]}
    assert_needs(spec, "abk")


def test_parameters_in_expressions():
    limit = {"name": "limit", "value": 5, "bind": {"input": "range", "min": 0, "max": 9}}
    double = {"name": "double", "expr": "limit * 2"}
    big = {"condition": {"test": "datum.k > double", "value": 200}, "value": 20}
    assert_needs(
        unit(
            {"type": "point", "opacity": {"expr": "limit / 10"}},
            params=[limit, double],
            **XY,
            size=big,
        ),
        "abk",
        hidden="k",
    )


def test_a_mark_by_expression():
    assert_needs(unit({"type": "point", "size": {"expr": "datum.k * 30"}}, **XY), "abk")
    assert_needs(
        unit({"type": "text", "text": {"expr": "'no. ' + datum['e f']"}}, **XY), ["a", "b", "e f"]
    )
    assert_needs(
        unit({"type": "text", "angle": {"signal": "datum.k"}}, **XY, text={"value": "-"}), "abk"
    )
