"""Half of Vega-Lite's own gallery, in which the columns of `referenced_fields` are enough for the
same picture."""

import json
import os
import re

import gallery
import pytest

from penstock.widgets import referenced_fields

MISSING = gallery.missing()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING or "never")

# Groups small enough for processes to share, and large enough for readable names.
AT_ONCE = 12
NAMES = [] if MISSING else list(gallery.specs())
GROUPS = [NAMES[start : start + AT_ONCE] for start in range(0, len(NAMES), AT_ONCE)]
# A picture takes long, and neighbours are much alike. `make fuzz` draws all of them.
DRAWN = NAMES if "PENSTOCK_FUZZ" in os.environ else NAMES[::4]
DRAWN_GROUPS = [DRAWN[start : start + AT_ONCE] for start in range(0, len(DRAWN), AT_ONCE)]

# In Vega these may be the position of a mark, not a column.
OF_ITEMS = {"x", "y", "datum"}
FIELDS = ("field", "fields", "groupby", "key")
IN_EXPRESSION = re.compile(r"""datum(?:\.([\w$]+)|\["([^"\\]+)"\])""")
FIRST_STEP = re.compile(r"(?:\\.|[^.\[\\])+")
# Expressions with random numbers, and a similar one without.
SETTLED = {
    r'"ci"': '"stdev"',
    r'"ci0"': '"q1"',
    r'"ci1"': '"q3"',
    r'"sample"\s*:\s*\d+': '"sample": 1000000',
    r"\brandom\(\)": "0.5",
}


ROWS = [{"x": 1, "y": 2, "more of it": 7}, {"x": 3, "y": 5, "more of it": 7}]
CHART = {"mark": "point", "encoding": {"x": {"field": "x"}, "y": {"field": "y"}}}


def pictures(spec):
    """Return the picture with all columns, and with only the referenced ones."""
    whole = gallery.Pruned(spec)
    pruned = gallery.Pruned(spec, referenced_fields(spec))
    before = gallery.svg(whole.spec)
    return before, before if pruned.spec == whole.spec else gallery.svg(pruned.spec)


def is_random(spec):
    """Return whether the picture differs each time."""
    whole = gallery.Pruned(spec).spec
    return gallery.svg(whole) != gallery.svg(whole)


def settled(text):
    for drawn, still in SETTLED.items():
        text = re.sub(drawn, still, text)
    return json.loads(text)


def stays_the_same(name):
    """Return whether the picture stays the same, without its random numbers if it has any."""
    text = gallery.specs()[name]
    whole, pruned = pictures(json.loads(text))
    if whole != pruned and is_random(json.loads(text)):
        whole, pruned = pictures(settled(text))
    return whole == pruned


@pytest.mark.parametrize("names", DRAWN_GROUPS, ids=lambda names: f"{names[0]}..{names[-1]}")
def test_pictures_stay_the_same(names, capfd):
    """Vega draws what it can and reports the rest, so a report means an incomplete picture."""
    assert [name for name in names if not stays_the_same(name)] == []
    assert "ERROR" not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    "name",
    [
        "errorband_2d_horizontal_color_encoding",
        "layer_line_errorband_2d_horizontal_borders_strokedash",
        "layer_point_errorbar_2d_horizontal_ci",
        "layer_point_errorbar_ci",
        "point_offset_random",
    ],
)
def test_only_without_random_numbers_can_these_be_compared(name):
    if name not in NAMES:
        pytest.skip(f"{name} is not in this archive")
    text = gallery.specs()[name]
    assert is_random(json.loads(text))
    assert not is_random(settled(text))


@pytest.mark.parametrize(
    "written", ['"sample":200', '"sample": 200', '"sample" : 200', '"sample"\n:\n200']
)
def test_however_it_is_written_a_sample_is_settled(written):
    assert settled(f'{{"transform": [{{{written}}}]}}') == {"transform": [{"sample": 1000000}]}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("a.rows", {"a": {"rows": ROWS, "more": 1}, "rows": 2}),
        ("a[1].rows", {"a": [3, {"rows": ROWS}, 4]}),
        (r"a\.rows", {"a.rows": ROWS, "a": {"rows": 5}}),
        ('["a.rows"]', {"a.rows": ROWS}),
        ("rows", {"rows": ROWS}),
    ],
)
def test_rows_inside_a_document_are_pruned(path, values):
    spec = CHART | {"data": {"values": values, "format": {"type": "json", "property": path}}}
    pruned = gallery.Pruned(spec, referenced_fields(spec))
    assert (pruned.there, pruned.kept) == (["x", "y", "more of it"], ["x", "y"])
    text = json.dumps(values).replace(', "more of it": 7', "")
    assert pruned.spec["data"]["values"] == json.loads(text)
    assert (
        gallery.svg(pruned.spec)
        == gallery.svg(spec)
        != gallery.svg(CHART | {"data": {"values": []}})
    )


def named(part, key=""):
    """Return the columns that a compiled spec names in Vega-Lite's fields or expressions."""
    if isinstance(part, str):
        if key in FIELDS and (path := FIRST_STEP.match(part)):
            yield path[0].replace("\\", "")
        yield from (name or quoted for name, quoted in IN_EXPRESSION.findall(part))
    elif isinstance(part, dict):
        for name, value in part.items():
            if name != "values":
                yield from named(value, name)
    elif isinstance(part, list):
        for each in part:
            yield from named(each, key)


@pytest.mark.parametrize("names", GROUPS, ids=lambda names: f"{names[0]}..{names[-1]}")
def test_what_the_compiled_spec_refers_to_is_kept(names):
    """Pictures show neither tooltips nor the effects of selections, but the compiled Vega spec has
    both."""
    lost = {}
    seen = set()
    for name in names:
        spec = json.loads(gallery.specs()[name])
        columns = gallery.Pruned(spec).there
        fields = referenced_fields(spec)
        compiled = set(named(gallery.vega(spec))) - OF_ITEMS
        found = {each for each in columns if each in compiled}
        lost[name] = {each for each in found if each not in fields}
        seen |= found
    assert seen
    assert not any(lost.values()), lost


def test_much_is_left_out():
    kept = there = smaller = everything = 0
    for text in gallery.specs().values():
        spec = json.loads(text)
        fields = referenced_fields(spec)
        pruned = gallery.Pruned(spec, fields)
        kept += len(pruned.kept)
        there += len(pruned.there)
        smaller += len(pruned.kept) < len(pruned.there)
        everything += fields.everything
    assert kept < there / 2
    assert smaller > len(NAMES) / 2
    assert everything < len(NAMES) / 50
