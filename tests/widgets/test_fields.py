"""The results of `referenced_fields`, its refusals, and specs of any size."""

import json
import types
from collections.abc import Mapping

import pytest

from penstock.errors import InvalidSetting
from penstock.widgets import Fields, referenced_fields

CHART = {"mark": "bar", "encoding": {"x": {"field": "a"}, "y": {"field": "b"}}}


def test_two_columns_of_twenty():
    row = dict.fromkeys("abcdefghijklmnopqrst", 1)
    fields = referenced_fields(CHART)
    assert {key: value for key, value in row.items() if key in fields} == {"a": 1, "b": 1}


def test_fields_are_a_value():
    fields = referenced_fields(CHART)
    assert fields == Fields(frozenset("ba"))
    assert hash(fields) == hash(referenced_fields(CHART))
    with pytest.raises(AttributeError):
        fields.everything = True


def test_everything_has_every_column():
    fields = referenced_fields({**CHART, "mark": {"type": "bar", "tooltip": {"content": "data"}}})
    assert fields.everything
    assert "whatever" in fields
    assert {"a", "b"} <= fields.names


@pytest.mark.parametrize("spec", [{"mark": "bar"}, {"layer": []}, {"marks": []}])
def test_a_spec_that_refers_to_no_column(spec):
    assert referenced_fields(spec) == Fields()
    assert "a" not in Fields()


@pytest.mark.parametrize(
    "wrap",
    [json.dumps, lambda spec: json.dumps(spec).encode(), types.MappingProxyType],
    ids=["text", "bytes", "mapping"],
)
def test_a_spec_in_another_form(wrap):
    assert referenced_fields(wrap(CHART)) == referenced_fields(CHART)


@pytest.mark.parametrize(
    "spec",
    [
        *(None, 3, [], [CHART], "", "bar", "[]", '"bar"', b"\xff", "{", {"a"}),
        *({}, {"rows": []}, {"data": []}, {"data": [{"a": 1}]}, {"data": {"values": []}}),
        *({"mark": 5}, {"layer": "all"}, {"facet": {"field": "a"}}, {"encoding": {}}),
        *({"$schema": "https://json-schema.org/draft/2020-12/schema"}, {"spec": {}}),
    ],
    ids=repr,
)
def test_what_is_not_a_spec_is_refused(spec):
    with pytest.raises(InvalidSetting) as caught:
        referenced_fields(spec)
    assert caught.value.setting == "spec"
    assert "Vega-Lite spec with a mark" in caught.value.next_step


def test_a_refusal_does_not_repeat_all_that_was_given():
    with pytest.raises(InvalidSetting) as caught:
        referenced_fields({"rows": ["x" * 100] * 100_000})
    assert len(str(caught.value)) < 1_000


def test_data_in_the_spec_are_not_looked_at():
    class Untouchable(list):
        def __iter__(self):
            raise AssertionError("inline data were walked")

    rows = Untouchable([{"field": "c", "expr": "datum.d"}])
    source = {"values": rows, "format": {"type": "json"}}
    lookup = {"lookup": "k", "from": {"data": source, "key": "id", "fields": ["size"]}}
    spec = {**CHART, "data": source, "datasets": {"more": rows}, "transform": [lookup]}
    fields = referenced_fields(spec)
    assert {name for name in "abcdk" if name in fields} == set("abk")
    assert {"id", "size"} <= fields.names
    vega = {"data": [{"name": "rows", "values": rows}], "marks": []}
    assert referenced_fields(vega) == Fields()


def test_a_hundred_thousand_layers():
    layers = [
        {"mark": "bar", "encoding": {"x": {"field": f"f{number}"}, "y": {"value": 1}}}
        for number in range(100_000)
    ]
    assert len(referenced_fields({"layer": layers}).names) == 100_000


# Deeper than Python's stack.
LEVELS = 10_000


def nested(inner, wrap):
    for _ in range(LEVELS):
        inner = wrap(inner)
    return inner


def test_views_many_levels_deep():
    layers = nested(CHART, lambda inner: {"layer": [inner]})
    assert referenced_fields(layers) == Fields(frozenset("ab"))
    facets = nested(CHART, lambda inner: {"facet": {"field": "c"}, "spec": inner})
    assert referenced_fields(facets) == Fields(frozenset("abc"))


