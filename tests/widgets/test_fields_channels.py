"""Each channel of an encoding, drawn with the columns it needs and without."""

import pytest
from charts import XY, A, B, C, Q, assert_needs, of, unit

NUMBERS = ("size", "opacity", "fillOpacity", "strokeOpacity", "strokeWidth", "angle")


@pytest.mark.parametrize("channel", [*NUMBERS, "xOffset", "yOffset"])
def test_a_channel_of_numbers(channel):
    place = {"xOffset": "x", "yOffset": "y"}.get(channel)
    discrete = {place: {"field": "d"}} if place else {}
    columns = {"a", "b", "e f"} if not place else {"d", "e f", "b" if place == "x" else "a"}
    assert_needs(unit(**{**XY, **discrete, channel: of("e f")}), columns)


@pytest.mark.parametrize("channel", ["color", "fill", "stroke", "shape", "strokeDash", "detail"])
def test_a_channel_of_kinds(channel):
    assert_needs(
        unit("line" if channel in ("strokeDash", "detail") else "point", **XY, **{channel: C}),
        "abc",
    )


@pytest.mark.parametrize("channel", ["text", "href", "description", "url", "tooltip", "key"])
def test_a_channel_of_texts(channel):
    mark = {"text": "text", "url": "image"}.get(channel, "point")
    hidden = "w" if channel in ("tooltip", "key") else ""
    assert_needs(unit(mark, **XY, **{channel: {"field": "w"}}), "abw", hidden=hidden)


@pytest.mark.parametrize("channel", ["row", "column", "facet"])
def test_a_channel_that_divides(channel):
    by_mean = {"field": "c", "sort": {"field": "e f", "op": "mean"}, "header": {"title": "c"}}
    assert_needs(unit(**XY, **{channel: by_mean}), {"a", "b", "c", "e f"})


def test_ranges_and_errors():
    assert_needs(unit("bar", x=A, x2={"field": "b"}, y=of("k")), "abk")
    assert_needs(
        unit("rect", x=A, x2={"field": "b"}, y=of("k"), y2={"field": "e f"}), ["a", "b", "k", "e f"]
    )
    assert_needs(unit("bar", x=of("a", bin="binned"), x2={"field": "b"}, y=of("k")), "abk")
    assert_needs(unit("errorbar", x=A, xError={"field": "b"}, y={"field": "k"}), "abk")
    more = {"yError": {"field": "e f"}, "yError2": {"field": "k"}}
    assert_needs(unit("errorband", x=A, y=B, **more), ["a", "b", "e f", "k"])


def test_arcs():
    ends = {"theta2": {"field": "b"}, "radius2": {"field": "k"}}
    spec = unit("arc", theta=of("a", stack=None), radius=of("e f", stack=None), **ends)
    assert_needs(spec, ["a", "b", "e f", "k"])


def test_places_on_a_map():
    assert_needs(unit(longitude=of("lon"), latitude=of("lat")), ["lon", "lat"])
    to = {"longitude2": {"field": "a"}, "latitude2": {"field": "b"}}
    assert_needs(
        unit("rule", longitude=of("lon"), latitude=of("lat"), **to), ["lon", "lat", "a", "b"]
    )


def test_a_moment_of_an_animation():
    frame = {"name": "frame", "select": {"type": "point", "fields": ["k"], "on": "timer"}}
    shown = {"filter": {"param": "frame"}}
    assert_needs(
        unit(transform=[shown], params=[frame], **XY, time={"field": "k"}), "abk", hidden="k"
    )


def test_lists_of_definitions():
    spec = unit("line", **XY, detail=[C, {"field": "d"}], tooltip=[of("k"), {"field": "w"}])
    assert_needs(spec, "abcdkw", hidden="kw")
    order = [of("e f"), {"field": "c"}]
    assert_needs(
        unit("bar", x=A, y={"field": "d"}, detail=of("k"), order=order),
        ["a", "d", "k", "e f", "c"],
        hidden=["c", "e f"],
    )


def test_only_counting_needs_no_column():
    assert_needs(unit("bar", y={"aggregate": "count"}), "")
    assert_needs(unit("bar", x={"field": "c"}, y={"aggregate": "count", "type": Q}), "c")


def test_aggregates():
    assert_needs(unit("bar", x=C, y=of("a", aggregate="mean")), "ac")
    assert_needs(unit("bar", x=C, y=of("a", aggregate={"argmax": "b"})), "abc")
    assert_needs(unit("bar", x=C, y=of("a", aggregate={"argmin": "k"})), "ack")


def test_sorting():
    by_field = {"field": "c", "sort": {"field": "b", "op": "sum", "order": "descending"}}
    assert_needs(unit("bar", x=by_field, y=of("a", aggregate="mean")), "abc")
    by_channel = {"field": "c", "sort": {"encoding": "y"}}
    assert_needs(unit("bar", x=by_channel, y=of("a", aggregate="mean")), "ac")
    short = {"field": "c", "sort": "-y"}
    assert_needs(unit("bar", x=short, y=of("a", aggregate="mean")), "ac")
    assert_needs(unit("line", **XY, order=of("e f")), ["a", "b", "e f"])
    listed = {"field": "c", "sort": ["pear", "fig"]}
    assert_needs(unit("bar", x=listed, y=of("a", aggregate="mean")), "ac")


def test_parts_of_time_and_bins():
    assert_needs(unit("bar", x={"field": "t", "timeUnit": "month"}, y={"aggregate": "count"}), "t")
    assert_needs(unit("bar", x=of("a", bin={"maxbins": 4}), y={"aggregate": "count"}), "a")


def test_missing_values_are_imputed():
    value = of("b", impute={"value": 0, "keyvals": {"start": 1, "stop": 20}})
    assert_needs(unit("line", x=A, y=value, color=C), "abc")


@pytest.mark.parametrize("stack", ["zero", "normalize", "center"])
def test_stacks(stack):
    spec = unit(
        "area",
        x=of("k"),
        y=of("a", aggregate="sum", stack=stack),
        color=C,
        order=of("b", aggregate="sum"),
    )
    assert_needs(spec, "abck", hidden="b")


@pytest.mark.parametrize("mark", ["boxplot", "errorbar", "errorband"])
def test_marks_made_of_marks(mark):
    across = C if mark != "errorband" else of("k", bin=True)
    needed = "ac" if mark != "errorband" else "ak"
    assert_needs(unit(mark, x=across, y=A), needed)


def test_a_scale_in_the_data():
    assert_needs(unit(**XY, color={"field": "c", "scale": {"range": {"field": "d"}}}), "abcd")
