"""Every transform of Vega-Lite, and the columns it needs."""

import pytest
from charts import COLUMNS, MADE, XY, A, B, C, Q, assert_needs, kept, of, unit

PLAIN_FILTERS = [
    {"field": "k", "equal": 3},
    {"field": "k", "lt": 4},
    {"field": "k", "lte": 4},
    {"field": "k", "gt": 4},
    {"field": "k", "gte": 4},
    {"field": "k", "range": [2, 7]},
    {"field": "k", "oneOf": [1, 5]},
    {"field": "k", "equal": {"expr": "1 + 2"}},
    "datum.k > 4",
    "datum['k'] > 4",
    {"not": "datum.k > 4"},
    {"not": {"field": "k", "lt": 4}},
    {"or": ["datum.k < 2", {"field": "k", "gt": 8}]},
    {"and": [{"not": {"or": ["datum.k < 2", {"field": "k", "gt": 8}]}}]},
]


@pytest.mark.parametrize("predicate", PLAIN_FILTERS, ids=str)
def test_a_filter(predicate):
    assert_needs(unit(transform=[{"filter": predicate}], **XY), "abk")


def test_filters_that_see_less_or_more():
    assert_needs(unit(transform=[{"filter": {"field": "k", "valid": True}}], **XY), "abk")
    months = {"field": "t", "timeUnit": "month", "oneOf": [1, 2, 3]}
    assert_needs(unit(transform=[{"filter": months}], **XY), "abt")


ANOTHER = {"field": "other", "type": Q}
TRANSFORMS = {
    "calculate": (
        {"calculate": "datum.k * 2 + datum['e f']", "as": "made"},
        {"x": MADE, "y": A},
        ["k", "e f", "a"],
    ),
    "aggregate": (
        {"aggregate": [{"op": "mean", "field": "a", "as": "made"}], "groupby": ["c"]},
        {"x": MADE, "y": C},
        "ac",
    ),
    "aggregate count": (
        {"aggregate": [{"op": "count", "as": "made"}], "groupby": ["c"]},
        {"x": MADE, "y": C},
        "c",
    ),
    "joinaggregate": (
        {"joinaggregate": [{"op": "sum", "field": "a", "as": "made"}], "groupby": ["c"]},
        {"x": MADE, "y": B},
        "abc",
    ),
    "window": (
        {
            "window": [{"op": "lag", "field": "a", "as": "made"}],
            "sort": [{"field": "d"}, {"field": "k", "order": "descending"}],
            "groupby": ["c"],
        },
        {"x": MADE, "y": of("e f")},
        ["a", "c", "d", "k", "e f"],
    ),
    "stack": (
        {"stack": "a", "groupby": ["c"], "sort": [{"field": "b"}], "as": ["made", "other"]},
        {"x": MADE, "x2": {"field": "other"}, "y": C},
        "abc",
    ),
    "fold": (
        {"fold": ["a", "b"]},
        {"x": of("value"), "y": {"field": "key"}},
        ["a", "b", "value", "key"],
    ),
    "fold as": (
        {"fold": ["a", "e f"], "as": ["made", "other"]},
        {"x": ANOTHER, "y": {"field": "made"}},
        ["a", "e f"],
    ),
    "flatten": ({"flatten": ["l", "m"]}, {"x": of("l"), "y": of("m")}, "lm"),
    "flatten as": ({"flatten": ["l"], "as": ["made"]}, {"x": MADE, "y": B}, "lb"),
    "pivot": (
        {"pivot": "c", "value": "a", "groupby": ["d"]},
        {"x": of("fig"), "y": {"field": "d"}},
        "acd",
    ),
    "impute": (
        {"impute": "a", "key": "k", "keyvals": [20, 21], "groupby": ["c"], "method": "mean"},
        {"x": of("k"), "y": A, "color": C},
        "akc",
    ),
    "bin": ({"bin": {"maxbins": 3}, "field": "a", "as": "made"}, {"x": MADE, "y": B}, "ab"),
    "timeUnit": (
        {"timeUnit": "year", "field": "t", "as": "made"},
        {"x": {"field": "made", "type": "temporal"}, "y": B},
        "bt",
    ),
    "density": (
        {"density": "a", "groupby": ["d"], "extent": [0, 12]},
        {"x": of("value"), "y": of("density"), "color": {"field": "d"}},
        ["a", "d", "value"],
    ),
    "regression": (
        {"regression": "a", "on": "b", "groupby": ["d"]},
        {"x": B, "y": A, "color": {"field": "d"}},
        "abd",
    ),
    "loess": ({"loess": "a", "on": "b"}, {"x": B, "y": A}, "ab"),
    "quantile": (
        {"quantile": "a", "groupby": ["d"]},
        {"x": of("prob"), "y": of("value"), "color": {"field": "d"}},
        ["a", "d", "value"],
    ),
    "sample": ({"sample": 100}, XY, "ab"),
    "extent": (
        {"extent": "k", "param": "limits"},
        {**XY, "size": {"value": {"expr": "limits[1] * 9"}}},
        "abk",
    ),
}
# The transform makes a column of this name, so the one in the rows does not matter.
REMADE = {"value", "key"}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform(name):
    transform, encoding, columns = TRANSFORMS[name]
    assert_needs(unit(transform=[transform], **encoding), columns, hidden=REMADE)


