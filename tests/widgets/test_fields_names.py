"""The names of columns in fields and expressions."""

import gallery
import pytest
from charts import COLUMNS, MADE, XY, A, B, assert_needs, of, unit

from penstock.widgets import referenced_fields


@pytest.mark.parametrize(
    ("field", "column"),
    [
        ("n.p", "n"),
        ("n['p']", "n"),
        ('n["p"]', "n"),
        ("n[p]", "n"),
        ("n.q[0].r", "n"),
        ("n['q'][0]['r']", "n"),
        ("l[1]", "l"),
        ("l.1", "l"),
        ("g\\.h", "g.h"),
        ("['g.h']", "g.h"),
        ("[g.h]", "g.h"),
        ("e f", "e f"),
        ("datum_a", "datum_a"),
        ("field", "field"),
    ],
)
def test_a_field_by_its_path(field, column):
    assert_needs(unit(x=of(field), y=A), {"a", column})


@pytest.mark.parametrize(
    ("expression", "columns"),
    [
        ("datum.k", "k"),
        ("datum['e f'] + datum[\"g.h\"]", ["e f", "g.h"]),
        ("datum.n.p + datum.n.q[0].r", "n"),
        ("datum [ 'k' ]", "k"),
        ("datum.a / datum.k / 2", "ak"),
        ("[datum.k, 1][0]", "k"),
        ("isArray(datum.l) ? length(datum.l) + datum.l[0] : 0", "l"),
        ("datum.datum_a * 1", ["datum_a"]),
    ],
)
def test_an_expression(expression, columns):
    made = {"calculate": expression, "as": "made"}
    assert_needs(unit(transform=[made], x=MADE, y=B), {"b", *columns})


@pytest.mark.parametrize(
    "expression",
    [
        "'datum.spare'.length + datum.k",
        "test(/datum.spare[/]\"/, '!') ? 0 : datum.k",
        "{'spare': datum.k}.spare",
    ],
)
def test_a_word_of_an_expression_that_is_a_column_too(expression):
    made = {"calculate": expression, "as": "made"}
    assert_needs(unit(transform=[made], x=MADE, y=B), "bk", also=["spare"])


@pytest.mark.parametrize(
    ("expression", "columns"),
    [
        ("datum['\\u006b'] + datum['\\x61']", "ak"),
        ("(datum).k", "k"),
        ("(1 ? datum : null).k", "k"),
        ("if(datum.a > 4, datum, {k: 0}).k", "ak"),
        ("datum[datum.a > 4 ? 'k' : 'lat']", ["a", "k", "lat"]),
        ("datum && isValid(datum) && datum.k", "k"),
    ],
)
def test_an_expression_in_doubt_keeps_every_column(expression, columns):
    made = {"calculate": expression, "as": "made"}
    assert_needs(unit(transform=[made], x=MADE, y=B), {"b", *columns}, also=COLUMNS)


@pytest.mark.parametrize("name", ["datum", "parent"])
def test_a_column_that_is_called_like_a_row(name):
    made = {"calculate": f"datum.{name} + 1", "as": "made"}
    for spec in (unit(x=of(name)), unit(x=of(f"{name}.p")), unit(transform=[made], x=MADE)):
        assert name in referenced_fields(spec)


@pytest.mark.parametrize("field", ["n.o", "n['o']", "n[o]"])
def test_a_column_that_is_named_like_a_path(field):
    """Vega-Lite takes it for a path, but in the test of a condition for a name."""
    big = {"condition": {"test": {"field": field, "gt": 3}, "value": 200}, "value": 10}
    spec = unit(**XY, size=big)
    rows = [{"a": number, "b": number, "n.o": number, "o": number} for number in range(9)]
    fields = referenced_fields(spec)
    assert {"a", "b", "n", "n.o"} <= fields.names
    whole, pruned, less = (
        gallery.svg(
            {
                **spec,
                "data": {"values": [{key: row[key] for key in row if key in kept} for row in rows]},
            }
        )
        for kept in (rows[0], fields, "ab")
    )
    assert whole == pruned != less