@pytest.mark.parametrize(
    "key",
    [
        *("data", "config", "domain", "shape", "transform", "params", "selection", "scale", "fit"),
        *("tooltip", "mark", "usermeta", "embedOptions", "axis", "encoding", "repeat", "from"),
        *("field", "filter", "signal", "update", "value", "values", "format", "condition"),
    ],
)
def test_any_key_many_levels_deep(key):
    inner = nested(CHART, lambda inner: {key: inner, "filter": "datum.c"})
    referenced_fields({"layer": [{"mark": "bar", "encoding": {"x": inner}}], key: inner})
    both = CHART
    for _ in range(60):
        both = {key: [both, both], "domain": both, "shape": both, "data": both, "config": both}
    referenced_fields({**CHART, key: both})


def test_predicates_many_levels_deep():
    predicate = nested("datum.c > 1", lambda inner: {"not": {"and": [inner]}})
    fields = referenced_fields({**CHART, "transform": [{"filter": predicate}]})
    assert not fields.everything
    assert {name for name in "abcd" if name in fields} == set("abc")


def test_fields_many_levels_deep():
    for wrap in (lambda inner: [inner], lambda inner: {"field": inner}):
        channel = {"field": nested("c", wrap)}
        spec = {"mark": "bar", "encoding": {"x": channel}}
        assert referenced_fields(spec) == Fields(frozenset("c"))


def test_an_expression_many_levels_deep():
    expression = "(" * LEVELS + "datum.c" + ")" * LEVELS
    fields = referenced_fields({**CHART, "transform": [{"filter": expression}]})
    assert "c" in fields
    assert not fields.everything


@pytest.mark.parametrize(
    "part",
    [
        *(
            "data(",
            "data()[",
            "datum['",
            "datum [",
            "length(data('",
            "vlSelectionTest('",
            "indata('",
        ),
        *("[", "['", '["', "[a", "\\", "!", " "),
    ],
)
def test_a_text_that_repeats_itself_comes_to_an_end(part):
    """A pattern that searched from each place to the end would take hours."""
    referenced_fields({**CHART, "transform": [{"filter": part * 200_000}]})


def test_a_text_many_levels_deep_is_refused():
    with pytest.raises(InvalidSetting, match="too deep"):
        referenced_fields("[" * 200_000 + "]" * 200_000)


def test_a_spec_that_shares_its_parts_is_seen_once():
    """Written out, it would have 2 ** 60 marks."""
    spec = CHART
    for _ in range(60):
        spec = {"layer": [spec, spec]}
    assert referenced_fields(spec) == Fields(frozenset("ab"))


def test_a_spec_whose_parts_are_made_when_asked_for():
    """Each part is a new object, and may get the address of an earlier one."""

    class Fresh(Mapping):
        def __init__(self, parts):
            self.parts = parts

        def __getitem__(self, key):
            value = self.parts[key]
            return Fresh(value) if isinstance(value, dict) else value

        def __iter__(self):
            return iter(self.parts)

        def __len__(self):
            return len(self.parts)

    channels = {f"c{number}": {"condition": {"field": f"f{number}"}} for number in range(500)}
    assert len(referenced_fields(Fresh({"mark": "bar", "encoding": channels})).names) == 500


def test_a_spec_inside_itself_comes_to_an_end():
    spec = {"layer": [CHART]}
    spec["layer"].append(spec)
    assert referenced_fields(spec) == Fields(frozenset("ab"))


@pytest.mark.parametrize("junk", [None, 3, "text", [], {}, [[]], [None], {"a": None}, True])
@pytest.mark.parametrize(
    "key",
    [
        *("encoding", "transform", "params", "selection", "repeat", "data", "config", "usermeta"),
        *("tooltip", "scale", "domain", "fit", "shape", "aggregate", "axis", "signals", "on"),
        *("field", "filter", "format", "values", "forces", "ops", "as", "mark"),
        *("op", "content", "type", "bind", "select", "value", "init", "from", "parse", "spec"),
    ],
)
def test_a_spec_that_is_wrong_inside_is_no_error(key, junk):
    inner = {"mark": "bar", "encoding": {"x": {"field": "a", key: junk}}, key: junk}
    transform = {"type": "force", "ops": ["argmax"], key: junk}
    spec = {"layer": [inner], "transform": [transform, {"lookup": "b", "from": junk, key: junk}]}
    referenced_fields(spec)