@pytest.mark.parametrize("operation", ["argmax", "argmin"])
def test_the_row_with_the_largest_value(operation):
    """A column holds the whole row, from which the spec may take any column."""
    best = {"aggregate": [{"op": operation, "field": "a", "as": "best"}], "groupby": ["d"]}
    spec = unit("bar", transform=[best], x=of("best.e f"), y={"field": "d"})
    assert_needs(spec, ["a", "d", "e f"], also=COLUMNS)
    shown = {"calculate": "toString(datum.best)", "as": "made"}
    assert kept(unit("text", transform=[best, shown], text={"field": "made"})) == COLUMNS


def test_all_rows_in_one():
    rows = {"aggregate": [{"op": "values", "as": "rows"}], "groupby": ["d"]}
    made = {"calculate": "datum.rows[1].a", "as": "made"}
    spec = unit("bar", transform=[rows, made], x=MADE, y={"field": "d"})
    assert_needs(spec, "ad", also=COLUMNS)


OTHERS = {"values": [{"id": number, "size": number * 3 % 5} for number in range(12)]}


def test_a_lookup():
    found = {"lookup": "k", "from": {"data": OTHERS, "key": "id", "fields": ["size"]}}
    spec = unit(transform=[found], **XY, size=of("size"))
    assert_needs(spec, "abk")


def test_a_lookup_of_whole_rows():
    found = {"lookup": "k", "from": {"data": OTHERS, "key": "id"}, "as": "other"}
    spec = unit(transform=[found], **XY, size=of("other.size"))
    assert_needs(spec, "abk", also=COLUMNS)


def test_a_lookup_in_a_selection():
    nearest = {"name": "near", "select": {"type": "point", "encodings": ["x"]}}
    marked = unit(params=[nearest], x=of("k"), y=B)
    source = {"param": "near", "key": "c"}
    made = {"calculate": "datum.lat > 0 ? datum.a : 0", "as": "made"}
    some, whole = (
        unit(transform=[{"lookup": "c", "from": each}, made], x=of("k"), y=MADE)
        for each in ({**source, "fields": ["lat"]}, source)
    )
    assert kept({"layer": [marked, some]}) == {"a", "b", "c", "k", "lat"}
    assert kept({"layer": [marked, whole]}) == COLUMNS


def test_a_transform_that_is_not_known():
    assert kept(unit(transform=[{"reverse": True}], **XY)) == COLUMNS
