"""The names in expressions and paths, and the texts that may read any column."""

import pytest

from penstock.widgets import referenced_fields


def of(expression):
    return referenced_fields({"mark": "bar", "transform": [{"filter": expression}]})


@pytest.mark.parametrize(
    "expression",
    [
        *("datum", "(datum)", "datum[name]", "datum['a' + name]", "datum[datum.a]", "datum[-1]"),
        *("toString(datum)", "values(datum)", "toJSON(datum)", "merge(datum, {a: 1})"),
        *("f(1, datum)", "modify('rows', datum)"),
        *("[datum]", "{a: datum}", "{'a': [1, datum]}", "datum + ''", "datum < 1", "-datum"),
        *("datum || 1", "1 && datum", "a ? datum : 1", "a ? 1 : b ? 2 : datum", "if(a, 1, datum)"),
        *("parent", "item().datum", "event.item.datum", "data('rows')", "data('rows').a"),
        *("slice(data('rows'), 1)", "peek(data('rows'))", "data('rows')[name]", "data('rows')[0]"),
        *("pluck(data('r'), f)", "pluck(datum, name)", "treePath('t', 1, 2)"),
        *("name in datum", "indata('rows', name, 1)", "data('rows')[0][name]"),
        *('"isValid(" + datum + ")"', "toString(f(x) ? 1 : datum)['a']", "item()['datum'].a"),
    ],
)
def test_a_row_that_goes_on_as_a_whole(expression):
    assert of(expression).everything


@pytest.mark.parametrize(
    "expression",
    [
        *("datum[0]", "datum[0x2]", "datum[true]", "datum?.a", "datum ?? 1"),
        *("datum['\\u0061']", "datum['\\x61']", "datum['\\ud83d\\ude00']", "datum['\\0']"),
        *("d\\u0061tum.x", "datum['a\\\nb']", "datum['it\\'s']", "datum['a\\nb']"),
        *("'k' in datum", "(datum.k ? datum : parent).a", "datum && datum.a", "!datum"),
        *("(datum || {}).a", "datum == null", "isValid(datum)", "length(datum)"),
        *("peek(data('rows')).c", "reverse(data('rows'))[0].b", "pluck(data('rows'), 'a.b')"),
        *("pluck(treeAncestors('tree', datum.a), 'b')", "{datum: datum.a}"),
    ],
)
def test_a_text_in_doubt_may_read_any_column(expression):
    assert of(expression).everything


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("datum.a", "a"),
        ("datum['a']", "a"),
        ('datum["a b"]', ["a b"]),
        ("datum['a.b'].c", ["a.b"]),
        ("datum['a[0]']", ["a[0]"]),
        ('datum["it\'s"] + datum[\'a "b"\']', ["it's", 'a "b"']),
        ("datum['(a) - b'] + datum['%']", ["(a) - b", "%"]),
        ("datum['']", [""]),
        ("datum.a.b.c[0]['d']", "a"),
        ("datum.é + datum.$a_1 + datum.हिन्दी + datum.日本", ["é", "$a_1", "हिन्दी", "日本"]),
        ("datum.if + datum.null", ["if", "null"]),
        ("datum\n.\ta", "a"),
        ("'datum.b' + \"datum['c']\" + datum.a", "a"),
        ("test(/['\"]/, datum.a) + datum['b c'] + datum[\"d'e\"]", ["a", "b c", "d'e"]),
        ("datum.a /datum.b/ datum.c", "abc"),
        ("(datum.a) / 2 + f(/datum.x/) + [1] / datum.b", "ab"),
        ("if(c, datum.a, datum.b)", "ab"),
        ("parent.a + parent['b']", "ab"),
        ("event.item.datum.a + item().datum.b + item.mark.group.datum.c", "abc"),
        ("datum.parent", ["parent"]),
        ("data('rows')[0].a + data('rows')[i].b + data(\"rows\")[0]['c']", "abc"),
        ("length(data('rows')) + data('rows').length", ""),
        ("length(datum.a)", "a"),
        ("indata('rows', 'a', datum.b) || indata('rows', 'c d.e', 1)", ["a", "b", "c d"]),
        ("vlSelectionTest('brush_store', datum)", ""),
        ("join(datum.a, '\\n')", "a"),
        ("data_x.datum_y + datumx.a + xdatum.b", ""),
        ("[,datum.a,,]", "a"),
        ("- + ~ ! datum.a", "a"),
        (" + ".join(f"datum.f{n}" for n in range(3_000)), [f"f{n}" for n in range(3_000)]),
        ("1 ? 2 : " * 3_000 + "datum.a", "a"),
        ("datum.a <= 1 && datum.b >>> 2 !== 3 ^ datum.c % 2", "abc"),
    ],
)
def test_what_is_read(expression, names):
    fields = of(expression)
    assert not fields.everything
    assert set(names) <= fields.names
    assert "spare" not in fields


@pytest.mark.parametrize(
    "expression",
    [
        *("datum.a +", "(datum.a", "datum.a b", "datum.a // datum.b", "`${datum.a}`", "datum.a++"),
        *("datum.a = 1", "typeof datum.a", "datum.a()", "[datum.a", "'" + "datum.a", "{datum.a"),
    ],
)
def test_names_are_found_in_a_text_that_vega_would_refuse(expression):
    assert "a" in of(expression)


@pytest.mark.parametrize(
    ("path", "column"),
    [
        ("a", "a"),
        ("a.b", "a"),
        ("a[0].b", "a"),
        ("a['b.c']", "a"),
        ('a["b"]["c"]', "a"),
        ("a b.c", "a b"),
        ("a\\.b", "a.b"),
        ("a\\.b.c", "a.b"),
        ("[a.b]", "a.b"),
        ("['a.b'].c", "a.b"),
        ("['a[0]'].c", "a[0]"),
        ("a\\[0\\]", "a[0]"),
        ("a\\[0\\].b", "a[0]"),
        ("it's", "it's"),
        ("it's.b", "it's"),
        ("a..b", "a"),
        ("parent", "parent"),
        (0, "0"),
        *(("x\\.y[0]", name) for name in ("x.y", "x.y.0")),
        *((path, path) for path in ("a[0", "a]", "a['b", "['a]", "a[b]]")),
    ],
)
def test_the_column_of_a_path(path, column):
    fields = referenced_fields({"mark": "bar", "encoding": {"x": {"field": path}}})
    assert column in fields.names
    assert not fields.everything


@pytest.mark.parametrize("path", ["a\\\\b", "['it\\'s']", "a\\b"])
def test_a_path_with_other_escapes_may_be_of_any_column(path):
    assert referenced_fields({"mark": "bar", "encoding": {"x": {"field": path}}}).everything
