"""What `referenced_fields` gives, what it refuses, and what size does not harm it."""

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
    assert list(fields) == ["a", "b"]
    assert (len(fields), fields.everything, repr(fields)) == (2, False, "Fields('a', 'b')")
    with pytest.raises(AttributeError):
        fields.everything = True


def test_everything_has_every_column():
    fields = referenced_fields({**CHART, "mark": {"type": "bar", "tooltip": {"content": "data"}}})
    assert fields.everything
    assert "whatever" in fields
    assert fields.names == {"a", "b"}
    assert repr(fields) == "Fields(everything)"
    assert Fields(everything=True)


@pytest.mark.parametrize("spec", [{"mark": "bar"}, {"layer": []}, {"marks": []}])
def test_a_spec_that_refers_to_no_column(spec):
    fields = referenced_fields(spec)
    assert (list(fields), fields.everything, bool(fields)) == ([], False, False)
    assert "a" not in fields


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
    assert set(referenced_fields(spec)) == {"a", "b", "k", "id", "size"}
    vega = {"data": [{"name": "rows", "values": rows}], "marks": []}
    assert set(referenced_fields(vega)) == set()


def test_a_hundred_thousand_layers():
    layers = [
        {"mark": "bar", "encoding": {"x": {"field": f"f{number}"}, "y": {"value": 1}}}
        for number in range(100_000)
    ]
    assert len(referenced_fields({"layer": layers})) == 100_000


# Deeper than the stack of Python.
LEVELS = 10_000


def nested(inner, wrap):
    for _ in range(LEVELS):
        inner = wrap(inner)
    return inner


def test_views_many_levels_deep():
    layers = nested(CHART, lambda inner: {"layer": [inner]})
    assert set(referenced_fields(layers)) == {"a", "b"}
    facets = nested(CHART, lambda inner: {"facet": {"field": "c"}, "spec": inner})
    assert set(referenced_fields(facets)) == {"a", "b", "c"}


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
    assert fields == Fields(frozenset("abc"))


def test_fields_many_levels_deep():
    lists = nested("c", lambda inner: [inner])
    assert not referenced_fields({**CHART, "encoding": {"x": {"field": lists}}}).everything
    objects = nested("c", lambda inner: {"field": inner})
    assert set(referenced_fields({**CHART, "encoding": {"x": objects}})) == {"c"}


def test_an_expression_many_levels_deep_may_need_everything():
    expression = "(" * LEVELS + "datum.c" + ")" * LEVELS
    assert referenced_fields({**CHART, "transform": [{"filter": expression}]}).everything


def test_a_text_many_levels_deep_is_refused():
    with pytest.raises(InvalidSetting, match="too deep"):
        referenced_fields("[" * 200_000 + "]" * 200_000)


def test_a_spec_that_shares_its_parts_is_seen_once():
    """Written out, it would have 2 ** 60 marks."""
    spec = CHART
    for _ in range(60):
        spec = {"layer": [spec, spec]}
    assert set(referenced_fields(spec)) == {"a", "b"}


def test_a_spec_whose_parts_are_made_when_asked_for():
    """Each part is a new object, and may come to lie where another one lay."""

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
    assert len(referenced_fields(Fresh({"mark": "bar", "encoding": channels}))) == 500


def test_a_spec_inside_itself_comes_to_an_end():
    spec = {"layer": [CHART]}
    spec["layer"].append(spec)
    assert set(referenced_fields(spec)) == {"a", "b"}


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
