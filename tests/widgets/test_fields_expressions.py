"""Expressions that are followed: what they read, and when that may be everything."""

import pytest

from penstock.widgets import referenced_fields
from penstock.widgets.vega.paths import NotAPath, split_path


def of(expression):
    return referenced_fields({"mark": "bar", "transform": [{"filter": expression}]})


@pytest.mark.parametrize(
    "expression",
    [
        *("datum", "(datum)", "datum[name]", "datum['a' + name]", "datum[datum.a]", "datum[-1]"),
        *(
            "toString(datum)",
            "values(datum)",
            "toJSON(datum)",
            "merge(datum, {a: 1})",
            "f(1, datum)",
        ),
        *("[datum]", "{a: datum}", "{'a': [1, datum]}", "datum + ''", "datum < 1", "-datum"),
        *("datum || 1", "1 && datum", "a ? datum : 1", "a ? 1 : b ? 2 : datum", "if(a, 1, datum)"),
        *("parent", "item().datum", "event.item.datum", "data('rows')", "data('rows').a"),
        *(
            "slice(data('rows'), 1)",
            "peek(data('rows'))",
            "data('rows')[name]",
            "pluck(data('r'), f)",
        ),
        *("pluck(datum, name)", "name in datum", "indata('rows', name, 1)", "treePath('t', 1, 2)"),
        "modify('rows', datum)",
    ],
)
def test_a_row_that_goes_on_as_a_whole(expression):
    assert of(expression).everything


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "",
            " ",
            "datum.",
            "datum[",
            "datum['a",
            "datum.a +",
            "(datum.a",
            "datum.a)",
            "datum.a b",
        ),
        *("datum.a // datum.b", "datum.a /* datum.b */", "`${datum.a}`", "datum?.a", "datum ?? 1"),
        *("datum.a = 1", "datum.a++", "new Date()", "typeof datum.a", "() => datum", "datum.a; 1"),
        *(
            "datum.a()",
            "f()()",
            "'\\400'",
            "'\\u12'",
            "'a\nb'",
            "/a",
            "#",
            "{...datum}",
            "{a}",
            "this",
        ),
        *("\\x61", "1 2", "f(,)", "{a: 1", "datum.'a'", "in", "'\\u{110000}'", "pluck(datum, '[')"),
        "(" * 200 + "datum.a" + ")" * 200,
    ],
)
def test_what_vega_would_refuse_may_need_everything(expression):
    assert of(expression).everything


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("datum.a", "a"),
        ("datum['a']", "a"),
        ('datum["a b"]', ["a b"]),
        ("datum['a.b'].c", ["a.b"]),
        ("datum.a.b.c[0]['d']", "a"),
        ("datum[0] + datum[1.0] + datum[0x2] + datum[.5]", ["0", "1", "2", "0.5"]),
        ("datum[true] || datum[null]", ["true", "null"]),
        ("datum['\\u0061\\x62\\u{63}\\'\\n']", ["abc'\n"]),
        ("datum['\\ud83d\\ude00']", ["😀"]),
        ("datum['\\0']", ["\0"]),
        ("datum['a\\\nb']", ["ab"]),
        ("d\\u0061tum.x", "x"),
        ("datum.é + datum.$a_1 + datum.日本", ["é", "$a_1", "日本"]),
        ("datum.if + datum.null", ["if", "null"]),
        ("datum\n.\ta", "a"),
        ("'datum.b' + \"datum['c']\" + datum.a", "a"),
        ("test(/datum.b[/'\"]\\/datum.c/gi, datum.a)", "a"),
        ("datum.a /datum.b/ datum.c", "abc"),
        ("(datum.a) / 2 + f(/datum.x/) + [1] / datum.b", "ab"),
        ("a in /x/ && datum.a", "a"),
        ("'k' in datum", "k"),
        ("(datum.k ? datum : parent).a + datum.k", "ak"),
        ("datum && datum.a", "a"),
        ("!datum || datum == null || datum !== x || isValid(datum)", ""),
        ("(datum || {}).a", "a"),
        ("datum[c ? 'a' : d ? 'b' : 'e']", "abe"),
        ("if(c, datum.a, datum.b)", "ab"),
        ("parent.a + parent['b']", "ab"),
        ("event.item.datum.a + item().datum.b + item.mark.group.datum.c", "abc"),
        ("data('rows')[0].a + data('rows')[i].b + peek(data('rows')).c", "abc"),
        ("slice(data('rows'), 0, 1)[0].a + reverse(data('rows'))[0].b", "ab"),
        ("length(data('rows')) + data('rows').length", ""),
        ("length(datum)", ["length"]),
        ("length(datum.a)", "a"),
        ("pluck(data('rows'), 'a.b') + pluck(datum, 'c')", "ac"),
        ("pluck(treeAncestors('tree', datum.a), 'b')", "ab"),
        ("indata('rows', 'a', datum.b)", "ab"),
        ("vlSelectionTest('brush_store', datum)", ""),
        ("data_x.datum_y + datumx.a + xdatum.b", ""),
        ("{datum: datum.a, b: 1, 2: 3,}", "a"),
        ("[,datum.a,,]", "a"),
        ("- + ~ ! datum.a", "a"),
        ("a ? b : c ? d : e ? f : datum.a", "a"),
        (" + ".join(f"datum.f{n}" for n in range(3_000)), [f"f{n}" for n in range(3_000)]),
        ("1 ? 2 : " * 3_000 + "datum.a", "a"),
        ("datum.a <= 1 && datum.b >>> 2 !== 3 ^ datum.c % 2", "abc"),
    ],
)
def test_what_is_read(expression, names):
    fields = of(expression)
    assert not fields.everything
    assert set(fields) == set(names)


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("a", ["a"]),
        ("a.b", ["a", "b"]),
        ("a[0].b", ["a", "0", "b"]),
        ("a['b.c']", ["a", "b.c"]),
        ('a["b"]["c"]', ["a", "b", "c"]),
        ("a\\.b", ["a.b"]),
        ("a\\.b.c", ["a.b", "c"]),
        ("[a.b]", ["a.b"]),
        ("['a.b'].c", ["a.b", "c"]),
        ("a\\[0\\]", ["a[0]"]),
        ("a\\\\b", ["a\\b"]),
        ("['it\\'s']", ["it's"]),
        ("it's", ["it's"]),
        ("a..b", ["a", "b"]),
        ("", []),
    ],
)
def test_steps_of_a_path(path, steps):
    assert list(split_path(path)) == steps


@pytest.mark.parametrize("path", ["a[0", "a]", "a['b", "['a]", "a[b]]"])
def test_a_path_that_is_none_stays_a_name(path):
    with pytest.raises(NotAPath):
        split_path(path)
    fields = referenced_fields({"mark": "bar", "encoding": {"x": {"field": path}}})
    assert path in fields
    assert not fields.everything
